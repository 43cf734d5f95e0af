/* SPDX-License-Identifier: MIT */
#include "target/recordings_prune.h"

#include "base/array.h"
#include "base/files.h"
#include "target/trace_lock.h"
#include "target/trace_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kept {
    char *path;
    size_t program; /* length of the part of the name that is the program's */
    uint64_t number, bytes;
    struct timespec made;
    bool gone;
};

struct all_kept ARRAY_OF(struct kept);

uint64_t recordings_number(const char *entry, const char *program)
{
    const char *dash = strrchr(entry, '-');
    if (!dash || dash == entry || !dash[1] || dash[1] == '0' ||
        dash[1 + strspn(dash + 1, "0123456789")] || strlen(dash) > 16)
        return 0;
    if (program && (strlen(program) != (size_t)(dash - entry) ||
                    strncmp(entry, program, (size_t)(dash - entry)) != 0))
        return 0;
    return strtoull(dash + 1, NULL, 10);
}

/* --- what is there ------------------------------------------------------------- */

static _Thread_local uint64_t counted; /* nftw() has no context */

static int count_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)path, (void)kind, (void)place;
    counted += (uint64_t)status->st_blocks * 512;
    return 0;
}

static uint64_t bytes_of(const char *path)
{
    counted = 0;
    nftw(path, count_entry, 32, FTW_PHYS);
    return counted;
}

static void list_all(struct all_kept *all, const struct recordings_rule *rule)
{
    DIR *entries = opendir(RECORDINGS);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX];
        struct stat status;
        struct kept kept = {.number = recordings_number(entry->d_name, NULL)};
        snprintf(path, sizeof path, RECORDINGS "/%s", entry->d_name);
        if (!kept.number || lstat(path, &status) || !S_ISDIR(status.st_mode) ||
            status.st_uid != geteuid())
            continue;
        kept.path = memory_copy(path, strlen(path) + 1);
        kept.program = (size_t)(strrchr(path, '-') - path);
        kept.made = status.st_mtim;
        kept.bytes = rule->bytes ? bytes_of(path) : 0;
        array_push(all, kept);
    }
    if (entries)
        closedir(entries);
}

static bool same_program(const struct kept *a, const struct kept *b)
{
    return a->program == b->program && strncmp(a->path, b->path, a->program) == 0;
}

/* By when something was last put into their directories. */
static int newest_first(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;
    if (a->made.tv_sec != b->made.tv_sec)
        return a->made.tv_sec > b->made.tv_sec ? -1 : 1;
    if (a->made.tv_nsec != b->made.tv_nsec)
        return a->made.tv_nsec > b->made.tv_nsec ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* --- removing ------------------------------------------------------------------ */

static bool remove_one(const char *path)
{
    struct trace_lock lock = {0};
    struct trace_content content;
    struct error in_use = {0};
    int directory = files_open_directory(path);
    bool removed = directory >= 0 && trace_removal_look(directory, &content) == 0 &&
                   content.marked && !*content.stranger &&
                   trace_lock_alone(&lock, path, &in_use) == 0 &&
                   trace_removal_empty(directory) == 0 &&
                   unlinkat(directory, TRACE_LOCK_FILE, 0) == 0 && rmdir(path) == 0;
    trace_lock_release(&lock);
    if (directory >= 0)
        close(directory);
    return removed;
}

static void drop(struct kept *kept, const char *newest)
{
    kept->gone = strcmp(kept->path, newest) != 0 && remove_one(kept->path);
}

static void keep_newest(struct all_kept *all, uint64_t keep, const char *newest)
{
    for (size_t i = 0; keep && i < all->count; i++) {
        uint64_t newer = 0;
        for (size_t k = 0; k < all->count; k++)
            newer += same_program(&all->items[i], &all->items[k]) &&
                     all->items[k].number > all->items[i].number;
        if (newer >= keep)
            drop(&all->items[i], newest);
    }
}

static void keep_small(struct all_kept *all, uint64_t bytes, const char *newest)
{
    uint64_t total = 0;
    for (size_t i = 0; i < all->count; i++)
        total += all->items[i].gone ? 0 : all->items[i].bytes;
    for (size_t i = all->count; bytes && total > bytes && i-- > 0;) {
        struct kept *oldest = &all->items[i];
        if (oldest->gone)
            continue;
        drop(oldest, newest);
        total -= oldest->gone ? oldest->bytes : 0;
    }
}

void recordings_prune(const struct recordings_rule *rule, const char *newest)
{
    struct all_kept all = {0};
    if (rule->keep || rule->bytes)
        list_all(&all, rule);
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, newest_first);
    keep_newest(&all, rule->keep, newest);
    keep_small(&all, rule->bytes, newest);
    for (size_t i = 0; i < all.count; i++)
        free(all.items[i].path);
    array_free(&all);
}
