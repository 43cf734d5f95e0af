/* SPDX-License-Identifier: MIT */
/* What is known of a program: for each thread a tree of all that it did in any run.
 *
 * A thread does the same as long as what it reads is the same. So its behaviour is a tree: at each
 * node stands the operation that it performs next, and from a node with a choice (a read, a try)
 * an edge leads on for each outcome that some run has seen. Only what can matter to other threads
 * is in it: words that several threads use and one writes, and synchronisation that several use.
 *
 * The trees of all threads together are a model of the program (space.h): a schedule of the model
 * that ends in an outcome without an edge leads to something that no run has shown; if there is
 * none, all that any schedule can show has been seen. */
#ifndef PREPLAY_EXPLORE_KNOWLEDGE_H
#define PREPLAY_EXPLORE_KNOWLEDGE_H

#include "base/array.h"
#include "base/map.h"
#include "explore/kept_run.h"

#include <stdbool.h>
#include <stdint.h>

#define NODE_NONE UINT32_MAX

/* The outcome of an access to freed memory, and what stands in the words of it. */
#define KEY_FREED UINT64_C(0xf4eed000f4eed000)
/* What is asked of a node of which nothing is known. */
#define KEY_UNKNOWN UINT64_C(0x0badc0de0badc0de)

struct known_edge {
    uint64_t seen, made; /* of the bytes accessed; made: what an update left there */
    uint32_t to;
};

/* A run ended with this thread behind this node: at once, with the step that led here, or after
 * steps that concern no other thread, so that the others can go on before. */
enum known_fatal { FATAL_NOT, FATAL_AT_ONCE, FATAL_LATER };

struct known_node {
    uint8_t op, flags, offset, size; /* STEP_NONE: what comes is not known */
    uint16_t loop;
    uint8_t fatal;   /* enum known_fatal */
    uint32_t thread; /* in knowledge.threads */
    uint32_t parent; /* NODE_NONE at a thread's first */
    uint64_t via;    /* the parent's outcome */
    uint32_t object; /* a word or an object by number, a thread; STEP_FREE: the first word */
    uint32_t words;  /* STEP_FREE: how many */
    uint32_t first_object, objects; /* STEP_FREE: those that lie in the block */
    uint64_t made;                  /* what is written; see enum step_op */
    uint64_t pc;
    uint32_t count; /* of the thread's events before it, all that there are */
    struct known_edges ARRAY_OF(struct known_edge) edges;
};

struct known_thread {
    uint64_t name;
    uint32_t parent, number;
    uint32_t root; /* node */
};

/* What a run did, as steps in the trees. */
struct known_step {
    uint32_t node, thread;
    uint32_t woken; /* the thread that a signal woke; UINT32_MAX: none */
};

struct knowledge {
    struct known_threads ARRAY_OF(struct known_thread) threads;
    struct known_nodes ARRAY_OF(struct known_node) nodes;
    struct known_words ARRAY_OF(uint64_t) words;     /* addresses, ascending */
    struct known_initial ARRAY_OF(uint64_t) initial; /* what they held when the first thread came */
    struct known_objects ARRAY_OF(uint64_t) objects; /* addresses, ascending */
    struct kept_runs ARRAY_OF(struct kept_run) runs;
    struct known_steps ARRAY_OF(struct known_step) last; /* of the newest run */
    struct map thread_numbers;                           /* by name */
    struct map uses;                                     /* of an address: see knowledge.c */
    uint32_t generation; /* counts how often nodes got new numbers */
    uint32_t shared;     /* how many addresses several threads use */
    bool unexplained;    /* memory changed by what is not instrumented, and that was read */
    bool unstable;       /* a thread did something else although it had read the same */
    bool full;           /* more happened than is kept */
};

/* How many runs differ in what some choice came out as. */
uint32_t knowledge_behaviours(const struct knowledge *knowledge);
/* Adds a run; true if an outcome was new. */
bool knowledge_add(struct knowledge *knowledge, const struct stepper_page *page);
void knowledge_free(struct knowledge *knowledge);

/* The thread with this name, UINT32_MAX if there is none. */
uint32_t knowledge_thread(const struct knowledge *knowledge, uint64_t name);

/* The edge of an outcome, NULL if no run has seen it. */
const struct known_edge *known_edge(const struct known_node *node, uint64_t seen);

static inline uint64_t known_mask(uint8_t offset, uint8_t size)
{
    return size >= 8 ? UINT64_MAX : ((UINT64_C(1) << size * 8) - 1) << offset * 8;
}

static inline bool known_is_access(uint8_t op)
{
    return op == STEP_READ || op == STEP_WRITE || op == STEP_UPDATE;
}

#endif
