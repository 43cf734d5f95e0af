/* SPDX-License-Identifier: MIT */
#include "base/array.h"
#include "base/files.h"
#include "trace/recorded/binary_follow.h"
#include "trace/recorded/binary_merge.h"
#include "trace/recorded/binary_stop.h"
#include "trace/formats.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

struct listed ARRAY_OF(struct binary_thread);

/* How much of a stream is to be read. */
static uint64_t bytes_of(const struct binary_cut *cut, const char *name)
{
    const uint64_t *end = cut ? map_find(&cut->ends, strtoull(name, NULL, 10)) : NULL;
    return end ? *end : cut ? 0 : UINT64_MAX;
}

static int read_one(struct listed *listed, const char *directory, const struct binary_cut *cut,
                    const char *name, struct error *error)
{
    char path[4400];
    struct binary_thread thread = {.bytes = bytes_of(cut, name)};
    if (!thread.bytes)
        return 0;
    snprintf(path, sizeof path, "%s/streams/%s", directory, name);
    int answer =
        binary_stream_first(path, thread.bytes, &thread.header, &thread.first_stamp, error);
    if (answer < 0)
        return -1;
    if (answer == 0)
        return 0; /* killed before its first event */
    thread.file = memory_copy(path, strlen(path) + 1);
    array_push(listed, thread);
    return 0;
}

static int list_streams(struct listed *listed, const char *directory, const struct binary_cut *cut,
                        struct error *error)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/streams", directory);
    DIR *streams = files_list(path);
    if (!streams)
        return error_set(error, ERROR_INPUT, "%s: not a preplay trace: %s", directory,
                         errno == ENOENT ? "it has no streams" : files_reason(errno));
    int answer = 0;
    for (struct dirent *entry; !answer && (entry = readdir(streams));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".pps") == 0)
            answer = read_one(listed, directory, cut, entry->d_name, error);
    }
    closedir(streams);
    return answer;
}

/* --- creation paths ------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const struct binary_thread *left = a, *right = b;
    return (left->header.number > right->header.number) -
           (left->header.number < right->header.number);
}

static const struct binary_thread *find_number(const struct listed *listed, uint64_t number)
{
    size_t low = 0, high = listed->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (listed->items[middle].header.number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < listed->count && listed->items[low].header.number == number ? &listed->items[low]
                                                                             : NULL;
}

struct path {
    uint32_t *steps; /* from the root down */
    uint32_t length;
    uint32_t thread; /* place in the list by number */
};

/* Walks up to the root. A parent has a lower number than its child (numbers are
 * handed out at creation), which also rules out a circle. */
static int find_path(const struct listed *listed, size_t thread, struct path *path,
                     struct error *error)
{
    struct steps ARRAY_OF(uint32_t) steps = {0};
    const struct binary_thread *at = &listed->items[thread];
    while (!(at->header.flags & STREAM_MAIN)) {
        if (at->header.flags & STREAM_EXTERNAL) {
            array_push(&steps, at->header.number);
            array_push(&steps, UINT32_MAX); /* after all created ones */
            break;
        }
        array_push(&steps, at->header.child);
        const struct binary_thread *parent =
            at->header.parent < at->header.number ? find_number(listed, at->header.parent) : NULL;
        if (!parent) {
            array_free(&steps);
            return error_set(error, ERROR_INPUT, "%s: its creating thread has no stream", at->file);
        }
        at = parent;
    }
    for (size_t i = 0; i < steps.count / 2; i++) {
        uint32_t step = steps.items[i];
        steps.items[i] = steps.items[steps.count - 1 - i];
        steps.items[steps.count - 1 - i] = step;
    }
    *path = (struct path){steps.items, (uint32_t)steps.count, (uint32_t)thread};
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct path *left = a, *right = b;
    if (left->length != right->length)
        return left->length < right->length ? -1 : 1;
    for (uint32_t i = 0; i < left->length; i++)
        if (left->steps[i] != right->steps[i])
            return left->steps[i] < right->steps[i] ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

static char *path_name(const struct path *path, uint32_t number)
{
    struct text ARRAY_OF(char) text = {0};
    char step[24];
    if (path->length && path->steps[0] == UINT32_MAX)
        snprintf(step, sizeof step, "X%u", number);
    else
        snprintf(step, sizeof step, "T0");
    for (const char *c = step; *c; c++)
        array_push(&text, *c);
    for (uint32_t i = 0; i < path->length && path->steps[0] != UINT32_MAX; i++) {
        snprintf(step, sizeof step, ".%u", path->steps[i]);
        for (const char *c = step; *c; c++)
            array_push(&text, *c);
    }
    array_push(&text, '\0');
    return text.items;
}

static int name_threads(struct binary_threads *threads, struct listed *listed, struct error *error)
{
    struct path *paths = NEW_ARRAY(struct path, listed->count + 1);
    int answer = 0;
    for (size_t i = 0; i < listed->count && !answer; i++)
        answer = find_path(listed, i, &paths[i], error);
    if (!answer) {
        qsort(paths, listed->count, sizeof *paths, by_path);
        for (size_t i = 1; i < listed->count && !answer; i++)
            if (paths[i].length == paths[i - 1].length &&
                memcmp(paths[i].steps ? paths[i].steps : (uint32_t[]){0},
                       paths[i - 1].steps ? paths[i - 1].steps : (uint32_t[]){0},
                       paths[i].length * sizeof *paths[i].steps) == 0)
                answer = error_set(error, ERROR_INPUT, "%s: the same thread as %s",
                                   listed->items[paths[i].thread].file,
                                   listed->items[paths[i - 1].thread].file);
    }
    if (!answer) {
        threads->items = NEW_ARRAY(struct binary_thread, listed->count + 1);
        threads->count = (uint32_t)listed->count;
        for (size_t i = 0; i < listed->count; i++) {
            struct binary_thread *thread = &listed->items[paths[i].thread];
            threads->items[i] = *thread;
            *map_at(&threads->by_number, thread->header.number, NULL) = i;
            threads->items[i].name = path_name(&paths[i], thread->header.number);
            thread->file = NULL;
        }
    }
    for (size_t i = 0; i < listed->count; i++)
        free(paths[i].steps);
    free(paths);
    return answer;
}

int binary_threads_read(struct binary_threads *threads, const char *directory,
                        const struct binary_cut *cut, struct error *error)
{
    struct listed listed = {0};
    *threads = (struct binary_threads){.last_stamp = binary_stop_read(directory, NULL)};
    if (cut && cut->limit <= threads->last_stamp)
        threads->last_stamp = cut->limit - 1;
    int answer = list_streams(&listed, directory, cut, error);
    /* A cut may be made before anything happened; a whole recording says something, or is none. */
    if (!answer && !listed.count && !cut)
        answer =
            error_set(error, ERROR_INPUT, "%s: the start of no thread was recorded", directory);
    if (!answer && listed.count) {
        qsort(listed.items, listed.count, sizeof *listed.items, by_number);
        answer = name_threads(threads, &listed, error);
    }
    for (size_t i = 0; i < listed.count; i++)
        free(listed.items[i].file);
    array_free(&listed);
    return answer;
}

bool binary_has_threads(const char *path)
{
    struct listed listed = {0};
    list_streams(&listed, path, NULL, NULL);
    for (size_t i = 0; i < listed.count; i++)
        free(listed.items[i].file);
    bool any = listed.count > 0;
    array_free(&listed);
    return any;
}

void binary_threads_free(struct binary_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        free(threads->items[i].file);
        free(threads->items[i].name);
    }
    free(threads->items);
    map_free(&threads->by_number);
    *threads = (struct binary_threads){0};
}

uint32_t binary_threads_find(const struct binary_threads *threads, uint64_t number)
{
    const uint64_t *id = number < UINT32_MAX ? map_find(&threads->by_number, number) : NULL;
    return id ? (uint32_t)*id : BINARY_NO_THREAD;
}
