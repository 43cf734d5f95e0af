/* truth [-m MODEL] [-w] TRACE: prints what the oracle knows about a small trace,
 * under one model or all of them. For people who write engines and tests. */
#include "oracle/oracle.h"

#include <stdio.h>
#include <unistd.h>

static void print_event(const struct history *history, uint32_t pos)
{
    const struct event *event = &history->events[pos];
    printf(" %u(%s|%s|%s)", pos, trace_name(history->trace, CLASS_THREAD, event->thread),
           event_op_text(event->op), trace_location(history->trace, event->location));
}

static void print_error(const struct history *history, const char *kind, const uint32_t *events,
                        uint32_t count, const uint32_t *witness, uint32_t length)
{
    printf("  %s", kind);
    for (uint32_t i = 0; i < count; i++)
        print_event(history, events[i]);
    putchar('\n');
    if (!witness)
        return;
    printf("    witness");
    for (uint32_t i = 0; i < length; i++)
        printf(" %u", witness[i]);
    putchar('\n');
}

static int print_truth(struct oracle *oracle, const struct history *history, enum model model,
                       bool witnesses)
{
    struct error error = {0};
    struct truth truth;
    struct oracle_options options = {.model = model, .witnesses = witnesses};
    if (oracle_explore(oracle, history, &options, &truth, &error)) {
        fprintf(stderr, "truth: %s\n", error.text);
        return -1;
    }
    printf("%s: %zu races, %zu deadlocks, %lu states\n", model_text(model), truth.races.count,
           truth.deadlocks.count, (unsigned long)truth.states);
    for (size_t i = 0; i < truth.races.count; i++)
        print_error(history, "race", truth.races.items[i].events, 2, truth.races.items[i].witness,
                    truth.races.items[i].witness_length);
    for (size_t i = 0; i < truth.deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &truth.deadlocks.items[i];
        print_error(history, "deadlock", deadlock->events, deadlock->count, deadlock->witness,
                    deadlock->witness_length);
    }
    truth_free(&truth);
    return 0;
}

static int usage(void)
{
    fputs("usage: truth [-m sync|value|rf|branch] [-w] TRACE\n", stderr);
    return ERROR_USAGE;
}

int main(int argc, char **argv)
{
    enum model only = MODEL_NONE;
    bool witnesses = false;
    for (int option; (option = getopt(argc, argv, "m:w")) != -1;) {
        if (option == 'm')
            only = model_parse(optarg);
        else if (option == 'w')
            witnesses = true;
        if (option == '?' || only == MODEL_COUNT)
            return usage();
    }
    if (optind + 1 != argc)
        return usage();
    struct error error = {0};
    struct trace *trace = trace_open(argv[optind], &error);
    struct history *history = trace ? history_read(trace, &error) : NULL;
    if (!history) {
        fprintf(stderr, "truth: %s\n", error.text);
        trace_close(trace);
        return ERROR_INPUT;
    }
    struct oracle *oracle = oracle_create();
    int result = 0;
    for (unsigned model = MODEL_SYNC; model < MODEL_COUNT; model++)
        if (only == MODEL_NONE || only == model)
            result |= print_truth(oracle, history, model, witnesses);
    oracle_destroy(oracle);
    history_destroy(history);
    trace_close(trace);
    return result ? ERROR_INPUT : 0;
}
