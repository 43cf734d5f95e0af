/* SPDX-License-Identifier: MIT */
#include "constraints/smt_formula.h"

#include <assert.h>

static smt_ref add(struct smt_formula *formula, enum smt_kind kind, uint32_t a, uint32_t b)
{
    struct smt_node node = {kind, a, b};
    array_push(&formula->nodes, node);
    return (smt_ref)(formula->nodes.count - 1);
}

void smt_formula_init(struct smt_formula *formula)
{
    *formula = (struct smt_formula){0};
    add(formula, SMT_FALSE, 0, 0);
    add(formula, SMT_TRUE, 0, 0);
}

void smt_formula_free(struct smt_formula *formula)
{
    array_free(&formula->nodes);
    array_free(&formula->children);
    map_free(&formula->before);
    map_free(&formula->executed);
}

smt_ref smt_before(struct smt_formula *formula, uint32_t a, uint32_t b)
{
    bool added;
    uint64_t *place = map_at(&formula->before, map_pair(a, b), &added);
    if (added)
        *place = add(formula, SMT_BEFORE, a, b);
    return (smt_ref)*place;
}

smt_ref smt_executed(struct smt_formula *formula, uint32_t event)
{
    bool added;
    uint64_t *place = map_at(&formula->executed, event, &added);
    if (added)
        *place = add(formula, SMT_EXECUTED, event, 0);
    return (smt_ref)*place;
}

smt_ref smt_choice(struct smt_formula *formula)
{
    return add(formula, SMT_CHOICE, formula->choices++, 0);
}

smt_ref smt_not(struct smt_formula *formula, smt_ref of)
{
    const struct smt_node *node = &formula->nodes.items[of];
    if (of <= SMT_REF_TRUE)
        return of == SMT_REF_TRUE ? SMT_REF_FALSE : SMT_REF_TRUE;
    if (node->kind == SMT_NOT)
        return node->a;
    assert(node->kind == SMT_EXECUTED || node->kind == SMT_CHOICE);
    return add(formula, SMT_NOT, of, 0);
}

/* `neutral` disappears (true in a conjunction), `absorbing` decides. */
static smt_ref join(struct smt_formula *formula, enum smt_kind kind, const smt_ref *refs,
                    size_t count, smt_ref neutral, smt_ref absorbing)
{
    size_t first = formula->children.count;
    for (size_t i = 0; i < count; i++) {
        struct smt_node node = formula->nodes.items[refs[i]];
        if (refs[i] == absorbing) {
            formula->children.count = first;
            return absorbing;
        }
        if (refs[i] == neutral)
            continue;
        if (node.kind != kind) {
            array_push(&formula->children, refs[i]);
            continue;
        }
        for (uint32_t k = 0; k < node.b; k++) {
            smt_ref child = formula->children.items[node.a + k];
            array_push(&formula->children, child);
        }
    }
    size_t kept = formula->children.count - first;
    if (kept >= 2)
        return add(formula, kind, (uint32_t)first, (uint32_t)kept);
    smt_ref only = kept ? formula->children.items[first] : neutral;
    formula->children.count = first;
    return only;
}

smt_ref smt_and(struct smt_formula *formula, const smt_ref *refs, size_t count)
{
    return join(formula, SMT_AND, refs, count, SMT_REF_TRUE, SMT_REF_FALSE);
}

smt_ref smt_or(struct smt_formula *formula, const smt_ref *refs, size_t count)
{
    return join(formula, SMT_OR, refs, count, SMT_REF_FALSE, SMT_REF_TRUE);
}
