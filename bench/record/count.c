/* Stands in for a runtime and counts the accesses that a program executes, on standard
 * error at its end. Linked instead of libtsan by `run`. */
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned long total;
static __thread unsigned long own;

#define COUNT(name)                                                                                \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        (void)address;                                                                             \
        if (++own % 1024 == 0) /* what a thread has above that is lost: a few of millions */       \
            atomic_fetch_add(&total, 1024);                                                        \
    }
#define COUNTS(size)                                                                               \
    COUNT(__tsan_read##size)                                                                       \
    COUNT(__tsan_write##size)                                                                      \
    COUNT(__tsan_unaligned_read##size)                                                             \
    COUNT(__tsan_unaligned_write##size)
COUNTS(1)
COUNTS(2)
COUNTS(4)
COUNTS(8)
COUNTS(16)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "%lu\n", atomic_load(&total));
}
