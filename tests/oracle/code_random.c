#include "oracle/code_random.h"

#include "base/random.h"

#include <stdio.h>

enum { VARIABLES = 2, LOCKS = 2, THREADS = 4 };

struct making {
    FILE *out;
    struct random random;
    unsigned thread, threads, lines;
    int depth;
};

/* "x" or "y"; numbers from 0 to 3. */
static char variable(struct making *making)
{
    return (char)('x' + random_below(&making->random, VARIABLES));
}

static unsigned number(struct making *making)
{
    return random_below(&making->random, 4);
}

static void indent(struct making *making)
{
    fprintf(making->out, "%*s", 4 * making->depth, "");
    making->lines++;
}

static void add_write(struct making *making)
{
    indent(making);
    fprintf(making->out, "%s %u %c ", random_chance(&making->random, 70) ? "wr" : "atomicw",
            making->thread, variable(making));
    if (random_chance(&making->random, 50))
        fprintf(making->out, "%u\n", number(making));
    else
        fprintf(making->out, "%c + %u\n", variable(making), number(making));
}

static void add_condition(struct making *making, char seen)
{
    static const char *const signs[] = {"==", "==", "!=", "<", ">="};
    fprintf(making->out, "if %u %c %s %u {\n", making->thread, seen,
            signs[random_below(&making->random, sizeof signs / sizeof *signs)], number(making));
    making->depth++;
    add_write(making);
    if (random_chance(&making->random, 30)) {
        fprintf(making->out, "%*s} else {\n", 4 * (making->depth - 1), "");
        add_write(making);
    }
    making->depth--;
    fprintf(making->out, "%*s}\n", 4 * making->depth, "");
}

static void add_read(struct making *making)
{
    char seen = variable(making);
    indent(making);
    fprintf(making->out, "%s %u %c\n", random_chance(&making->random, 80) ? "rd" : "atomicr",
            making->thread, seen);
    if (random_chance(&making->random, 40)) {
        fprintf(making->out, "%*s", 4 * making->depth, "");
        add_condition(making, seen);
    } else if (random_chance(&making->random, 60)) {
        fprintf(making->out, "%*sassert %u %c != %u\n", 4 * making->depth, "", making->thread, seen,
                1 + random_below(&making->random, 3));
    }
}

static void add_other(struct making *making)
{
    FILE *out = making->out;
    indent(making);
    switch (random_below(&making->random, 5)) {
    case 0:
        fprintf(out, "atomicadd %u %c %u\n", making->thread, variable(making), number(making));
        break;
    case 1:
        fprintf(out, "atomiccas %u %c %u %u\n", making->thread, variable(making), number(making),
                number(making));
        break;
    case 2:
        fprintf(out, "post %u s\n", making->thread);
        break;
    case 3:
        fprintf(out, "notify %u c\n", making->thread);
        break;
    default:
        fprintf(out, "notifyall %u c\n", making->thread);
    }
}

static void add_some(struct making *making)
{
    unsigned kind = random_below(&making->random, 10);
    if (kind < 3)
        add_read(making);
    else if (kind < 5)
        add_write(making);
    else
        add_other(making);
}

/* `m` and `n`: what is done under a try is done if it has the lock. */
static void add_section(struct making *making)
{
    char lock = (char)('m' + random_below(&making->random, LOCKS));
    bool tries = random_chance(&making->random, 25);
    FILE *out = making->out;
    indent(making);
    fprintf(out, "%s %u %c\n", tries ? "tryacq" : "acq", making->thread, lock);
    if (tries)
        fprintf(out, "%*sif %u %c == 1 {\n", 4 * making->depth++, "", making->thread, lock);
    if (random_chance(&making->random, 25))
        fprintf(out, "%*swait %u c %c\n", 4 * making->depth, "", making->thread, lock);
    add_some(making);
    if (random_chance(&making->random, 25))
        fprintf(out, "%*sacq %u %c\n%*srel %u %c\n", 4 * making->depth, "", making->thread,
                lock ^ 'm' ^ 'n', 4 * making->depth, "", making->thread, lock ^ 'm' ^ 'n');
    fprintf(out, "%*srel %u %c\n", 4 * making->depth, "", making->thread, lock);
    if (tries)
        fprintf(out, "%*s}\n", 4 * --making->depth, "");
}

static void add_thread(struct making *making)
{
    if (random_chance(&making->random, 10))
        fprintf(making->out, "semwait %u s\n", making->thread);
    else if (random_chance(&making->random, 10))
        fprintf(making->out, "trysemwait %u s\n", making->thread);
    for (making->lines = 0; making->lines < (making->threads == 3 ? 4 : 3);)
        if (random_chance(&making->random, 30))
            add_section(making);
        else
            add_some(making);
}

static void add_threads(struct making *making)
{
    unsigned own[THREADS], count = 0; /* those that do something of their own */
    for (unsigned i = 1; i < making->threads; i++) {
        making->thread = i;
        fprintf(making->out, "fork main %u\n", i);
        if (count && random_chance(&making->random, 40)) {
            fprintf(making->out, "like %u %u\n", i, own[random_below(&making->random, count)]);
        } else {
            add_thread(making);
            own[count++] = i;
        }
    }
}

char *code_random(uint64_t seed)
{
    char *text = NULL;
    size_t length;
    struct making making = {.out = open_memstream(&text, &length), .random = {seed}};
    making.threads = random_chance(&making.random, 30) ? 4 : 3;
    fputs("program\n", making.out);
    add_threads(&making);
    unsigned apart = random_chance(&making.random, 30) ? random_below(&making.random, 16) : 0;
    for (unsigned i = 1; i < making.threads; i++)
        fprintf(making.out, "%sjoin main %u\n", apart >> i & 1 ? "rd main x\n" : "", i);
    fclose(making.out);
    return text;
}
