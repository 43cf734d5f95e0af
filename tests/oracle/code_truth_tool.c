/* code_truth FILE : all ways in which a Tiddle program can end, a line each, sorted.
 * code_truth --random SEED : prints a random program. */
#include "oracle/code_random.h"
#include "oracle/code_truth.h"
#include "tiddle/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1000000, TOO_MANY = 2 };

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void print_ends(const struct interner *ends)
{
    uint32_t count = intern_count(ends);
    const char **texts = NEW_ARRAY(const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = intern_text(ends, i);
    qsort(texts, count, sizeof *texts, by_text);
    for (uint32_t i = 0; i < count; i++)
        puts(texts[i]);
    free(texts);
}

static int complain(const char *text)
{
    fprintf(stderr, "code_truth: %s\n", text);
    return 1;
}

static int tell(const struct code *code)
{
    struct machine_code machine;
    struct code_seen seen;
    if (!machine_prepare(&machine, code))
        return complain("more threads or variables than this knows");
    code_seen_begin(&seen);
    bool all = code_truth(&machine, MOST_STATES, &seen);
    if (all)
        print_ends(seen.ends);
    code_seen_free(&seen);
    machine_release(&machine);
    return all ? 0 : TOO_MANY;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    size_t length;
    if (argc == 3 && strcmp(argv[1], "--random") == 0) {
        char *text = code_random(strtoull(argv[2], NULL, 10));
        fputs(text, stdout);
        free(text);
        return 0;
    }
    char *bytes = argc == 2 ? tiddle_read_file(argv[1], &length, &error) : NULL;
    struct code *code = bytes ? code_parse(argv[1], bytes, length, &error) : NULL;
    int status = code ? tell(code) : complain(error.text);
    code_free(code);
    free(bytes);
    return status;
}
