/* SPDX-License-Identifier: MIT */
#include "smt/smt_text.h"

#include "smt/smt_cone.h"
#include "smt/smt_pairs.h"
#include "trace/finding_id.h"

#include <inttypes.h>

void smt_text_formula(FILE *out, const struct smt_formula *formula, smt_ref ref)
{
    const struct smt_node *node = &formula->nodes.items[ref];
    switch (node->kind) {
    case SMT_FALSE:
        fputs("false", out);
        break;
    case SMT_TRUE:
        fputs("true", out);
        break;
    case SMT_BEFORE:
        fprintf(out, "(< o%u o%u)", node->a, node->b);
        break;
    case SMT_EXECUTED:
        fprintf(out, "x%u", node->a);
        break;
    case SMT_CHOICE:
        fprintf(out, "c%u", node->a);
        break;
    case SMT_NOT:
        fputs("(not ", out);
        smt_text_formula(out, formula, node->a);
        putc(')', out);
        break;
    case SMT_AND:
    case SMT_OR:
        fputs(node->kind == SMT_AND ? "(and" : "(or", out);
        for (uint32_t i = 0; i < node->b; i++) {
            putc(' ', out);
            smt_text_formula(out, formula, formula->children.items[node->a + i]);
        }
        putc(')', out);
        break;
    }
}

static void assert_formula(FILE *out, const struct smt_formula *formula, smt_ref ref)
{
    fputs("(assert ", out);
    smt_text_formula(out, formula, ref);
    fputs(")\n", out);
}

static void declare_event(FILE *out, const struct history *history, uint32_t pos)
{
    const struct event *event = &history->events[pos];
    fprintf(out, "(declare-fun o%u () Int)(declare-fun x%u () Bool) ; thread %u %s\n", pos, pos,
            event->thread, event_op_text(event->op));
}

void smt_text_query(FILE *out, const struct smt_encoding *encoding,
                    const struct smt_refs *assumptions)
{
    const struct history *history = encoding->window->history;
    fputs("(set-logic QF_IDL)\n", out);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        for (size_t i = 0; i < encoding->used[thread].count; i++)
            declare_event(out, history, encoding->used[thread].items[i]);
    for (uint32_t i = 0; i < encoding->formula.choices; i++)
        fprintf(out, "(declare-fun c%u () Bool)\n", i);
    for (size_t i = 0; i < encoding->constraints.count; i++)
        assert_formula(out, &encoding->formula, encoding->constraints.items[i].guarded);
    fputs("; both accesses are next in their threads\n", out);
    for (size_t i = 0; i < assumptions->count; i++)
        assert_formula(out, &encoding->formula, assumptions->items[i]);
    fputs("(check-sat)\n", out);
}

static void write_pair(FILE *out, const struct smt_window *window, const struct smt_pair *pair)
{
    struct smt_cone *cone = smt_cone_create(window);
    const uint32_t *needed = smt_cone_find(cone, pair->first, pair->second);
    struct smt_encoding *encoding = smt_encode(window, needed, SMT_SECTIONS);
    struct smt_refs assumptions = {0};
    const uint32_t next[2] = {pair->first, pair->second};
    smt_assume(encoding, &(struct smt_goal){.next = next, .next_count = 2}, &assumptions);
    fprintf(out,
            "; Can events %u and %u race (model %s)? sat: yes, in the order of the o's, with\n",
            pair->first, pair->second, model_text(window->rules->model));
    fputs("; those events before them whose x is true. unsat: never.\n", out);
    smt_text_query(out, encoding, &assumptions);
    array_free(&assumptions);
    smt_encoding_destroy(encoding);
    smt_cone_destroy(cone);
}

/* Which pair is asked for. */
struct choice {
    const struct history *history;
    const char *id; /* NULL: any */
};

static bool has_id(void *self, uint32_t first, uint32_t second)
{
    const struct choice *choice = self;
    if (!choice->id)
        return true;
    const struct history *history = choice->history;
    struct finding_event events[2];
    finding_event_fill(&events[0], &history->events[first], first, history->index[first]);
    finding_event_fill(&events[1], &history->events[second], second, history->index[second]);
    struct finding finding = {.kind = FINDING_RACE,
                              .object_class = CLASS_VARIABLE,
                              .object = history->events[first].object,
                              .block = INTERN_NONE,
                              .events = events,
                              .event_count = 2};
    char id[FINDING_ID_SIZE];
    finding_id(&finding, history->trace, id);
    return finding_id_means(choice->id, id);
}

static int find_pair(const struct smt_window *window, const char *id, struct smt_pair *pair,
                     struct error *error)
{
    struct choice choice = {window->history, id};
    struct smt_client client = {&choice, has_id, NULL};
    struct smt_counts counts = {0};
    struct smt_pair_list list = {0};
    struct smt_pairs *pairs = smt_pairs_create(window->history);
    smt_pairs_find(pairs, window, window->end, &client, &counts, &list);
    bool any = list.count;
    if (any)
        *pair = list.items[0];
    array_free(&list);
    smt_pairs_destroy(pairs);
    if (any)
        return 0;
    if (!id)
        return error_set(error, ERROR_INPUT,
                         "there is no pair to ask about: locks and orders that always hold keep "
                         "all conflicting accesses apart");
    return error_set(error, ERROR_USAGE, "no pair of conflicting accesses has the id '%s'", id);
}

static int parse_pair(const struct history *history, const char *text, struct smt_pair *pair,
                      struct error *error)
{
    int end = 0;
    if (sscanf(text, "%" SCNu32 ",%" SCNu32 "%n", &pair->first, &pair->second, &end) != 2 ||
        text[end])
        return error_set(error, ERROR_USAGE, "'%s' is no pair: two positions, as in 3,17", text);
    if (pair->first >= history->count || pair->second >= history->count)
        return error_set(error, ERROR_USAGE, "'%s': the trace has %u events", text, history->count);
    if (!event_conflict(&history->events[pair->first], &history->events[pair->second]))
        return error_set(error, ERROR_USAGE,
                         "events %u and %u do not conflict: one object, two threads, a write, not "
                         "both atomic",
                         pair->first, pair->second);
    return 0;
}

int smt_text_write(FILE *out, const struct rules *rules, const char *which, struct error *error)
{
    const struct history *history = rules->history;
    struct smt_window *window = smt_window_create(rules, 0, history->count);
    struct smt_pair pair;
    bool is_position = which && which[0] >= '0' && which[0] <= '9';
    int result = is_position ? parse_pair(history, which, &pair, error)
                             : find_pair(window, which, &pair, error);
    if (!result)
        write_pair(out, window, &pair);
    smt_window_destroy(window);
    return result;
}
