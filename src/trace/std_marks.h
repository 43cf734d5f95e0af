/* SPDX-License-Identifier: MIT */
/* The separators of a short .std line, found all at once.
 *
 * Nearly every line of a trace fits into 64 bytes. Its separators are found by
 * comparing those bytes sixteen at a time, and then taken as bits out of a word:
 * no loop over the line, no call per separator. */
#ifndef PREPLAY_TRACE_STD_MARKS_H
#define PREPLAY_TRACE_STD_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#define MARKS_WIDTH 64

/* Of `thread|op(operand)=value|location`, offsets from the start of the line. */
struct std_marks {
    uint32_t first_bar, open, close, second_bar, end;
};

#ifdef __SSE2__
#include <emmintrin.h>

struct marks_bytes {
    __m128i a, b, c, d;
};

static inline __m128i marks_load(const char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline uint64_t marks_equal(__m128i bytes, __m128i wanted)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
}

static inline uint64_t marks_of(const struct marks_bytes *bytes, char character)
{
    __m128i wanted = _mm_set1_epi8(character);
    return marks_equal(bytes->a, wanted) | marks_equal(bytes->b, wanted) << 16 |
           marks_equal(bytes->c, wanted) << 32 | marks_equal(bytes->d, wanted) << 48;
}

/* Control characters up to carriage return: NUL and the line ends among them. */
static inline uint64_t marks_of_controls(const struct marks_bytes *bytes)
{
    __m128i last = _mm_set1_epi8('\r');
    return marks_equal(_mm_min_epu8(bytes->a, last), bytes->a) |
           marks_equal(_mm_min_epu8(bytes->b, last), bytes->b) << 16 |
           marks_equal(_mm_min_epu8(bytes->c, last), bytes->c) << 32 |
           marks_equal(_mm_min_epu8(bytes->d, last), bytes->d) << 48;
}

/* Reads MARKS_WIDTH bytes. False if the line is longer, or is anything but a well
 * separated one: it takes the slow way, which knows what to say of it. */
static inline bool std_marks_find(const char *line, struct std_marks *marks)
{
    const struct marks_bytes window = {marks_load(line), marks_load(line + 16),
                                       marks_load(line + 32), marks_load(line + 48)};
    const struct marks_bytes *bytes = &window;
    uint64_t controls = marks_of_controls(bytes);
    uint64_t bars = marks_of(bytes, '|') & ((controls & -controls) - 1);
    uint64_t second = bars & (bars - 1);
    if (!controls || !second)
        return false;
    uint64_t operation = (second & -second) - (bars & -bars); /* from bar to bar */
    uint64_t open = marks_of(bytes, '(') & operation;
    uint64_t close = marks_of(bytes, ')') & operation;
    if (!open || close < (open & -open))
        return false;
    marks->first_bar = (unsigned)__builtin_ctzll(bars);
    marks->open = (unsigned)__builtin_ctzll(open);
    marks->close = 63 - (unsigned)__builtin_clzll(close);
    marks->second_bar = (unsigned)__builtin_ctzll(second);
    marks->end = (unsigned)__builtin_ctzll(controls);
    return line[marks->end] == '\n' && marks->first_bar > 0 && marks->open > marks->first_bar + 1 &&
           marks->end > marks->second_bar + 1;
}
#else
static inline bool std_marks_find(const char *line, struct std_marks *marks)
{
    (void)line;
    (void)marks;
    return false;
}
#endif

#endif
