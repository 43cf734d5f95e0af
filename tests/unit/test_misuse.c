/* Which rule of misuse the engine names for which events, in text traces: what happened, what could
 * happen, and what is right. */
#include "engine/driver.h"
#include "trace/formats.h"
#include "trace/misuse_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

extern const struct engine engine_misuse;

struct example {
    const char *text;
    const char *found; /* "RULE VERDICT" of each finding */
};

static const struct example examples[] = {
    {"T0|acq(l)|1\nT0|rel(l)|2\nT0|badrel(l)|3\n", "unlock-free observed;"},
    {"T0|badrel(l)|1\n", "unlock-free observed;"},
    {"T0|acq(l)|1\nT1|destroy(l)|2\nT0|rel(l)|3\n", "destroy-held observed;"},
    {"T0|acq(l)|1\nT1|destroy!(l)|2\nT0|rel(l)|3\n", "destroy-held observed;"},
    {"T0|acq(l)|1\nT0|rel(l)|2\nT1|destroy(l)|3\n", "destroy-held predicted;"},
    {"T0|rdacq(l)|1\nT0|rdrel(l)|2\nT1|destroy(l)|3\n", "destroy-held predicted;"},
    {"T0|destroy(l)|1\nT0|badacq(l)|2\nT0|badrel(l)|3\n", "use-destroyed observed;"},
    {"T0|destroy(l)|1\nT0|destroy(l)|2\n", "use-destroyed observed;"},
    {"T0|acq(g)|1\nT0|acq(l)|2\nT0|rel(l)|3\nT0|rel(g)|4\n"
     "T1|acq(g)|5\nT1|destroy(l)|6\nT1|rel(g)|7\n",
     "use-destroyed predicted;"},
    {"T0|fork(T1)|1\nT1|acq(l)|2\nT1|threadend()|3\nT0|join(T1)|4\n", "exit-holding observed;"},
    {"T0|badwait(l)|1\n", "wait-unlocked observed;"},
    {"T0|badjoin(T0)|1\n", "bad-join observed;"},
    {"T0|acq(l)|1\nT0|wait(c,l)|2\nT1|conddestroy(c)|3\n", "destroy-waited observed;"},
    {"T0|acq(l)|1\nT0|wait(c,l)|2\nT1|acq(m)|3\nT1|wait(c,m)|4\n", "wait-two-mutexes observed;"},
    {"T0|enter(b)|1\nT1|bardestroy(b)|2\n", "destroy-waited observed;"},
    {"T0|semdestroy(s)|1\nT0|post(s)|2\n", "use-destroyed observed;"},
    {"T0|post(s)|1\nT1|semdestroy(s)|2\n", "use-destroyed predicted;"},
    {"T0|post(s)|1\nT1|post(s)|2\nT2|semwait(s)|3\nT2|semdestroy(s)|4\n",
     "use-destroyed predicted;use-destroyed predicted;"},
    {"T0|notify(c)|1\nT1|conddestroy(c)|2\n", "use-destroyed predicted;"},
    {"T0|notifyall(c)|1\nT1|conddestroy(c)|2\n", "use-destroyed predicted;"},
    /* A run ends at the first of two uses, which one section holds. */
    {"T0|acq(l)|1\nT0|post(s)|2\nT0|post(s)|3\nT0|rel(l)|4\n"
     "T1|acq(l)|5\nT1|semdestroy(s)|6\nT1|rel(l)|7\n",
     "use-destroyed predicted;"},
    {"T0|acq(l)|1\nT0|notify(c)|2\nT0|notify(c)|3\nT0|rel(l)|4\n"
     "T1|acq(l)|5\nT1|conddestroy(c)|6\nT1|rel(l)|7\n",
     "use-destroyed predicted;"},
    /* Right. */
    {"T0|post(s)|1\nT1|semwait(s)|2\nT1|semdestroy(s)|3\n", ""},
    {"T0|fork(T1)|1\nT1|notify(c)|2\nT0|join(T1)|3\nT0|conddestroy(c)|4\n", ""},
    {"T0|conddestroy(c)|1\nT0|notify(c)|2\n", ""}, /* made anew, perhaps */
    {"T0|semdestroy!(s)|1\nT0|post(s)|2\n", "destroy-awaited observed;"},
    {"T0|acq(l)|1\nT0|rel(l)|2\nT0|destroy(l)|3\n", ""},
    {"T0|fork(T1)|1\nT1|acq(l)|2\nT1|rel(l)|3\nT0|join(T1)|4\nT0|destroy(l)|5\n", ""},
    {"T0|acq(l)|1\nT0|w(x)|2\nT0|rel(l)|3\nT1|acq(l)|4\nT1|r(x)|5\nT1|rel(l)|6\nT1|destroy(l)|7\n",
     ""},
    {"T0|acq(l)|1\nT0|wait(c,l)|2\nT1|notifyall(c)|3\nT1|conddestroy(c)|4\n", ""},
    {"T0|enter(b)|1\nT1|enter(b)|2\nT1|exit(b)|3\nT1|bardestroy(b)|4\nT0|exit(b)|5\n", ""},
    {"T0|acq(l)|1\nT0|wait(c,l)|2\nT1|notify(c)|3\nT0|woken(c,l)|4\nT0|rel(l)|5\n"
     "T1|acq(m)|6\nT1|wait(c,m)|7\n",
     ""},
};

static void list(char *text, size_t room, const struct findings *findings)
{
    size_t length = 0;
    *text = '\0';
    for (size_t i = 0; i < findings->count && length < room; i++)
        length += (size_t)snprintf(text + length, room - length, "%s %s;", findings->items[i].rule,
                                   verdict_text(findings->items[i].verdict));
}

static void examples_have_their_rules(void **state)
{
    (void)state;
    static const struct engine_options options = {.jobs = 1};
    const struct engine *engine = &engine_misuse;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct error error = {0};
        struct driver driver = {0};
        char found[400];
        struct trace *trace =
            std_open_memory("example", examples[i].text, strlen(examples[i].text));
        if (driver_run(&driver, trace, &engine, 1, &options, &error))
            fail_msg("example %zu: %s", i, error.text);
        list(found, sizeof found, driver.runs[0].findings);
        assert_int_equal(driver.runs[0].exhausted, 0);
        if (strcmp(found, examples[i].found) != 0)
            fail_msg("example %zu: '%s' instead of '%s'", i, found, examples[i].found);
        driver_free(&driver);
        trace_close(trace);
    }
}

/* A lock that a wait has taken back is the lock, not the condition variable. */
static void a_lock_is_named_after_a_wait(void **state)
{
    (void)state;
    static const char text[] = "T0|fork(T1)|1\nT1|acq(l)|2\nT1|wait(c,l)|3\nT1|woken!(c,l)|4\n"
                               "T1|threadend()|5\nT0|join(T1)|6\n";
    static const struct engine_options options = {.jobs = 1};
    const struct engine *engine = &engine_misuse;
    struct error error = {0};
    struct driver driver = {0};
    struct trace *trace = std_open_memory("example", text, strlen(text));
    assert_int_equal(driver_run(&driver, trace, &engine, 1, &options, &error), 0);
    assert_int_equal(driver.runs[0].findings->count, 1);
    assert_string_equal(driver.runs[0].findings->items[0].rule, "exit-holding");
    assert_int_equal(driver.runs[0].findings->items[0].object_class, CLASS_LOCK);
    driver_free(&driver);
    trace_close(trace);
}

/* The page has a row for each rule, with what the table says. */
static void the_page_shows_the_table(void **state)
{
    (void)state;
    char *page = NULL, line[1000];
    size_t length = 0;
    FILE *file = fopen(MISUSE_PAGE, "re");
    assert_non_null(file);
    assert_true(getdelim(&page, &length, '\0', file) > 0);
    fclose(file);
    for (unsigned i = MISUSE_NONE + 1; i < MISUSE_COUNT; i++) {
        const struct misuse_rule *rule = &misuse_rules[i];
        snprintf(line, sizeof line, "| `%s` | %s | %s | yes | %s", rule->name, rule->text,
                 rule->others, rule->predicted ? "yes |" : "no");
        if (!strstr(page, line))
            fail_msg("docs/misuse.md lacks: %s", line);
        assert_int_equal(misuse_find(rule->name), i);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_have_their_rules),
        cmocka_unit_test(a_lock_is_named_after_a_wait),
        cmocka_unit_test(the_page_shows_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
