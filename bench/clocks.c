/* SPDX-License-Identifier: MIT */
/* clocks TRACE
 *
 * Would tree clocks pay? Happens-before of locks, forks and joins over one trace in memory,
 * once with vector clocks (model/vclock.h) and once with tree clocks (Mathur, Pavlogiannis,
 * Tunç, Viswanathan: A tree clock data structure for causal orderings, ASPLOS 2022), each by
 * its processor time; and what share of hb's time the clocks are at all. Both must agree. */
#include "base/memory.h"
#include "engine/engine.h"
#include "model/vclock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NONE UINT32_MAX

/* What a tree knows of a thread, and from whom: children learnt last come first. */
struct node {
    uint32_t tick, learnt; /* `learnt`: the parent's tick when it learnt of it */
    uint32_t parent, child, next, previous;
};

struct tree {
    struct node *nodes; /* by thread */
    uint32_t root;
};

static uint32_t threads;
static uint32_t *stack, stacked;
static uint64_t entries_changed, operations;

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void tree_init(struct tree *tree, uint32_t root)
{
    tree->nodes = memory_alloc(threads, sizeof *tree->nodes);
    tree->root = root;
    for (uint32_t i = 0; i < threads; i++)
        tree->nodes[i] = (struct node){0, 0, NONE, NONE, NONE, NONE};
    if (root != NONE)
        tree->nodes[root].tick = 1;
}

static void detach(struct tree *tree, uint32_t at)
{
    struct node *node = &tree->nodes[at];
    if (node->parent == NONE)
        return;
    if (node->previous != NONE)
        tree->nodes[node->previous].next = node->next;
    else
        tree->nodes[node->parent].child = node->next;
    if (node->next != NONE)
        tree->nodes[node->next].previous = node->previous;
    node->parent = node->next = node->previous = NONE;
}

static void attach(struct tree *tree, uint32_t at, uint32_t parent)
{
    struct node *node = &tree->nodes[at];
    uint32_t first = tree->nodes[parent].child;
    node->parent = parent;
    node->previous = NONE;
    node->next = first;
    if (first != NONE)
        tree->nodes[first].previous = at;
    tree->nodes[parent].child = at;
}

/* Collects, children first, the nodes of `other` that `tree` does not know yet, and `also`. */
static void collect(const struct tree *tree, const struct tree *other, uint32_t at, uint32_t also)
{
    for (uint32_t child = other->nodes[at].child; child != NONE; child = other->nodes[child].next) {
        if (tree->nodes[child].tick < other->nodes[child].tick) {
            collect(tree, other, child, also);
            continue;
        }
        if (child == also)
            stack[stacked++] = child;
        if (other->nodes[child].learnt <= tree->nodes[at].tick)
            break; /* nor anything that was learnt before */
    }
    stack[stacked++] = at;
}

static void take_over(struct tree *tree, const struct tree *other)
{
    entries_changed += stacked;
    operations++;
    for (uint32_t i = 0; i < stacked; i++)
        detach(tree, stack[i]);
    while (stacked) {
        uint32_t at = stack[--stacked], parent = other->nodes[at].parent;
        tree->nodes[at].tick = other->nodes[at].tick;
        if (parent == NONE)
            continue;
        tree->nodes[at].learnt = other->nodes[at].learnt;
        attach(tree, at, parent);
    }
}

static void tree_join(struct tree *tree, const struct tree *other)
{
    uint32_t root = other->root;
    if (root == NONE || other->nodes[root].tick <= tree->nodes[root].tick)
        return;
    collect(tree, other, root, NONE);
    take_over(tree, other);
    tree->nodes[root].learnt = tree->nodes[tree->root].tick;
    attach(tree, root, tree->root);
}

/* `other` knows all that `tree` does. */
static void tree_copy(struct tree *tree, const struct tree *other)
{
    if (tree->root == NONE) {
        memcpy(tree->nodes, other->nodes, threads * sizeof *tree->nodes);
    } else {
        collect(tree, other, other->root, tree->root);
        take_over(tree, other);
    }
    tree->root = other->root;
}

static double run_trees(const struct history *history, struct tree *clocks)
{
    uint32_t locks = trace_count(history->trace, CLASS_LOCK);
    struct tree *released = NEW_ARRAY(struct tree, locks);
    for (uint32_t i = 0; i < threads; i++)
        tree_init(&clocks[i], i);
    for (uint32_t i = 0; i < locks; i++)
        tree_init(&released[i], NONE);
    double start = processor_seconds();
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        struct tree *clock = &clocks[event->thread];
        if (event->op == EVENT_ACQUIRE)
            tree_join(clock, &released[event->object]);
        else if (event->op == EVENT_RELEASE)
            tree_copy(&released[event->object], clock);
        else if (event->op == EVENT_FORK)
            tree_join(&clocks[event->object], clock);
        else if (event->op == EVENT_JOIN)
            tree_join(clock, &clocks[event->object]);
        if (event->op == EVENT_RELEASE || event->op == EVENT_FORK)
            clock->nodes[event->thread].tick++;
    }
    double seconds = processor_seconds() - start;
    for (uint32_t i = 0; i < locks; i++)
        free(released[i].nodes);
    free(released);
    return seconds;
}

static double run_vectors(const struct history *history, struct vclock *clocks)
{
    uint32_t locks = trace_count(history->trace, CLASS_LOCK);
    struct vclock *released = NEW_ARRAY(struct vclock, locks);
    for (uint32_t i = 0; i < threads; i++)
        vclock_set(&clocks[i], i, 1);
    double start = processor_seconds();
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        struct vclock *clock = &clocks[event->thread];
        if (event->op == EVENT_ACQUIRE)
            vclock_join(clock, &released[event->object]);
        else if (event->op == EVENT_RELEASE)
            vclock_copy(&released[event->object], clock);
        else if (event->op == EVENT_FORK)
            vclock_join(&clocks[event->object], clock);
        else if (event->op == EVENT_JOIN)
            vclock_join(clock, &clocks[event->object]);
        if (event->op == EVENT_RELEASE || event->op == EVENT_FORK)
            clock->ticks[event->thread]++;
    }
    double seconds = processor_seconds() - start;
    for (uint32_t i = 0; i < locks; i++)
        vclock_free(&released[i]);
    free(released);
    return seconds;
}

static double run_hb(const struct history *history)
{
    struct engine_options options = {.jobs = 1};
    struct engine_run run = {.engine = engine_find("hb", 2),
                             .trace = history->trace,
                             .options = &options,
                             .findings = findings_create(false)};
    double start = processor_seconds();
    engine_begin(&run);
    engine_feed(&run, history->events, history->count, 0);
    engine_end(&run);
    double seconds = processor_seconds() - start;
    findings_destroy(run.findings);
    return seconds;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct trace *trace = argc == 2 ? trace_open(argv[1], &error) : NULL;
    struct history *history = trace ? history_read(trace, &error) : NULL;
    if (!history) {
        fprintf(stderr, "usage: clocks TRACE\n%s\n", error.text);
        return 2;
    }
    threads = history->threads;
    stack = NEW_ARRAY(uint32_t, threads + 1);
    struct vclock *vectors = NEW_ARRAY(struct vclock, threads);
    struct tree *trees = NEW_ARRAY(struct tree, threads);
    double hb = run_hb(history), vector = run_vectors(history, vectors);
    double tree = run_trees(history, trees);
    int wrong = 0;
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t k = 0; k < threads; k++)
            wrong += vclock_get(&vectors[i], k) != trees[i].nodes[k].tick;
    printf("%u threads: vector clocks %.4f s, tree clocks %.4f s (%.2f times), %.1f of %u entries "
           "change a time; all of hb %.4f s, of which clocks are at most %.0f %%\n",
           threads, vector, tree, tree / vector,
           operations ? (double)entries_changed / (double)operations : 0, threads, hb,
           100 * vector / hb);
    for (uint32_t i = 0; i < threads; i++) {
        vclock_free(&vectors[i]);
        free(trees[i].nodes);
    }
    free(vectors);
    free(trees);
    free(stack);
    history_destroy(history);
    trace_close(trace);
    if (wrong)
        fprintf(stderr, "clocks: %d entries differ\n", wrong);
    return wrong != 0;
}
