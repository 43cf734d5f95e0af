/* SPDX-License-Identifier: MIT */
/* A Tiddle program: what each thread does, with conditions on what it has read, in no order but
 * its own. A file whose first word is `program` is one; any other Tiddle file is a trace, which
 * says one order of everything and nothing of what would happen in others.
 *
 * Lines are kept as they stand in the file, so that printing loses nothing. What is not written,
 * the forks and joins of a main thread and its last look at all variables, comes behind them. */
#ifndef PREPLAY_TIDDLE_CODE_H
#define PREPLAY_TIDDLE_CODE_H

#include "base/array.h"
#include "base/error.h"
#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

enum code_op {
    CODE_NOTHING, /* a blank line, a comment */
    CODE_PROGRAM, /* the first line */
    CODE_LIKE,    /* the thread does what `other` does */
    CODE_READ,
    CODE_WRITE,
    CODE_ATOMIC_READ,
    CODE_ATOMIC_WRITE,
    CODE_ADD,      /* to a variable, at once; the local gets what it held before */
    CODE_EXCHANGE, /* writes `value` if it holds `wanted`; the local gets what it held before */
    CODE_ACQUIRE,
    CODE_TRY_ACQUIRE, /* the local gets 1 or 0 */
    CODE_RELEASE,
    CODE_WAIT, /* for a condition; `other` is the lock */
    CODE_NOTIFY,
    CODE_NOTIFY_ALL,
    CODE_POST,
    CODE_SEMWAIT,
    CODE_TRY_SEMWAIT, /* the local gets 1 or 0 */
    CODE_FORK,
    CODE_JOIN,
    CODE_LET,
    CODE_IF,    /* `partner`: its else, or else its end */
    CODE_ELSE,  /* `partner`: its end */
    CODE_CLOSE, /* of an if */
    CODE_ASSERT,
    CODE_OPS
};

enum code_comparison {
    CODE_EQUAL,
    CODE_NOT_EQUAL,
    CODE_LESS,
    CODE_AT_MOST,
    CODE_GREATER,
    CODE_AT_LEAST,
    CODE_COMPARISONS
};

enum code_names {
    CODE_THREADS,
    CODE_VARIABLES,
    CODE_LOCALS, /* of any thread: each has its own of every name */
    CODE_LOCKS,
    CODE_CONDITIONS,
    CODE_SEMAPHORES,
    CODE_NAMES
};

struct code_term {
    bool is_local;
    uint32_t local;
    int64_t number;
};

struct code_value {
    struct code_term first, second;
    char sign; /* '+', '-', or 0: `first` alone. Numbers of 64 bits, which wrap */
};

struct code_line {
    uint8_t op, comparison;
    bool added;       /* it is not in the file */
    uint16_t depth;   /* how many conditions are around it */
    uint32_t number;  /* of the line; of one that was added the last */
    uint32_t thread;  /* of all but CODE_NOTHING and CODE_PROGRAM */
    uint32_t object;  /* its number among the names of code_object_names() */
    uint32_t other;   /* a lock, a thread */
    uint32_t local;   /* what is read goes there */
    uint32_t partner; /* a line */
    struct code_value value, wanted;
    char *comment; /* from its '#'; NULL if there is none */
};

struct code_thread {
    uint32_t runs; /* the thread whose lines it does: itself, but for CODE_LIKE */
    bool forked;
    struct code_order ARRAY_OF(uint32_t) order; /* its lines */
};

struct code {
    char *path;
    struct interner *names[CODE_NAMES];
    struct code_lines ARRAY_OF(struct code_line) lines;
    struct code_threads ARRAY_OF(struct code_thread) threads;
    uint32_t root; /* the thread that is there from the beginning, and ends the program */
};

/* Is this the text of a program? `bytes[length]` must be '\0'. */
bool code_is_program(const char *bytes);
/* NULL with an error that says where, what was found and what was expected. */
struct code *code_parse(const char *path, const char *bytes, size_t length, struct error *error);
void code_free(struct code *code);

const char *code_name(const struct code *code, enum code_names names, uint32_t id);
/* What `object` of a line is; CODE_NAMES: it has none. */
enum code_names code_object_names(enum code_op op);
/* Does it leave something in a local variable? */
bool code_has_local(enum code_op op);
/* The name of the local that a line leaves its result in if it names none: the object's. */
uint32_t code_usual_local(struct code *code, enum code_op op, uint32_t object);

const char *code_word(enum code_op op);
const char *code_sign(enum code_comparison comparison);

#endif
