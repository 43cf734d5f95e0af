/* SPDX-License-Identifier: MIT */
#include "target/standard_input.h"

#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

static int kept_file(const char *directory)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/stdin", directory);
    return files_create(path);
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t done = write(file, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

/* A file is read beside the target, from where it stands: its offset is not moved. */
static void copy_file(int kept)
{
    char block[BLOCK];
    off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    ssize_t got;
    for (size_t left = STANDARD_INPUT_LIMIT; at >= 0 && left; left -= (size_t)got) {
        got = pread(STDIN_FILENO, block, left < sizeof block ? left : sizeof block, at);
        if (got <= 0 || !write_all(kept, block, (size_t)got))
            return;
        at += got;
    }
}

/* A pipe can be read once only: a process of its own passes it on. */
static void copy_pipe(int kept, int to)
{
    char block[BLOCK];
    size_t left = STANDARD_INPUT_LIMIT;
    ssize_t got;
    while ((got = read(STDIN_FILENO, block, sizeof block)) > 0) {
        size_t keep = (size_t)got < left ? (size_t)got : left;
        if (keep && write_all(kept, block, keep))
            left -= keep;
        if (!write_all(to, block, (size_t)got))
            break;
    }
    _exit(0);
}

static void start_copier(struct standard_input *input, int kept)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    input->copier = fork();
    if (input->copier == 0) {
        close(ends[0]);
        copy_pipe(kept, ends[1]);
    }
    close(ends[1]);
    if (input->copier > 0)
        input->end = ends[0];
    else
        close(ends[0]);
}

void standard_input_keep(struct standard_input *input, const char *directory)
{
    struct stat status;
    *input = (struct standard_input){.end = -1};
    if (fstat(STDIN_FILENO, &status) || (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)))
        return;
    int kept = kept_file(directory);
    if (kept < 0)
        return;
    if (S_ISREG(status.st_mode))
        copy_file(kept);
    else
        start_copier(input, kept);
    close(kept);
}

void standard_input_from(struct standard_input *input, const char *path)
{
    *input = (struct standard_input){.end = strcmp(path, "/dev/null") == 0
                                                ? open(path, O_RDONLY | O_CLOEXEC)
                                                : files_open(path)};
}

void standard_input_use(const struct standard_input *input)
{
    if (input->end >= 0)
        dup2(input->end, STDIN_FILENO);
}

void standard_input_started(struct standard_input *input)
{
    if (input->end >= 0)
        close(input->end);
    input->end = -1;
}

void standard_input_ended(struct standard_input *input)
{
    if (input->copier <= 0)
        return;
    kill(input->copier, SIGKILL); /* it may wait for input that nobody wants any more */
    while (waitpid(input->copier, NULL, 0) < 0 && errno == EINTR)
        ;
    input->copier = 0;
}
