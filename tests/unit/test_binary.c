/* Objects against a model that looks at every byte, and the encoding's parts. */
#include "base/array.h"
#include "base/random.h"
#include "trace/recorded/binary_objects.h"
#include "trace/recorded/binary_variables.h"
#include "trace/encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BASE = 0x10000 - 64, SPACE = 256, STEPS = 120, NOBODY = -1 };

struct step {
    bool begins, write;
    uint32_t thread, start, length;
};

/* What is true of a byte during one life of it. */
struct fact {
    int first_thread;
    bool shared, wrote;
};

/* By step and byte: the step at which the byte's life began. */
static int life[STEPS][SPACE];
static struct fact facts[STEPS + 1][SPACE];
static bool edges[STEPS + 1][SPACE + 1];

static void make_steps(struct random *random, struct step *steps)
{
    for (int i = 0; i < STEPS; i++) {
        steps[i].begins = random_chance(random, 10);
        steps[i].write = random_chance(random, 50);
        steps[i].thread = random_below(random, 3);
        steps[i].length = random_chance(random, 80) ? 1u << random_below(random, 4)
                                                    : 1 + random_below(random, 100);
        steps[i].start = random_below(random, SPACE - steps[i].length);
        if (steps[i].begins) { /* allocations are aligned */
            steps[i].start &= ~7u;
            steps[i].length = (steps[i].length + 7) & ~7u;
        }
    }
}

static void model(const struct step *steps)
{
    int now[SPACE] = {0};
    for (int i = 0; i <= STEPS; i++)
        for (int b = 0; b < SPACE; b++) {
            facts[i][b] = (struct fact){.first_thread = NOBODY};
            edges[i][b] = false;
        }
    for (int i = 0; i < STEPS; i++) {
        for (uint32_t b = steps[i].start; b < steps[i].start + steps[i].length; b++) {
            if (steps[i].begins) {
                now[b] = i + 1;
                continue;
            }
            struct fact *fact = &facts[now[b]][b];
            if (fact->first_thread == NOBODY)
                fact->first_thread = (int)steps[i].thread;
            fact->shared |= fact->first_thread != (int)steps[i].thread;
            fact->wrote |= steps[i].write;
            if (b == steps[i].start)
                edges[now[b]][b] = true;
        }
        uint32_t end = steps[i].start + steps[i].length;
        if (!steps[i].begins && end < SPACE)
            edges[now[end]][end] = true;
        memcpy(life[i], now, sizeof now);
    }
}

static bool in_object(int step, uint32_t byte)
{
    const struct fact *fact = &facts[life[step][byte]][byte];
    return fact->shared && fact->wrote;
}

/* The objects of the access must be exactly the shared bytes, cut at edges. */
static void check_access(const struct objects *objects, const struct step *step, int number)
{
    uint64_t at = BASE + step->start, end = at + step->length;
    uint32_t byte = step->start, object;
    while ((object = objects_find(objects, &at, end)) != OBJECT_NONE) {
        uint64_t start = objects_address(objects, object), length = objects_length(objects, object);
        for (; BASE + (uint64_t)byte < start; byte++)
            assert_false(in_object(number, byte));
        assert_int_equal(BASE + (uint64_t)byte, start);
        for (uint64_t i = 0; i < length; i++, byte++) {
            assert_true(in_object(number, byte));
            assert_true(i == 0 || !edges[life[number][byte]][byte]);
        }
        assert_true(start + length <= end);
    }
    for (; byte < step->start + step->length; byte++)
        assert_false(in_object(number, byte));
}

static void objects_agree_with_the_model(void **state)
{
    (void)state;
    struct random random = {.state = 7};
    for (int round = 0; round < 300; round++) {
        struct step steps[STEPS];
        struct objects *objects = objects_create();
        make_steps(&random, steps);
        model(steps);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < STEPS; i++) {
                uint64_t address = BASE + steps[i].start;
                if (steps[i].begins)
                    objects_begin(objects, address, steps[i].length);
                else if (pass == 0)
                    objects_learn(objects, steps[i].thread, address, steps[i].length,
                                  steps[i].write);
                else
                    check_access(objects, &steps[i], i);
            }
            if (pass == 0)
                objects_settle(objects);
        }
        objects_destroy(objects);
    }
}

/* Whole pages take another way through the first pass. */
static void whole_pages(void **state)
{
    (void)state;
    struct objects *objects = objects_create();
    uint64_t low = 0x7000000, high = low + 8 * 4096, at = low + 4096;
    objects_learn(objects, 0, low, high - low, true);
    objects_learn(objects, 1, low + 4096, 4096, false);
    objects_learn(objects, 1, low + 3 * 4096 + 8, 8, false);
    objects_settle(objects);
    assert_int_equal(objects_count(objects), 2);
    uint32_t object = objects_find(objects, &at, high);
    assert_int_equal(objects_address(objects, object), low + 4096);
    assert_int_equal(objects_length(objects, object), 4096);
    object = objects_find(objects, &at, high);
    assert_int_equal(objects_address(objects, object), low + 3 * 4096 + 8);
    assert_int_equal(objects_length(objects, object), 8);
    assert_int_equal(objects_find(objects, &at, high), OBJECT_NONE);
    at = UINT64_MAX - 4;
    assert_int_equal(objects_find(objects, &at, UINT64_MAX), OBJECT_NONE);
    objects_destroy(objects);
}

/* Names tell one life of an address from the next, whichever is asked for first. */
static void names_of_lives(void **state)
{
    (void)state;
    struct objects *objects = objects_create();
    struct symbols *symbols = symbols_open("no such load map");
    struct binary_names *names = binary_names_create(symbols);
    for (int round = 0; round < 2; round++) {
        objects_begin(objects, 0x5000, 64);
        for (uint32_t thread = 0; thread < 2; thread++)
            for (uint64_t at = 0x5000; at < 0x5010; at += 8)
                objects_learn(objects, thread, at, 8, true);
    }
    objects_settle(objects);
    struct binary_variables *variables = binary_variables_create(names, objects);
    assert_int_equal(objects_count(objects), 4);
    for (uint32_t object = 0; object < 4; object++)
        assert_int_equal(binary_variables_id(variables, object), object);
    assert_int_equal(binary_variables_id(variables, 2), 2);
    assert_int_equal(binary_variables_count(variables), 4);
    assert_int_equal(binary_variables_object(variables, 4), OBJECT_NONE);
    const char *last = binary_variables_name(variables, 3);
    assert_string_equal(binary_variables_name(variables, 0), "0x5000");
    assert_string_equal(binary_variables_name(variables, 1), "0x5008");
    assert_string_equal(binary_variables_name(variables, 2), "0x5000#2");
    assert_string_equal(last, "0x5008#2");
    binary_variables_destroy(variables);
    binary_names_destroy(names);
    symbols_close(symbols);
    objects_destroy(objects);
}

/* An object ends where all of its memory begins anew, and not before. */
static void objects_end(void **state)
{
    (void)state;
    struct objects *objects = objects_create();
    static const struct {
        uint64_t low, high;
    } lives[] = {{0x5000, 0x5040}, {0x5008, 0x5018}, {0x5000, 0x5040}};
    static const size_t ended[] = {0, 2, 4};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 3; i++) {
            objects_begin(objects, lives[i].low, lives[i].high - lives[i].low);
            for (uint32_t thread = 0; thread < 2 && pass == 0; thread++)
                for (uint64_t at = 0x5000; at < 0x5020; at += i == 0 ? 8 : 16)
                    objects_learn(objects, thread, at, i == 0 ? 8 : 16, true);
            const uint32_t *gone;
            size_t count = objects_take_ended(objects, &gone);
            assert_int_equal(count, pass ? ended[i] : 0);
            assert_int_equal(objects_take_ended(objects, &gone), 0);
        }
        if (pass == 0)
            objects_settle(objects);
    }
    objects_destroy(objects);
}

static void numbers_come_back(void **state)
{
    (void)state;
    struct random random = {.state = 3};
    for (int i = 0; i < 20000; i++) {
        uint64_t value = random_next(&random) >> random_below(&random, 64), back;
        uint8_t bytes[16];
        uint8_t *end = varint_put(bytes, value);
        assert_ptr_equal(varint_get(bytes, end, &back), end);
        assert_int_equal(back, value);
        assert_null(varint_get(bytes, end - 1, &back));
        assert_int_equal(unzigzag(zigzag(value)), value);
        assert_int_equal(unzigzag(zigzag(0 - value)), 0 - value);
    }
    uint64_t value;
    const uint8_t too_long[11] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0};
    assert_null(varint_get(too_long, too_long + 11, &value));
}

/* Three accesses of one stride make a run; a new chunk starts over. */
static void predictors(void **state)
{
    (void)state;
    struct predictor site = {0};
    predictor_single(&site, 5, 1000, 0);
    assert_false(predictor_fits(&site, 5, 1008, 3));
    predictor_single(&site, 5, 1008, 3);
    assert_true(predictor_fits(&site, 5, 1016, 6));
    assert_false(predictor_fits(&site, 5, 1016, 7));
    assert_false(predictor_fits(&site, 5, 1024, 6));
    assert_false(predictor_fits(&site, 6, 1016, 6));
    predictor_advance(&site);
    assert_true(predictor_fits(&site, 5, 1024, 9));
    predictor_single(&site, 6, 1024, 0);
    assert_false(predictor_fits(&site, 6, 1032, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_agree_with_the_model),
        cmocka_unit_test(whole_pages),
        cmocka_unit_test(names_of_lives),
        cmocka_unit_test(objects_end),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(predictors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
