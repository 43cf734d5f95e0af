#define BRANCH()                                                                                   \
    do {                                                                                           \
        int taken;                                                                                 \
        __asm__ volatile("" : "=r"(taken) : "0"(1));                                               \
        if (taken)                                                                                 \
            __asm__ volatile("");                                                                  \
    } while (0)
