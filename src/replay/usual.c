/* SPDX-License-Identifier: MIT */
#include "replay/usual.h"

#include "base/memory.h"
#include "replay/replay_paths.h"
#include "replay/usual_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A schedule of the whole recorded run: a window with nothing in it. */
static struct finding recorded_order(const struct history *history)
{
    struct finding finding = {.kind = FINDING_ATOMICITY,
                              .model = MODEL_RF,
                              .object_class = CLASS_NONE,
                              .block = INTERN_NONE,
                              .witness = NEW_ARRAY(uint32_t, history->count + 1),
                              .witness_length = history->count};
    for (uint32_t pos = 0; pos < history->count; pos++)
        finding.witness[pos] = pos;
    return finding;
}

/* The exit code of a replay of the recorded order; -1 if it did not come to its end. */
static int run_one(struct settling *settling, const struct finding *finding, const char *name,
                   struct replay_paths *paths, struct settled *settled)
{
    struct error ignored = {0};
    struct replay_outcome outcome;
    struct replay_manner manner = {
        .timeout = settling->timeout, .lane = settling->lane, .name = name};
    if (replay_paths_make(paths, settling->history, name, settling->lane, &ignored) ||
        replaying_run(&outcome, settling->program, settling->history, finding, &manner, &ignored))
        return -1;
    settled->runs++;
    settled->seconds += outcome.seconds;
    settled->interrupted |= outcome.interrupted;
    int code = outcome.ending.by_itself ? outcome.ending.exit_code : -1;
    replay_outcome_free(&outcome);
    replay_remove_record(paths->record);
    remove(paths->schedule);
    return code;
}

static void find_usual(struct settling *settling, struct settled *settled)
{
    struct replay_paths first, second;
    struct finding finding = recorded_order(settling->history);
    settling->usual_tried = true;
    settling->usual_code = run_one(settling, &finding, "usual-1", &first, settled);
    int code =
        settling->usual_code < 0 ? -1 : run_one(settling, &finding, "usual-2", &second, settled);
    free(finding.witness);
    if (settling->usual_code < 0 || code != settling->usual_code) {
        settling->usual_code = -1;
        return;
    }
    settling->usual = usual_output_create(first.output, second.output);
    remove(first.output);
    remove(second.output);
}

void usual_judge(struct settling *settling, const struct finding *finding,
                 struct run_ending *ending, const char *name, struct settled *settled)
{
    char id[FINDING_ID_SIZE];
    struct replay_paths paths;
    struct error ignored = {0};
    bool code = ending->rule && strcmp(ending->rule, "exit-code") == 0;
    if (!ending->by_itself || (ending->rule && !code) || settled->interrupted)
        return;
    settled->wants_usual |= settling->ahead && !settling->usual_tried;
    if (settled->wants_usual)
        return;
    if (!settling->usual_tried)
        find_usual(settling, settled);
    if (code && ending->exit_code == settling->usual_code)
        ending->rule = NULL; /* it ends so in the recorded order, too: something else differs */
    finding_id(finding, settling->history->trace, id);
    if (ending->rule || !settling->usual ||
        replay_paths_make(&paths, settling->history, name ? name : id, settling->lane, &ignored))
        return;
    if (usual_output_differs(settling->usual, paths.output, ending->text, sizeof ending->text))
        ending->rule = finding_rule_find("output");
}
