/* SPDX-License-Identifier: MIT */
/* decode RECORDING : decodes every record of every stream once, one stream after the other, and
 * does nothing with them. The least that any reading of a recording costs: what benchmarks of size
 * are held against. Prints how many accesses and stamped records there are. */
#include "base/error.h"
#include "trace/recorded/binary_stream.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct totals {
    uint64_t accesses, records;
};

static int decode_stream(const char *path, struct totals *totals, struct error *error)
{
    struct stream_header header;
    struct binary_stream *stream = binary_stream_open(path, UINT64_MAX, &header, error);
    struct binary_places *places = binary_places_create();
    struct binary_unit unit;
    int answer = -1;
    while (stream && (answer = binary_stream_next(stream, places, &unit, error)) > 0) {
        totals->records += unit.is_record;
        for (size_t i = 0; i < unit.count; i++)
            totals->accesses += unit.accesses[i].present;
    }
    binary_places_destroy(places);
    binary_stream_close(stream);
    return answer;
}

int main(int argc, char **argv)
{
    char path[4400];
    struct error error = {0};
    struct totals totals = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: decode RECORDING\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/streams", argv[1]);
    DIR *streams = opendir(path);
    if (!streams) {
        perror(path);
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(streams));) {
        if (!strstr(entry->d_name, ".pps"))
            continue;
        snprintf(path, sizeof path, "%s/streams/%s", argv[1], entry->d_name);
        if (decode_stream(path, &totals, &error)) {
            fprintf(stderr, "decode: %s\n", error.text);
            return 1;
        }
    }
    closedir(streams);
    printf("%" PRIu64 " accesses, %" PRIu64 " records of synchronisation\n", totals.accesses,
           totals.records);
    return 0;
}
