/* SPDX-License-Identifier: MIT */
/* Binary search over anything that is sorted. */
#ifndef PREPLAY_BASE_SORTED_H
#define PREPLAY_BASE_SORTED_H

/* The first number of `from` to `to` for which `before` does not hold, `to` if it holds for
 * all; `middle` names the number in it. Once it does not hold, it must not hold again. */
#define SORTED_POINT(middle, from, to, before)                                                     \
    ({                                                                                             \
        __typeof__((from) + (to)) sorted_low = (from), sorted_high = (to);                         \
        while (sorted_low < sorted_high) {                                                         \
            __typeof__(sorted_low) middle = sorted_low + (sorted_high - sorted_low) / 2;           \
            if (before)                                                                            \
                sorted_low = middle + 1;                                                           \
            else                                                                                   \
                sorted_high = middle;                                                              \
        }                                                                                          \
        sorted_low;                                                                                \
    })

#endif
