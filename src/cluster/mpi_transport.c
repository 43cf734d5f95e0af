/* SPDX-License-Identifier: MIT */
/* The transport over MPI: a module of its own, the only part of Preplay that links with MPI. A
 * message is its size, and then its bytes in parts, for MPI counts with int. */
#include "cluster/transport.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_SIZE, TAG_BYTES };
#define PART_MAX ((size_t)1 << 30)

struct sending {
    struct sending *next;
    void *bytes;
    unsigned long long size;
    MPI_Request *requests;
    int count;
};

static struct sending *sendings;

static void learn_hosts(struct place *place)
{
    char own[TRANSPORT_HOST] = "";
    gethostname(own, sizeof own - 1);
    place->hosts = calloc(place->ranks, sizeof *place->hosts);
    if (!place->hosts)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Allgather(own, TRANSPORT_HOST, MPI_CHAR, place->hosts, TRANSPORT_HOST, MPI_CHAR,
                  MPI_COMM_WORLD);
}

static void learn_node(struct place *place)
{
    MPI_Comm node;
    int rank, ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    MPI_Bcast(place->shared, TRANSPORT_SHARED, MPI_CHAR, 0, node);
    MPI_Comm_free(&node);
    place->node_rank = (uint32_t)rank;
    place->node_ranks = (uint32_t)ranks;
}

static bool start(struct place *place)
{
    int rank, ranks, level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    place->rank = (uint32_t)rank;
    place->ranks = (uint32_t)ranks;
    learn_hosts(place);
    learn_node(place);
    return true;
}

static void transport_send(uint32_t to, void *bytes, size_t size)
{
    struct sending *sending = calloc(1, sizeof *sending);
    size_t parts = (size + PART_MAX - 1) / PART_MAX;
    MPI_Request *requests = calloc(parts + 1, sizeof *requests);
    if (!sending || !requests) {
        MPI_Abort(MPI_COMM_WORLD, 4);
        abort();
    }
    *sending = (struct sending){sendings, bytes, size, requests, 0};
    sendings = sending;
    MPI_Isend(&sending->size, 1, MPI_UNSIGNED_LONG_LONG, (int)to, TAG_SIZE, MPI_COMM_WORLD,
              &requests[sending->count++]);
    for (size_t at = 0; at < size; at += PART_MAX) {
        size_t part = size - at < PART_MAX ? size - at : PART_MAX;
        MPI_Isend((char *)bytes + at, (int)part, MPI_BYTE, (int)to, TAG_BYTES, MPI_COMM_WORLD,
                  &requests[sending->count++]);
    }
}

/* Forgets what has arrived. */
static void clear_sent(void)
{
    for (struct sending **at = &sendings; *at;) {
        struct sending *sending = *at;
        int done = 0;
        MPI_Testall(sending->count, sending->requests, &done, MPI_STATUSES_IGNORE);
        if (!done) {
            at = &sending->next;
            continue;
        }
        *at = sending->next;
        free(sending->bytes);
        free(sending->requests);
        free(sending);
    }
}

static bool receive(uint32_t *from, void **bytes, size_t *size)
{
    int there = 0;
    MPI_Status status;
    unsigned long long announced;
    clear_sent();
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Recv(&announced, 1, MPI_UNSIGNED_LONG_LONG, status.MPI_SOURCE, TAG_SIZE, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    *from = (uint32_t)status.MPI_SOURCE;
    *size = announced;
    *bytes = malloc(*size ? *size : 1);
    if (!*bytes)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (size_t at = 0; at < *size; at += PART_MAX) {
        size_t part = *size - at < PART_MAX ? *size - at : PART_MAX;
        MPI_Recv((char *)*bytes + at, (int)part, MPI_BYTE, status.MPI_SOURCE, TAG_BYTES,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return true;
}

static void finish(void)
{
    while (sendings)
        clear_sent();
    MPI_Finalize();
}

static void transport_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

extern const struct transport preplay_transport;
const struct transport preplay_transport = {
    .version = TRANSPORT_VERSION,
    .start = start,
    .send = transport_send,
    .receive = receive,
    .finish = finish,
    .abort = transport_abort,
};
