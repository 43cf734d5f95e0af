/* A Tiddle program (src/tiddle/code.h) step by step: what any thread does next, whether it can, and
 * what comes of it. A step is what others could notice; what concerns no other thread happens
 * together with the step before it. */
#ifndef PREPLAY_ORACLE_CODE_MACHINE_H
#define PREPLAY_ORACLE_CODE_MACHINE_H

#include "stepper/page.h"
#include "tiddle/code.h"

enum {
    MACHINE_THREADS = 6,
    MACHINE_VARIABLES = 6,
    MACHINE_LOCALS = 12,
    MACHINE_LOCKS = 4,
    MACHINE_CONDITIONS = 4,
    MACHINE_SEMAPHORES = 4
};

/* A program, prepared. */
struct machine_code {
    const struct code *code;
    uint32_t threads;
    uint64_t name[MACHINE_THREADS]; /* as stepped programs have them */
    uint32_t parent[MACHINE_THREADS], number[MACHINE_THREADS];
    uint32_t *position; /* of a line among its thread's */
    bool twins;         /* several threads do the same */
};

enum machine_state { MACHINE_UNBORN, MACHINE_ALIVE, MACHINE_ENDED };

struct machine {
    uint64_t past[MACHINE_THREADS];    /* hashes of what each has done and read */
    uint64_t sources[MACHINE_THREADS]; /* and of who had written that */
    int64_t local[MACHINE_THREADS][MACHINE_LOCALS];
    int64_t variable[MACHINE_VARIABLES];
    uint32_t writer[MACHINE_VARIABLES]; /* the last write: thread and count; 0: none */
    uint32_t count[MACHINE_THREADS];    /* of its steps */
    uint32_t at[MACHINE_THREADS];       /* among its lines */
    uint32_t failed_line;
    uint8_t stage[MACHINE_THREADS]; /* within a wait */
    uint8_t state[MACHINE_THREADS];
    uint8_t queue[MACHINE_THREADS]; /* the condition it waits for, + 1 */
    uint8_t order[MACHINE_THREADS]; /* as which it was forked */
    uint8_t owner[MACHINE_LOCKS], posts[MACHINE_SEMAPHORES];
    uint8_t failed; /* the thread whose assertion did, + 1 */
    uint8_t forked, exited;
};

#define MACHINE_NOBODY UINT32_MAX

/* False if the program is too large. It must outlive `machine`. */
bool machine_prepare(struct machine_code *machine, const struct code *code);
void machine_release(struct machine_code *machine);
void machine_begin(const struct machine_code *code, struct machine *machine);

/* The line before which a thread stands; NULL: its end. */
const struct code_line *machine_line(const struct machine_code *code, const struct machine *machine,
                                     uint32_t thread);
/* The step it takes next, as far as that is known before. */
struct step_event machine_next(const struct machine_code *code, const struct machine *machine,
                               uint32_t thread);
bool machine_can_go(const struct machine_code *code, const struct machine *machine,
                    uint32_t thread);
/* Would a notify of this thread wake that one? */
bool machine_waits(const struct machine_code *code, const struct machine *machine, uint32_t thread,
                   uint32_t waiter);
/* Takes it. `woken`: by a notify, MACHINE_NOBODY: none. */
struct step_event machine_step(const struct machine_code *code, struct machine *machine,
                               uint32_t thread, uint32_t woken);

#endif
