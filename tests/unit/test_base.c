/* Containers against the obvious slow ones. */
#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/md5.h"
#include "base/paged.h"
#include "base/random.h"
#include "model/vclock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void md5_is_as_its_authors_have_it(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sum;
    } known[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint8_t sum[MD5_BYTES];
        char text[2 * MD5_BYTES + 1];
        md5(known[i].text, strlen(known[i].text), sum);
        for (size_t k = 0; k < MD5_BYTES; k++)
            snprintf(text + 2 * k, 3, "%02x", sum[k]);
        assert_string_equal(text, known[i].sum);
    }
}

static void map_behaves_like_an_array(void **state)
{
    (void)state;
    enum { KEYS = 300 };
    struct map map = {0};
    uint64_t values[KEYS] = {0};
    bool present[KEYS] = {0};
    struct random random = {1};
    size_t count = 0;
    for (int step = 0; step < 50000; step++) {
        uint32_t key = random_below(&random, KEYS);
        if (random_chance(&random, 60)) {
            bool added;
            *map_at(&map, key * UINT64_C(0x100000001), &added) = values[key] = random_next(&random);
            assert_int_equal(added, !present[key]);
            count += added;
            present[key] = true;
        } else {
            assert_int_equal(map_remove(&map, key * UINT64_C(0x100000001)), present[key]);
            count -= present[key];
            present[key] = false;
        }
        assert_int_equal(map.count, count);
        key = random_below(&random, KEYS);
        uint64_t *found = map_find(&map, key * UINT64_C(0x100000001));
        assert_int_equal(found != NULL, present[key]);
        if (found)
            assert_true(*found == values[key]);
    }
    size_t walked = 0;
    for (size_t i = map_first(&map); i < map.capacity; i = map_following(&map, i))
        walked++;
    assert_int_equal(walked, count);
    map_free(&map);
}

static void interner_gives_dense_stable_ids(void **state)
{
    (void)state;
    struct interner *interner = interner_create();
    char name[32];
    for (uint32_t i = 0; i < 20000; i++) {
        int length = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern_find(interner, name, (size_t)length), INTERN_NONE);
        assert_int_equal(intern(interner, name, (size_t)length), i);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        int length = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern(interner, name, (size_t)length), i);
        assert_string_equal(intern_text(interner, i), name);
    }
    assert_int_equal(intern(interner, "", 0), 20000);
    assert_int_equal(intern_count(interner), 20001);
    interner_destroy(interner);
}

/* Short texts are compared in their slots, long ones by hash and text; the empty one
 * and those that end in NUL are texts too. */
static void interner_tells_all_lengths_apart(void **state)
{
    (void)state;
    struct interner *interner = interner_create();
    char text[64] = {0}; /* of NULs, then of NULs with a letter at each place */
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t expected = 0;
        for (size_t length = 0; length < 48; length++)
            assert_int_equal(intern(interner, text, length), expected++);
        for (size_t length = 1; length < 48; length++) {
            for (size_t at = 0; at < length; at++) {
                text[at] = 'x';
                assert_int_equal(intern(interner, text, length), expected);
                assert_int_equal(intern_length(interner, expected), length);
                assert_memory_equal(intern_text(interner, expected), text, length);
                text[at] = '\0';
                expected++;
            }
        }
        assert_int_equal(intern_count(interner), expected);
    }
    interner_destroy(interner);
}

static void paged_arrays_stay_where_they_are(void **state)
{
    (void)state;
    struct numbers PAGED_OF(uint64_t) numbers = {0};
    assert_false(paged_has(&numbers, 0));
    uint64_t *first = paged_reach(&numbers, 0);
    *first = 7;
    for (size_t i = 1; i < 5 * PAGED_ITEMS; i += 1000) {
        assert_int_equal(*paged_reach(&numbers, i), 0);
        *paged_at(&numbers, i) = i;
    }
    assert_ptr_equal(paged_at(&numbers, 0), first);
    assert_int_equal(*first, 7);
    for (size_t i = 1; i < 5 * PAGED_ITEMS; i += 1000)
        assert_int_equal(*paged_at(&numbers, i), i);
    assert_true(paged_has(&numbers, 5 * PAGED_ITEMS - 1));
    assert_false(paged_has(&numbers, 5 * PAGED_ITEMS));
    paged_free(&numbers);
    assert_false(paged_has(&numbers, 0));
}

/* A page all of whose items were dropped comes back clean. */
static void paged_arrays_use_pages_again(void **state)
{
    (void)state;
    struct numbers PAGED_OF(uint64_t) numbers = {0};
    for (size_t i = 0; i < 2 * PAGED_ITEMS; i++)
        *paged_reach(&numbers, i) = i + 1;
    uint64_t *second = paged_at(&numbers, PAGED_ITEMS);
    for (size_t i = PAGED_ITEMS; i < 2 * PAGED_ITEMS; i++)
        paged_drop(&numbers, i);
    paged_drop(&numbers, 7);
    assert_ptr_equal(paged_reach(&numbers, 2 * PAGED_ITEMS), second);
    for (size_t i = 2 * PAGED_ITEMS; i < 3 * PAGED_ITEMS; i++)
        assert_int_equal(*paged_at(&numbers, i), 0);
    assert_int_equal(*paged_at(&numbers, 8), 9);
    assert_ptr_not_equal(paged_reach(&numbers, 3 * PAGED_ITEMS), second);
    paged_free(&numbers);
}

static void vclocks_are_a_lattice(void **state)
{
    (void)state;
    struct random random = {7};
    for (int round = 0; round < 2000; round++) {
        struct vclock a = {0}, b = {0}, join = {0};
        for (int i = 0; i < 6; i++) {
            vclock_set(&a, random_below(&random, 12), random_below(&random, 5));
            vclock_set(&b, random_below(&random, 12), random_below(&random, 5));
        }
        vclock_copy(&join, &a);
        assert_int_equal(vclock_join(&join, &b), !vclock_covers(&a, &b));
        assert_true(vclock_covers(&join, &a) && vclock_covers(&join, &b));
        for (uint32_t t = 0; t < 12; t++) {
            uint32_t x = vclock_get(&a, t), y = vclock_get(&b, t);
            assert_int_equal(vclock_get(&join, t), x > y ? x : y);
        }
        vclock_free(&a);
        vclock_free(&b);
        vclock_free(&join);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(md5_is_as_its_authors_have_it),
        cmocka_unit_test(map_behaves_like_an_array),
        cmocka_unit_test(interner_gives_dense_stable_ids),
        cmocka_unit_test(interner_tells_all_lengths_apart),
        cmocka_unit_test(paged_arrays_stay_where_they_are),
        cmocka_unit_test(paged_arrays_use_pages_again),
        cmocka_unit_test(vclocks_are_a_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
