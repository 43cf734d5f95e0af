/* SPDX-License-Identifier: MIT */
/* preplay cc and preplay c++: the user's own compiler, with ThreadSanitizer's
 * instrumentation and our runtime in place of its runtime. */
#include "base/array.h"
#include "cli/command.h"
#include "target/library.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

struct words ARRAY_OF(char *);

static char *text(const char *first, const char *second)
{
    char *joined = memory_alloc(strlen(first) + strlen(second) + 1, 1);
    strcpy(joined, first);
    strcat(joined, second);
    return joined;
}

static void add(struct words *words, const char *word)
{
    array_push(words, text(word, ""));
}

/* The C++ compiler beside a C compiler: clang++-19 for clang-19, g++-12 for gcc-12. */
static char *plus_of(const char *compiler)
{
    static const char *const names[][2] = {{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
    const char *word = strrchr(compiler, ' ') ? strrchr(compiler, ' ') : compiler;
    const char *base = strrchr(word, '/') ? strrchr(word, '/') : word;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = strstr(base, names[i][0]);
        if (!at)
            continue;
        char *front = text(compiler, "");
        front[at - compiler] = 0;
        char *middle = text(front, names[i][1]);
        char *whole = text(middle, at + strlen(names[i][0]));
        free(front);
        free(middle);
        return whole;
    }
    return text("g++", "");
}

static char *chosen_compiler(bool plus)
{
    const char *c = getenv("PREPLAY_CC"), *cxx = getenv("PREPLAY_CXX");
    if (!c || !*c)
        c = "gcc";
    if (!plus)
        return text(c, "");
    return cxx && *cxx ? text(cxx, "") : plus_of(c);
}

/* "ccache gcc" is two words. */
static void add_compiler(struct words *words, bool plus)
{
    char *copy = chosen_compiler(plus), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add(words, word);
    free(copy);
}

/* By name, also behind a link such as /usr/bin/cc. */
static bool is_clang(const char *compiler)
{
    char resolved[PATH_MAX];
    if (strstr(compiler, "clang"))
        return true;
    return strchr(compiler, '/') && realpath(compiler, resolved) && strstr(resolved, "clang");
}

static bool any(char *const *words, const char *const *wanted)
{
    for (; *words; words++)
        for (const char *const *option = wanted; *option; option++)
            if (strcmp(*words, *option) == 0)
                return true;
    return false;
}

/* A link happens unless an option says to stop before it. */
static bool links(char *const *words)
{
    static const char *const stops[] = {
        "-c", "-S",        "-E",           "-M",           "-MM", "-fsyntax-only",
        "-r", "--version", "-dumpversion", "-dumpmachine", NULL};
    if (any(words, stops))
        return false;
    for (; *words; words++)
        if (**words != '-' || strcmp(*words, "-") == 0)
            return true;
    return false;
}

static void add_flags(struct words *words, char *const *own, bool clang, bool branches)
{
    add(words, "-g");
    add(words, "-fsanitize=thread");
    if (!clang)
        add(words, "-Wno-tsan"); /* fences: our runtime does see them */
    if (branches)
        add(words, "-fsanitize-coverage=trace-pc");
    /* A runtime linked statically would be ThreadSanitizer's own. */
    static const char *const dropped[] = {"--branches", "-static-libtsan", "-static-libsan", NULL};
    for (; *own; own++)
        if (!any((char *const[]){*own, NULL}, dropped))
            add(words, *own);
}

/* gcc links -ltsan first of all; it finds ours in tsan/. clang is told to leave its runtime out,
 * and finds ours in the same place: before all libraries whose functions it stands in front of. */
static void add_runtime(struct words *words, const char *library, bool clang)
{
    char *tsan = text("-L", library);
    char *rpath = text("-Wl,-rpath,", library);
    if (clang) {
        add(words, "-fno-sanitize-link-runtime");
        add(words, "-Wl,--push-state,--no-as-needed");
        array_push(words, text(library, "/libpreplay.so"));
        add(words, "-Wl,--pop-state");
    } else {
        array_push(words, text(tsan, "/tsan"));
    }
    add(words, rpath);
    free(tsan);
    free(rpath);
}

static int compile(struct options *options, bool plus, struct error *error)
{
    static const char *const statics[] = {"-static", "--static", "-static-pie", NULL};
    static const char *const branch[] = {"--branches", NULL};
    char *const *own = (char *const *)options->arguments;
    char library[LIBRARY_PATH];
    if (library_directory(library, error))
        return -1;
    if (any(own, statics) && links(own))
        return error_set(error, ERROR_USAGE,
                         "a program linked with -static cannot be watched from inside: link it "
                         "dynamically");
    struct words words = {0};
    add_compiler(&words, plus);
    bool clang = is_clang(words.items[words.count - 1]);
    if (links(own))
        add_runtime(&words, library, clang);
    add_flags(&words, own, clang, any(own, branch));
    array_push(&words, NULL);
    execvp(words.items[0], words.items);
    error_set(error, ERROR_INTERNAL, "cannot run the compiler %s: %s", words.items[0],
              strerror(errno));
    for (size_t i = 0; i < words.count; i++)
        free(words.items[i]);
    array_free(&words);
    return -1;
}

int cmd_cc(struct options *options, struct error *error)
{
    return compile(options, false, error);
}

int cmd_cxx(struct options *options, struct error *error)
{
    return compile(options, true, error);
}
