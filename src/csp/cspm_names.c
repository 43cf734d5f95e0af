/* SPDX-License-Identifier: MIT */
#include "csp/cspm_names.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a model defines itself, and CSPM's own words. */
static const char *const reserved[] = {
    "and",          "assert",     "atomic_read", "atomic_write", "barrier_enter",
    "barrier_exit", "Atomics",    "Barriers",    "broadcast",    "card",
    "channel",      "Char",       "concat",      "Conditions",   "datatype",
    "diff",         "diverges",   "elem",        "else",         "empty",
    "end",          "Events",     "extensions",  "false",        "finished",
    "fork",         "head",       "if",          "in",           "include",
    "Int",          "inter",      "Inter",       "join",         "lambda",
    "length",       "let",        "live",        "load",         "lock",
    "lockfail",     "member",     "module",      "Mutexes",      "nametype",
    "not",          "null",       "once_begin",  "once_end",     "once_pass",
    "Onces",        "or",         "post",        "print",        "Proc",
    "productions",  "race",       "RwLocks",     "rdfail",       "rdlock",
    "rdunlock",     "read",       "rmw",         "semfail",      "Semaphores",
    "semwait",      "seq",        "set",         "Set",          "Seq",
    "signal",       "spurious",   "start",       "store",        "subtype",
    "sync_set",     "tail",       "then",        "Threads",      "timed",
    "transparent",  "true",       "union",       "Union",        "unlock",
    "Variables",    "wait",       "within",      "woken",        "wrfail",
    "write",        "wrlock",     "wrunlock",    "STOP",         "SKIP",
    "DIV",          "CHAOS",      "RUN",         "Bool",         "external",
    "exports",      "endmodule",  "instance",    "WAIT",         "initials",
    "mapLookup",    "locked",     "rw_set",      "MUTEX",        "HELD",
    "FORK",         "JOIN",       "JOINED",      "RACE",         "RACE_ERR",
    "LIVE",         "RWLOCK",     "WRITER",      "READERS",      "CONDITION",
    "SEMAPHORE",    "ONCE",       "ONCE_DONE",   "ATOMIC",       "PROGRAM",
    "SYNC",         "T_INTER",    "FORKS",       "JOINS",        "MUTEXES",
    "RWLOCKS",      "CONDITIONS", "SEMAPHORES",  "ONCES",        "ATOMICS",
    "BARRIERS",     "any",        "done",        "free",         "freeze",
    "gate",         "last_post",  "last_signal", "new",          "no_use",
    "said_set",     "at_set",     "old",         "optional",     "PATTERN",
    "PATT_ERR",
};

/* Also taken: the letters that stand for variables in the model's definitions, and
 * the families of names it makes up. */
static bool is_taken(struct interner *taken, const char *name)
{
    if (strncmp(name, "THREAD_", 7) == 0 || strncmp(name, "BARRIER_", 8) == 0 ||
        strncmp(name, "AT_", 3) == 0 || strncmp(name, "FROZEN_", 7) == 0 ||
        strncmp(name, "USE_", 4) == 0 || strncmp(name, "use_", 4) == 0)
        return true;
    return intern_find(taken, name, strlen(name)) != INTERN_NONE ||
           (islower((unsigned char)name[0]) && !name[1] && strchr("ehinrstuvw", name[0]));
}

static char *identifier(const char *name, enum object_class class)
{
    static const char prefixes[CLASS_COUNT] = {'o', 't', 'v', 'm', 'c', 'b', 's', 'o', 'l'};
    size_t length = strlen(name);
    char *text = memory_alloc(length + 3, 1);
    size_t used = 0;
    if (class == CLASS_THREAD && name[0] == 'T' && isdigit((unsigned char)name[1])) {
        text[used++] = 't'; /* the papers write t1 */
        name++;
    } else if (!isalpha((unsigned char)name[0])) {
        text[used++] = prefixes[class];
        if (!isdigit((unsigned char)name[0]))
            text[used++] = '_';
    }
    for (; *name; name++)
        text[used++] = isalnum((unsigned char)*name) ? *name : '_';
    text[used] = '\0';
    return text;
}

/* A taken name is set apart by its class, and by a number if need be. */
static char *unique(struct interner *taken, char *name, enum object_class class)
{
    if (!is_taken(taken, name))
        return name;
    char *other = NULL;
    for (unsigned number = 0;; number++) {
        free(other);
        int printed = number ? asprintf(&other, "%s_%s_%u", object_class_text(class), name, number)
                             : asprintf(&other, "%s_%s", object_class_text(class), name);
        if (printed > 0 && !is_taken(taken, other))
            break;
    }
    free(name);
    return other;
}

void cspm_names_make(struct cspm_names *names, const struct trace *trace)
{
    struct interner *taken = interner_create();
    names->trace = trace;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        intern(taken, reserved[i], strlen(reserved[i]));
    for (unsigned class = CLASS_THREAD; class < CLASS_COUNT; class ++) {
        uint32_t count = trace_count(trace, class);
        names->names[class] = NEW_ARRAY(char *, count);
        for (uint32_t id = 0; id < count; id++) {
            char *name = unique(taken, identifier(trace_name(trace, class, id), class), class);
            intern(taken, name, strlen(name));
            names->names[class][id] = name;
        }
    }
    interner_destroy(taken);
}

void cspm_names_free(struct cspm_names *names)
{
    for (unsigned class = CLASS_THREAD; class < CLASS_COUNT; class ++) {
        for (uint32_t id = 0; id < trace_count(names->trace, class); id++)
            free(names->names[class][id]);
        free(names->names[class]);
    }
}
