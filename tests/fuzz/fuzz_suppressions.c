/* A file of suppressions of any bytes: an error that names the line, or lines that match or not. */
#include "report/suppressions.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void match_all(const struct suppressions *suppressions)
{
    size_t at = 0;
    for (const char *line; (line = suppressions_unused(suppressions, &at));) {
        const char *pattern = strchr(line, ':');
        if (pattern && strlen(pattern) < 64)
            suppression_pattern(pattern + 1, "worker::run(std::vector<int>&) /src/main.cc");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct error error = {0};
    int file = memfd_create("suppressions", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct suppressions *suppressions = suppressions_read(path, &error);
    if (!suppressions && error.code != ERROR_INPUT)
        abort();
    if (suppressions)
        match_all(suppressions);
    suppressions_free(suppressions);
    close(file);
    return 0;
}
