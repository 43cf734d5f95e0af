/* SPDX-License-Identifier: MIT */
/* Errors travel as values: a function that can fail returns non-zero and fills
 * a struct error; only cli/ prints it and turns its code into the exit code. */
#ifndef PREPLAY_BASE_ERROR_H
#define PREPLAY_BASE_ERROR_H

enum error_code {
    ERROR_NONE = 0,
    ERROR_USAGE = 2,    /* the command line is wrong */
    ERROR_INPUT = 3,    /* a file is malformed or cannot be read */
    ERROR_INTERNAL = 4, /* preplay itself failed */
};

struct error {
    enum error_code code;
    char text[1024];
};

/* Fills `error` (which may be NULL) and returns -1, so that callers can write
 * `return error_set(...)`. An error that is already set is kept: the first
 * cause is the one worth telling. */
int error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
