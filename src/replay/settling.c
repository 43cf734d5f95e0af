/* SPDX-License-Identifier: MIT */
#include "replay/settling.h"

#include "base/memory.h"
#include "replay/kept_output.h"
#include "replay/replay_paths.h"
#include "replay/usual.h"
#include "replay/usual_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what one run tells ------------------------------------------------------------- */

static void note_seen(struct settled *settled, const struct replay_outcome *outcome,
                      const char *own)
{
    for (size_t i = 0; outcome->seen && i < outcome->seen->count; i++) {
        char id[FINDING_ID_SIZE];
        uint32_t at = 0;
        finding_id(&outcome->seen->items[i], outcome->trace, id);
        while (at < settled->seen_count && strcmp(settled->seen[at], id) != 0)
            at++;
        if (strcmp(id, own) == 0 || at == SETTLED_SEEN)
            continue;
        if (at == settled->seen_count) {
            memcpy(settled->seen[at], id, sizeof id);
            settled->seen_times[settled->seen_count++] = 0;
        }
        settled->seen_times[at]++;
    }
}

/* Who accesses a block that the other one has just freed need not notice. */
static void name_use_after_free(struct settled_order *order, const struct finding *finding)
{
    if (order->rule || order->first >= finding->event_count ||
        !(finding->events[order->first].flags & EVENT_FREES) || !finding->rule)
        return;
    order->rule = finding->rule;
    char ending[sizeof order->text];
    memcpy(ending, order->text, sizeof ending);
    snprintf(order->text, sizeof order->text, "%s; the program ends all the same: %.1000s",
             strcmp(finding->rule, "double-free") == 0 ? "the block is freed twice"
                                                       : "the block is used after it was freed",
             ending);
}

static void note_order(struct settled *settled, const struct finding *finding,
                       const struct replay_outcome *outcome, uint32_t first)
{
    if (settled->order_count == 2)
        return;
    struct settled_order *order = &settled->orders[settled->order_count++];
    order->first = first;
    order->rule = outcome->ending.rule;
    snprintf(order->text, sizeof order->text, "%s", outcome->ending.text);
    snprintf(order->values, sizeof order->values, "%s", outcome->values);
    snprintf(order->stack, sizeof order->stack, "%s",
             outcome->ending.stack ? outcome->ending.stack : "");
    name_use_after_free(order, finding);
}

/* A read that comes early or late is an error only if something comes of it: programs are full of
 * such reads, because they are made for them. A use of freed memory always is. */
static bool must_matter(const struct finding *finding)
{
    return finding_shape(finding) == FINDING_ORDER &&
           !(finding->events[1].flags & EVENT_FREES && finding->error == ATOMICITY_AFTER);
}

static int run(struct settling *settling, const struct finding *finding,
               const struct replay_manner *wanted, struct replay_outcome *outcome,
               struct settled *settled, struct error *error)
{
    struct replay_manner manner = *wanted;
    manner.timeout = settling->timeout;
    manner.lane = settling->lane;
    if (replaying_run(outcome, settling->program, settling->history, finding, &manner, error))
        return -1;
    settled->runs++;
    settled->seconds += outcome->seconds;
    settled->interrupted |= outcome->interrupted;
    /* An ending is only held against others' if it may matter. */
    if ((settling->consequences || must_matter(finding)) && outcome->verdict == VERDICT_CONFIRMED)
        usual_judge(settling, finding, &outcome->ending, manner.name, settled);
    else if (outcome->ending.rule && strcmp(outcome->ending.rule, "exit-code") == 0)
        usual_judge(settling, finding, &outcome->ending, manner.name, settled);
    return 0;
}

/* --- the other order ------------------------------------------------------------------ */

static void paths_of(struct replay_paths *paths, const struct settling *settling, const char *name)
{
    struct error ignored = {0};
    if (replay_paths_make(paths, settling->history, name, settling->lane, &ignored))
        *paths = (struct replay_paths){0};
}

/* The schedule and the output of one name become those of another. */
static void rename_files(const struct settling *settling, const char *from, const char *to)
{
    struct replay_paths old, new;
    paths_of(&old, settling, from);
    paths_of(&new, settling, to);
    rename(old.schedule, new.schedule);
    rename(old.output, new.output);
}

static void drop_files(const struct settling *settling, const char *name)
{
    struct replay_paths paths;
    paths_of(&paths, settling, name);
    remove(paths.schedule);
    remove(paths.output);
    replay_remove_record(paths.record);
}

/* What the program does in the order of the recorded run; the one that fails is kept. */
static int run_other_order(struct settling *settling, const struct finding *finding, const char *id,
                           enum schedule_detail detail, struct settled *settled,
                           struct error *error)
{
    char name[FINDING_ID_SIZE + 8];
    struct replay_outcome outcome;
    struct replay_manner manner = {.detail = detail, .first = SCHEDULE_OBSERVED, .name = name};
    snprintf(name, sizeof name, "%s-other", id);
    if (run(settling, finding, &manner, &outcome, settled, error))
        return -1;
    if (outcome.held)
        note_order(settled, finding, &outcome, schedule_first_event(finding, SCHEDULE_OBSERVED));
    if (outcome.held &&
        consequence_severity(outcome.ending.rule) > consequence_severity(settled->orders[0].rule))
        rename_files(settling, name, id);
    drop_files(settling, name);
    replay_outcome_free(&outcome);
    return 0;
}

/* --- once more ------------------------------------------------------------------------- */

static bool others_were_seen(const struct settled *settled)
{
    return settled->seen_count > 0;
}

static const char *failing_rule(const struct settled *settled)
{
    const char *worst = settled->failed ? settled->rule : NULL;
    for (uint32_t i = 0; i < settled->order_count; i++)
        if (consequence_severity(settled->orders[i].rule) > consequence_severity(worst))
            worst = settled->orders[i].rule;
    return worst;
}

/* Replays side by side have files of their own; what is kept lies where everybody looks. */
static void publish(const struct settling *settling, const char *id)
{
    struct settling first = *settling;
    struct replay_paths mine, kept;
    first.lane = 0;
    paths_of(&mine, settling, id);
    paths_of(&kept, &first, id);
    if (settling->lane)
        rename(mine.schedule, kept.schedule);
}

static int run_again(struct settling *settling, const struct finding *finding, const char *id,
                     struct settled *settled, struct error *error)
{
    const char *rule = failing_rule(settled);
    struct replay_outcome outcome;
    struct replay_manner manner = {.kept = true,
                                   .stops_at_error = !rule && !others_were_seen(settled)};
    publish(settling, id);
    if (run(settling, finding, &manner, &outcome, settled, error))
        return -1;
    note_seen(settled, &outcome, id);
    bool same = rule && (outcome.ending.rule ? strcmp(rule, outcome.ending.rule) == 0
                                             : finding->rule && strcmp(rule, finding->rule) == 0);
    bool again = settled->failed ? same : outcome.verdict == VERDICT_CONFIRMED;
    settled->verdict = again ? VERDICT_CONFIRMED : VERDICT_SEEN_ONCE;
    size_t length = strlen(settled->reason);
    if (!again)
        snprintf(settled->reason + length, sizeof settled->reason - length,
                 "; the same schedule again did not show it: %.500s", outcome.reason);
    else if (rule && !same)
        snprintf(settled->reason + length, sizeof settled->reason - length,
                 "; it failed in one of two runs");
    replay_outcome_free(&outcome);
    return 0;
}

void settling_bring_home(const struct settling *settling, const char *id)
{
    struct settling first = *settling;
    struct replay_paths mine, kept;
    if (!settling->lane)
        return;
    first.lane = 0;
    paths_of(&mine, settling, id);
    paths_of(&kept, &first, id);
    if (access(mine.record, F_OK) == 0)
        replay_remove_record(kept.record);
    rename(mine.record, kept.record);
    rename(mine.output, kept.output);
    remove(mine.schedule);
}

static void settle_output(const struct settling *settling, const char *id,
                          const struct settled *settled)
{
    struct replay_paths paths;
    paths_of(&paths, settling, id);
    kept_output_settle(paths.output, failing_rule(settled) != NULL);
}

/* --- from the first run on --------------------------------------------------------------- */

/* What a program prints is its answer to what it read, if it looks at that: the reader that finds
 * nobody there says so, and is right. */
static bool is_provided_for(const struct settling *settling, const struct finding *finding,
                            const struct replay_outcome *outcome)
{
    const struct finding_event *read = &finding->events[0];
    const char *rule = outcome->ending.rule;
    return must_matter(finding) &&
           (!rule || (strcmp(rule, "output") == 0 &&
                      trace_tests(settling->history->trace,
                                  (struct trace_place){read->location, read->stack})));
}

static void note_first(struct settled *settled, const struct settling *settling,
                       const struct finding *finding, const struct replay_outcome *outcome)
{
    settled->verdict = outcome->verdict;
    settled->reached = outcome->verdict == VERDICT_CONFIRMED;
    settled->ordered_accesses = outcome->ordered_accesses;
    settled->left = outcome->left;
    settled->left_index = outcome->left_index;
    memcpy(settled->left_thread, outcome->left_thread, sizeof settled->left_thread);
    snprintf(settled->reason, sizeof settled->reason, "%s", outcome->reason);
    if (settled->reached && is_provided_for(settling, finding, outcome)) {
        settled->harmless = true;
        settled->reached = false;
        settled->verdict = VERDICT_UNREACHED;
        snprintf(settled->reason, sizeof settled->reason,
                 "%.400s, and the program %s: it provides for that", outcome->reason,
                 outcome->ending.rule ? "looks at what it reads" : "ended as in the recorded run");
    }
    settled->failed = !settled->reached && !settled->harmless && outcome->ending.rule;
    if (!settled->failed)
        return;
    settled->rule = outcome->ending.rule;
    snprintf(settled->reason, sizeof settled->reason, "%s", outcome->ending.text);
}

static int follow_up(struct settling *settling, const struct finding *finding, const char *id,
                     enum schedule_detail detail, const struct replay_outcome *first,
                     struct settled *settled, struct error *error)
{
    bool race = finding_shape(finding) == FINDING_RACE;
    if (settled->failed)
        note_order(settled, finding, first, CONSEQUENCE_ANY);
    else if (settling->consequences && race && first->held)
        note_order(settled, finding, first, schedule_first_event(finding, SCHEDULE_FLIPPED));
    else if ((settling->consequences || must_matter(finding)) &&
             finding_shape(finding) != FINDING_DEADLOCK)
        note_order(settled, finding, first, CONSEQUENCE_ANY);
    if (settling->consequences && settled->reached && race && first->held &&
        schedule_first_event(finding, SCHEDULE_FLIPPED) != CONSEQUENCE_ANY &&
        run_other_order(settling, finding, id, detail, settled, error))
        return -1;
    if (!settled->interrupted && run_again(settling, finding, id, settled, error))
        return -1;
    return 0;
}

int settling_try(struct settling *settling, const struct finding *finding,
                 enum schedule_detail detail, struct settled *settled, struct error *error)
{
    char id[FINDING_ID_SIZE];
    struct replay_outcome first;
    struct replay_manner manner = {.detail = detail, .first = SCHEDULE_FLIPPED};
    *settled = (struct settled){0};
    finding_id(finding, settling->history->trace, id);
    if (run(settling, finding, &manner, &first, settled, error))
        return -1;
    note_first(settled, settling, finding, &first);
    note_seen(settled, &first, id);
    int result = 0;
    if (first.by_itself)
        settled->verdict = VERDICT_OBSERVED; /* by no schedule that could be run once more */
    if (settled->wants_usual || first.by_itself)
        drop_files(settling, id);
    else if (settled->reached || settled->failed) {
        result = follow_up(settling, finding, id, detail, &first, settled, error);
        settle_output(settling, id, settled);
    } else {
        drop_files(settling, id);
    }
    replay_outcome_free(&first);
    return result;
}

/* --- a kept schedule ------------------------------------------------------------------------ */

bool settling_has_kept(const struct settling *settling, const struct finding *finding)
{
    struct replay_paths paths;
    char id[FINDING_ID_SIZE];
    finding_id(finding, settling->history->trace, id);
    paths_of(&paths, settling, finding->via[0] ? finding->via : id);
    return finding_happened(finding) && finding->verdict != VERDICT_OBSERVED &&
           access(paths.schedule, R_OK) == 0;
}

int settling_again(struct settling *settling, const struct finding *finding,
                   struct settled *settled, struct error *error)
{
    char id[FINDING_ID_SIZE];
    struct replay_outcome outcome;
    struct replay_manner manner = {.kept = true};
    *settled = (struct settled){0};
    finding_id(finding, settling->history->trace, id);
    if (run(settling, finding, &manner, &outcome, settled, error))
        return -1;
    note_first(settled, settling, finding, &outcome);
    note_seen(settled, &outcome, id);
    if (finding->kind == FINDING_FAILURE && settled->failed && finding->rule &&
        strcmp(settled->rule, finding->rule) == 0)
        settled->verdict = VERDICT_CONFIRMED;
    settle_output(settling, id, settled);
    replay_outcome_free(&outcome);
    return 0;
}

void settling_free(struct settling *settling)
{
    usual_output_destroy(settling->usual);
    settling->usual = NULL;
}

void settled_apply(const struct settled *settled, struct finding *finding)
{
    bool happened = settled->verdict == VERDICT_CONFIRMED || settled->verdict == VERDICT_SEEN_ONCE;
    finding_settle(finding, settled->verdict, settled->reason);
    /* What was seen in the recorded run stays what it is, and is found by its id. */
    if (settled->failed && happened && finding->kind != FINDING_FAILURE &&
        finding->verdict != VERDICT_OBSERVED) {
        finding->from = finding->kind;
        finding->kind = FINDING_FAILURE;
        finding->rule = settled->rule;
    }
    for (uint32_t i = 0; i < settled->order_count; i++) {
        const struct settled_order *order = &settled->orders[i];
        consequence_set(&finding->consequence,
                        &(struct consequence_order){
                            .first = order->first,
                            .rule = order->rule,
                            .text = order->text,
                            .values = order->values[0] ? order->values : NULL,
                            .stack = order->stack[0] ? order->stack : NULL,
                        });
    }
}
