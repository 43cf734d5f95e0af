/* A stream's file space. The file grows by blocks that are really allocated
 * (so that a full disk is an error code, not a SIGBUS) and only its last part is
 * mapped. No descriptor stays open: targets close, count and inherit theirs. */
#include "runtime/recorder.h"

/* Inside Valgrind (host.h) a window never moves: its pages are exchanged for the
 * next part of the file, so that Valgrind's view of the address space stays true
 * whoever does it, target or tool. */
#if defined(PREPLAY_HOSTED) || defined(PREPLAY_HOST)
enum { STREAM_FIRST = 1 << 18, STREAM_MOST = STREAM_FIRST, STREAM_STAYS = true };
#else
enum { STREAM_FIRST = 1 << 14, STREAM_MOST = 1 << 20, STREAM_STAYS = false };
#endif
enum { STREAM_HEADER = 1 << 12 }; /* the page that the header lies in */

static bool stream_path(const struct recorder *self, char path[PROCESS_PATH])
{
    char name[] = "streams/000000000.pps";
    uint32_t number = self->number;
    for (char *digit = name + 16; number && digit >= name + 8; digit--, number /= 10)
        *digit = (char)('0' + number % 10);
    return process_path(path, name);
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

static uint8_t *map_more(struct recorder *self, uint64_t offset, uint64_t size)
{
    char path[PROCESS_PATH];
    uint64_t total = atomic_fetch_add(&process.bytes, size) + size;
    if (process.bytes_limit && total > process.bytes_limit) {
        process_stop("the trace limit is reached (--max-trace)", self->last_stamp);
        return NULL;
    }
    if (!stream_path(self, path))
        return NULL;
    int file = system_open(path, O_RDWR | O_CREAT | (offset ? 0 : O_TRUNC), 0666);
    if (file < 0) {
        process_stop(reason(file), self->last_stamp);
        return NULL;
    }
    int answer = system_allocate(file, offset, size);
    if (answer == -95 || answer == -38) /* a file system without fallocate */
        answer = system_resize(file, offset + size);
    uint8_t *window = answer < 0               ? NULL
                      : STREAM_STAYS && offset ? system_remap(self->window, file, offset, size)
                                               : system_map(file, offset, size);
    system_close(file);
    if (window && size == STREAM_MOST) /* a busy thread: one call instead of 256 faults */
        system_populate(window, size);
    if (!window)
        process_stop(reason(answer < 0 ? answer : -12), self->last_stamp);
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
static struct stream_header *map_header(const struct recorder *self, uint8_t *window)
{
    char path[PROCESS_PATH];
    int file = STREAM_STAYS && stream_path(self, path) ? system_open(path, O_RDWR, 0) : -1;
    if (file < 0)
        return STREAM_STAYS ? NULL : (struct stream_header *)(void *)window;
    void *header = system_map(file, 0, STREAM_HEADER);
    system_close(file);
    return header;
}

/* The window is not needed any more, but for the header. */
static void leave_window(struct recorder *self)
{
    uint64_t kept = STREAM_STAYS || self->window_offset ? 0 : STREAM_HEADER;
    if (!STREAM_STAYS)
        system_unmap(self->window + kept, self->window_size - kept);
}

void stream_forget(struct recorder *self)
{
    if (self->window)
        system_unmap(self->window, self->window_size);
    if (self->header && (uint8_t *)self->header != self->window)
        system_unmap(self->header, STREAM_HEADER);
    self->window = self->cursor = self->limit = NULL;
    self->header = NULL;
}

bool stream_open(struct recorder *self, const struct stream_header *header)
{
    uint8_t *window = map_more(self, 0, STREAM_FIRST);
    if (!window)
        return false;
    *(struct stream_header *)(void *)window = *header;
    use_window(self, window, 0, STREAM_FIRST);
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
    uint8_t *window = map_more(self, offset, size);
    if (!window)
        return false;
    leave_window(self);
    use_window(self, window, offset, size);
    return true;
}

void stream_close(struct recorder *self)
{
    if (!self->window)
        return;
    char path[PROCESS_PATH];
    uint64_t used = self->window_offset + (uint64_t)(self->cursor - self->window);
    if (self->header)
        self->header->flags |= STREAM_ENDED;
    stream_forget(self);
    if (stream_path(self, path))
        system_truncate(path, used);
}
