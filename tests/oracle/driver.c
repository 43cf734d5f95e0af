/* oracle_compare: engines against the truth, on random traces (compare.h). */
#include "oracle/compare.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: oracle_compare [--engine NAME[,NAME...]] [--traces N] [--seed S] [--shape SHAPE]...\n"
    "                      [--model MODEL] [--window N] [--limit STATES] [--by-location]\n"
    "                      [--check-oracle] [TRACE...]\n"
    "Compares engines (all that are registered) with the exhaustive truth on N random traces\n"
    "of each SHAPE, with the seeds S, S+1, ..., or on trace files. A trace on which an engine\n"
    "breaks its word is shrunk and printed. Exit status: 0 all good, 1 a difference.\n"
    "SHAPE is a name with settings, as in basic:rwlocks,-forks,events=10..30,threads=3; names:\n ";

struct request {
    struct comparer comparer;
    struct shapes ARRAY_OF(const char *) shapes;
    uint64_t traces, seed;
};

static int fail_usage(const char *reason, const char *word)
{
    fprintf(stderr, "oracle_compare: %s%s\n%s", reason, word, usage);
    for (size_t i = 0; shape_name(i); i++)
        fprintf(stderr, " %s", shape_name(i));
    fputc('\n', stderr);
    return ERROR_USAGE;
}

static int choose_engines(struct comparer *comparer, const char *names)
{
    comparer->count = 0;
    for (size_t i = 0; !names && engine_registry[i] && i < COMPARED_ENGINES; i++)
        comparer->engines[comparer->count++] = engine_registry[i];
    while (names && *names) {
        size_t length = strcspn(names, ",");
        const struct engine *engine = engine_find(names, length);
        if (!engine || comparer->count == COMPARED_ENGINES)
            return fail_usage("no such engine: ", names);
        comparer->engines[comparer->count++] = engine;
        names += length + (names[length] == ',');
    }
    return 0;
}

static int report(struct comparer *comparer, const struct sample *sample,
                  struct difference *difference, const char *from)
{
    printf("%s: %s %s: %s\n", from, difference->engine, difference->what, difference->detail);
    char *text = shrink(comparer, sample, difference);
    printf("shrunk: %s %s: %s\n%s", difference->engine, difference->what, difference->detail, text);
    free(text);
    return 1;
}

static int compare_seeds(struct request *request, const char *shape_text)
{
    struct error error = {0};
    struct shape shape;
    if (shape_parse(&shape, shape_text, &error))
        return fail_usage(error.text, "");
    for (uint64_t seed = request->seed; seed < request->seed + request->traces; seed++) {
        struct sample sample;
        struct difference difference;
        char from[200];
        snprintf(from, sizeof from, "--shape %s --seed %" PRIu64, shape_text, seed);
        if (sample_generate(&sample, &shape, seed, &error)) {
            printf("%s: the trace is malformed: %s\n", from, error.text);
            return 1;
        }
        bool good = compare(&request->comparer, &sample, &difference);
        if (!good)
            report(&request->comparer, &sample, &difference, from);
        sample_free(&sample);
        if (!good)
            return 1;
    }
    return 0;
}

static int compare_file(struct comparer *comparer, const char *path)
{
    struct error error = {0};
    struct difference difference;
    struct sample sample;
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    ssize_t length = file ? getdelim(&text, &room, '\0', file) : -1;
    if (file)
        fclose(file);
    if (length < 0 || sample_read(&sample, text, (size_t)length, &error)) {
        fprintf(stderr, "oracle_compare: %s: %s\n", path,
                error.code ? error.text : "cannot be read");
        return ERROR_INPUT;
    }
    bool good = compare(comparer, &sample, &difference);
    if (!good)
        report(comparer, &sample, &difference, path);
    sample_free(&sample);
    return !good;
}

static void summarise(const struct comparer *comparer, double seconds)
{
    printf("%" PRIu64 " traces in %.1f s", comparer->traces, seconds);
    if (comparer->without_truth)
        printf(", %" PRIu64 " too large for the oracle", comparer->without_truth);
    putchar('\n');
    for (size_t i = 0; i < comparer->count && comparer->options.every_pair; i++) {
        const struct tally *tally = &comparer->tallies[i];
        printf("%-10s reported %" PRIu64 ", of them true %" PRIu64 "; true in all %" PRIu64
               " (recall %.1f %%)",
               comparer->engines[i]->name, tally->reported, tally->reported_true, tally->truth,
               tally->truth ? 100.0 * (double)tally->reported_true / (double)tally->truth : 100.0);
        if (tally->exhausted)
            printf("; gave up on %" PRIu64, tally->exhausted);
        putchar('\n');
    }
}

static int parse(struct request *request, int argc, char **argv)
{
    static const struct option options[] = {
        {"engine", required_argument, 0, 'e'}, {"traces", required_argument, 0, 'n'},
        {"seed", required_argument, 0, 's'},   {"shape", required_argument, 0, 'h'},
        {"model", required_argument, 0, 'm'},  {"window", required_argument, 0, 'w'},
        {"limit", required_argument, 0, 'l'},  {"check-oracle", no_argument, 0, 'o'},
        {"by-location", no_argument, 0, 'b'},  {0},
    };
    struct comparer *comparer = &request->comparer;
    const char *engines = NULL;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        char *end = NULL;
        uint64_t number = optarg ? strtoull(optarg, &end, 0) : 0;
        if (option == 'e')
            engines = optarg;
        else if (option == 'h')
            array_push(&request->shapes, optarg);
        else if (option == 'm')
            comparer->options.model = model_parse(optarg);
        else if (option == 'o')
            comparer->check_oracle = true;
        else if (option == 'b')
            comparer->options.every_pair = false;
        else if (option == '?' || !end || *end || end == optarg)
            return fail_usage("wrong option or number", "");
        else if (option == 'n')
            request->traces = number;
        else if (option == 's')
            request->seed = number;
        else if (option == 'w')
            comparer->options.window = (uint32_t)number;
        else
            comparer->state_limit = number;
    }
    if (comparer->options.model == MODEL_COUNT)
        return fail_usage("no such model", "");
    return choose_engines(comparer, engines);
}

int main(int argc, char **argv)
{
    struct request request = {.traces = 1000, .seed = 1};
    struct timespec start, end;
    comparer_init(&request.comparer);
    int result = parse(&request, argc, argv);
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (!request.shapes.count && optind == argc)
        array_push(&request.shapes, "basic");
    for (int i = optind; i < argc && !result; i++)
        result = compare_file(&request.comparer, argv[i]);
    for (size_t i = 0; i < request.shapes.count && !result; i++)
        result = compare_seeds(&request, request.shapes.items[i]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!result)
        summarise(&request.comparer, (double)(end.tv_sec - start.tv_sec) +
                                         1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    array_free(&request.shapes);
    comparer_free(&request.comparer);
    return result;
}
