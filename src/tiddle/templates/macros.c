
/* One step: `step` is its place in the order, `text` the operation of the trace. */
#define DO(step, text, ...)                                                                        \
    do {                                                                                           \
        await_step(step);                                                                          \
        __VA_ARGS__;                                                                               \
        done_step(text);                                                                           \
    } while (0)

/* Reads a variable. */
#define use(variable)                                                                              \
    do {                                                                                           \
        __asm__ volatile("" : : "r"(variable));                                                    \
    } while (0)
/* ------------------------------------------------------------------------ */
