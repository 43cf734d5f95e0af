/* SPDX-License-Identifier: MIT */
#include "runtime/keep.h"

#include "runtime/inherited.h"
#include "runtime/system.h"
#include "runtime/text.h"

#include <linux/fs.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { BLOCK = 1 << 15, DEEPEST = 32, LONGEST = 4096, NOTED = 64 };
enum { NO_ENTRY = -2, EXISTS = -17, TOO_LARGE = -27 };

/* Too much for the stack of a thread that may be small. */
struct workspace {
    char path[LONGEST]; /* absolute, without links */
    char kept[LONGEST], fresh[LONGEST];
    char record[LONGEST + 256];
    char link[64];
    char block[BLOCK];
    struct stat status; /* st_mode 0: it does not exist */
    bool stays;         /* what the path names lives on under another name */
    bool from_root;     /* the program named it by a path from the root */
};

static struct {
    _Atomic bool on;
    _Atomic uint64_t left; /* bytes that may be copied */
    _Atomic uint32_t fresh;
    const char *directory;
    void (*complain)(const char *what, const char *why);
} keep = {.left = KEEP_LIMIT};

void keep_start(const char *directory, void (*complain)(const char *what, const char *why))
{
    const char *schedule = getenv("PREPLAY_REPLAY");
    keep.directory = directory;
    keep.complain = complain;
    inherited_note();
    atomic_store(&keep.on, !schedule || !*schedule);
}

void keep_set_limit(uint64_t bytes)
{
    atomic_store(&keep.left, bytes);
}

static struct workspace *enter(void)
{
    return atomic_load_explicit(&keep.on, memory_order_relaxed)
               ? system_map(-1, 0, sizeof(struct workspace))
               : NULL;
}

static void leave(struct workspace *work)
{
    system_unmap(work, sizeof *work);
}

/* --- where it is --------------------------------------------------------------------------- */

/* The path of what is open. */
static bool name_open(struct workspace *work, int file)
{
    size_t at = text_append(work->link, 0, sizeof work->link, "/proc/self/fd/");
    text_number(work->link, at, sizeof work->link, (uint64_t)file);
    long length = system_ask(SYS_readlink, (long)work->link, (long)work->path,
                             sizeof work->path - 1, 0, 0, 0);
    work->path[length > 0 ? length : 0] = 0;
    return length > 0 && work->path[0] == '/';
}

static int open_path(int directory, const char *path, int flags)
{
    return system_open_at(directory, path, O_PATH | flags, 0);
}

/* The kernel has read the path, and found all but its last step. */
static bool name_absent(struct workspace *work, int directory, const char *path)
{
    size_t length = 0, last = 0;
    while (path[length])
        length++;
    while (length && path[length - 1] == '/')
        length--;
    for (last = length; last && path[last - 1] != '/'; last--)
        ;
    if (length == last || length >= sizeof work->block / 2)
        return false;
    for (size_t i = 0; i < last; i++)
        work->block[i] = path[i];
    work->block[last] = 0;
    int around = open_path(directory, last ? work->block : ".", O_DIRECTORY);
    bool named = around >= 0 && name_open(work, around);
    if (around >= 0)
        system_close(around);
    size_t at = 0;
    while (work->path[at])
        at++;
    if (at > 1)
        at = text_append(work->path, at, sizeof work->path, "/");
    for (; last < length && at + 1 < sizeof work->path; last++)
        work->path[at++] = path[last];
    work->path[at] = 0;
    work->status.st_mode = 0;
    work->from_root = *path == '/';
    return named && at + 1 < sizeof work->path;
}

static bool locate(struct workspace *work, int directory, const char *path, bool follow)
{
    int file = open_path(directory, path, follow ? 0 : O_NOFOLLOW);
    if (file == NO_ENTRY)
        return name_absent(work, directory, path);
    if (file < 0)
        return false; /* then the program cannot, either */
    work->from_root = *path == '/';
    bool found =
        name_open(work, file) && system_ask(SYS_fstat, file, (long)&work->status, 0, 0, 0, 0) == 0;
    system_close(file);
    return found;
}

static bool is_below(const char *path, const char *directory)
{
    while (*directory && *path == *directory)
        path++, directory++;
    return !*directory && (!*path || *path == '/');
}

/* Not what the kernel shows as files, nor the recording itself. */
static bool is_the_users(const char *path)
{
    return !is_below(path, "/proc") && !is_below(path, "/sys") &&
           (!is_below(path, "/dev") || is_below(path, "/dev/shm")) &&
           !is_below(path, keep.directory);
}

/* --- keeping it ------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    return hash;
}

static size_t append_hash(char *text, size_t at, size_t size, const char *path)
{
    uint64_t hash = hash_of(path);
    char digits[17];
    for (int i = 15; i >= 0; i--, hash >>= 4)
        digits[i] = "0123456789abcdef"[hash & 15];
    digits[16] = 0;
    return text_append(text, at, size, digits);
}

/* "<directory>/<name>", or false if that is too long. */
static bool trace_path(char path[LONGEST], const char *name)
{
    size_t at = text_append(path, 0, LONGEST, keep.directory);
    at = text_append(path, at, LONGEST, "/");
    return text_append(path, at, LONGEST, name) + 1 < LONGEST;
}

static bool name_kept(struct workspace *work)
{
    char name[64], fresh[64];
    append_hash(name, text_append(name, 0, sizeof name, "before/"), sizeof name, work->path);
    size_t at = text_append(fresh, 0, sizeof fresh, "before/new-");
    at = text_number(fresh, at, sizeof fresh, system_thread());
    at = text_append(fresh, at, sizeof fresh, "-");
    text_number(fresh, at, sizeof fresh, atomic_fetch_add(&keep.fresh, 1));
    return trace_path(work->kept, name) && trace_path(work->fresh, fresh);
}

/* 0, or what the kernel says. */
static long copy_bytes(struct workspace *work, int from, int to)
{
    uint64_t size = (uint64_t)work->status.st_size;
    if (system_ask(SYS_ioctl, to, FICLONE, from, 0, 0, 0) == 0)
        return 0;
    if (atomic_fetch_sub(&keep.left, size) < size) {
        atomic_fetch_add(&keep.left, size);
        return TOO_LARGE;
    }
    for (;;) {
        long got = system_read(from, work->block, sizeof work->block);
        if (got <= 0)
            return got;
        long written = system_write(to, work->block, (size_t)got);
        if (written != got)
            return written < 0 ? written : TOO_LARGE;
    }
}

static long copy_file(struct workspace *work)
{
    /* Through the link, so that it is this file whatever becomes of the name. */
    int from = system_open(work->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    int to =
        from < 0 ? from : system_open(work->fresh, O_WRONLY | O_CREAT | O_EXCL, SYSTEM_FILE_MODE);
    long answer = to < 0 ? to : copy_bytes(work, from, to);
    if (from >= 0)
        system_close(from);
    if (to >= 0)
        system_close(to);
    return answer;
}

static long keep_link(struct workspace *work)
{
    long length =
        system_ask(SYS_readlink, (long)work->path, (long)work->block, sizeof work->block, 0, 0, 0);
    int to = system_open(work->fresh, O_WRONLY | O_CREAT | O_EXCL, SYSTEM_FILE_MODE);
    long answer = length < 0 ? length : to;
    if (answer >= 0)
        answer = system_write(to, work->block, (size_t)length);
    if (to >= 0)
        system_close(to);
    return answer < 0 ? answer : 0;
}

static long keep_empty(struct workspace *work)
{
    int to = system_open(work->fresh, O_WRONLY | O_CREAT | O_EXCL, SYSTEM_FILE_MODE);
    if (to >= 0)
        system_close(to);
    return to < 0 ? to : 0;
}

/* Its last name goes: with another one the bytes stay, and nobody is left who could change them,
 * but for who has it open already. What the program itself opened to write to was kept at that
 * time. */
static bool link_file(struct workspace *work)
{
    return !work->stays && work->status.st_nlink == 1 && !inherited_writes_to(&work->status) &&
           system_ask(SYS_link, (long)work->path, (long)work->fresh, 0, 0, 0, 0) == 0;
}

static const char *keep_content(struct workspace *work, long *answer)
{
    switch (work->status.st_mode & S_IFMT) {
    case 0:
        *answer = keep_empty(work);
        return "absent";
    case S_IFREG:
        *answer = link_file(work) ? 0 : copy_file(work);
        if (*answer == 0)
            return "file";
        system_ask(SYS_unlink, (long)work->fresh, 0, 0, 0, 0, 0);
        *answer = keep_empty(work);
        return "lost";
    case S_IFLNK:
        *answer = keep_link(work);
        return "link";
    case S_IFDIR:
        *answer = keep_empty(work);
        return "directory";
    case S_IFBLK:
        *answer = keep_empty(work);
        return "device";
    default:
        *answer = EXISTS; /* pipes, sockets and terminals are not files' state */
        return NULL;
    }
}

static uint64_t now(void)
{
    struct timespec time = {0};
    system_ask(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void write_record(struct workspace *work, const char *kind)
{
    const struct stat *status = &work->status;
    const uint64_t numbers[] = {
        status->st_mode,
        status->st_uid,
        status->st_gid,
        (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec,
        now(),
        work->from_root};
    char *record = work->record;
    size_t room = sizeof work->record;
    size_t at = text_append(record, 0, room, kind);
    at = text_append(record, at, room, " ");
    at = append_hash(record, at, room, work->path);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        at = text_append(record, at, room, " ");
        at = text_number(record, at, room, numbers[i]);
    }
    at = text_append(record, at, room, " ");
    at = text_append(record, at, room, work->path);
    int list = trace_path(work->kept, "before/list")
                   ? system_open(work->kept, O_WRONLY | O_CREAT | O_APPEND, SYSTEM_FILE_MODE)
                   : -1;
    if (list < 0)
        return;
    system_write(list, record, at + 1);
    system_close(list);
}

static bool is_disk(const struct workspace *work)
{
    return (work->status.st_mode & S_IFMT) == S_IFBLK;
}

/* Who tries, and reads only if that fails, has written nothing. */
static bool may_write(const struct workspace *work)
{
    return system_ask(SYS_access, (long)work->path, 2 /* W_OK */, 0, 0, 0, 0) == 0;
}

static void complain_once(void)
{
    static _Atomic bool complained;
    if (!atomic_exchange(&complained, true))
        keep.complain("replays will not find all files as they were",
                      "what the program changes cannot be kept in the trace directory");
}

/* Whoever comes first has kept it: what a second one read meanwhile may have changed already. */
static void keep_one(struct workspace *work)
{
    long answer;
    bool kept_here = is_disk(work) ? may_write(work) : is_the_users(work->path);
    if (!kept_here || !name_kept(work) ||
        system_ask(SYS_access, (long)work->kept, 0, 0, 0, 0, 0) == 0)
        return;
    const char *kind = keep_content(work, &answer);
    if (answer == NO_ENTRY && trace_path(work->record, "before")) {
        system_mkdir(work->record);
        kind = keep_content(work, &answer);
    }
    if (answer == 0)
        answer = system_ask(SYS_link, (long)work->fresh, (long)work->kept, 0, 0, 0, 0);
    system_ask(SYS_unlink, (long)work->fresh, 0, 0, 0, 0, 0);
    if (answer == 0)
        write_record(work, kind);
    else if (answer != EXISTS)
        complain_once();
}

/* --- a directory that moves ---------------------------------------------------------------------
 */

struct entry { /* as getdents64() writes it */
    uint64_t inode, offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void keep_tree(struct workspace *work, int depth);

static void keep_inside(int directory, const char *name, int depth)
{
    bool itself = name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
    struct workspace *inner = itself ? NULL : enter();
    if (!inner)
        return;
    inner->stays = true;
    if (locate(inner, directory, name, false))
        keep_tree(inner, depth + 1);
    leave(inner);
}

static void keep_tree(struct workspace *work, int depth)
{
    keep_one(work);
    if ((work->status.st_mode & S_IFMT) != S_IFDIR || depth > DEEPEST)
        return;
    int directory = system_open(work->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    long got = -1;
    while (directory >= 0 && (got = system_ask(SYS_getdents64, directory, (long)work->block,
                                               sizeof work->block, 0, 0, 0)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const void *)(work->block + at);
            keep_inside(directory, entry->name, depth);
            at += entry->length;
        }
    if (directory >= 0)
        system_close(directory);
}

/* --- what the interposers call
 * -------------------------------------------------------------------- */

void keep_written(int directory, const char *path, bool follow)
{
    struct workspace *work = enter();
    if (!work)
        return;
    work->stays = true;
    if (locate(work, directory, path, follow) && (work->status.st_mode & S_IFMT) != S_IFDIR)
        keep_one(work);
    leave(work);
}

void keep_changed(int directory, const char *path, bool follow)
{
    struct workspace *work = enter();
    if (!work)
        return;
    work->stays = true;
    if (locate(work, directory, path, follow) && work->status.st_mode)
        keep_one(work);
    leave(work);
}

void keep_open_changed(int file)
{
    char path[32];
    size_t at = text_append(path, 0, sizeof path, "/proc/self/fd/");
    text_number(path, at, sizeof path, (uint32_t)file);
    if (file >= 0)
        keep_changed(AT_FDCWD, path, true);
}

void keep_removed(int directory, const char *path)
{
    struct workspace *work = enter();
    if (!work)
        return;
    if (locate(work, directory, path, false) && work->status.st_mode &&
        !is_disk(work)) /* whose name goes, and nothing of what is on it */
        keep_one(work);
    leave(work);
}

void keep_moved(int directory, const char *path)
{
    struct workspace *work = enter();
    if (!work)
        return;
    work->stays = true;
    if (locate(work, directory, path, false) && work->status.st_mode)
        keep_tree(work, 0);
    leave(work);
}

void keep_made(const char *path)
{
    struct workspace *work = enter();
    if (!work)
        return;
    if (locate(work, AT_FDCWD, path, false)) {
        work->status.st_mode = 0;
        keep_one(work);
    }
    leave(work);
}

/* Old ones make room for new ones: a line may be there twice. */
static bool was_noted(const char *line)
{
    static _Atomic uint64_t noted[NOTED];
    uint64_t hash = hash_of(line);
    return atomic_exchange(&noted[hash % NOTED], hash) == hash;
}

void keep_note(const char *name, const char *line)
{
    size_t length = 0;
    struct workspace *work = was_noted(line) ? NULL : enter();
    if (!work)
        return;
    while (line[length])
        length++;
    if (trace_path(work->kept, "before"))
        system_mkdir(work->kept);
    int file = trace_path(work->kept, name)
                   ? system_open(work->kept, O_WRONLY | O_CREAT | O_APPEND, SYSTEM_FILE_MODE)
                   : -1;
    if (file >= 0) {
        system_write(file, line, length);
        system_close(file);
    }
    leave(work);
}
