/* Which freed blocks a replay keeps, and for how long. Blocks are numbers here: nobody looks into
 * them. */
#include "runtime/quarantine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void *gone; /* the last block that the C library got, and how many it got */
static uint32_t gone_count;

void __libc_free(void *block);
void __libc_free(void *block)
{
    gone = block;
    gone_count++;
}

static void *block(uint32_t number)
{
    return (void *)(uintptr_t)(0x10000 + 64 * (uint64_t)number);
}

static int begin(void **state)
{
    (void)state;
    quarantine_empty();
    gone = NULL;
    gone_count = 0;
    return 0;
}

static void a_block_that_is_there_is_freed_twice(void **state)
{
    (void)state;
    assert_true(quarantine_take(block(1), 24));
    assert_true(quarantine_take(block(2), 24));
    assert_false(quarantine_take(block(1), 24));
}

static void a_block_that_went_may_come_again(void **state)
{
    (void)state;
    assert_true(quarantine_take(block(1), 24));
    quarantine_empty();
    assert_ptr_equal(gone, block(1));
    assert_int_equal(gone_count, 1);
    assert_true(quarantine_take(block(1), 24));
}

static void the_oldest_goes_when_there_are_many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < QUARANTINE_BLOCKS; i++)
        assert_true(quarantine_take(block(i), 32));
    assert_int_equal(gone_count, 0);
    assert_true(quarantine_take(block(QUARANTINE_BLOCKS), 32));
    assert_int_equal(gone_count, 1);
    assert_ptr_equal(gone, block(0));
}

static void the_oldest_goes_when_they_are_large(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < QUARANTINE_BYTES / QUARANTINE_BLOCK; i++)
        assert_true(quarantine_take(block(i), QUARANTINE_BLOCK));
    assert_int_equal(gone_count, 0);
    assert_true(quarantine_take(block(100000), 24));
    assert_int_equal(gone_count, 1);
    assert_ptr_equal(gone, block(0));
}

static void what_is_no_block_is_left_to_the_library(void **state)
{
    (void)state;
    assert_true(quarantine_accepts(block(1), 24));
    assert_false(quarantine_accepts((char *)block(1) + 8, 24));
    assert_false(quarantine_accepts(block(1), 0));
    assert_false(quarantine_accepts(block(1), QUARANTINE_BLOCK + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_that_is_there_is_freed_twice, begin),
        cmocka_unit_test_setup(a_block_that_went_may_come_again, begin),
        cmocka_unit_test_setup(the_oldest_goes_when_there_are_many, begin),
        cmocka_unit_test_setup(the_oldest_goes_when_they_are_large, begin),
        cmocka_unit_test_setup(what_is_no_block_is_left_to_the_library, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
