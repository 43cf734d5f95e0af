/* SPDX-License-Identifier: MIT */
#include "target/sandbox.h"

#include "base/files.h"
#include "target/abilities.h"
#include "target/apart.h"
#include "target/before.h"
#include "target/confined.h"
#include "target/copied.h"
#include "target/copying.h"
#include "target/guard.h"
#include "target/mounts.h"
#include "target/namespaces.h"
#include "target/network.h"
#include "target/notes.h"
#include "target/scratch.h"
#include "target/users.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY_SHARE = 8 }; /* what may be written there, of what is free */

enum sandbox_kind {
    SANDBOX_NONE,   /* in place */
    SANDBOX_MOUNTS, /* mounts of its own */
    SANDBOX_COPY,   /* a copy of the working directory */
};

struct sandbox {
    enum sandbox_kind kind;
    struct abilities abilities;
    struct apart apart;
    struct scratch scratch;
    struct before before;
    bool own_network;
    struct notes notes;
    char mount_point[PATH_MAX];
    char recorded[PATH_MAX]; /* where the recorded program stood */
    char run[PATH_MAX];      /* in the scratch directory: this run's; "" if there is none */
    struct copied copied;    /* for SANDBOX_COPY: of what is in `run` */
    char trace[PATH_MAX];    /* for SANDBOX_COPY: what stays writable beside it */
    char temporary[PATH_MAX + 16];
};

/* --- one run -------------------------------------------------------------------------------- */

static int make_copy(struct sandbox *sandbox, struct error *error)
{
    if (copied_reset(&sandbox->copied, sandbox->recorded, sandbox->run, APART_COPY_LIMIT, error) ||
        before_restore(&sandbox->before, sandbox->recorded, sandbox->run, error))
        return -1;
    copied_keep(&sandbox->copied, sandbox->run);
    snprintf(sandbox->temporary, sizeof sandbox->temporary, "%s-temporary", sandbox->run);
    copy_remove(sandbox->temporary);
    return mkdir(sandbox->temporary, 0700) == 0
               ? 0
               : error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", sandbox->temporary,
                           strerror(errno));
}

/* Processes that were forked have a directory each, by their numbers. */
int sandbox_empty(struct sandbox *sandbox, struct error *error)
{
    char run[PATH_MAX];
    if (!*sandbox->scratch.path)
        return 0; /* what was in memory is gone */
    snprintf(run, sizeof run, "%.4000s/%d", sandbox->scratch.path, (int)getpid());
    bool mine = strcmp(run, sandbox->run) == 0;
    if (!mine || sandbox->kind != SANDBOX_COPY)
        copy_remove(run);
    snprintf(sandbox->run, sizeof sandbox->run, "%s", run);
    if (mkdir(run, 0700) && errno != EEXIST)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", run, strerror(errno));
    if (sandbox->kind != SANDBOX_COPY)
        return 0;
    if (!mine)
        map_clear(&sandbox->copied.known);
    return make_copy(sandbox, error);
}

static int enter_copy(const struct sandbox *sandbox, struct error *error)
{
    const char *const writable[] = {sandbox->run, sandbox->temporary, sandbox->trace};
    return sandbox->abilities.refusals
               ? confined_enter(writable, sizeof writable / sizeof *writable, error)
               : 0;
}

int sandbox_enter(struct sandbox *sandbox, struct error *error)
{
    switch (sandbox->kind) {
    case SANDBOX_MOUNTS:
        return namespaces_enter(true, sandbox->own_network, error) ||
                       apart_enter(&sandbox->apart, error) ||
                       before_restore(&sandbox->before, NULL, NULL, error)
                   ? -1
                   : 0;
    case SANDBOX_COPY: /* made by sandbox_empty() */
        return enter_copy(sandbox, error);
    default:
        return 0;
    }
}

const char *sandbox_directory(const struct sandbox *sandbox)
{
    return sandbox->kind == SANDBOX_COPY ? sandbox->run : sandbox->recorded;
}

const char *sandbox_temporary(const struct sandbox *sandbox)
{
    return sandbox->kind == SANDBOX_COPY ? sandbox->temporary : NULL;
}

const char *sandbox_note(const struct sandbox *sandbox)
{
    return sandbox->notes.text;
}

int sandbox_layers(const struct sandbox *sandbox, const int **layers)
{
    if (sandbox->kind != SANDBOX_MOUNTS || sandbox->apart.layers_unknown)
        return -1;
    *layers = sandbox->apart.layer;
    return (int)sandbox->apart.layer_count;
}

bool sandbox_beside_others(const struct sandbox *sandbox)
{
    return sandbox_own_processes(sandbox) && sandbox->own_network;
}

bool sandbox_own_processes(const struct sandbox *sandbox)
{
    return sandbox->kind == SANDBOX_MOUNTS && sandbox->abilities.processes;
}

/* --- making it ------------------------------------------------------------------------------- */

/* Places for files that come and go: any program may need them at any time. */
static void add_temporary(struct apart *apart, const char *const *environment)
{
    static const char *const usual[] = {"/tmp", "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        apart_add(apart, usual[i], false);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, "TMPDIR=/", 8) == 0)
            apart_add(apart, *environment + 7, false);
}

static int make_mount_point(struct sandbox *sandbox, const char *trace, struct error *error)
{
    char real[PATH_MAX];
    if (!realpath(trace, real))
        return error_set(error, ERROR_INPUT, "%s: %s", trace, strerror(errno));
    snprintf(sandbox->mount_point, sizeof sandbox->mount_point, "%.4000s/replays", real);
    int failed = files_make_directory(sandbox->mount_point); /* and no link to one */
    snprintf(sandbox->mount_point, sizeof sandbox->mount_point, "%.4000s/replays/layers", real);
    if (failed || files_make_directory(sandbox->mount_point))
        return error_set(error, ERROR_INPUT, "%s: cannot be made: %s", sandbox->mount_point,
                         strerror(errno));
    sandbox->apart.mount_point = sandbox->mount_point;
    apart_reach(&sandbox->apart, real);
    return 0;
}

/* Layers may not lie in a directory that they are for. */
static bool holds_directory(void *context, const char *base)
{
    struct sandbox *sandbox = context;
    char real[PATH_MAX];
    if (!realpath(base, real))
        return true;
    for (size_t i = 0; i < sandbox->apart.directories.count; i++) {
        const struct apart_directory *one = &sandbox->apart.directories.items[i];
        if (one->needed && path_is_below(real, one->path))
            return true;
    }
    return false;
}

/* What lies around the layers cannot get some itself. */
static void leave_out_around(struct apart *apart, const char *layers)
{
    size_t kept = 0;
    for (size_t i = 0; i < apart->directories.count; i++) {
        struct apart_directory one = apart->directories.items[i];
        if (path_is_below(layers, one.path))
            free(one.path);
        else
            apart->directories.items[kept++] = one;
    }
    apart->directories.count = kept;
}

static int use_disk(struct sandbox *sandbox, struct error *error)
{
    if (scratch_make(&sandbox->scratch, holds_directory, sandbox, error))
        return -1;
    leave_out_around(&sandbox->apart, sandbox->scratch.path);
    sandbox->apart.layers = sandbox->run;
    return 0;
}

static void add_written(void *context, const char *directory)
{
    apart_add(context, directory, true);
}

static uint64_t memory_free(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];
    unsigned long long kilobytes = 0;
    while (file && fgets(line, sizeof line, file) &&
           sscanf(line, "MemAvailable: %llu", &kilobytes) != 1)
        ;
    if (file)
        fclose(file);
    return kilobytes << 10;
}

/* Memory is quicker, and forgets by itself. */
static bool needs_disk(const struct sandbox *sandbox)
{
    const struct abilities *can = &sandbox->abilities;
    return (can->users && !can->marks_in_memory) ||
           before_bytes(&sandbox->before) > memory_free() / MEMORY_SHARE;
}

static void reach_socket(void *context, const char *path)
{
    apart_reach(context, path);
}

static int prepare_network(struct sandbox *sandbox, const struct sandbox_wish *wish,
                           struct error *error)
{
    struct network network;
    if (network_read(&network, wish->recording, reach_socket, &sandbox->apart, error))
        return -1;
    sandbox->own_network = sandbox->abilities.network && wish->network_is_known && !*network.other;
    if (*network.other)
        notes_add(&sandbox->notes, "Replays used the machine's network, for the run talked with %s",
                  network.other);
    return 0;
}

static int prepare_mounts(struct sandbox *sandbox, const struct sandbox_wish *wish,
                          struct error *error)
{
    sandbox->kind = SANDBOX_MOUNTS;
    sandbox->apart.users = sandbox->abilities.users;
    before_directories(&sandbox->before, add_written, &sandbox->apart);
    apart_add(&sandbox->apart, sandbox->recorded, false);
    add_temporary(&sandbox->apart, wish->environment);
    return make_mount_point(sandbox, wish->trace, error) || prepare_network(sandbox, wish, error) ||
                   (needs_disk(sandbox) && use_disk(sandbox, error))
               ? -1
               : 0;
}

static bool nothing_holds(void *context, const char *base)
{
    (void)context, (void)base;
    return false;
}

/* Only a path that the program goes from its working directory leads into the copy. */
static int prepare_copy(struct sandbox *sandbox, const struct sandbox_wish *wish, const char *why,
                        struct error *error)
{
    sandbox->kind = SANDBOX_COPY;
    for (size_t i = 0; i < sandbox->before.count; i++) {
        const struct before_entry *entry = &sandbox->before.items[i];
        if (entry->from_root || !path_is_below(entry->path, sandbox->recorded))
            return error_set(error, ERROR_USAGE,
                             "the program wrote to %s, and %s to keep that apart", entry->path,
                             why);
    }
    if (!realpath(wish->trace, sandbox->trace))
        return error_set(error, ERROR_INPUT, "%s: %s", wish->trace, strerror(errno));
    notes_add(&sandbox->notes, "%s",
              sandbox->abilities.refusals
                  ? "The program ran in a copy of its working directory, and could write nothing "
                    "elsewhere"
                  : "The program ran in a copy of its working directory, and what it wrote "
                    "elsewhere unseen was not kept apart: there is no Landlock here");
    return scratch_make(&sandbox->scratch, nothing_holds, NULL, error);
}

/* --- does it work? ------------------------------------------------------------------------------
 */

static int enter_trial(void *context, struct error *error)
{
    return sandbox_enter(context, error);
}

static void end_trial(void *context)
{
    (void)context;
    _exit(0);
}

static int try_out(struct sandbox *sandbox, struct error *error)
{
    struct guard guard;
    struct guard_task task = {.enter = enter_trial,
                              .become = end_trial,
                              .context = sandbox,
                              .own_processes = sandbox_own_processes(sandbox)};
    if (sandbox_empty(sandbox, error) || guard_start(&guard, &task, error))
        return -1;
    while (waitpid(guard.process, NULL, 0) < 0 && errno == EINTR)
        ;
    guard_free(&guard);
    return 0;
}

static int refuse_devices(const struct sandbox *sandbox, struct error *error)
{
    const char *device = before_device(&sandbox->before);
    if (!device)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "the program opened the disk %s for writing, which cannot be kept apart "
                     "(--in-place writes to it again)",
                     device);
}

static int prepare(struct sandbox *sandbox, const struct sandbox_wish *wish, struct error *error)
{
    const char *directory = wish->directory ? wish->directory : ".";
    if (!realpath(directory, sandbox->recorded))
        return error_set(error, ERROR_INPUT, "%s, where the program was recorded: %s", directory,
                         strerror(errno));
    if (wish->in_place)
        return 0;
    if (before_read(&sandbox->before, wish->recording, error) || refuse_devices(sandbox, error))
        return -1;
    notes_lost(&sandbox->notes, &sandbox->before);
    notes_unseen(&sandbox->notes, &sandbox->before, wish->recording, sandbox->recorded);
    abilities_find(&sandbox->abilities);
    struct error reason = {0};
    char why[160] = "no mount namespace is allowed here";
    if (sandbox->abilities.mounts && sandbox->abilities.users &&
        users_changed(wish->recording, why, sizeof why))
        sandbox->abilities.mounts = false;
    int result = sandbox->abilities.mounts ? prepare_mounts(sandbox, wish, &reason)
                                           : prepare_copy(sandbox, wish, why, &reason);
    if (result || try_out(sandbox, &reason))
        return error_set(error, reason.code, "%s (--in-place replays on the user's own files)",
                         reason.text);
    return 0;
}

struct sandbox *sandbox_create(const struct sandbox_wish *wish, struct error *error)
{
    struct sandbox *sandbox = NEW(struct sandbox);
    sandbox->scratch.lock = -1;
    if (prepare(sandbox, wish, error) == 0)
        return sandbox;
    sandbox_destroy(sandbox);
    return NULL;
}

void sandbox_destroy(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    scratch_remove(&sandbox->scratch);
    copied_free(&sandbox->copied);
    apart_free(&sandbox->apart);
    before_free(&sandbox->before);
    free(sandbox);
}
