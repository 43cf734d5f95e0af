/* SPDX-License-Identifier: MIT */
/* The watchdog of a replay, in the tool's process: it looks at the control block
 * every few milliseconds and decides when there is nothing more to wait for. */
#ifndef PREPLAY_REPLAY_WATCH_H
#define PREPLAY_REPLAY_WATCH_H

#include "replay/watch_ending.h"
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
    bool own_processes;   /* the program runs in a PID namespace of its own */
    double recorded;      /* seconds that the recorded run took */
    double recorded_cpu;  /* seconds of processor time that it took; 0: not known */
    uint32_t first;       /* of a race: the target, from 1, that goes first; 0: any */
    bool stops_at_error;  /* what comes after the error does not matter */
    bool runs_on;         /* what comes after a divergence does */
    bool happens_anyway;  /* the error was in the recorded run: it may come without a schedule */
    /* What came of it. */
    bool reached;  /* every thread stood at the error */
    bool deadlock; /* and stayed there */
    bool stalled, timed_out, diverged;
    bool spinning; /* of a stall: it computes, and the schedule does not move */
    bool killed;   /* the tool ended it: how it ended says nothing */
    struct watch_ending ending;
    /* Its own. */
    double started, last_look, last_glance, last_change, ran;
    double asleep_for, stuck_for;        /* seconds */
    double ran_before, left_at;          /* processor time at the last change, or at the error */
    double turns_before, delayed_before; /* at the last change */
    uint32_t last_stage;
    double stage_asleep, stage_ran;
    uint32_t last_turn;
    struct watch_target seen[CONTROL_TARGETS];
};

/* Makes and maps a control block at `path`; 0 or -1. */
int watch_open(struct watch *watch, const char *path, bool hold, struct error *error);
void watch_close(struct watch *watch);

/* One look. `started` is the process to wait for: the program, or its guard. True if it is to be
 * killed. */
bool watch_look(struct watch *watch, pid_t started);

#endif
