/* Tiddle files that are programs: what is read, printed and refused. What their C does is compared
 * by tests/oracle/explored.sh. */
#include "tiddle/code_printer.h"
#include "tiddle/code_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct code *parse(const char *text)
{
    struct error error = {0};
    struct code *code = code_parse("p.tiddle", text, strlen(text), &error);
    if (!code)
        fail_msg("%s", error.text);
    return code;
}

static void assert_printed(const char *text, const char *wanted)
{
    struct code *code = parse(text);
    char *printed = NULL;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    code_print(out, code);
    fclose(out);
    assert_string_equal(printed, wanted);
    free(printed);
    code_free(code);
}

static void assert_refused(const char *text, const char *wanted)
{
    struct error error = {0};
    assert_null(code_parse("p.tiddle", text, strlen(text), &error));
    assert_int_equal(error.code, ERROR_INPUT);
    assert_string_equal(error.text, wanted);
}

/* Canonical text with every operation. */
static const char everything[] = "# all of it\n"
                                 "program\n"
                                 "\n"
                                 "fork main 1 # first\n"
                                 "fork main other\n"
                                 "like other 1\n"
                                 "rd 1 x\n"
                                 "rd 1 x seen\n"
                                 "wr 1 x -9223372036854775807\n"
                                 "wr 1 x seen - 1\n"
                                 "atomicr 1 x\n"
                                 "atomicw 1 x seen + seen\n"
                                 "atomicadd 1 x -1 before\n"
                                 "atomiccas 1 x 0 before\n"
                                 "acq 1 m\n"
                                 "wait 1 c m\n"
                                 "rel 1 m\n"
                                 "tryacq 1 m got\n"
                                 "if 1 got != 0 {\n"
                                 "    if 1 x + 1 <= got {\n"
                                 "        rel 1 m\n"
                                 "    } else { # not yet\n"
                                 "        rel 1 m\n"
                                 "    }\n"
                                 "}\n"
                                 "notify 1 c\n"
                                 "notifyall 1 c\n"
                                 "post 1 s\n"
                                 "semwait 1 s\n"
                                 "trysemwait 1 s\n"
                                 "let 1 rd = x - -3\n"
                                 "assert 1 rd > 0\n"
                                 "join main 1\n";

static void prints_what_it_reads(void **state)
{
    (void)state;
    assert_printed(everything, everything);
    assert_printed("program#p\n if  1 x==3{ # c  \nwr 1 x x+1\n}else{\nrd 1 x x\n}",
                   "program #p\nif 1 x == 3 { # c\n    wr 1 x x + 1\n} else {\n    rd 1 x\n}\n");
}

static void knows_a_program_by_its_first_word(void **state)
{
    (void)state;
    assert_true(code_is_program(everything));
    assert_true(code_is_program("  \n#\n program"));
    assert_false(code_is_program("programs 1\n"));
    assert_false(code_is_program("rd 1 program\n"));
    assert_false(code_is_program(""));
}

static void says_what_is_wrong_where(void **state)
{
    (void)state;
    assert_refused("rd 1 x\n", "p.tiddle:1:1: found 'rd', expected program: the first line of one");
    assert_refused("", "p.tiddle: found nothing, expected program");
    assert_refused("program\nacqq 1 m\n",
                   "p.tiddle:2:1: found 'acqq', expected an operation (rd, wr, "
                   "acq, rel, if, assert, ...); did you mean 'acq'?");
    assert_refused("program\nwr 1 x\n", "p.tiddle:2:7: found the end of the line, expected THREAD "
                                        "VARIABLE VALUE");
    assert_refused("program\nwr 1 x 9223372036854775808\n",
                   "p.tiddle:2:8: found '9223372036854775808', expected a number below 2^63");
    assert_refused("program\nif 1 x == 3 {\n", "p.tiddle:2: no line closes this condition");
    assert_refused("program\n}\n",
                   "p.tiddle:2:1: found '}', expected an operation: no condition is open");
    assert_refused("program\nif 1 x == 3 {\nwr 2 x 1\n}\n",
                   "p.tiddle:3:4: found '2', expected the thread of the condition around it");
    assert_refused("program\nrd 1 x $\n", "p.tiddle:2:8: found '$', expected a name or a number");
}

static void says_who_cannot_begin_or_end_whom(void **state)
{
    (void)state;
    assert_refused("program\nfork 1 2\nfork 2 1\n",
                   "p.tiddle: no thread is there from the beginning");
    assert_refused("program\nfork 1 2\nrd 3 x\n", "p.tiddle: nobody forks 1, nor 3");
    assert_refused("program\nfork 1 2\nfork 1 2\n", "p.tiddle:3: this thread is forked twice");
    assert_refused("program\nif 1 x == 0 {\nfork 1 2\n}\n",
                   "p.tiddle:3: threads are forked and joined outside of conditions");
    assert_refused("program\nfork 1 2\njoin 1 2\njoin 1 2\n",
                   "p.tiddle:4: this thread is joined twice, or is the main one");
    assert_refused("program\nlike 1 2\n", "p.tiddle:2: like takes a thread that has lines");
    assert_refused("program\nrd 1 x\nrd 2 x\nlike 1 2\n",
                   "p.tiddle:4: this thread has lines of its own");
}

/* Forks, own lines, joins, and a look at all variables. */
static void adds_a_main_thread(void **state)
{
    struct code *code = parse("program\nrd 1 x\nwr main y 1\nlike 2 1\n");
    static const enum code_op wanted[] = {CODE_FORK, CODE_FORK, CODE_WRITE, CODE_JOIN,
                                          CODE_JOIN, CODE_READ, CODE_READ};
    const struct code_thread *root = &code->threads.items[code->root];
    (void)state;
    assert_string_equal(code_name(code, CODE_THREADS, code->root), "main");
    assert_int_equal(root->order.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < root->order.count; i++)
        assert_int_equal(code->lines.items[root->order.items[i]].op, wanted[i]);
    code_free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_reads),
        cmocka_unit_test(knows_a_program_by_its_first_word),
        cmocka_unit_test(says_what_is_wrong_where),
        cmocka_unit_test(says_who_cannot_begin_or_end_whom),
        cmocka_unit_test(adds_a_main_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
