#include "twins.h"

#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, SCRIPT = 10, EVENTS = 30 };

/* A letter an operation: A acquire and a release a, likewise B b; R read-lock r, P post, T
 * take, S store and L load y, F fork and J join the own child, W and w wait at c with m (held
 * from M to m), N notify, X write x. */
struct thread {
    char script[SCRIPT + 2];
    uint32_t at, child; /* thread, or 0 */
    bool begun;
};

struct program {
    struct random random;
    struct thread threads[THREADS];
    uint32_t count, line;
    uint32_t owner[3], readers; /* of a, b, m: thread + 1; of r */
    uint32_t posted, signalled, waiting;
    FILE *out;
};

/* What scripts are drawn from: racers want something and then write x; twins give it, and
 * so do their children. Locks are nested, and M is held around a wait. */
static const char *const racing[] = {"T", "T", "L", "A", "MWw", "S"};
static const char *const giving[] = {"P", "P", "S", "F", "F",   "J", "A",
                                     "B", "R", "T", "L", "MWw", "MN"};
static const char *const children[] = {"P", "P", "S", "A", "T", "L", "MN"};

struct drawn {
    const char *const *pieces;
    uint32_t count, longest;
};

static void write_script(struct program *program, char *script, const struct drawn *from)
{
    uint32_t length = 0, wanted = 1 + random_below(&program->random, from->longest);
    char open[SCRIPT + 1] = {0};
    uint32_t opened = 0;
    bool forked = false;
    for (uint32_t tries = 0; tries < 32 && length + opened < wanted; tries++) {
        const char *piece = from->pieces[random_below(&program->random, from->count)];
        bool lock = strchr("ABRM", piece[0]) != NULL;
        if ((piece[0] == 'F' && forked) || (piece[0] == 'J' && !forked) ||
            (lock && strchr(open, piece[0])) || length + opened + strlen(piece) + lock > SCRIPT - 1)
            continue;
        forked |= piece[0] == 'F';
        length += (uint32_t)sprintf(script + length, "%s", piece);
        if (lock)
            open[opened++] = piece[0];
        if (opened && random_chance(&program->random, 60)) {
            script[length++] = (char)(open[--opened] | 0x20);
            open[opened] = 0;
        }
    }
    while (opened)
        script[length++] = (char)(open[--opened] | 0x20);
    script[length] = 0;
}

static bool may(const struct program *program, const struct thread *thread)
{
    const struct thread *child = &program->threads[thread->child];
    switch (thread->begun ? thread->script[thread->at] : 0) {
    case 0:
        return false;
    case 'A':
        return !program->owner[0];
    case 'B':
        return !program->owner[1];
    case 'M':
        return !program->owner[2];
    case 'T':
        return program->posted;
    case 'w':
        return program->signalled && !program->owner[2];
    case 'J':
        return !child->script[child->at];
    default:
        return true;
    }
}

static void say(struct program *program, uint32_t thread, const char *what)
{
    fprintf(program->out, "T%u|%s|%u\n", thread, what, program->line++);
}

static void fork_or_join(struct program *program, uint32_t at, const char *what)
{
    char text[32];
    snprintf(text, sizeof text, "%s(T%u)", what, program->threads[at].child);
    say(program, at, text);
    program->threads[program->threads[at].child].begun = true;
}

static void take(struct program *program, uint32_t at)
{
    struct thread *thread = &program->threads[at];
    static const char *const words[128] = {
        ['A'] = "acq(a)",    ['a'] = "rel(a)",     ['B'] = "acq(b)",     ['b'] = "rel(b)",
        ['M'] = "acq(m)",    ['m'] = "rel(m)",     ['R'] = "rdacq(r)",   ['r'] = "rdrel(r)",
        ['P'] = "post(s)",   ['T'] = "semwait(s)", ['S'] = "atomicw(y)", ['L'] = "atomicr(y)",
        ['W'] = "wait(c,m)", ['w'] = "woken(c,m)", ['N'] = "notify(c)",  ['X'] = "w(x)",
    };
    char letter = thread->script[thread->at++];
    switch (letter) {
    case 'A':
    case 'a':
        program->owner[0] = letter == 'A' ? at + 1 : 0;
        break;
    case 'B':
    case 'b':
        program->owner[1] = letter == 'B' ? at + 1 : 0;
        break;
    case 'M':
    case 'm':
    case 'W':
    case 'w':
        program->owner[2] = letter == 'M' || letter == 'w' ? at + 1 : 0;
        program->waiting += letter == 'W';
        program->waiting -= letter == 'w';
        program->signalled -= letter == 'w';
        break;
    case 'P':
        program->posted++;
        break;
    case 'T':
        program->posted--;
        break;
    case 'N':
        program->signalled += program->signalled < program->waiting;
        break;
    case 'F':
        fork_or_join(program, at, "fork");
        return;
    case 'J':
        fork_or_join(program, at, "join");
        return;
    default:
        break;
    }
    say(program, at, words[(unsigned char)letter]);
}

static uint32_t add_thread(struct program *program, const char *script, bool begun)
{
    struct thread *thread = &program->threads[program->count];
    strcpy(thread->script, script);
    thread->begun = begun;
    return program->count++;
}

/* All that run one script, with children that are alike, too. */
static void add_twins(struct program *program, uint32_t twins)
{
    static const struct drawn script_from = {giving, sizeof giving / sizeof *giving, 4};
    static const struct drawn child_from = {children, sizeof children / sizeof *children, 2};
    char script[SCRIPT + 1], child[SCRIPT + 1];
    write_script(program, script, &script_from);
    write_script(program, child, &child_from);
    for (uint32_t i = 0; i < twins && program->count + 2 <= THREADS; i++) {
        uint32_t thread = add_thread(program, script, true);
        if (strchr(script, 'F'))
            program->threads[thread].child = add_thread(program, child, false);
    }
}

static void add_racer(struct program *program)
{
    static const struct drawn from = {racing, sizeof racing / sizeof *racing, 4};
    char script[SCRIPT + 2];
    write_script(program, script, &from);
    strcat(script, "X");
    add_thread(program, script, true);
}

char *twins_generate(uint64_t seed)
{
    char *text = NULL;
    size_t size = 0;
    struct program program = {.random = {seed}, .out = open_memstream(&text, &size)};
    add_racer(&program);
    add_racer(&program);
    add_twins(&program, 2 + random_below(&program.random, 2));
    if (random_chance(&program.random, 30))
        add_twins(&program, 1);
    for (uint32_t events = 0, stuck = 0; events < EVENTS && stuck < 64;) {
        uint32_t thread = random_below(&program.random, program.count);
        if (!may(&program, &program.threads[thread])) {
            stuck++;
            continue;
        }
        stuck = 0;
        events++;
        take(&program, thread);
    }
    fclose(program.out);
    return text;
}
