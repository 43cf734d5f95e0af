/* SPDX-License-Identifier: MIT */
#include "trace/consequence.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    return text ? memory_copy(text, strlen(text) + 1) : NULL;
}

static void free_order(struct consequence_order *order)
{
    free((char *)order->text);
    free((char *)order->values);
    free((char *)order->stack);
}

void consequence_set(struct consequence *consequence, const struct consequence_order *order)
{
    uint32_t i = 0;
    while (i < consequence->count && consequence->orders[i].first != order->first)
        i++;
    if (i < consequence->count)
        free_order(&consequence->orders[i]);
    else
        consequence->orders =
            memory_resize(consequence->orders, ++consequence->count, sizeof *consequence->orders);
    consequence->orders[i] = (struct consequence_order){
        .first = order->first,
        .rule = order->rule,
        .text = copy_text(order->text),
        .values = copy_text(order->values),
        .stack = copy_text(order->stack),
    };
}

int consequence_severity(const char *rule)
{
    return !rule ? 0 : strcmp(rule, "output") == 0 ? 1 : strcmp(rule, "exit-code") == 0 ? 2 : 3;
}

const struct consequence_order *consequence_failure(const struct consequence *consequence)
{
    const struct consequence_order *worst = NULL;
    for (uint32_t i = 0; i < consequence->count; i++)
        if (consequence_severity(consequence->orders[i].rule) >
            consequence_severity(worst ? worst->rule : NULL))
            worst = &consequence->orders[i];
    return worst;
}

struct consequence consequence_copy(const struct consequence *consequence)
{
    struct consequence copy = {0};
    for (uint32_t i = 0; i < consequence->count; i++)
        consequence_set(&copy, &consequence->orders[i]);
    return copy;
}

void consequence_free(struct consequence *consequence)
{
    for (uint32_t i = 0; i < consequence->count; i++)
        free_order(&consequence->orders[i]);
    free(consequence->orders);
    *consequence = (struct consequence){0};
}
