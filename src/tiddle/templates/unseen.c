/* ------------------------------------------------------------------------
 * The order of the steps, kept out of sight of race detectors: the recorder and
 * ThreadSanitizer do not instrument UNSEEN functions, Helgrind takes a locked
 * instruction for a read, and none of them knows the futex system call.
 */
/* Of the recorder, where there is one. */
extern void __preplay_ignore_begin(void) __attribute__((weak));
extern void __preplay_ignore_end(void) __attribute__((weak));
#define IGNORE_BEGIN() (__preplay_ignore_begin ? __preplay_ignore_begin() : (void)0)
#define IGNORE_END()   (__preplay_ignore_end ? __preplay_ignore_end() : (void)0)

#define UNSEEN __attribute__((noinline, unused, no_sanitize("thread"))) static
#define NEVER  UINT_MAX

/* The step whose turn it is. Every step is done by one thread, in its turn. */
static unsigned turn;

/* Adds to a word and returns what it was; adding 0 reads it. */
UNSEEN unsigned add(unsigned *word, unsigned value)
{
#if defined __x86_64__
    __asm__ volatile("lock xaddl %0, %1" : "+r"(value), "+m"(*word) : : "memory", "cc");
    return value;
#else
    return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
#endif
}

/* Stores a pointer (or a number) and returns what was there before. */
UNSEEN void *place(void *where, void *value)
{
#if defined __x86_64__
    __asm__ volatile("xchgq %0, %1" : "+r"(value), "+m"(*(void **)where) : : "memory");
    return value;
#else
    return __atomic_exchange_n((void **)where, value, __ATOMIC_SEQ_CST);
#endif
}

/* Reads a pointer (or a number). */
UNSEEN void *at(void *where)
{
#if defined __x86_64__
    unsigned long value = 0;
    __asm__ volatile("lock xaddq %0, %1" : "+r"(value), "+m"(*(void **)where) : : "memory", "cc");
    return (void *)value;
#else
    return __atomic_load_n((void **)where, __ATOMIC_SEQ_CST);
#endif
}

/* When preplay replays this program, it keeps another order itself. */
static int replayed;

__attribute__((constructor)) UNSEEN void ask_for_replay(void)
{
    replayed = getenv("PREPLAY_REPLAY") != NULL;
}

UNSEEN void failed(const char *condition, const char *file, int line)
{
    if (replayed)
        return;
    fprintf(stderr, "%s:%d: Assertion '%s' failed.\n", file, line, condition);
    abort();
}

#define expect(condition) ((condition) ? (void)0 : failed(#condition, __FILE__, __LINE__))
