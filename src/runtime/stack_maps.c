/* SPDX-License-Identifier: MIT */
#include "runtime/stack_maps.h"

#include "runtime/system.h"

#include <stdbool.h>

/* One line of /proc/self/maps, read a character at a time: "LOW-HIGH RIGHTS OFFSET DEVICE INODE",
 * and a name if it has one. */
struct line {
    uint64_t low, high;
    unsigned word; /* that the next character belongs to */
    bool second;   /* of the two numbers */
    bool named;
};

static uint64_t add_digit(uint64_t number, char digit)
{
    return number << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static void line_add(struct line *line, char next, char last)
{
    enum { RANGE = 0, NAME = 5 };
    if (next == ' ')
        line->word += last != ' ';
    else if (line->word >= NAME)
        line->named = true;
    else if (line->word == RANGE && next == '-')
        line->second = true;
    else if (line->word == RANGE && line->second)
        line->high = add_digit(line->high, next);
    else if (line->word == RANGE)
        line->low = add_digit(line->low, next);
}

void stack_from_maps(uintptr_t place, uint64_t *low, uint64_t *high)
{
    char block[512], last = 0;
    struct line line = {0};
    int file = system_open("/proc/self/maps", O_RDONLY, 0);
    long got = file < 0 ? 0 : system_read(file, block, sizeof block);
    for (; got > 0; got = system_read(file, block, sizeof block))
        for (long i = 0; i < got; last = block[i++]) {
            if (block[i] != '\n') {
                line_add(&line, block[i], last);
                continue;
            }
            if (line.low <= place && place < line.high && !line.named) {
                *low = line.low;
                *high = line.high;
            }
            line = (struct line){0};
        }
    if (file >= 0)
        system_close(file);
}
