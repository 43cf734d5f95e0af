/* A program of the zoo: cases by name, each right, or wrong where `wrong` is set.
 *
 *     PROGRAM CASE [wrong]
 *
 * Used from C and from C++. */
#ifndef ZOO_H
#define ZOO_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../patience.h"
#undef usleep

static bool wrong;

struct zoo_case {
    const char *name;
    void (*run)(void);
};

/* Late enough for the others to have gone before, nearly always. No order: the cases are right,
 * and their twins wrong, with and without. */
static inline void zoo_later(void)
{
    usleep(20000);
}

/* When all others are blocked: for twins that are wrong in that order. (Never while another spins.)
 */
static inline void zoo_last(void)
{
    patience(20000);
}

static inline int zoo_run(const struct zoo_case *cases, size_t count, int argc, char **argv)
{
    wrong = argc > 2 && strcmp(argv[2], "wrong") == 0;
    for (size_t i = 0; i < count && argc > 1; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    fprintf(stderr, "no such case\n");
    return 9;
}

/* A value that must be there: programs that are right never end here. */
#define ZOO_SEES(condition)                                                                        \
    do {                                                                                           \
        if (!(condition) && !wrong)                                                                \
            abort();                                                                               \
    } while (0)

#define ZOO_MAIN(...)                                                                              \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct zoo_case cases[] = {__VA_ARGS__};                                      \
        return zoo_run(cases, sizeof cases / sizeof *cases, argc, argv);                           \
    }

#endif
