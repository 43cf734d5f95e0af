/* The oracle's exploration by means of model/machine.h, step by step and without any
 * reduction: far slower, and the check that the oracle's own rules are the machine's. */
#ifndef PREPLAY_ORACLE_PLAIN_H
#define PREPLAY_ORACLE_PLAIN_H

#include "oracle/oracle.h"

void oracle_explore_plainly(const struct history *history, const struct oracle_options *options,
                            struct truth *truth);

#endif
