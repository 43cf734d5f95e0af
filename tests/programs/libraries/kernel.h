/* For the cases of the zoo that hand `data` over through the kernel: the giver writes it and sends;
 * the taker receives and uses it. Wrong: the giver goes on using what it has given away.
 * A line that ends in @given is in order, also in the wrong twin (against_tsan.py). */
#ifndef KERNEL_H
#define KERNEL_H

#include "zoo.h"

#include <pthread.h>

static int data;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            perror(#condition);                                                                    \
            exit(8);                                                                               \
        }                                                                                          \
    } while (0)

static inline void give(void (*send)(void))
{
    data = 42; //@given
    send();
    if (wrong)
        data++;
}

static inline void take(void)
{
    ZOO_SEES(data == 42);
    data = 0;
}

static inline void *giver(void *send)
{
    give(*(void (**)(void))send);
    return NULL;
}

/* `send` in a thread of its own, `receive` here. */
static inline void hand_over(void (*send)(void), void (*receive)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, giver, &send);
    receive();
    take();
    pthread_join(thread, NULL);
}

#endif
