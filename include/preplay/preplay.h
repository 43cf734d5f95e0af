/* SPDX-License-Identifier: MIT */
/* Annotations for programs that are watched by preplay. They do nothing in a
 * program that is not. */
#ifndef PREPLAY_PREPLAY_H
#define PREPLAY_PREPLAY_H

#ifdef __cplusplus
extern "C" {
#endif

void __preplay_block_begin(const char *label) __attribute__((weak));
void __preplay_block_end(const char *label) __attribute__((weak));

/* What the calling thread does between the two should look to other threads as if
 * it happened at once. Blocks nest. `label` must be a string literal. */
static inline void preplay_block_begin(const char *label)
{
    if (__preplay_block_begin)
        __preplay_block_begin(label);
}

static inline void preplay_block_end(const char *label)
{
    if (__preplay_block_end)
        __preplay_block_end(label);
}

void __preplay_ignore_begin(void) __attribute__((weak));
void __preplay_ignore_end(void) __attribute__((weak));

/* What the calling thread does between the two is not recorded, but whatever order
 * it makes among the threads is kept. For what a test does to order its threads. */
static inline void preplay_ignore_begin(void)
{
    if (__preplay_ignore_begin)
        __preplay_ignore_begin();
}

static inline void preplay_ignore_end(void)
{
    if (__preplay_ignore_end)
        __preplay_ignore_end();
}

#ifdef __cplusplus
}
#endif

#endif
