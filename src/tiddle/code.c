/* SPDX-License-Identifier: MIT */
#include "tiddle/code.h"

#include <string.h>

static const struct {
    const char *word;
    enum code_names object;
    bool has_local;
} ops[CODE_OPS] = {
    [CODE_NOTHING] = {"", CODE_NAMES, false},
    [CODE_PROGRAM] = {"program", CODE_NAMES, false},
    [CODE_LIKE] = {"like", CODE_NAMES, false},
    [CODE_READ] = {"rd", CODE_VARIABLES, true},
    [CODE_WRITE] = {"wr", CODE_VARIABLES, false},
    [CODE_ATOMIC_READ] = {"atomicr", CODE_VARIABLES, true},
    [CODE_ATOMIC_WRITE] = {"atomicw", CODE_VARIABLES, false},
    [CODE_ADD] = {"atomicadd", CODE_VARIABLES, true},
    [CODE_EXCHANGE] = {"atomiccas", CODE_VARIABLES, true},
    [CODE_ACQUIRE] = {"acq", CODE_LOCKS, false},
    [CODE_TRY_ACQUIRE] = {"tryacq", CODE_LOCKS, true},
    [CODE_RELEASE] = {"rel", CODE_LOCKS, false},
    [CODE_WAIT] = {"wait", CODE_CONDITIONS, false},
    [CODE_NOTIFY] = {"notify", CODE_CONDITIONS, false},
    [CODE_NOTIFY_ALL] = {"notifyall", CODE_CONDITIONS, false},
    [CODE_POST] = {"post", CODE_SEMAPHORES, false},
    [CODE_SEMWAIT] = {"semwait", CODE_SEMAPHORES, false},
    [CODE_TRY_SEMWAIT] = {"trysemwait", CODE_SEMAPHORES, true},
    [CODE_FORK] = {"fork", CODE_NAMES, false},
    [CODE_JOIN] = {"join", CODE_NAMES, false},
    [CODE_LET] = {"let", CODE_NAMES, true},
    [CODE_IF] = {"if", CODE_NAMES, false},
    [CODE_ELSE] = {"} else {", CODE_NAMES, false},
    [CODE_CLOSE] = {"}", CODE_NAMES, false},
    [CODE_ASSERT] = {"assert", CODE_NAMES, false},
};

const char *code_word(enum code_op op)
{
    return ops[op].word;
}

enum code_names code_object_names(enum code_op op)
{
    return ops[op].object;
}

bool code_has_local(enum code_op op)
{
    return ops[op].has_local;
}

const char *code_sign(enum code_comparison comparison)
{
    static const char *const signs[CODE_COMPARISONS] = {
        [CODE_EQUAL] = "==",   [CODE_NOT_EQUAL] = "!=", [CODE_LESS] = "<",
        [CODE_AT_MOST] = "<=", [CODE_GREATER] = ">",    [CODE_AT_LEAST] = ">=",
    };
    return signs[comparison];
}

const char *code_name(const struct code *code, enum code_names names, uint32_t id)
{
    return intern_text(code->names[names], id);
}

uint32_t code_usual_local(struct code *code, enum code_op op, uint32_t object)
{
    const char *name = code_name(code, ops[op].object, object);
    return intern(code->names[CODE_LOCALS], name, strlen(name));
}

/* Behind blank lines and comments stands the word, alone. */
bool code_is_program(const char *bytes)
{
    static const char word[] = "program";
    for (bytes += strspn(bytes, " \t\r\n"); *bytes == '#'; bytes += strspn(bytes, " \t\r\n"))
        bytes += strcspn(bytes, "\n");
    size_t length = sizeof word - 1;
    return strncmp(bytes, word, length) == 0 &&
           (!bytes[length] || strchr(" \t\r\n#", bytes[length]));
}

void code_free(struct code *code)
{
    if (!code)
        return;
    for (size_t i = 0; i < code->lines.count; i++)
        free(code->lines.items[i].comment);
    for (size_t i = 0; i < code->threads.count; i++)
        array_free(&code->threads.items[i].order);
    for (unsigned i = 0; i < CODE_NAMES; i++)
        interner_destroy(code->names[i]);
    array_free(&code->lines);
    array_free(&code->threads);
    free(code->path);
    free(code);
}
