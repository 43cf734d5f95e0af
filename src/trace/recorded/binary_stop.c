/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_stop.h"

#include "base/files.h"
#include "base/memory.h"

#include <errno.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4096 };

/* The text is shown as it is: a file may hold anything. */
static char *printable(const char *text)
{
    size_t length = strcspn(text, "\n");
    char *copy = memory_zero(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    return copy;
}

/* "STAMP REASON\n". What is there and cannot be read says at least that the recording stopped. */
uint64_t binary_stop_read(const char *directory, char **reason)
{
    char path[4400];
    uint64_t stamp = UINT64_MAX - 1;
    int at = 0;
    snprintf(path, sizeof path, "%s/stopped", directory);
    char *text = files_load(path, LARGEST, NULL);
    if (reason)
        *reason = NULL;
    if (!text && errno == ENOENT)
        return UINT64_MAX;
    if (!text || sscanf(text, "%" SCNu64 " %n", &stamp, &at) != 1)
        at = 0;
    if (reason)
        *reason = printable(at && text[at] ? text + at : "it stopped early");
    free(text);
    return stamp < UINT64_MAX ? stamp : UINT64_MAX - 1;
}
