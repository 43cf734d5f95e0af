/* Whether a culprit can strike inside a window, by visiting every state that correct
 * reorderings reach; and the rules of SideTrack (Sadowski, Figure 20.3), as they
 * stand there, with whole vector clocks. */
#ifndef PREPLAY_ORACLE_STRIKE_ORACLE_H
#define PREPLAY_ORACLE_STRIKE_ORACLE_H

#include "trace/finding.h"
#include "trace/history.h"

struct strike_oracle;

struct strike_oracle *strike_oracle_create(void);
void strike_oracle_destroy(struct strike_oracle *oracle);
/* Turns to a trace and a model; -1 if the trace is too large. */
int strike_oracle_trace(struct strike_oracle *oracle, const struct history *history,
                        enum model model, struct error *error);

/* Can the culprit run after `begin` and before `end`, and `end` after that? The
 * values that the culprit and the end see need not be kept. Without `complete` it is
 * enough that the culprit is its thread's next event while the window is open,
 * whether or not anybody can go on from there. */
bool strike_is_true(struct strike_oracle *oracle, uint32_t begin, uint32_t end, uint32_t culprit,
                    bool complete);

/* What Sadowski's Figure 20.3 flags: for each event, bits 1u << enum atomicity_error. Knows
 * locks, fork and join only; transactions are outermost blocks. Caller frees. */
uint8_t *sidetrack_by_the_figure(const struct history *history);

#endif
