/* SPDX-License-Identifier: MIT */
#include "runtime/descriptors.h"

#include "runtime/edges.h"
#include "runtime/sockets.h"
#include "runtime/system.h"
#include "runtime/text.h"

#include <stdatomic.h>
#include <sys/stat.h>

enum {
    BLOCK_SHIFT = 12, /* descriptors in a block of the table, which comes with its first use */
    BLOCKS = 1 << 10,
};

/* A writer makes `version` odd; who reads while it changes, or finds it odd, does without. */
struct entry {
    _Atomic uint32_t version;
    struct descriptor found;
};

static _Atomic(struct entry *) blocks[BLOCKS];
static _Atomic uint64_t last_instance;

static struct entry *make_block(unsigned block)
{
    struct entry *before = NULL;
    size_t size = sizeof(struct entry) << BLOCK_SHIFT;
    struct entry *fresh = system_map(-1, 0, size);
    if (!fresh || atomic_compare_exchange_strong(&blocks[block], &before, fresh))
        return fresh;
    system_unmap(fresh, size);
    return before;
}

/* NULL: there is none (yet), or no room for it. */
static struct entry *entry_of(int number, bool make)
{
    unsigned block = (unsigned)number >> BLOCK_SHIFT;
    if (number < 0 || block >= BLOCKS)
        return NULL;
    struct entry *entries = atomic_load_explicit(&blocks[block], memory_order_acquire);
    if (!entries && make)
        entries = make_block(block);
    return entries ? &entries[number & ((1 << BLOCK_SHIFT) - 1)] : NULL;
}

static struct descriptor read_entry(struct entry *entry)
{
    struct descriptor found = {0};
    if (!entry)
        return found;
    uint32_t version = atomic_load_explicit(&entry->version, memory_order_acquire);
    struct descriptor copy = *(volatile struct descriptor *)&entry->found;
    atomic_thread_fence(memory_order_acquire);
    if (!(version & 1) && atomic_load_explicit(&entry->version, memory_order_relaxed) == version)
        found = copy;
    return found;
}

static void write_entry(struct entry *entry, struct descriptor found)
{
    uint32_t version = entry ? atomic_load(&entry->version) : 1;
    if (version & 1 || !atomic_compare_exchange_strong(&entry->version, &version, version + 1))
        return;
    *(volatile struct descriptor *)&entry->found = found;
    atomic_store_explicit(&entry->version, version + 2, memory_order_release);
}

void descriptor_forget(int number)
{
    write_entry(entry_of(number, false), (struct descriptor){0});
}

void descriptor_copy(int number, int copy)
{
    uint64_t file;
    if (copy < 0)
        return;
    if (!descriptor_look(number).kind)
        descriptor_opening(number, &file); /* what is not known yet would be two later on */
    write_entry(entry_of(copy, true), read_entry(entry_of(number, false)));
}

static bool get_status(int number, struct stat *status)
{
    return system_ask(SYS_fstat, number, (long)status, 0, 0, 0, 0) == 0;
}

uint64_t descriptor_inode(int number)
{
    struct stat status;
    return get_status(number, &status) ? (uint64_t)status.st_ino : 0;
}

/* --- what has no inode of its own ---------------------------------------------------- */

static const struct {
    const char *name;
    enum descriptor_kind kind;
    enum edge_class class;
} anonymous[] = {
    {"anon_inode:[eventfd]", DESCRIPTOR_COUNTER, EDGE_COUNTER},
    {"anon_inode:[timerfd]", DESCRIPTOR_TIMER, EDGE_TIMER},
    {"anon_inode:[signalfd]", DESCRIPTOR_SIGNALS, EDGE_SIGNAL},
    {"anon_inode:inotify", DESCRIPTOR_WATCH, EDGE_FILES},
    {"anon_inode:[fanotify]", DESCRIPTOR_WATCH, EDGE_FILES},
    {"anon_inode:[eventpoll]", DESCRIPTOR_POLL, EDGE_POLL},
};

static void make_path(char path[64], const char *directory, int number)
{
    size_t at = text_append(path, 0, 64, directory);
    text_number(path, at, 64, (uint64_t)number);
}

static bool begins_with(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

/* The number behind `name` in one of the kernel's files about a process; 0 where it tells none. */
static uint64_t kernel_number(const char *path, const char *name)
{
    char text[512];
    int file = system_open(path, O_RDONLY, 0);
    long length = file < 0 ? 0 : system_read(file, text, sizeof text - 1);
    if (file >= 0)
        system_close(file);
    text[length > 0 ? length : 0] = 0;
    const char *at = text;
    while (*at && !begins_with(at, name))
        at++;
    while (*at && (*at < '0' || *at > '9'))
        at++;
    uint64_t found = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        found = found * 10 + (uint64_t)(*at - '0');
    return found;
}

static uint64_t counter_number(int number)
{
    char path[64];
    make_path(path, "/proc/self/fdinfo/", number);
    return kernel_number(path, "eventfd-id:");
}

int descriptor_table(void)
{
    return (int)kernel_number("/proc/self/status", "FDSize:");
}

static struct descriptor look_anonymous(int number)
{
    char path[64], name[64];
    make_path(path, "/proc/self/fd/", number);
    long length = system_ask(SYS_readlink, (long)path, (long)name, sizeof name - 1, 0, 0, 0);
    name[length > 0 ? length : 0] = 0;
    struct descriptor found = {0};
    for (unsigned i = 0; i < sizeof anonymous / sizeof *anonymous; i++)
        if (begins_with(name, anonymous[i].name)) {
            uint64_t kernel = anonymous[i].kind == DESCRIPTOR_COUNTER ? counter_number(number) : 0;
            uint64_t instance = kernel ? kernel << 1 : atomic_fetch_add(&last_instance, 1) << 1 | 1;
            if (anonymous[i].kind == DESCRIPTOR_WATCH)
                instance = 0; /* one for all: whose watch a change is for is not looked for */
            found.kind = anonymous[i].kind;
            found.in = found.out = edge_object(anonymous[i].class, instance);
        }
    return found;
}

/* --- pipes ---------------------------------------------------------------------------- */

static struct descriptor look_pipe(int number, const struct stat *status)
{
    uint64_t identity = edge_mix(status->st_ino, status->st_dev);
    long flags = system_ask(SYS_fcntl, number, F_GETFL, 0, 0, 0, 0);
    uint64_t forth = edge_object(EDGE_PIPE, identity << 1);
    uint64_t back = edge_object(EDGE_PIPE, identity << 1 | 1);
    if ((flags & O_ACCMODE) == O_RDWR)
        return (struct descriptor){.kind = DESCRIPTOR_PIPE, .in = forth, .out = forth};
    bool reads = (flags & O_ACCMODE) == O_RDONLY;
    return (struct descriptor){
        .kind = DESCRIPTOR_PIPE, .in = reads ? forth : back, .out = reads ? back : forth};
}

struct descriptor descriptor_look(int number)
{
    struct stat status;
    if (!get_status(number, &status))
        return (struct descriptor){0};
    mode_t type = status.st_mode & S_IFMT;
    if (type != S_IFIFO && type != S_IFSOCK && type != 0)
        return (struct descriptor){0};
    struct entry *entry = entry_of(number, true);
    struct descriptor found = read_entry(entry);
    if (found.kind && found.inode == (uint64_t)status.st_ino)
        return found;
    found = type == S_IFIFO    ? look_pipe(number, &status)
            : type == S_IFSOCK ? socket_look(number, status.st_ino)
                               : look_anonymous(number);
    found.inode = (uint64_t)status.st_ino;
    if (found.kind && found.in) /* else it is to get a name yet */
        write_entry(entry, found);
    return found;
}

/* --- files ---------------------------------------------------------------------------- */

static uint64_t look_file(int number, bool ask, uint64_t *file)
{
    struct stat status;
    struct entry *entry = entry_of(number, ask);
    struct descriptor found = read_entry(entry);
    if ((!ask && found.kind != DESCRIPTOR_FILE) || !get_status(number, &status))
        return 0;
    *file = edge_mix(status.st_ino, status.st_dev);
    if (found.kind == DESCRIPTOR_FILE && found.inode == (uint64_t)status.st_ino)
        return found.opening;
    if (!ask)
        return 0;
    found = (struct descriptor){.kind = DESCRIPTOR_FILE,
                                .inode = (uint64_t)status.st_ino,
                                .opening = atomic_fetch_add(&last_instance, 1) + 1};
    write_entry(entry, found);
    return found.opening;
}

uint64_t descriptor_opening(int number, uint64_t *file)
{
    return look_file(number, true, file);
}

uint64_t descriptor_known_opening(int number, uint64_t *file)
{
    return look_file(number, false, file);
}
