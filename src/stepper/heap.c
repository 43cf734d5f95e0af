/* SPDX-License-Identifier: MIT */
#include "stepper/heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SLOTS = 2 * STEPPER_THREADS, GRANULE = 16 };

#define MADE  UINT64_C(0x6d616465626c6f63)
#define FREED UINT64_C(0x6672656564626c6f)

/* Before a block. */
struct header {
    uint64_t size, mark;
};

static struct region {
    uint64_t name; /* whose it is */
    uint64_t used; /* its low end is the heap, its high end the stack */
} regions[SLOTS];

/* Of a freed granule it is not 0. */
#define SHADOW_BASE (HEAP_END + ((uint64_t)1 << 40))

static unsigned char *shadow(uint64_t address)
{
    return (unsigned char *)(SHADOW_BASE + (address - HEAP_BASE) / GRANULE);
}

static void *map_at(uint64_t address, uint64_t size)
{
    void *got = mmap((void *)address, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

static uint64_t base_of(const struct region *region)
{
    return HEAP_BASE + (uint64_t)(region - regions) * HEAP_REGION;
}

/* By name, not by the order in which threads come. */
static struct region *region_of(uint64_t name)
{
    for (uint64_t at = name >> 7, tries = 0; tries < SLOTS; at++, tries++) {
        struct region *region = &regions[at % SLOTS];
        if (region->name == name)
            return region;
        if (region->name)
            continue;
        uint64_t base = base_of(region);
        if (!map_at(base, HEAP_REGION) || !map_at((uint64_t)shadow(base), HEAP_REGION / GRANULE))
            return NULL;
        region->name = name;
        return region;
    }
    return NULL;
}

static struct region *own_region(void)
{
    const struct stepped *self = stepped_self;
    return region_of(self && stepper ? stepper->thread[self->id].name : STEPPER_MAIN);
}

void *heap_stack(const struct stepped *thread, size_t size)
{
    struct region *region = region_of(stepper->thread[thread->id].name);
    if (!region || size > HEAP_REGION / 2)
        return NULL;
    return (void *)(base_of(region) + HEAP_REGION - size);
}

static bool is_ours(uintptr_t address)
{
    return address >= HEAP_BASE && address < HEAP_END;
}

void heap_check(uintptr_t address, uintptr_t pc)
{
    if (is_ours(address) && *shadow(address))
        step_misuse(STEP_AFTER_FREE, address, pc);
}

static struct header *header_of(void *block)
{
    return (struct header *)block - 1;
}

static void *allocate(size_t size, size_t alignment)
{
    struct region *region = own_region();
    if (size > (size_t)1 << 46)
        region = NULL;
    if (alignment < GRANULE)
        alignment = GRANULE;
    if (region) {
        uint64_t base = base_of(region);
        uint64_t at = (base + region->used + sizeof(struct header) + alignment - 1) &
                      ~((uint64_t)alignment - 1);
        uint64_t end = (at + size + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
        if (end - base < HEAP_REGION - HEAP_REGION / 8) {
            region->used = end - base;
            *header_of((void *)at) = (struct header){size, MADE};
            return (void *)at;
        }
    }
    if (stepper)
        stepper->unknown |= STEP_BY_OTHERS; /* a mapping of its own lies where the system likes */
    uint64_t around = size + alignment + 4096;
    char *mapping = around < size ? MAP_FAILED
                                  : mmap(NULL, around, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
        errno = ENOMEM;
        return NULL;
    }
    uint64_t at =
        ((uint64_t)mapping + sizeof(struct header) + alignment - 1) & ~((uint64_t)alignment - 1);
    *header_of((void *)at) = (struct header){size, MADE};
    return (void *)at;
}

/* The freed block is unreadable in all but fact: the tool takes it for a write to all of it. */
static void release(void *block, uintptr_t pc)
{
    struct header *header = header_of(block);
    struct stepped *self = stepped_current();
    if (self && !step_is_library(pc)) {
        struct step_event event = {
            .op = STEP_FREE, .object = (uintptr_t)block, .made = header->size, .pc = pc};
        step_before(self, &event);
        if (header->mark == FREED)
            step_misuse(STEP_DOUBLE_FREE, (uintptr_t)block, pc);
        step_tell(self, event);
    }
    if (header->mark != MADE)
        return;
    header->mark = FREED;
    if (!is_ours((uintptr_t)block) || !self)
        return;
    for (uint64_t at = 0; at < header->size; at += GRANULE)
        *shadow((uintptr_t)block + at) = 1;
}

EXPORT void *malloc(size_t size)
{
    return allocate(size, GRANULE);
}

EXPORT void *calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(all, GRANULE); /* never used before: zero */
}

EXPORT void free(void *block)
{
    int error = errno;
    if (block && header_of(block)->mark != 0)
        release(block, CALLER);
    errno = error;
}

EXPORT void *realloc(void *block, size_t size)
{
    if (!block)
        return allocate(size, GRANULE);
    void *bigger = allocate(size, GRANULE);
    if (!bigger)
        return NULL;
    size_t old = header_of(block)->size, kept = old < size ? old : size;
    memory_access(STEP_READ, (uintptr_t)block, kept, CALLER);
    memory_access(STEP_WRITE, (uintptr_t)bigger, kept, CALLER);
    for (size_t i = 0; i < kept; i++)
        ((volatile char *)bigger)[i] = ((const volatile char *)block)[i];
    release(block, CALLER);
    return bigger;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return allocate(size, alignment);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return allocate(size, alignment);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = allocate(size, alignment);
    return *block ? 0 : ENOMEM;
}

EXPORT size_t malloc_usable_size(void *block)
{
    return block ? header_of(block)->size : 0;
}
