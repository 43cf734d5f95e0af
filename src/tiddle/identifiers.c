/* SPDX-License-Identifier: MIT */
#include "tiddle/identifiers.h"

#include "base/array.h"

#include <ctype.h>
#include <stdio.h>

#define IDENTIFIER_LIMIT 64 /* bytes; longer names are cut */

struct identifier_list ARRAY_OF(const char *);

struct identifiers {
    const struct trace *trace;
    struct interner *used;
    struct identifier_list lists[CLASS_COUNT];
};

/* Keywords, what the generated file and its headers declare, and what compilers
 * know as built-in functions: words that a test is likely to use. */
static const char reserved[] =
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm typeof bool true false main argc argv unused "
    "SHARED DO WAIT BARRIER BLOCK_BEGIN BLOCK_END TIMED_WAIT IGNORE_BEGIN IGNORE_END PRINT BRANCH "
    "UNSEEN "
    "NEVER PLACE EBUSY NULL linux unix errno assert expect failed replayed ask_for_replay "
    "prepare_clock "
    "leave leaving sleepers STEPS send_to_sleep await_step done_step wait_for place_of orders add "
    "settle park parked turn blocking "
    "about_to_block wake_step use "
    "at place "
    "settling settling_from sleeper prepare perform reset call places run started printed "
    "abs acos alarm asin atan atof atoi atol bcmp bcopy brk bsearch bzero cabs calloc ceil "
    "clearenv clock clone close confstr cos creal crypt ctime difftime div dup encrypt erf exit "
    "exp fabs feof ferror fgetc fgets floor fmod fopen fork fprintf fputc fputs fread free frexp "
    "fscanf fsync fwrite gamma getenv getopt getpid hypot index ioctl isalnum isalpha isdigit "
    "islower isspace isupper kill labs ldexp lgamma link llabs lock lockf log log2 log10 logb "
    "lrint lround lseek malloc memcmp memcpy memmove memset mktemp modf nan nice open pause perror "
    "pipe pow printf putc putchar puts qsort raise rand random read realloc remainder remove "
    "rename rindex rint rmdir round scanf select send setjmp signal sin sleep sprintf sqrt srand "
    "sscanf stderr stdin stdout strcat strchr strcmp strcpy strdup strlen swab symlink sync "
    "syscall system tan time times tolower toupper trunc ttyname unlink usleep vfork wait write "
    "yield barrier_wait y0 y1 yn j0 j1 jn ";

static bool is_reserved(const char *text, size_t length)
{
    for (const char *at = reserved; (at = strstr(at, text)); at++)
        if (at[length] == ' ' && (at == reserved || at[-1] == ' '))
            return true;
    return strncmp(text, "pthread_", 8) == 0 || strncmp(text, "sem_", 4) == 0 ||
           strncmp(text, "sched_", 6) == 0 || text[0] == '_';
}

struct identifiers *identifiers_create(const struct trace *trace)
{
    struct identifiers *identifiers = NEW(struct identifiers);
    identifiers->trace = trace;
    identifiers->used = interner_create();
    return identifiers;
}

void identifiers_destroy(struct identifiers *identifiers)
{
    for (int class = 0; class < CLASS_COUNT; class ++)
        array_free(&identifiers->lists[class]);
    interner_destroy(identifiers->used);
    free(identifiers);
}

static const char *claim(struct identifiers *identifiers, const char *text)
{
    size_t length = strlen(text);
    if (is_reserved(text, length) || intern_find(identifiers->used, text, length) != INTERN_NONE)
        return NULL;
    return intern_text(identifiers->used, intern(identifiers->used, text, length));
}

/* Letters, digits and single underscores, beginning with a letter. */
static void spell(char out[IDENTIFIER_LIMIT], const char *name, const char *prefix)
{
    size_t length = (size_t)snprintf(out, IDENTIFIER_LIMIT, "%s", prefix);
    for (; *name && length + 1 < IDENTIFIER_LIMIT; name++) {
        bool plain = isalnum((unsigned char)*name) && (unsigned char)*name < 0x80;
        if (!plain && length && out[length - 1] == '_' && *name != '_')
            continue;
        out[length++] = plain ? *name : '_';
    }
    out[length] = '\0';
}

const char *identifier_fresh(struct identifiers *identifiers, const char *wish)
{
    char text[IDENTIFIER_LIMIT], numbered[IDENTIFIER_LIMIT + 16];
    spell(text, wish, "");
    if (!isalpha((unsigned char)text[0]))
        spell(text, wish, "v_");
    const char *claimed = claim(identifiers, text);
    for (unsigned number = 2; !claimed; number++) {
        snprintf(numbered, sizeof numbered, "%s_%u", text, number);
        claimed = claim(identifiers, numbered);
    }
    return claimed;
}

const char *identifier(struct identifiers *identifiers, enum object_class class, uint32_t id)
{
    static const char *const prefixes[CLASS_COUNT] = {
        [CLASS_NONE] = "",      [CLASS_THREAD] = "thread_", [CLASS_VARIABLE] = "",
        [CLASS_LOCK] = "",      [CLASS_CONDITION] = "",     [CLASS_BARRIER] = "",
        [CLASS_SEMAPHORE] = "", [CLASS_ONCE] = "",          [CLASS_LABEL] = "",
    };
    static const char *const fallbacks[CLASS_COUNT] = {
        [CLASS_NONE] = "",
        [CLASS_THREAD] = "thread_",
        [CLASS_VARIABLE] = "variable_",
        [CLASS_LOCK] = "lock_",
        [CLASS_CONDITION] = "condition_",
        [CLASS_BARRIER] = "barrier_",
        [CLASS_SEMAPHORE] = "semaphore_",
        [CLASS_ONCE] = "once_",
        [CLASS_LABEL] = "block_",
    };
    struct identifier_list *list = &identifiers->lists[class];
    array_grow(list, id + 1);
    if (list->items[id])
        return list->items[id];
    const char *name = trace_name(identifiers->trace, class, id);
    char text[IDENTIFIER_LIMIT];
    spell(text, name, prefixes[class]);
    const char *found = isalpha((unsigned char)text[0]) ? claim(identifiers, text) : NULL;
    if (!found) {
        spell(text, name, fallbacks[class]);
        found = identifier_fresh(identifiers, text);
    }
    list->items[id] = found;
    return found;
}
