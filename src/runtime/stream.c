/* SPDX-License-Identifier: MIT */
/* A stream's file space. The file grows by blocks that are really allocated
 * (so that a full disk is an error code, not a SIGBUS) and only its last part is
 * mapped. No descriptor stays open: targets close, count and inherit theirs. */
#include "runtime/directory.h"
#include "runtime/recorder.h"
#include "runtime/space.h"
#include "runtime/text.h"

/* Inside Valgrind (host.h) a window never moves: its pages are exchanged for the
 * next part of the file, so that Valgrind's view of the address space stays true
 * whoever does it, target or tool. */
#if defined(PREPLAY_HOSTED) || defined(PREPLAY_HOST)
enum { STREAM_FIRST = 1 << 18, STREAM_MOST = STREAM_FIRST, STREAM_STAYS = true };
#else
enum { STREAM_FIRST = 1 << 14, STREAM_MOST = 1 << 20, STREAM_STAYS = false };
#endif
enum { STREAM_HEADER = 1 << 12 }; /* the page that the header lies in */

static void stream_name(uint32_t number, char name[DIRECTORY_NAME])
{
    text_append(name, 0, DIRECTORY_NAME, "streams/000000000.pps");
    for (char *digit = name + 16; number && digit >= name + 8; digit--, number /= 10)
        *digit = (char)('0' + number % 10);
}

static void name_file(struct recorder *self)
{
    char name[DIRECTORY_NAME];
    size_t at = text_append(self->stream_path, 0, PROCESS_PATH, process.directory);
    stream_name(self->number, name);
    at = text_append(self->stream_path, at, PROCESS_PATH, "/");
    text_append(self->stream_path, at, PROCESS_PATH, name);
}

/* The file has the program's next number for a moment (system_stand_away()): what somebody writes
 * there by mistake comes to its end, and perhaps later than the moment's. So a file that is opened
 * is as long as it is to be, and whatever comes after that is no part of the stream. */
static int open_file(struct recorder *self)
{
    return system_open(self->stream_path, O_RDWR | O_APPEND, 0);
}

static const char *reason(long answer)
{
    switch (-answer) {
    case 28:  /* ENOSPC */
    case 122: /* EDQUOT */
        return "no space left on the device";
    case 23:
    case 24: /* ENFILE, EMFILE */
        return "too many open files";
    case 12: /* ENOMEM */
        return "no memory left";
    case 2: /* ENOENT */
        return "the trace directory is gone";
    case 13:
    case 30: /* EACCES, EROFS */
        return "the trace directory is not writable";
    case 27: /* EFBIG */
        return "the file size limit is reached";
    default:
        return "the trace cannot be written";
    }
}

/* The first three are the program's, even if it has closed them: it may be about to open one,
 * and count on its number. */
static bool are_first_taken(void)
{
    for (int i = 0; i < 3; i++)
        if (system_ask(SYS_fcntl, i, F_GETFD, 0, 0, 0, 0) == -9) /* EBADF */
            return false;
    return true;
}

static int make_file(struct recorder *self)
{
    int answer = system_make_file(self->stream_path);
    if (answer >= 0 || answer == -17) /* EEXIST */
        return 0;
    /* A filter of system calls may have something against mknod(). */
    int file = system_open(self->stream_path, O_WRONLY | O_CREAT, SYSTEM_FILE_MODE);
    if (file >= 0)
        system_close(file);
    return file < 0 ? file : 0;
}

/* Strays that came to the end of the part before are cut off. */
static int make_room(struct recorder *self, uint64_t offset, uint64_t size)
{
    if (space_there() && !are_first_taken())
        return -24; /* EMFILE */
    name_file(self);
    int answer = make_file(self); /* or an extent has the part before */
    if (answer >= 0)
        answer = system_resize(self->stream_path, offset);
    if (answer >= 0)
        answer = system_resize(self->stream_path, offset + size);
    return answer < 0 ? answer : open_file(self);
}

static uint8_t *map_file(struct recorder *self, uint64_t offset, uint64_t size, int *answer)
{
    int file = *answer = make_room(self, offset, size);
    if (file < 0)
        return NULL;
    *answer = system_allocate(file, offset, size);
    if (*answer == -95 || *answer == -38) /* a file system without fallocate */
        *answer = 0;
    uint8_t *window = *answer < 0              ? NULL
                      : STREAM_STAYS && offset ? system_remap(self->window, file, offset, size)
                                               : system_map(file, offset, size);
    system_close(file);
    if (!window)
        system_resize(self->stream_path, offset);
    if (window && size == STREAM_MOST) /* a busy thread: one call instead of 256 faults */
        system_populate(window, size);
    if (!window && *answer >= 0)
        *answer = -12; /* ENOMEM */
    return window;
}

/* A disk that is full is so for everybody. */
static space_extent_id take_extent(const struct recorder *self, uint64_t offset, int answer)
{
    char name[DIRECTORY_NAME], whole[SPACE_NAME];
    if (answer == -28 || answer == -122 || !space_there()) /* ENOSPC, EDQUOT */
        return 0;
    stream_name(self->number, name);
    process_name(whole, sizeof whole, name);
    return space_take(whole, offset);
}

/* The window is not needed any more, but for the header. */
static void leave_window(struct recorder *self)
{
    if (!self->window || STREAM_STAYS)
        return;
    if (self->extent && !self->window_offset)
        self->header_extent = self->extent;
    else if (self->extent)
        space_give(self->extent, SPACE_EXTENT, false);
    uint64_t kept = self->window_offset ? 0 : STREAM_HEADER;
    if (!self->extent && !system_sealed)
        system_unmap(self->window + kept, self->window_size - kept);
}

static uint8_t *map_more(struct recorder *self, uint64_t offset, uint64_t *size)
{
    int answer;
    uint64_t total = atomic_fetch_add(&process.bytes, *size) + *size;
    if (process.bytes_limit && total > process.bytes_limit) {
        process_stop("the trace limit is reached (--max-trace)", self->last_stamp);
        return NULL;
    }
    uint8_t *window = map_file(self, offset, *size, &answer);
    space_extent_id extent = window ? 0 : take_extent(self, offset, answer);
    if (extent) {
        window = space_window(extent);
        *size = SPACE_EXTENT;
    }
    if (!window)
        process_stop(reason(answer), self->last_stamp);
    else
        leave_window(self);
    self->extent = extent;
    return window;
}

static void use_window(struct recorder *self, uint8_t *window, uint64_t offset, uint64_t size)
{
    self->window = self->cursor = window;
    self->limit = window + size;
    self->window_offset = offset;
    self->window_size = size;
}

/* The header's page has a life of its own where windows stay in place. */
static struct stream_header *map_header(struct recorder *self, uint8_t *window)
{
    int file = STREAM_STAYS ? open_file(self) : -1;
    if (file < 0)
        return STREAM_STAYS ? NULL : (struct stream_header *)(void *)window;
    void *header = system_map(file, 0, STREAM_HEADER);
    system_close(file);
    return header;
}

void stream_forget(struct recorder *self)
{
    bool apart = self->header && (uint8_t *)self->header != self->window;
    if (self->window && !self->extent && !system_sealed)
        system_unmap(self->window, self->window_size);
    if (apart && !self->header_extent && !system_sealed)
        system_unmap(self->header, STREAM_HEADER);
    self->window = self->cursor = self->limit = NULL;
    self->header = NULL;
    self->extent = self->header_extent = 0;
}

bool stream_open(struct recorder *self, const struct stream_header *header)
{
    uint64_t size = STREAM_FIRST;
    uint8_t *window = map_more(self, 0, &size);
    if (!window)
        return false;
    *(struct stream_header *)(void *)window = *header;
    use_window(self, window, 0, size);
    self->cursor += sizeof *header;
    self->header = map_header(self, window);
    return true;
}

bool stream_grow(struct recorder *self)
{
    if (!self->window || !process_recording())
        return false;
    uint64_t offset = self->window_offset + self->window_size;
    uint64_t size = self->window_size * 4 < STREAM_MOST ? self->window_size * 4 : STREAM_MOST;
    /* Open runs point into the old window: end them with their chunk. */
    if (self->tick)
        write_chunk_end(self, self->last_stamp);
    uint8_t *pad = self->cursor;
    uint32_t rest = (uint32_t)(self->limit - pad) - 5;
    pad[1] = (uint8_t)rest;
    pad[2] = (uint8_t)(rest >> 8);
    pad[3] = (uint8_t)(rest >> 16);
    pad[4] = (uint8_t)(rest >> 24);
    __atomic_store_n(pad, (uint8_t)RECORD_PAD, __ATOMIC_RELEASE);
    uint8_t *window = map_more(self, offset, &size);
    if (!window)
        return false;
    use_window(self, window, offset, size);
    return true;
}

/* The end of the stream lies in an extent, or in its file, which is longer than it need be. A stray
 * may still come: after a record that says that this is the end. */
static void cut(struct recorder *self)
{
    uint32_t in_window = (uint32_t)(self->cursor - self->window);
    if (self->header_extent)
        space_give(self->header_extent, SPACE_EXTENT, false);
    if (self->extent) {
        space_give(self->extent, in_window, true);
        return;
    }
    if (self->cursor < self->limit) {
        *self->cursor = RECORD_END;
        in_window++;
    }
    system_resize(self->stream_path, self->window_offset + in_window);
}

void stream_close(struct recorder *self)
{
    if (!self->window)
        return;
    if (self->header)
        self->header->flags |= STREAM_ENDED;
    cut(self);
    stream_forget(self);
}
