/* SPDX-License-Identifier: MIT */
#include "replay/kept_output.h"

#include "base/files.h"

#include <stdio.h>
#include <sys/stat.h>

/* Its last bytes, in its place. */
static void keep_end(const char *path)
{
    struct new_file kept;
    struct error ignored = {0};
    char block[4096];
    size_t got;
    FILE *whole = files_read(path);
    if (!whole)
        return;
    if (files_begin(&kept, path, &ignored) == 0) {
        fseek(whole, -(long)KEPT_OUTPUT_FAILED, SEEK_END);
        while ((got = fread(block, 1, sizeof block, whole)) > 0)
            fwrite(block, 1, got, kept.stream);
        files_commit(&kept, &ignored);
    }
    fclose(whole);
}

void kept_output_settle(const char *path, bool failed)
{
    struct stat status;
    if (lstat(path, &status) || status.st_size <= KEPT_OUTPUT)
        return;
    if (!failed)
        remove(path);
    else if (status.st_size > KEPT_OUTPUT_FAILED)
        keep_end(path);
}
