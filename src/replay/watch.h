/* The watchdog of a replay, in the tool's process: it looks at the control block
 * every few milliseconds and decides when there is nothing more to wait for. */
#ifndef PREPLAY_REPLAY_WATCH_H
#define PREPLAY_REPLAY_WATCH_H

#include "trace/finding.h"
#include "trace/schedule.h"

#include <sys/types.h>

struct watch_target {
    bool blocked;
    double ran; /* seconds of processor time, when that was first seen */
};

struct watch {
    struct replay_control *control; /* mapped */
    enum finding_kind kind;
    uint32_t steps, targets;
    bool others_may_help; /* a deadlock that a thread outside it could end: a signal, a post */
    double timeout;       /* seconds */
    bool may_take_longer; /* where the machine is busy */
    double recorded;      /* seconds that the recorded run took */
    /* What came of it. */
    bool reached;  /* every thread stood at the error */
    bool deadlock; /* and stayed there */
    bool stalled, timed_out, diverged;
    /* Its own. */
    double started, last_look, last_glance, last_change, ran;
    double asleep_for, stuck_for; /* seconds */
    uint32_t last_turn;
    struct watch_target seen[CONTROL_TARGETS];
};

/* Makes and maps a control block at `path`; 0 or -1. */
int watch_open(struct watch *watch, const char *path, bool hold, struct error *error);
/* The started process has ended or was killed: so is the one that follows the schedule. */
void watch_end(const struct watch *watch, pid_t started);
void watch_close(struct watch *watch);

/* One look. True if the process is to be killed. */
bool watch_look(struct watch *watch, pid_t process);

#endif
