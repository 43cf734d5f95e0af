/* SPDX-License-Identifier: MIT */
/* MPI. What its functions do inside (queues, locks, copies by threads of its own) is none of the
 * program's business, and nothing of it is recorded. What they do to the program's memory is told
 * instead: a send reads its buffer, a receive writes it, and one that is only begun does so until
 * it is waited for. Who receives comes after who has sent: a message may have come by way of other
 * ranks, so all messages of a process have one edge, which orders more than there may be.
 *
 * Handles are pointers with Open MPI and numbers with MPICH; both fit into a register. A call that
 * is passed on as ten words is the call that the program made, whatever it means. */
#include "runtime/caller.h"
#include "runtime/edges.h"
#include "runtime/library.h"
#include "runtime/library_code.h"
#include "runtime/ranges.h"
#include "runtime/thread.h"

#define LIBRARY "libmpi.so.40"

typedef uintptr_t word;

extern void __preplay_ignore_begin(void);
extern void __preplay_ignore_end(void);

/* --- what MPI knows ----------------------------------------------------------------- */

static size_t bytes_of(word count, word type)
{
    LIBRARY_NEXT(int, PMPI_Type_size, (word, int *));
    int size = 0, number = (int)count;
    return next && number > 0 && next(type, &size) == 0 && size > 0 ? (size_t)number * (size_t)size
                                                                    : 0;
}

/* What has come, by a receive's status. */
static size_t received(word status, word type)
{
    LIBRARY_NEXT(int, PMPI_Get_count, (word, word, int *));
    int count = 0;
    return next && next(status, type, &count) == 0 && count > 0 ? bytes_of((word)count, type) : 0;
}

static int rank_in(word communicator)
{
    LIBRARY_NEXT(int, PMPI_Comm_rank, (word, int *));
    int rank = -1;
    return next && next(communicator, &rank) == 0 ? rank : -1;
}

/* Neither a buffer nor MPI_IN_PLACE, which is a small number or -1. */
static bool is_buffer(word buffer)
{
    return buffer > 4096 && buffer < UINTPTR_MAX - 4096;
}

static void reads(word buffer, size_t size, uintptr_t pc)
{
    if (is_buffer(buffer) && size && recorder_current)
        range_read((const void *)buffer, size, pc);
}

static void writes(word buffer, size_t size, uintptr_t pc)
{
    if (is_buffer(buffer) && size && recorder_current)
        range_write((const void *)buffer, size, pc);
}

static void sends(uintptr_t pc)
{
    edge_release(edge_object(EDGE_QUEUE, edge_mix('m', 'p')), pc);
}

static void receives(uintptr_t pc)
{
    edge_acquire(edge_object(EDGE_QUEUE, edge_mix('m', 'p')), pc);
}

/* --- threads of MPI's own ------------------------------------------------------------ */

static bool is_mpi_thread(uintptr_t run)
{
    static const char *const names[] = {"libmpi", "libopen-", "libpmix",  "libmpich",
                                        "mca_",   "libuc",    "libfabric"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (library_code_is_of(run, names[i]))
            return true;
    return false;
}

__attribute__((constructor)) static void know_threads(void)
{
    thread_is_hidden = is_mpi_thread;
}

/* --- calls -------------------------------------------------------------------------- */

#define MPI_NEXT(name)                                                                             \
    LIBRARY_NEXT(int, name, (word, word, word, word, word, word, word, word, word, word))
#define WORDS word a, word b, word c, word d, word e, word f, word g, word h, word i, word j
#define PASS_ON()                                                                                  \
    ({                                                                                             \
        __preplay_ignore_begin();                                                                  \
        int passed = next(a, b, c, d, e, f, g, h, i, j);                                           \
        __preplay_ignore_end();                                                                    \
        passed;                                                                                    \
    })

/* `before` and `after` say what it does to memory. */
#define MPI_CALL(name, before, after)                                                              \
    LIBRARY_FUNCTION(int, name, (WORDS))                                                           \
    {                                                                                              \
        MPI_NEXT(name);                                                                            \
        before;                                                                                    \
        int result = PASS_ON();                                                                    \
        after;                                                                                     \
        return result;                                                                             \
    }

#define NOTHING    ((void)0)
#define SEND(name) MPI_CALL(name, (reads(a, bytes_of(b, c), CALLER), sends(CALLER)), NOTHING)

SEND(MPI_Send)
SEND(MPI_Ssend)
SEND(MPI_Bsend)
SEND(MPI_Rsend)

/* At most as much as there is room for; a shorter message leaves the rest alone. */
LIBRARY_FUNCTION(int, MPI_Recv, (WORDS))
{
    MPI_NEXT(MPI_Recv);
    uint64_t own[16];
    if (!is_buffer(g))
        g = (word)own;
    int result = PASS_ON();
    receives(CALLER);
    if (result == 0)
        writes(a, received(g, c), CALLER);
    return result;
}

MPI_CALL(MPI_Sendrecv, (reads(a, bytes_of(b, c), CALLER), sends(CALLER)),
         (receives(CALLER), writes(f, bytes_of(g, h), CALLER)))
MPI_CALL(MPI_Barrier, sends(CALLER), receives(CALLER))
MPI_CALL(MPI_Bcast,
         (rank_in(e) == (int)d ? reads(a, bytes_of(b, c), CALLER) : (void)0, sends(CALLER)),
         (receives(CALLER), rank_in(e) != (int)d ? writes(a, bytes_of(b, c), CALLER) : (void)0))
MPI_CALL(MPI_Reduce, (reads(a, bytes_of(c, d), CALLER), sends(CALLER)),
         (receives(CALLER), rank_in(g) == (int)f ? writes(b, bytes_of(c, d), CALLER) : (void)0))
MPI_CALL(MPI_Allreduce, (reads(a, bytes_of(c, d), CALLER), sends(CALLER)),
         (receives(CALLER), writes(b, bytes_of(c, d), CALLER)))

/* What they do to memory is not told: only that messages go. */
#define OTHER(name) MPI_CALL(name, sends(CALLER), receives(CALLER))

OTHER(MPI_Init)
OTHER(MPI_Init_thread)
OTHER(MPI_Finalize)
OTHER(MPI_Gather)
OTHER(MPI_Gatherv)
OTHER(MPI_Scatter)
OTHER(MPI_Scatterv)
OTHER(MPI_Allgather)
OTHER(MPI_Allgatherv)
OTHER(MPI_Alltoall)
OTHER(MPI_Alltoallv)
OTHER(MPI_Scan)
OTHER(MPI_Exscan)
OTHER(MPI_Reduce_scatter)
OTHER(MPI_Reduce_scatter_block)
OTHER(MPI_Probe)
OTHER(MPI_Iprobe)
OTHER(MPI_Mprobe)
OTHER(MPI_Mrecv)
OTHER(MPI_Comm_split)
OTHER(MPI_Comm_dup)
OTHER(MPI_Comm_create)
OTHER(MPI_Comm_free)
OTHER(MPI_Cart_create)
OTHER(MPI_Type_commit)
OTHER(MPI_Type_free)
OTHER(MPI_Win_create)
OTHER(MPI_Win_allocate)
OTHER(MPI_Win_fence)
OTHER(MPI_Win_lock)
OTHER(MPI_Win_unlock)
OTHER(MPI_Win_free)
OTHER(MPI_Put)
OTHER(MPI_Get)
OTHER(MPI_Accumulate)

/* --- what is begun, and waited for ---------------------------------------------------- */

/* Requests that are under way, by handle. What finds no room is not told at its end. */
struct request {
    _Atomic word handle; /* 0: free; 1: being written */
    word buffer;
    size_t size;
    bool is_write;
};
enum { REQUESTS = 1 << 12, BEING_WRITTEN = 1 };
static struct request requests[REQUESTS];

/* As the program holds it: a pointer with Open MPI, and half of that with MPICH. */
static size_t handle_size(void)
{
    static _Atomic size_t size;
    if (!size)
        size = library_find("ompi_mpi_comm_world", LIBRARY) ? sizeof(void *) : sizeof(int);
    return size;
}

static word handle_at(word array, size_t number)
{
    if (handle_size() == sizeof(int))
        return (word)((const unsigned *)array)[number];
    return ((const word *)array)[number];
}

static void note_request(word handle, word buffer, size_t size, bool is_write)
{
    if (handle <= BEING_WRITTEN || !is_buffer(buffer) || !size)
        return;
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct request *request = &requests[i];
        word none = 0;
        if (!atomic_compare_exchange_strong(&request->handle, &none, BEING_WRITTEN))
            continue;
        request->buffer = buffer;
        request->size = size;
        request->is_write = is_write;
        atomic_store(&request->handle, handle);
        return;
    }
}

static void request_ended(word handle, uintptr_t pc)
{
    for (unsigned i = 0; handle > BEING_WRITTEN && i < REQUESTS; i++) {
        struct request *request = &requests[i];
        word expected = handle;
        struct request found = {
            .buffer = request->buffer, .size = request->size, .is_write = request->is_write};
        if (atomic_load(&request->handle) != handle ||
            !atomic_compare_exchange_strong(&request->handle, &expected, 0))
            continue;
        if (found.is_write)
            writes(found.buffer, found.size, pc);
        else
            reads(found.buffer, found.size, pc);
        return;
    }
}

#define BEGUN(name, tells, is_write)                                                               \
    MPI_CALL(name, (tells(a, bytes_of(b, c), CALLER), sends(CALLER)),                              \
             result == 0 ? note_request(handle_at(g, 0), a, bytes_of(b, c), is_write) : (void)0)

BEGUN(MPI_Isend, reads, false)
BEGUN(MPI_Issend, reads, false)
BEGUN(MPI_Ibsend, reads, false)
BEGUN(MPI_Irsend, reads, false)
BEGUN(MPI_Irecv, writes, true)

LIBRARY_FUNCTION(int, MPI_Wait, (WORDS))
{
    MPI_NEXT(MPI_Wait);
    word handle = handle_at(a, 0);
    int result = PASS_ON();
    receives(CALLER);
    request_ended(handle, CALLER);
    return result;
}

LIBRARY_FUNCTION(int, MPI_Test, (WORDS))
{
    MPI_NEXT(MPI_Test);
    word handle = handle_at(a, 0);
    int result = PASS_ON();
    if (result == 0 && *(const int *)b) {
        receives(CALLER);
        request_ended(handle, CALLER);
    }
    return result;
}

/* The array is the program's, and is overwritten: those that are still the same have not ended. */
static void all_ended(const word *before, word array, int count, uintptr_t pc)
{
    receives(pc);
    for (int k = 0; k < count; k++)
        if (handle_at(array, (size_t)k) != before[k])
            request_ended(before[k], pc);
}

enum { TOGETHER = 64 };

/* Of more than fit, what is waited for is not told. */
LIBRARY_FUNCTION(int, MPI_Waitall, (WORDS))
{
    MPI_NEXT(MPI_Waitall);
    word before[TOGETHER];
    int count = (int)a < TOGETHER ? (int)a : 0;
    for (int k = 0; k < count; k++)
        before[k] = handle_at(b, (size_t)k);
    int result = PASS_ON();
    all_ended(before, b, count, CALLER);
    return result;
}

LIBRARY_FUNCTION(int, MPI_Waitany, (WORDS))
{
    MPI_NEXT(MPI_Waitany);
    word before[TOGETHER];
    int count = (int)a < TOGETHER ? (int)a : 0;
    for (int k = 0; k < count; k++)
        before[k] = handle_at(b, (size_t)k);
    int result = PASS_ON();
    all_ended(before, b, count, CALLER);
    return result;
}

LIBRARY_FUNCTION(int, MPI_Testall, (WORDS))
{
    MPI_NEXT(MPI_Testall);
    word before[TOGETHER];
    int count = (int)a < TOGETHER ? (int)a : 0;
    for (int k = 0; k < count; k++)
        before[k] = handle_at(b, (size_t)k);
    int result = PASS_ON();
    if (result == 0 && *(const int *)c)
        all_ended(before, b, count, CALLER);
    return result;
}
