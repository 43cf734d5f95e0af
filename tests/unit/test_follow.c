/* Walking over a stream that grows: wherever it is cut, and whichever way it grows, the
 * same records are found. */
#include "base/array.h"
#include "base/random.h"
#include "trace/recorded/binary_follow.h"
#include "trace/recorded/binary_scan.h"
#include "trace/recorded/binary_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct bytes ARRAY_OF(uint8_t);

static void put(struct bytes *bytes, uint64_t value)
{
    uint8_t coded[10];
    for (uint8_t *at = coded, *end = varint_put(coded, value); at < end; at++)
        array_push(bytes, *at);
}

static void put_zeros(struct bytes *bytes, size_t count)
{
    array_grow(bytes, bytes->count + count);
}

static void put_site(struct bytes *bytes, uint64_t slot, unsigned op)
{
    array_push(bytes, RECORD_SITE);
    put(bytes, slot);
    array_push(bytes, (uint8_t)op);
    array_push(bytes, 4);
    put(bytes, 77);
    put(bytes, 0);
}

static void put_sync(struct bytes *bytes, uint64_t slot, unsigned op, uint64_t delta, bool value)
{
    array_push(bytes, (uint8_t)(RECORD_SYNC | (value ? RECORD_VALUE : 0)));
    put(bytes, slot);
    put(bytes, delta);
    put(bytes, zigzag((uint64_t)0 - 5000));
    if (record_has_other(op))
        put(bytes, 1 << 20);
    if (value)
        put(bytes, UINT64_MAX);
}

/* One record of any kind; true if it is stamped, with its delta. */
static bool put_any(struct bytes *bytes, struct random *random, uint64_t *delta)
{
    static const uint8_t ops[] = {EVENT_ACQUIRE, EVENT_WAIT_BEGIN, EVENT_ALLOC, EVENT_ATOMIC_RMW,
                                  RECORD_OP_SEM_INIT};
    unsigned op = ops[random_below(random, sizeof ops)];
    *delta = 1 + random_below(random, 100000);
    switch (random_below(random, 9)) {
    case 0:
        array_push(bytes, RECORD_NODE);
        put(bytes, 0);
        put(bytes, 300);
        return false;
    case 1:
        put_site(bytes, 7, EVENT_READ);
        array_push(bytes, (uint8_t)(RECORD_SINGLE | (op == EVENT_ALLOC ? RECORD_VALUE : 0)));
        put(bytes, 7);
        put(bytes, 1);
        put(bytes, 12345);
        if (op == EVENT_ALLOC)
            put(bytes, 99);
        return false;
    case 2:
        put_site(bytes, 8, EVENT_WRITE);
        array_push(bytes, RECORD_RANGE);
        put(bytes, 8);
        put(bytes, 1);
        put(bytes, 64);
        put(bytes, 4096);
        return false;
    case 3:
        array_push(bytes, RECORD_RUN);
        put(bytes, 8);
        put_zeros(bytes, 4);
        return false;
    case 4:
        array_push(bytes, RECORD_NAME);
        put(bytes, 1 << 30);
        array_push(bytes, 5);
        put_zeros(bytes, 5);
        return false;
    case 5: {
        uint32_t length = random_below(random, 3000);
        array_push(bytes, RECORD_PAD);
        for (int i = 0; i < 4; i++)
            array_push(bytes, (uint8_t)(length >> 8 * i));
        put_zeros(bytes, length);
        return false;
    }
    case 6:
        array_push(bytes, RECORD_CHUNK);
        put(bytes, *delta);
        return true;
    default:
        put_site(bytes, 200, op);
        put_sync(bytes, 200, op, *delta, random_chance(random, 50));
        return true;
    }
}

static void a_growing_stream_is_walked_like_a_whole_one(void **state)
{
    (void)state;
    struct random random = {.state = 11};
    for (int round = 0; round < 200; round++) {
        struct bytes bytes = {0};
        uint64_t stamp = 0, stamps = 0, delta;
        for (int i = 0; i < 100; i++)
            if (put_any(&bytes, &random, &delta)) {
                stamp += delta;
                stamps++;
            }
        size_t length = bytes.count, there = 0;
        put_zeros(&bytes, 100);
        struct binary_scan whole = {0}, growing = {0};
        binary_scan_records(&whole, bytes.items, bytes.count, false);
        assert_int_equal(whole.offset, length);
        assert_int_equal(whole.stamp, stamp);
        assert_int_equal(whole.stamps, stamps);
        while (there < length) {
            there += 1 + random_below(&random, 200);
            there = there < length ? there : length;
            if (growing.offset > there)
                continue; /* in the middle of a pad */
            binary_scan_records(&growing, bytes.items + growing.offset, there - growing.offset,
                                random_chance(&random, 50));
            assert_false(growing.broken);
        }
        for (int i = 0; i < 200; i++)
            binary_scan_records(&growing, bytes.items + growing.offset, length - growing.offset,
                                true);
        assert_int_equal(growing.offset, length);
        assert_int_equal(growing.stamp, stamp);
        assert_int_equal(growing.stamps, stamps);
        array_free(&bytes);
    }
}

static void what_is_no_record_ends_the_walk(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    put_site(&bytes, 3, EVENT_READ);
    size_t good = bytes.count;
    array_push(&bytes, 0x1f);
    put_zeros(&bytes, 30);
    struct binary_scan scan = {0};
    binary_scan_records(&scan, bytes.items, bytes.count, false);
    assert_int_equal(scan.offset, good);
    assert_true(scan.broken);
    array_free(&bytes);
}

/* --- cuts of a directory ------------------------------------------------------- */

struct directory {
    char path[64];
};

static void make_directory(struct directory *directory)
{
    char inner[96];
    strcpy(directory->path, "/tmp/preplay-follow-XXXXXX");
    assert_non_null(mkdtemp(directory->path));
    snprintf(inner, sizeof inner, "%s/streams", directory->path);
    assert_int_equal(mkdir(inner, 0777), 0);
}

static void stream_path(const struct directory *directory, unsigned number, char path[128])
{
    snprintf(path, 128, "%s/streams/%09u.pps", directory->path, number);
}

/* Acquires and releases with these stamps; `live` leaves room behind them. */
static void write_stream(const struct directory *directory, unsigned number, const uint64_t *stamps,
                         size_t count, bool live)
{
    char path[128];
    struct bytes bytes = {0};
    struct stream_header header = {.magic = ENCODING_MAGIC,
                                   .version = ENCODING_VERSION,
                                   .flags = number ? 0 : STREAM_MAIN,
                                   .number = number,
                                   .child = number};
    array_grow(&bytes, sizeof header);
    memcpy(bytes.items, &header, sizeof header);
    put_site(&bytes, 1, EVENT_ALLOC);
    for (size_t i = 0; i < count; i++)
        put_sync(&bytes, 1, EVENT_ALLOC, stamps[i] - (i ? stamps[i - 1] : 0), false);
    if (live)
        put_zeros(&bytes, 4096);
    stream_path(directory, number, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.items, 1, bytes.count, file), bytes.count);
    fclose(file);
    array_free(&bytes);
}

static void remove_directory(const struct directory *directory, unsigned streams)
{
    char path[128];
    for (unsigned i = 0; i < streams; i++) {
        stream_path(directory, i, path);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/streams", directory->path);
    rmdir(path);
    rmdir(directory->path);
}

/* Threads that are not there any more hold nothing back; a thread that went to sleep
 * long ago does not either. */
static void a_quiet_thread_does_not_hold_the_cut(void **state)
{
    (void)state;
    struct directory directory;
    struct binary_cut cut;
    make_directory(&directory);
    write_stream(&directory, 0, (uint64_t[]){5, 9}, 2, true);
    write_stream(&directory, 1, (uint64_t[]){10, 1000, 5000}, 3, true);
    struct binary_follow *follow = binary_follow_create(directory.path);
    assert_true(binary_follow_cut(follow, &cut));
    assert_int_equal(cut.ends.count, 2);
    assert_int_equal(cut.limit, 5001);
    binary_cut_free(&cut);
    /* Stream 1 grows and ends, stream 2 begins. */
    write_stream(&directory, 1, (uint64_t[]){10, 1000, 5000, 7000}, 4, false);
    write_stream(&directory, 2, (uint64_t[]){6000}, 1, true);
    assert_true(binary_follow_cut(follow, &cut));
    assert_int_equal(cut.ends.count, 3);
    assert_int_equal(cut.limit, 7001);
    struct error error = {0};
    struct trace *trace = binary_open_cut(directory.path, &cut, &error);
    assert_non_null(trace);
    assert_int_equal(trace_count(trace, CLASS_THREAD), 3);
    trace_close(trace);
    binary_cut_free(&cut);
    binary_follow_destroy(follow);
    remove_directory(&directory, 3);
}

static void another_program_in_its_place_is_followed_anew(void **state)
{
    (void)state;
    struct directory directory;
    struct binary_cut cut;
    char old[160], aside[128];
    make_directory(&directory);
    write_stream(&directory, 0, (uint64_t[]){5, 9, 50}, 3, true);
    struct binary_follow *follow = binary_follow_create(directory.path);
    uint64_t before = binary_follow_look(follow);
    snprintf(old, sizeof old, "%s/streams", directory.path);
    snprintf(aside, sizeof aside, "%s/aside", directory.path);
    assert_int_equal(rename(old, aside), 0);
    assert_int_equal(mkdir(old, 0777), 0);
    write_stream(&directory, 0, (uint64_t[]){70}, 1, true);
    assert_true(binary_follow_look(follow) < before);
    assert_true(binary_follow_cut(follow, &cut));
    assert_int_equal(cut.limit, 71);
    binary_cut_free(&cut);
    binary_follow_destroy(follow);
    snprintf(old, sizeof old, "%s/000000000.pps", aside);
    unlink(old);
    rmdir(aside);
    remove_directory(&directory, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_stream_is_walked_like_a_whole_one),
        cmocka_unit_test(what_is_no_record_ends_the_walk),
        cmocka_unit_test(a_quiet_thread_does_not_hold_the_cut),
        cmocka_unit_test(another_program_in_its_place_is_followed_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
