/* SPDX-License-Identifier: MIT */
#include "trace/misuse_rules.h"

#include <string.h>

const struct misuse_rule misuse_rules[MISUSE_COUNT] = {
#define RULE(id, name, title, suppression, predicted, others, text, help)                          \
    [MISUSE_##id] = {name, title, suppression, predicted, others, text, help},
    MISUSE_RULES(RULE)
#undef RULE
};

enum misuse misuse_find(const char *name)
{
    for (unsigned rule = MISUSE_NONE + 1; name && rule < MISUSE_COUNT; rule++)
        if (strcmp(misuse_rules[rule].name, name) == 0)
            return (enum misuse)rule;
    return MISUSE_NONE;
}
