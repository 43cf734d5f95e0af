/* SPDX-License-Identifier: MIT */
#include "runtime/directory.h"

#include "runtime/text.h"

static int open_directory(const char *path)
{
    return system_open(path, O_PATH | O_DIRECTORY, 0);
}

int directory_open(const char *path, const char *name, int flags)
{
    int directory = open_directory(path);
    if (directory < 0)
        return directory;
    int file = system_open_at(directory, name, flags, SYSTEM_FILE_MODE);
    system_close(directory);
    return file;
}

int directory_make(const char *path, const char *name)
{
    int directory = open_directory(path);
    if (directory < 0)
        return directory;
    int answer = (int)system_call(SYS_mkdirat, directory, (long)name, 0700, 0, 0, 0);
    system_close(directory);
    return answer;
}

int directory_move(const char *path, const char *name, const char *into)
{
    char to[2 * DIRECTORY_NAME];
    size_t at = text_append(to, 0, sizeof to, into);
    at = text_append(to, at, sizeof to, "/");
    text_append(to, at, sizeof to, name);
    int directory = open_directory(path);
    if (directory < 0)
        return directory;
    int answer = (int)system_call(SYS_renameat, directory, (long)name, directory, (long)to, 0, 0);
    system_close(directory);
    return answer;
}

void directory_write(const char *path, const char *name, const char *text, size_t length)
{
    int file = directory_open(path, name, O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0)
        return;
    system_write(file, text, length);
    system_close(file);
}
