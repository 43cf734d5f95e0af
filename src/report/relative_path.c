/* SPDX-License-Identifier: MIT */
#include "report/relative_path.h"

#include <string.h>

const char *relative_path(const char *path, size_t *length, const char *root)
{
    size_t skipped = root ? strlen(root) : 0;
    while (*length > 2 && strncmp(path, "./", 2) == 0) {
        path += 2;
        *length -= 2;
    }
    if (skipped && *length > skipped + 1 && strncmp(path, root, skipped) == 0 &&
        path[skipped] == '/') {
        path += skipped + 1;
        *length -= skipped + 1;
    }
    return path;
}
