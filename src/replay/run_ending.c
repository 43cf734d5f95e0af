/* SPDX-License-Identifier: MIT */
#include "replay/run_ending.h"

#include "base/memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* --- what the program said last ------------------------------------------------- */

struct last_words {
    char text[4096]; /* the end of what it printed */
};

static void read_last_words(struct last_words *words, const char *output)
{
    FILE *file = output ? fopen(output, "re") : NULL;
    size_t got = 0;
    if (file) {
        if (fseek(file, -(long)(sizeof words->text - 1), SEEK_END))
            rewind(file);
        got = fread(words->text, 1, sizeof words->text - 1, file);
        fclose(file);
    }
    for (size_t i = 0; i < got; i++)
        if (!words->text[i])
            words->text[i] = ' ';
    words->text[got] = 0;
}

/* The last line with `part` in it, shortened; false if there is none. */
static bool find_line(const struct last_words *words, const char *part, char line[200])
{
    const char *found = NULL;
    for (const char *at = words->text; (at = strstr(at, part)); at++)
        found = at;
    if (!found)
        return false;
    while (found > words->text && found[-1] != '\n')
        found--;
    snprintf(line, 200, "%.*s", (int)strcspn(found, "\n"), found);
    return true;
}

/* --- failures --------------------------------------------------------------------- */

static bool stack_has(const struct watch_ending *ending, const char *function)
{
    char line[64];
    snprintf(line, sizeof line, "%.60s\t", function);
    return ending->stack && strstr(ending->stack, line);
}

/* Why a program calls abort(). */
static const char *abort_rule(const struct watch_ending *ending, const struct last_words *words,
                              char line[200])
{
    if (find_line(words, "Assertion `", line) || stack_has(ending, "__assert_fail"))
        return "assertion";
    if (find_line(words, "double free", line))
        return "double-free";
    if (find_line(words, "free(): ", line) || find_line(words, "malloc", line) ||
        stack_has(ending, "malloc_printerr"))
        return "heap";
    if (find_line(words, "terminate called", line))
        return "abort";
    return "abort";
}

static void judge_signal(struct run_ending *ending, const struct watch_ending *seen, int number,
                         const struct last_words *words)
{
    char line[200] = "";
    ending->rule = number == SIGABRT ? abort_rule(seen, words, line) : "crash";
    int length = snprintf(ending->text, sizeof ending->text, "SIG%s", sigabbrev_np(number));
    if (seen->where[0])
        length += snprintf(ending->text + length, sizeof ending->text - (size_t)length,
                           " in %.1000s", seen->where);
    if (number == SIGSEGV || number == SIGBUS)
        snprintf(ending->text + length, sizeof ending->text - (size_t)length,
                 ", accessing memory at 0x%llx", (unsigned long long)seen->address);
    else if (line[0])
        snprintf(ending->text + length, sizeof ending->text - (size_t)length, ": %s", line);
}

static void judge_hang(struct run_ending *ending, const struct watch_ending *seen)
{
    ending->rule = "hang";
    if (seen->ran > 0)
        snprintf(ending->text, sizeof ending->text,
                 "it runs on and on, %.1f s of processor time so far%s%.1000s", seen->ran,
                 seen->where[0] ? ", in " : "", seen->where);
    else
        snprintf(ending->text, sizeof ending->text,
                 "it hangs: every thread waits for another one%s%.1000s",
                 seen->where[0] ? "; one in " : "", seen->where);
}

static void judge_exit(struct run_ending *ending, int code, const struct recorded_end *recorded,
                       const struct last_words *words)
{
    char line[200];
    ending->by_itself = true;
    ending->exit_code = code;
    bool sanitizer = code && (find_line(words, "ERROR: AddressSanitizer", line) ||
                              find_line(words, "ERROR: LeakSanitizer", line) ||
                              find_line(words, "runtime error: ", line));
    if (recorded->known && code == recorded->exit_code) {
        snprintf(ending->text, sizeof ending->text, "exit code %d", code);
        return;
    }
    if (!recorded->known) {
        snprintf(ending->text, sizeof ending->text, "exit code %d", code);
        if (sanitizer)
            ending->rule = "sanitizer";
        return;
    }
    ending->rule = sanitizer ? "sanitizer" : "exit-code";
    if (recorded->exit_code < 0)
        snprintf(ending->text, sizeof ending->text, "exit code %d instead of SIG%s", code,
                 sigabbrev_np(recorded->signal));
    else
        snprintf(ending->text, sizeof ending->text, "exit code %d instead of %d%s%s", code,
                 recorded->exit_code, sanitizer ? ": " : "", sanitizer ? line : "");
}

void run_ending_judge(struct run_ending *ending, const struct watch *watch, int status,
                      const struct recorded_end *recorded, const char *output)
{
    const struct watch_ending *seen = &watch->ending;
    struct last_words words;
    *ending = (struct run_ending){0};
    read_last_words(&words, output);
    int number = seen->signal                            ? seen->signal
                 : !watch->killed && WIFSIGNALED(status) ? WTERMSIG(status)
                                                         : 0;
    /* How the recorded run ended is no news, whatever that was. */
    bool usual = recorded->known && number && number == recorded->signal;
    if (number && !usual)
        judge_signal(ending, seen, number, &words);
    else if (seen->hung && recorded->known)
        judge_hang(ending, seen);
    else if (!number && !watch->killed && WIFEXITED(status))
        judge_exit(ending, WEXITSTATUS(status), recorded, &words);
    else if (usual)
        snprintf(ending->text, sizeof ending->text, "SIG%s, as in the recorded run",
                 sigabbrev_np(number));
    else
        snprintf(ending->text, sizeof ending->text, "it was stopped before its end");
    if (ending->rule && seen->stack)
        ending->stack = memory_copy(seen->stack, strlen(seen->stack) + 1);
}

void run_ending_free(struct run_ending *ending)
{
    free(ending->stack);
    *ending = (struct run_ending){0};
}
