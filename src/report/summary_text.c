/* The last lines of the report: what was found, what became of it, what it cost. */
#include "report/columns.h"
#include "report/full_text.h"

struct tally {
    size_t real[3], others[3]; /* by kind */
    size_t verdicts[VERDICT_COUNT];
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static struct tally count_findings(const struct report *report)
{
    struct tally tally = {0};
    for (size_t i = 0; i < report->count; i++) {
        const struct finding *finding = report->items[i];
        (report_is_real(finding) ? tally.real : tally.others)[finding->kind]++;
    }
    for (size_t i = 0; i < report->engine_count; i++)
        for (size_t k = 0; k < report->engines[i].findings->count; k++)
            tally.verdicts[report->engines[i].findings->items[k].verdict]++;
    return tally;
}

/* "2 races, 1 deadlock", "nothing" */
static void print_kinds(FILE *out, const size_t kinds[3])
{
    static const char *const one[] = {"race", "deadlock", "atomicity violation"};
    const char *comma = "";
    for (int i = 0; i < 3; i++) {
        if (!kinds[i])
            continue;
        fprintf(out, "%s%zu %s%s", comma, kinds[i], one[i], plural(kinds[i]));
        comma = ", ";
    }
    if (!*comma)
        fputs("nothing", out);
}

static void print_verdicts(FILE *out, const struct tally *tally)
{
    static const enum verdict order[] = {VERDICT_OBSERVED,  VERDICT_CONFIRMED, VERDICT_PREDICTED,
                                         VERDICT_CANDIDATE, VERDICT_DIVERGED,  VERDICT_UNREACHED,
                                         VERDICT_TIMEOUT};
    const char *comma = "  ";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (!tally->verdicts[order[i]])
            continue;
        fprintf(out, "%s%zu %s", comma, tally->verdicts[order[i]], verdict_text(order[i]));
        comma = ", ";
    }
    if (*comma == ',')
        fputs(".\n", out);
}

static void print_candidates(FILE *out, const struct report *report)
{
    uint64_t candidates = 0, refuted = 0, exhausted = 0;
    for (size_t i = 0; i < report->engine_count; i++) {
        candidates += report->engines[i].candidates;
        refuted += report->engines[i].refuted;
        exhausted += report->engines[i].exhausted;
    }
    if (candidates)
        fprintf(out, "  %llu candidate%s, %llu refuted, %llu undecided.\n",
                (unsigned long long)candidates, plural(candidates), (unsigned long long)refuted,
                (unsigned long long)exhausted);
}

static void print_costs(FILE *out, const struct report *report)
{
    const struct report_run *run = report->run;
    if (!run)
        return;
    fprintf(out, "  Recording %.2f s, predicting %.2f s, %u replay%s %.2f s", run->recording,
            run->predicting, run->replays, plural(run->replays), run->replaying);
    if (run->left)
        fprintf(out, "; %u not replayed, the budget was spent", run->left);
    fputs(".\n", out);
}

void text_summary(FILE *out, const struct report *report, struct text_style style)
{
    const struct trace *trace = report->history->trace;
    struct tally tally = count_findings(report);
    if (report->count)
        fprintf(out, "%s==================%s\n", text_dim(style), text_normal(style));
    fprintf(out, "%spreplay: ", text_bold(style));
    print_kinds(out, tally.real);
    fputs(tally.verdicts[VERDICT_OBSERVED] && tally.verdicts[VERDICT_CONFIRMED]
              ? " observed or confirmed"
          : tally.verdicts[VERDICT_OBSERVED]  ? " observed"
          : tally.verdicts[VERDICT_CONFIRMED] ? " confirmed"
                                              : " found",
          out);
    if (tally.others[0] + tally.others[1] + tally.others[2]) {
        fputs("; not confirmed: ", out);
        print_kinds(out, tally.others);
    }
    if (report->hidden)
        fprintf(out, "; %zu candidate%s not shown (--all)", report->hidden, plural(report->hidden));
    if (report->suppressed)
        fprintf(out, "; %zu suppressed", report->suppressed);
    if (report->known)
        fprintf(out, "; %zu known from the baseline", report->known);
    uint32_t threads = trace_count(trace, CLASS_THREAD);
    uint32_t objects = trace_count(trace, CLASS_VARIABLE);
    fprintf(out, "%s\n  %llu events, %u thread%s, %u shared object%s.\n", text_normal(style),
            (unsigned long long)trace->delivered, threads, plural(threads), objects,
            plural(objects));
    print_candidates(out, report);
    print_verdicts(out, &tally);
    print_costs(out, report);
    size_t at = 0;
    for (const char *line;
         report->suppressions && (line = suppressions_unused(report->suppressions, &at));) {
        fputs("  Suppression that covered nothing: ", out);
        columns_text(out, line);
        putc('\n', out);
    }
}
