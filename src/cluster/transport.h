/* SPDX-License-Identifier: MIT */
/* What the tool wants of MPI: whole messages of bytes between ranks. The tool itself links with no
 * MPI, so that it starts where none is installed; a module that does (libpreplay_mpi.so) is loaded
 * below mpirun, and has this table under the name TRANSPORT_SYMBOL. One thread alone calls it, from
 * start() to finish(): an MPI without threads will do. */
#ifndef PREPLAY_CLUSTER_TRANSPORT_H
#define PREPLAY_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_SYMBOL  "preplay_transport"
#define TRANSPORT_VERSION 1

enum { TRANSPORT_HOST = 64, TRANSPORT_SHARED = 128 };

struct place {
    uint32_t rank, ranks;
    uint32_t node_rank, node_ranks; /* among those of this machine */
    char (*hosts)[TRANSPORT_HOST];  /* by rank; malloc-ed */
    char shared[TRANSPORT_SHARED];  /* in: a word of this rank; out: that of the machine's first */
};

struct transport {
    uint32_t version; /* TRANSPORT_VERSION */
    /* False if there is no MPI job to join. */
    bool (*start)(struct place *place);
    /* Takes `bytes` (malloc-ed) over, and does not wait. Messages from one rank to another arrive
     * in their order. */
    void (*send)(uint32_t to, void *bytes, size_t size);
    /* A message that has come, malloc-ed; false if there is none. Also lets those that are sent go
     * on. */
    bool (*receive)(uint32_t *from, void **bytes, size_t *size);
    /* All ranks call it. */
    void (*finish)(void);
    /* Ends all ranks; may return. */
    void (*abort)(int code);
};

#endif
