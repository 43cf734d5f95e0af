/* The reader of recorded traces on any bytes: an error or events, never a crash.
 * The input is one to four streams; the first byte of each says how many of the
 * rest are its records, the header is made well-formed so that the records are
 * reached. */
#include "trace/encoding.h"
#include "trace/formats.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *directory(void)
{
    static char path[64];
    char streams[96];
    if (!*path) {
        snprintf(path, sizeof path, "/dev/shm/preplay-fuzz-%d", (int)getpid());
        snprintf(streams, sizeof streams, "%s/streams", path);
        if (mkdir(path, 0700) || mkdir(streams, 0700))
            abort();
    }
    return path;
}

static void write_stream(uint32_t number, const uint8_t *records, size_t size)
{
    char path[128];
    struct stream_header header = {.magic = ENCODING_MAGIC,
                                   .version = ENCODING_VERSION,
                                   .flags = number ? 0 : STREAM_MAIN,
                                   .number = number,
                                   .parent = number ? (number - 1) / 2 : 0,
                                   .child = number};
    snprintf(path, sizeof path, "%s/streams/%u.pps", directory(), number);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, &header, sizeof header) != sizeof header ||
        write(file, records, size) != (ssize_t)size)
        abort();
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    for (uint32_t number = 0; number < 4; number++) {
        size_t length = size && number < 3 ? *data * size / 256 : size;
        if (length > size)
            length = size;
        if (size && number < 3) {
            data++;
            size--;
            length = length > size ? size : length;
        }
        write_stream(number, data, length);
        data += length;
        size -= length;
    }
    struct trace *trace = trace_open(directory(), &error);
    const struct event *batch;
    long count = 0;
    if (trace)
        while ((count = trace_next(trace, &batch, &error)) > 0)
            for (long i = 0; i < count; i++) {
                if (batch[i].op >= EVENT_COUNT ||
                    batch[i].thread >= trace_count(trace, CLASS_THREAD))
                    abort();
                trace_location(trace, batch[i].location);
            }
    if ((!trace || count < 0) && error.code != ERROR_INPUT)
        abort();
    trace_close(trace);
    return 0;
}
