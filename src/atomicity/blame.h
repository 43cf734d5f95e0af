/* SPDX-License-Identifier: MIT */
/* Findings on atomic blocks, kept back until the end of the trace: only then it is
 * known which functions wait, and so are not to blame. */
#ifndef PREPLAY_ATOMICITY_BLAME_H
#define PREPLAY_ATOMICITY_BLAME_H

#include "atomicity/blocks.h"

struct blame;

struct blame *blame_create(bool every_pair);
void blame_destroy(struct blame *blame);

/* As findings_is_new() and findings_add(). `labels`: the blocks that contain the window,
 * outermost first, at least one; finding->block is the last of them. */
bool blame_is_new(const struct blame *blame, const struct finding *finding);
void blame_add(struct blame *blame, const struct finding *finding, const uint32_t *labels,
               uint32_t count);

/* Adds to the run what is left when blocks that wait are dropped; the innermost block
 * left is the finding's. One finding a block and pair of locations of the window, an
 * observed one if there is any; with every pair wanted, all. Notes get "blame a/b" in front. */
void blame_show(const struct blame *blame, struct blocks *blocks, struct engine_run *run);

/* "blame a/b" of the labels that are atomic, malloc-ed, followed by `rest`; NULL if
 * none is. The last one is stored in *innermost. Where the trace has call stacks and blocks
 * are not functions, the functions that were called around both ends of the window
 * are added: "blame total (functions main/print)". */
struct blame_window {
    const struct finding_event *begin, *end;
};
char *blame_text(struct blocks *blocks, const struct trace *trace, const uint32_t *labels,
                 uint32_t count, struct blame_window window, const char *rest, uint32_t *innermost);

#endif
