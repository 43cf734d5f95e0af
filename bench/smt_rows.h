/* SPDX-License-Identifier: MIT */
/* Traces of the shape of Said et al.'s Table 3, which cannot be had: as many threads,
 * events, lock and wait/notify events, and objects of each kind as its rows say. */
#ifndef PREPLAY_BENCH_SMT_ROWS_H
#define PREPLAY_BENCH_SMT_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct row {
    const char *name;
    uint32_t threads, length, lock_events, wait_events;
    uint32_t variables, locks, conditions;
    /* What Said et al. report: pairs left by lock histories, by the must-order, those
     * with witnesses, seconds. */
    uint32_t lsa, mhb, witnesses;
    double seconds;
};

extern const struct row rows[];
extern const size_t row_count;

/* A trace of the row's shape, as .std text (malloc-ed). About `loose` of the accesses
 * are to variables that no lock guards: the more, the more pairs are left to the
 * solver. */
char *row_generate(const struct row *row, uint32_t loose, uint64_t seed, size_t *length);

#endif
