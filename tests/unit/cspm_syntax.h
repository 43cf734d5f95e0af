/* A strict parser for the subset of CSPM that preplay writes. It knows nothing of
 * the writer: declarations before use in channels, every name declared, channels
 * with as many fields as declared, definitions called with as many arguments as
 * they have, operators with CSPM's precedence. */
#ifndef PREPLAY_TEST_CSPM_SYNTAX_H
#define PREPLAY_TEST_CSPM_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

struct cspm_syntax_error {
    unsigned line;
    char text[200];
};

/* True if the text is a well-formed script; otherwise the first fault. */
bool cspm_syntax_check(const char *text, struct cspm_syntax_error *error);

#endif
