/* SPDX-License-Identifier: MIT */
#include "target/apart.h"

#include "target/copying.h"
#include "target/mounts.h"
#include "target/namespaces.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what is asked for ------------------------------------------------------------------- */

/* In a user namespace an overlay cannot make a directory of somebody else in its layer: it covers
 * what is inside it as long as all on the way is the user's own. */
static size_t find_own(const char *path)
{
    char around[PATH_MAX];
    struct stat status;
    if (!namespaces_need_users())
        return 0;
    snprintf(around, sizeof around, "%s", path);
    while (stat(around, &status) == 0 && status.st_uid == geteuid() && status.st_gid == getegid()) {
        char *last = strrchr(around, '/');
        if (last == around)
            return 1;
        *last = 0;
    }
    return strlen(around);
}

void apart_add(struct apart *apart, const char *directory, bool needed)
{
    char path[PATH_MAX];
    struct stat status;
    if (!realpath(directory, path) || stat(path, &status) || !S_ISDIR(status.st_mode))
        return;
    for (size_t i = 0; i < apart->directories.count; i++)
        if (strcmp(apart->directories.items[i].path, path) == 0) {
            apart->directories.items[i].needed |= needed;
            return;
        }
    struct apart_directory one = {memory_copy(path, strlen(path) + 1), needed, find_own(path), -1};
    array_push(&apart->directories, one);
}

void apart_reach(struct apart *apart, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real))
        array_push(&apart->reachable, memory_copy(real, strlen(real) + 1));
}

void apart_free(struct apart *apart)
{
    for (size_t i = 0; i < apart->directories.count; i++)
        free(apart->directories.items[i].path);
    for (size_t i = 0; i < apart->reachable.count; i++)
        free(apart->reachable.items[i]);
    array_free(&apart->directories);
    array_free(&apart->reachable);
}

/* --- mounts that move ----------------------------------------------------------------------- */

struct moved {
    const char *path;
    int taken;
};

struct all_moved ARRAY_OF(struct moved);

static int take(struct all_moved *all, const char *path, struct error *error)
{
    struct moved one = {path, mount_take(path, error)};
    if (one.taken < 0)
        return -1;
    array_push(all, one);
    return 0;
}

static int put_back(struct all_moved *all, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < all->count; i++)
        result |= mount_put(all->items[i].taken, all->items[i].path, error);
    array_free(all);
    return result;
}

/* --- one directory ---------------------------------------------------------------------------- */

struct entering {
    struct apart *apart;
    struct mounts mounts; /* before anything was done */
    int layers;           /* a directory: one in it for each of ours */
    size_t tried;
    struct apart_reachable done;
};

/* Makes and opens a directory; -1. */
static int make_directory(int in, const char *name)
{
    return mkdirat(in, name, 0700) ? -1 : openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int try_overlay(const char *path, const char *options, int lower, int upper, int work)
{
    char data[256];
    snprintf(data, sizeof data,
             "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d%s",
             lower, upper, work, options);
    return mount("overlay", path, "overlay", 0, data);
}

/* The kernel's best first: without redirect_dir no directory that was there can be renamed. */
static int mount_overlay(const struct entering *self, const char *path, int lower, int upper,
                         int work)
{
    static const char *const ways[2][3] = {{",redirect_dir=on,volatile", ",redirect_dir=on", ""},
                                           {",userxattr,volatile", ",userxattr", ""}};
    for (size_t i = 0; i < 3; i++)
        if (try_overlay(path, ways[self->apart->users][i], lower, upper, work) == 0)
            return 0;
    return -1;
}

/* Takes the layer, to be asked later whether anything was written there. */
static void keep_layer(struct apart *apart, int upper)
{
    if (apart->layer_count < APART_LAYERS) {
        apart->layer[apart->layer_count++] = upper;
        return;
    }
    apart->layers_unknown = true;
    close(upper);
}

static int overlay(const struct entering *self, int layer, const struct apart_directory *directory)
{
    struct stat status;
    int lower = directory->lower;
    int upper = make_directory(layer, "upper"), work = make_directory(layer, "work");
    int result = -1;
    if (lower >= 0 && upper >= 0 && work >= 0 && fstat(lower, &status) == 0) {
        copy_attributes(upper, &status); /* the overlay's own come from here */
        result = mount_overlay(self, directory->path, lower, upper, work);
    }
    int reason = errno;
    if (result == 0)
        keep_layer(self->apart, upper);
    else if (upper >= 0)
        close(upper);
    if (work >= 0)
        close(work);
    errno = reason;
    return result;
}

static int put_copy(struct apart *apart, int layer, const char *path, struct error *error)
{
    char copy[64];
    int made = make_directory(layer, "copy");
    apart->layers_unknown = true;
    if (made < 0)
        return error_set(error, ERROR_INTERNAL, "no place for a copy: %s", strerror(errno));
    snprintf(copy, sizeof copy, "/proc/self/fd/%d", made);
    int taken = copy_directory(path, copy, APART_COPY_LIMIT, error) ? -1 : mount_take(copy, error);
    close(made);
    return taken < 0 ? -1 : mount_put(taken, path, error);
}

/* What is mounted inside a directory would disappear below an overlay. */
static int take_inner(const struct entering *self, struct all_moved *inner, const char *path,
                      struct error *error)
{
    for (size_t i = 0; i < self->mounts.count; i++) {
        const char *one = self->mounts.items[i].path;
        bool is_inner = strcmp(one, path) != 0 && path_is_below(one, path);
        for (size_t k = 0; is_inner && k < inner->count; k++)
            is_inner = !path_is_below(one, inner->items[k].path);
        if (is_inner && access(one, F_OK) == 0 && take(inner, one, error))
            return -1;
    }
    return 0;
}

static int keep_apart(struct entering *self, const struct apart_directory *directory,
                      struct error *error)
{
    char name[24];
    struct all_moved inner = {0};
    struct error reason = {0};
    if (strcmp(directory->path, "/") == 0)
        return directory->needed ? error_set(error, ERROR_USAGE,
                                             "the program writes to /, which cannot be kept apart")
                                 : 0;
    snprintf(name, sizeof name, "%zu", self->tried++);
    int layer = make_directory(self->layers, name);
    int result = layer < 0 ? -1 : take_inner(self, &inner, directory->path, &reason);
    if (!result && overlay(self, layer, directory))
        result = directory->needed ? put_copy(self->apart, layer, directory->path, &reason) : -1;
    if (!result)
        array_push(&self->done, directory->path);
    if (put_back(&inner, result ? NULL : &reason) && !result)
        result = -1;
    if (layer >= 0)
        close(layer);
    if (!result || !directory->needed)
        return 0;
    return error_set(error, ERROR_USAGE, "%s, where the program writes, cannot be kept apart: %s",
                     directory->path, *reason.text ? reason.text : strerror(errno));
}

/* Inside one that is done, and not on something that is mounted there? */
static bool is_covered(const struct entering *self, const struct apart_directory *directory)
{
    const char *by = NULL, *path = directory->path;
    for (size_t i = 0; i < self->done.count; i++)
        if (path_is_below(path, self->done.items[i]) &&
            strlen(self->done.items[i]) >= directory->own)
            by = self->done.items[i];
    for (size_t i = 0; by && i < self->mounts.count; i++) {
        const char *one = self->mounts.items[i].path;
        if (strcmp(one, by) != 0 && path_is_below(one, by) && path_is_below(path, one))
            return false;
    }
    return by != NULL;
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static int open_layers(struct entering *self, struct error *error)
{
    const struct apart *apart = self->apart;
    const char *at = apart->mount_point;
    int taken = apart->layers ? mount_take(apart->layers, error) : -1;
    if (apart->layers && (taken < 0 || mount_put(taken, at, error)))
        return -1;
    if (!apart->layers && mount("tmpfs", at, "tmpfs", MS_NODEV | MS_NOSUID, "mode=0700"))
        return error_set(error, ERROR_INTERNAL, "%s: nothing can be mounted: %s", at,
                         strerror(errno));
    self->layers = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return self->layers < 0 ? error_set(error, ERROR_INTERNAL, "%s: %s", at, strerror(errno)) : 0;
}

static int make_read_only(const struct entering *self, struct error *error)
{
    for (size_t i = 0; i < self->mounts.count; i++)
        if (self->mounts.items[i].holds_files &&
            mount_make_read_only(self->mounts.items[i].path, error))
            return -1;
    return 0;
}

static int compare_directories(const void *a, const void *b)
{
    const struct apart_directory *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* Outer ones first: they cover, or show, those inside. */
static int keep_all_apart(struct entering *self, struct error *error)
{
    struct apart_directory *items = self->apart->directories.items;
    size_t count = self->apart->directories.count;
    if (count)
        qsort(items, count, sizeof *items, compare_directories);
    /* As they are now: what is mounted over one is not to be a layer of the next. */
    for (size_t i = 0; i < count; i++)
        items[i].lower = open(items[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        if (!result && !is_covered(self, &items[i]))
            result = keep_apart(self, &items[i], error);
        close(items[i].lower);
    }
    return result;
}

int apart_enter(struct apart *apart, struct error *error)
{
    struct entering self = {.apart = apart, .layers = -1};
    struct all_moved reachable = {0};
    int result = mounts_read(&self.mounts, error);
    assert(apart->mount_point);
    for (size_t i = 0; !result && i < apart->reachable.count; i++)
        result = take(&reachable, apart->reachable.items[i], error);
    if (!result)
        result = open_layers(&self, error) || make_read_only(&self, error) ||
                         keep_all_apart(&self, error)
                     ? -1
                     : 0;
    if (put_back(&reachable, result ? NULL : error))
        result = -1;
    if (self.layers >= 0)
        close(self.layers);
    array_free(&self.done);
    mounts_free(&self.mounts);
    return result;
}
