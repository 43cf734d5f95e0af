/* SPDX-License-Identifier: MIT */
/* What the grammar's actions fill in for one line; a token that is absent has
 * no text. Private to the parser. */
#ifndef PREPLAY_TIDDLE_STATEMENT_H
#define PREPLAY_TIDDLE_STATEMENT_H

#include "tiddle/lexer.h"

struct tiddle_statement {
    struct tiddle_token thread, object, other, value, location;
    bool failed;
    uint32_t expected; /* bits 1u << token */
};

#endif
