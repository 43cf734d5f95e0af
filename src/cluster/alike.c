/* SPDX-License-Identifier: MIT */
/* Ranks of one machine that have made the same large array keep it once. The first of them writes
 * it into a file of memory, and all map it over their own copy, privately: whoever writes to it, or
 * frees it, has pages of its own again, and nobody else notices. So sharing is never more than
 * thrift: an array that lies otherwise, or differs, just stays.
 *
 * Ranks share the same arrays in the same order, and the file's first page counts them. */
#include "cluster/cluster_state.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, ARRAYS_MAX = 1 << 14, LEAST = 1 << 17 };

struct array {
    uint64_t offset, size; /* whole pages in the file; size 0: it did not work */
    uint64_t skew;         /* where in its page the array begins */
};

struct table {
    _Atomic uint64_t count; /* of arrays that are there */
    struct array arrays[ARRAYS_MAX];
};

struct alike {
    int file;
    bool first;
    struct table *table;
    uint64_t count, end; /* arrays so far, and of the first rank: the file's size */
};

#define TABLE_SIZE ((sizeof(struct table) + PAGE - 1) / PAGE * PAGE)

/* Before it is known who is first: each has a file, and tells how to open it. */
struct alike *alike_prepare(char word[TRANSPORT_SHARED])
{
    struct alike *self = NEW(struct alike);
    self->file = memfd_create("preplay", MFD_CLOEXEC);
    self->end = TABLE_SIZE;
    snprintf(word, TRANSPORT_SHARED, "/proc/%d/fd/%d", (int)getpid(), self->file);
    return self;
}

void alike_open(struct alike *self, const struct place *place)
{
    self->first = place->node_rank == 0;
    if (place->node_ranks > 1 && !self->first) {
        if (self->file >= 0)
            close(self->file);
        self->file = open(place->shared, O_RDWR | O_CLOEXEC);
    }
    if (place->node_ranks < 2 || self->file < 0 ||
        (self->first && ftruncate(self->file, (off_t)TABLE_SIZE)))
        return;
    void *table = mmap(NULL, TABLE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->file, 0);
    self->table = table == MAP_FAILED ? NULL : table;
}

static bool put(const struct alike *self, const char *from, const struct array *array)
{
    for (uint64_t done = 0; done < array->size;) {
        ssize_t wrote =
            pwrite(self->file, from + done, array->size - done, (off_t)(array->offset + done));
        if (wrote <= 0)
            return false;
        done += (uint64_t)wrote;
    }
    return true;
}

static bool is_equal(const struct alike *self, const char *own, const struct array *array)
{
    void *theirs = mmap(NULL, array->size, PROT_READ, MAP_SHARED, self->file, (off_t)array->offset);
    if (theirs == MAP_FAILED)
        return false;
    bool equal = memcmp(own, theirs, array->size) == 0;
    munmap(theirs, array->size);
    return equal;
}

static void wait_for(const struct alike *self, uint64_t number)
{
    while (atomic_load_explicit(&self->table->count, memory_order_acquire) <= number)
        nanosleep(&(struct timespec){0, 200000}, NULL);
}

void alike_share(struct alike *self, void *memory, size_t size)
{
    uintptr_t begin = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)memory + size) / PAGE * PAGE;
    if (!self->table || size < LEAST || self->count == ARRAYS_MAX)
        return;
    struct array *array = &self->table->arrays[self->count];
    uint64_t skew = (uintptr_t)memory % PAGE;
    if (self->first) {
        *array = (struct array){self->end, end - begin, skew};
        if (!put(self, (char *)begin, array))
            array->size = 0;
        self->end += array->size;
        atomic_store_explicit(&self->table->count, self->count + 1, memory_order_release);
    } else {
        wait_for(self, self->count);
    }
    self->count++;
    if (array->size != end - begin || array->skew != skew ||
        (!self->first && !is_equal(self, (char *)begin, array)))
        return;
    mmap((void *)begin, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, self->file,
         (off_t)array->offset);
}

void alike_close(struct alike *self)
{
    if (!self)
        return;
    if (self->table)
        munmap(self->table, TABLE_SIZE);
    if (self->file >= 0)
        close(self->file);
    free(self);
}
