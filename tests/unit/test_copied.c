/* A copy that is made once and mended between runs (target/copied.h). */
#include "target/copied.h"
#include "target/copying.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char room[64];

static const char *path(const char *name)
{
    static char paths[4][PATH_MAX];
    static size_t next;
    char *text = paths[next++ % 4];
    snprintf(text, PATH_MAX, "%s/%s", room, name);
    return text;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *name, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path(name), "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen(wanted));
    fclose(file);
    assert_string_equal(text, wanted);
}

static struct stat status_of(const char *name)
{
    struct stat status;
    assert_int_equal(lstat(path(name), &status), 0);
    return status;
}

static void assert_absent(const char *name)
{
    struct stat status;
    assert_int_equal(lstat(path(name), &status), -1);
    assert_int_equal(errno, ENOENT);
}

static int make_room(void **state)
{
    (void)state;
    snprintf(room, sizeof room, "/tmp/copied-XXXXXX");
    assert_non_null(mkdtemp(room));
    mkdir(path("from"), 0755);
    mkdir(path("from/inner"), 0755);
    mkdir(path("to"), 0700);
    put("from/untouched", "untouched");
    put("from/changed", "old");
    put("from/removed", "still there");
    put("from/inner/renamed", "one");
    put("from/kind", "a file");
    return symlink("untouched", path("from/link"));
}

static int remove_room(void **state)
{
    (void)state;
    copy_remove(room);
    return 0;
}

static void reset(struct copied *copied)
{
    struct error error = {0};
    assert_int_equal(copied_reset(copied, path("from"), path("to"), 1 << 20, &error), 0);
}

static void what_a_run_changed_is_mended(void **state)
{
    (void)state;
    struct copied copied = {0};
    reset(&copied);
    copied_keep(&copied, path("to"));
    put("to/changed", "new");
    put("to/added", "new");
    unlink(path("to/removed"));
    rename(path("to/inner/renamed"), path("to/inner/another"));
    unlink(path("to/kind"));
    mkdir(path("to/kind"), 0700);
    unlink(path("to/link"));
    assert_int_equal(symlink("changed", path("to/link")), 0);
    chmod(path("to/inner"), 0700);
    reset(&copied);
    assert_holds("to/changed", "old");
    assert_absent("to/added");
    assert_holds("to/removed", "still there");
    assert_holds("to/inner/renamed", "one");
    assert_absent("to/inner/another");
    assert_holds("to/kind", "a file");
    assert_holds("to/link", "untouched");
    assert_int_equal(status_of("to/inner").st_mode & 07777, 0755);
    copied_free(&copied);
}

static void what_it_left_alone_is_not_copied_again(void **state)
{
    (void)state;
    struct copied copied = {0};
    reset(&copied);
    copied_keep(&copied, path("to"));
    struct stat before = status_of("to/untouched");
    put("to/changed", "new");
    reset(&copied);
    struct stat after = status_of("to/untouched");
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
    copied_free(&copied);
}

/* As before_restore() makes it: the recorded run is what changed the original. */
static void what_was_kept_differs_from_the_original(void **state)
{
    (void)state;
    struct copied copied = {0};
    reset(&copied);
    put("to/changed", "as it was before");
    copied_keep(&copied, path("to"));
    reset(&copied);
    assert_holds("to/changed", "as it was before");
    put("from/bulk", "");
    assert_int_equal(truncate(path("from/bulk"), 2 << 20), 0);
    struct error error = {0};
    assert_int_equal(copied_reset(&copied, path("from"), path("to"), 1 << 20, &error), -1);
    assert_non_null(strstr(error.text, "more than 1 MiB"));
    copied_free(&copied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_run_changed_is_mended, make_room, remove_room),
        cmocka_unit_test_setup_teardown(what_it_left_alone_is_not_copied_again, make_room,
                                        remove_room),
        cmocka_unit_test_setup_teardown(what_was_kept_differs_from_the_original, make_room,
                                        remove_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
