/* A baseline of any bytes: an error, or a list of ids. */
#include "report/baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct error error = {0};
    int file = memfd_create("baseline", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct baseline *baseline = baseline_read(path, &error);
    if (!baseline && error.code != ERROR_INPUT)
        abort();
    baseline_free(baseline);
    close(file);
    return 0;
}
