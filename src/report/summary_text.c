/* SPDX-License-Identifier: MIT */
/* The last lines of the report: what was found, what became of it, what it cost. */
#include "report/columns.h"
#include "report/full_text.h"
#include "trace/finding_id.h"

struct tally {
    size_t real[FINDING_KINDS], others[FINDING_KINDS]; /* by kind */
    size_t verdicts[VERDICT_COUNT];
    size_t places; /* of causes that another finding stands for */
    size_t hidden, suppressed, known, repeated;
    uint64_t candidates, refuted, exhausted;
    uint64_t processes, events, threads, objects;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void count_report(struct tally *tally, const struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct finding *finding = report->items[i];
        if (report_leads(report, finding))
            (report_is_real(finding) ? tally->real : tally->others)[finding->kind]++;
        else
            tally->places++;
    }
    for (size_t i = 0; i < report->engine_count; i++) {
        const struct report_engine *engine = &report->engines[i];
        for (size_t k = 0; k < engine->findings->count; k++)
            tally->verdicts[engine->findings->items[k].verdict]++;
        tally->candidates += engine->candidates;
        tally->refuted += engine->refuted;
        tally->exhausted += engine->exhausted;
    }
    tally->hidden += report->hidden;
    tally->suppressed += report->suppressed;
    tally->known += report->known;
    tally->repeated += report->repeated;
    if (report->explored) /* runs of its own: what was explored is told by who did it */
        return;
    tally->events += report->trace->delivered;
    tally->threads += trace_count(report->trace, CLASS_THREAD);
    tally->objects += trace_count(report->trace, CLASS_VARIABLE);
    tally->processes++;
}

/* "2 races, 1 deadlock", "nothing" */
static void print_kinds(FILE *out, const size_t kinds[FINDING_KINDS])
{
    static const char *const one[] = {"race",    "deadlock", "atomicity violation",
                                      "failure", "misuse",   "order violation"};
    _Static_assert(sizeof one / sizeof *one == FINDING_KINDS, "a word for every kind");
    const char *comma = "";
    for (int i = 0; i < FINDING_KINDS; i++) {
        if (!kinds[i])
            continue;
        fprintf(out, "%s%zu %s%s", comma, kinds[i], one[i], plural(kinds[i]));
        comma = ", ";
    }
    if (!*comma)
        fputs("nothing", out);
}

/* "1 confirmed, 2 unreached"; false if there is nothing to say. */
static bool print_verdicts(FILE *out, const struct tally *tally)
{
    static const enum verdict order[] = {VERDICT_OBSERVED,  VERDICT_CONFIRMED, VERDICT_SEEN_ONCE,
                                         VERDICT_PREDICTED, VERDICT_CANDIDATE, VERDICT_DIVERGED,
                                         VERDICT_UNREACHED, VERDICT_TIMEOUT,   VERDICT_ADVICE};
    const char *comma = "";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!tally->verdicts[order[i]])
            continue;
        size_t count = tally->verdicts[order[i]];
        fprintf(out, "%s%zu %s", comma, count,
                order[i] == VERDICT_CANDIDATE ? "not replayed" : verdict_text(order[i]));
        comma = ", ";
    }
    return *comma;
}

/* What became of each candidate, so that the numbers add up. Findings are told apart by their
 * places, candidates by their events: the rest is at places that a finding has already. */
static void print_candidates(FILE *out, const struct tally *tally)
{
    uint64_t told = tally->refuted + tally->exhausted;
    for (int i = 0; i < VERDICT_COUNT; i++)
        told += tally->verdicts[i];
    fputs(told ? "  " : "", out);
    if (tally->candidates >= told && tally->candidates)
        fprintf(out, "%s%llu candidate%s: ", told ? "" : "  ",
                (unsigned long long)tally->candidates, plural(tally->candidates));
    bool any = print_verdicts(out, tally);
    if (tally->candidates > told)
        fprintf(out, "%s%llu at the same places", any ? ", " : "",
                (unsigned long long)(tally->candidates - told));
    if (tally->candidates)
        fprintf(out, "%s%llu refuted, %llu undecided", any || tally->candidates > told ? ", " : "",
                (unsigned long long)tally->refuted, (unsigned long long)tally->exhausted);
    if (any || tally->candidates)
        fputs(".\n", out);
}

/* Replays that did not show the error: which, and why. */
static void print_unconfirmed(FILE *out, const struct report *report)
{
    enum { MOST = 5 };
    size_t count = 0;
    for (; report; report = report->next)
        for (size_t i = 0; i < report->engine_count; i++)
            for (size_t k = 0; k < report->engines[i].findings->count; k++) {
                const struct finding *finding = &report->engines[i].findings->items[k];
                char id[FINDING_ID_SIZE];
                if (finding->verdict <= VERDICT_CONFIRMED || !finding->replay || ++count > MOST)
                    continue;
                finding_id(finding, report->trace, id);
                fprintf(out, "  Not confirmed: %s, ", id);
                columns_text(out, finding->replay);
                fputs(".\n", out);
            }
    if (count > MOST)
        fprintf(out, "  ... and %zu more not confirmed.\n", count - MOST);
}

static void print_costs(FILE *out, const struct report *report)
{
    const struct report_run *run = report->run;
    if (!run)
        return;
    fprintf(out, "  Recording %.2f s, predicting %.2f s, %u replay%s %.2f s", run->recording,
            run->predicting, run->replays, plural(run->replays), run->replaying);
    if (run->left)
        fprintf(out, "; %u not replayed", run->left);
    if (run->left && run->interrupted)
        fputs(", it was interrupted", out);
    else if (run->left && !*run->note && run->budget > 0)
        fprintf(out, ", the budget of %.1f s was spent (--budget)", run->budget);
    else if (run->left && !*run->note)
        fputs(", the budget was spent", out);
    fputs(".\n", out);
    if (run->foretold)
        fprintf(out, "  %u more not replayed: they would leave their schedules where others did.\n",
                run->foretold);
    if (*run->note) {
        fputs("  ", out);
        columns_text(out, run->note);
        fputs(".\n", out);
    }
}

static void print_left_out(FILE *out, const struct tally *tally)
{
    if (tally->hidden)
        fprintf(out, "; %zu candidate%s not shown (--all)", tally->hidden, plural(tally->hidden));
    if (tally->suppressed)
        fprintf(out, "; %zu suppressed", tally->suppressed);
    if (tally->known)
        fprintf(out, "; %zu known from the baseline", tally->known);
    if (tally->repeated)
        fprintf(out, "; %zu more of the same in other processes", tally->repeated);
}

static void print_unused(FILE *out, const struct suppressions *suppressions)
{
    size_t at = 0;
    for (const char *line; suppressions && (line = suppressions_unused(suppressions, &at));) {
        fputs("  Suppression that covered nothing: ", out);
        columns_text(out, line);
        putc('\n', out);
    }
}

static void print_sizes(FILE *out, const struct tally *tally)
{
    fputs("  ", out);
    if (tally->processes > 1)
        fprintf(out, "%llu processes, ", (unsigned long long)tally->processes);
    fprintf(out, "%llu event%s, %llu thread%s, %llu shared object%s.\n",
            (unsigned long long)tally->events, plural(tally->events),
            (unsigned long long)tally->threads, plural(tally->threads),
            (unsigned long long)tally->objects, plural(tally->objects));
}

static size_t count_kinds(const size_t kinds[FINDING_KINDS])
{
    size_t all = 0;
    for (int i = 0; i < FINDING_KINDS; i++)
        all += kinds[i];
    return all;
}

static const char *how_real(const struct tally *tally)
{
    bool observed = tally->verdicts[VERDICT_OBSERVED],
         confirmed = tally->verdicts[VERDICT_CONFIRMED];
    if (!count_kinds(tally->real))
        return " found";
    if (tally->verdicts[VERDICT_SEEN_ONCE])
        return observed || confirmed ? " observed, confirmed or seen once" : " seen once";
    return observed && confirmed ? " observed or confirmed" : observed ? " observed" : " confirmed";
}

void text_summary(FILE *out, const struct report *report, struct text_style style)
{
    struct tally tally = {0};
    bool any = false;
    for (const struct report *each = report; each; each = each->next) {
        count_report(&tally, each);
        any |= each->count > 0;
    }
    if (any)
        fprintf(out, "%s==================%s\n", text_dim(style), text_normal(style));
    fprintf(out, "%spreplay: ", text_bold(style));
    print_kinds(out, tally.real);
    fputs(how_real(&tally), out);
    if (count_kinds(tally.others)) {
        fputs("; not confirmed: ", out);
        print_kinds(out, tally.others);
    }
    if (tally.places)
        fprintf(out, ", and %zu more place%s of the same", tally.places, plural(tally.places));
    print_left_out(out, &tally);
    const char *incomplete = report_incomplete(report);
    if (incomplete)
        fprintf(out,
                report->run && report->run->cut_short ? "; %s"
                                                      : "; the recording is incomplete (%s)",
                incomplete);
    fprintf(out, "%s\n", text_normal(style));
    if (incomplete)
        fputs(report->run && report->run->cut_short
                  ? "  Nothing is said about what was not looked at.\n"
                  : "  Nothing is said about what the program did after that.\n",
              out);
    print_sizes(out, &tally);
    print_candidates(out, &tally);
    print_unconfirmed(out, report);
    print_costs(out, report);
    print_unused(out, report->suppressions);
}
