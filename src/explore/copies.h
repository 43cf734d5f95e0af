/* SPDX-License-Identifier: MIT */
/* The processes of a stepped program. It is loaded and linked once, and copied for each run
 * (stepper/copies.h), in a sandbox that is used again as long as nothing was written there. Where
 * that cannot be, each run has a process and a sandbox of its own: it does the same, only slower.
 */
#ifndef PREPLAY_EXPLORE_COPIES_H
#define PREPLAY_EXPLORE_COPIES_H

#include "explore/backend.h"
#include "target/guard.h"
#include "target/sandbox.h"

struct copies;

struct copies_wish {
    struct sandbox *sandbox;       /* both stay where they are */
    const struct guard_task *task; /* how the program is started */
    double patience;               /* seconds without a step after which a run is ended */
    double longest;                /* that a run may take; 0: as long as it likes */
    bool anew;                     /* each run is started */
};

struct copies *copies_create(const struct copies_wish *wish);
void copies_destroy(struct copies *copies);

/* In the process that becomes the program, before it does. */
void copies_announce(const struct copies *copies);

/* Starts a run; the page is as the program is to find it. 0, or -1 with an error. */
int copies_begin(struct copies *copies, struct error *error);
/* Until it has ended. Sets all of `run` but what is in the page. */
void copies_end(struct copies *copies, const struct stepper_page *page, struct stepped_run *run);

#endif
