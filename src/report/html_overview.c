/* SPDX-License-Identifier: MIT */
#include "report/html_overview.h"

#include "base/memory.h"
#include "report/frames.h"
#include "report/run_waits.h"
#include "report/steps.h"
#include "report/thread_text.h"
#include "report/words.h"
#include "report/xml.h"
#include "trace/finding_id.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 32,    /* threads that have one of their own; the others share one */
    PARTS = 120,   /* of the run, in each of which a lane is more or less busy */
    LEVELS = 4,    /* of being busy */
    WAITS = 200,   /* drawn */
    ARROWS = 40,   /* of these, to whom ended it */
    ROWS = 10,     /* of a table */
    MARKS = 60,    /* findings */
    PROCESSES = 8, /* that are drawn */
    LANE = 40,     /* pixels */
    STRIP = 18,    /* where its strip begins, */
    THICK = 14,    /* and how thick it is */
};

struct overview {
    FILE *out;
    const struct report *report;
    const struct history *history;
    struct run_waits waits;
    uint32_t threads[LANES]; /* by lane */
    uint32_t lanes, shared;  /* `shared`: how many threads have none of their own */
    uint32_t *lane_of;       /* by thread; `lanes` for those that share one */
    uint32_t parts;
    uint32_t busy[LANES + 1][PARTS];
};

static void put(struct overview *self, const char *before, const char *text, const char *after)
{
    fputs(before, self->out);
    xml_text(self->out, text);
    fputs(after, self->out);
}

static void put_thread(struct overview *self, uint32_t thread)
{
    char name[256];
    thread_text(name, sizeof name, self->report, thread);
    xml_text(self->out, name);
}

/* --- which threads, and when they are busy -------------------------------------------------- */

struct rank {
    uint32_t thread, events;
    uint64_t waited;
    bool found;
};

static int by_weight(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->found != y->found)
        return x->found ? -1 : 1;
    if (x->waited != y->waited)
        return x->waited < y->waited ? 1 : -1;
    if (x->events != y->events)
        return x->events < y->events ? 1 : -1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_thread(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Those with findings first, then those that wait the longest, then the busiest. */
static void choose_lanes(struct overview *self)
{
    uint32_t count = self->history->threads;
    struct rank *ranks = memory_zero(count + 1, sizeof *ranks);
    for (uint32_t i = 0; i < count; i++)
        ranks[i] =
            (struct rank){i, history_thread_length(self->history, i), self->waits.waited[i], false};
    for (size_t i = 0; i < self->report->count; i++)
        for (uint32_t k = 0; k < self->report->items[i]->event_count; k++)
            ranks[self->report->items[i]->events[k].thread].found = true;
    if (count)
        qsort(ranks, count, sizeof *ranks, by_weight);
    self->lanes = count < LANES ? count : LANES;
    self->shared = count - self->lanes;
    for (uint32_t i = 0; i < self->lanes; i++)
        self->threads[i] = ranks[i].thread;
    qsort(self->threads, self->lanes, sizeof *self->threads, by_thread);
    for (uint32_t i = 0; i < count; i++)
        self->lane_of[i] = self->lanes;
    for (uint32_t i = 0; i < self->lanes; i++)
        self->lane_of[self->threads[i]] = i;
    free(ranks);
}

static void count_events(struct overview *self)
{
    const struct history *history = self->history;
    self->parts = history->count < PARTS ? history->count : PARTS;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t part = (uint32_t)((uint64_t)pos * self->parts / history->count);
        self->busy[self->lane_of[history->events[pos].thread]][part]++;
    }
}

/* --- the picture ------------------------------------------------------------------------------ */

static double percent(const struct overview *self, uint32_t pos)
{
    return self->history->count ? 100.0 * pos / self->history->count : 0;
}

static uint32_t strip(uint32_t lane)
{
    return lane * LANE + STRIP;
}

/* 0 if it does nothing there; by the share of the events of that part. */
static unsigned level(const struct overview *self, uint32_t lane, uint32_t part)
{
    uint64_t share = (uint64_t)self->busy[lane][part] * self->parts * LEVELS;
    uint64_t level = share / (self->history->count + 1) + 1;
    return !share ? 0 : level > LEVELS ? LEVELS : (unsigned)level;
}

static void put_strip(struct overview *self, uint32_t lane)
{
    fprintf(self->out,
            "<svg x=\"0\" y=\"%u\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %u 1\" "
            "preserveAspectRatio=\"none\">",
            strip(lane), THICK, self->parts);
    for (unsigned wanted = 1; wanted <= LEVELS; wanted++) {
        fprintf(self->out, "<path class=\"busy%u\" d=\"", wanted);
        for (uint32_t part = 0, end; part < self->parts; part = end) {
            unsigned here = level(self, lane, part);
            for (end = part + 1; end < self->parts && level(self, lane, end) == here; end++) {
            }
            if (here == wanted)
                fprintf(self->out, "M%u 0h%uv1h-%uz", part, end - part, end - part);
        }
        fputs("\"/>", self->out);
    }
    fputs("</svg>\n", self->out);
}

static void put_lane(struct overview *self, uint32_t lane)
{
    bool shared = lane == self->lanes;
    fprintf(self->out, "<text x=\"0\" y=\"%u\">", lane * LANE + STRIP - 5);
    if (shared) {
        fprintf(self->out, "%u more threads", self->shared);
    } else {
        uint32_t thread = self->threads[lane], count = history_thread_length(self->history, thread);
        put_thread(self, thread);
        fprintf(self->out, "<tspan class=\"soft\"> %u event%s", count, count == 1 ? "" : "s");
        if (self->waits.waited[thread])
            fprintf(self->out, ", waited for %" PRIu64, self->waits.waited[thread]);
        fputs("</tspan>", self->out);
    }
    fputs("</text>\n", self->out);
    if (!shared && history_thread_length(self->history, self->threads[lane])) {
        const struct history *history = self->history;
        uint32_t thread = self->threads[lane],
                 last = history_pos(history, thread, history_thread_length(history, thread) - 1);
        fprintf(self->out,
                "<line class=\"life\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%u\" y2=\"%u\"/>\n",
                percent(self, history_pos(history, thread, 0)), percent(self, last + 1),
                strip(lane) + THICK / 2, strip(lane) + THICK / 2);
    }
    put_strip(self, lane);
}

/* "m", "the end of T0.1", "the signal of c" */
static void put_wanted(struct overview *self, const struct event *event)
{
    bool lock = op_in(event->op, OPS_ACQUIRING) && event->op != EVENT_WAIT_END;
    enum object_class class = lock ? CLASS_LOCK : event_object_class(event->op);
    if (class == CLASS_NONE)
        return;
    char *name = words_object(self->report->trace, class, lock ? event_lock(event) : event->object);
    put(self, event->op == EVENT_JOIN ? "the end of " : "", name, "");
    free(name);
}

static void put_wait(struct overview *self, const struct run_wait *wait, bool arrow)
{
    uint32_t lane = self->lane_of[wait->thread],
             by = wait->by == POS_NONE ? lane : self->lane_of[wait->by];
    if (lane == self->lanes)
        return;
    fprintf(self->out, "<g class=\"wait\"><title>%u event%s: ", wait->to - wait->from,
            wait->to - wait->from == 1 ? "" : "s");
    put_thread(self, wait->thread);
    fputs(" waits for ", self->out);
    put_wanted(self, &self->history->events[wait->pos]);
    if (wait->by != POS_NONE) {
        fputs(", ended by ", self->out);
        put_thread(self, wait->by);
    }
    fprintf(self->out, "</title><rect x=\"%.2f%%\" width=\"%.2f%%\" y=\"%u\" height=\"%d\"/>",
            percent(self, wait->from), percent(self, wait->to - wait->from), strip(lane) + 4,
            THICK - 8);
    if (arrow && by != lane)
        fprintf(self->out, "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%u\" y2=\"%u\"/>",
                percent(self, wait->to), percent(self, wait->to), strip(by) + THICK / 2,
                strip(lane) + THICK / 2);
    fputs("</g>\n", self->out);
}

/* A finding's events, joined by a line; each leads to the finding. */
static void put_mark(struct overview *self, const struct finding *finding)
{
    char id[FINDING_ID_SIZE], *title = words_title(self->report, finding);
    double before_x = 0;
    uint32_t before_y = 0;
    finding_id(finding, self->report->trace, id);
    fprintf(self->out, "<a class=\"mark\" href=\"#%s\"", id);
    put(self, " aria-label=\"", title, "\">");
    put(self, "<title>", title, "</title>");
    for (uint32_t i = 0; i < finding->event_count; i++) {
        const struct finding_event *event = &finding->events[i];
        double x = percent(self, event->pos);
        uint32_t y = strip(self->lane_of[event->thread]) + THICK / 2;
        x = x > 100 ? 100 : x;
        if (i)
            fprintf(self->out, "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%u\" y2=\"%u\"/>", before_x,
                    x, before_y, y);
        fprintf(self->out, "<circle cx=\"%.2f%%\" cy=\"%u\" r=\"5\"/>", x, y);
        before_x = x;
        before_y = y;
    }
    fputs("</a>\n", self->out);
    free(title);
}

static void put_picture(struct overview *self)
{
    uint32_t lanes = self->lanes + (self->shared > 0);
    fprintf(self->out,
            "<svg class=\"run\" width=\"100%%\" height=\"%u\" role=\"group\" "
            "aria-label=\"threads over the run\">\n",
            lanes * LANE);
    for (uint32_t i = 0; i < lanes; i++)
        put_lane(self, i);
    for (size_t i = 0; i < self->waits.count; i++)
        put_wait(self, &self->waits.longest[i], i < ARROWS);
    size_t marks = 0;
    for (size_t i = 0; i < self->report->count && marks < MARKS; i++)
        if (report_leads(self->report, self->report->items[i])) {
            put_mark(self, self->report->items[i]);
            marks++;
        }
    fputs("</svg>\n", self->out);
}

/* --- the tables ---------------------------------------------------------------------------------
 */

static void put_waits(struct overview *self)
{
    if (!self->waits.count)
        return;
    fputs("<table><caption>The longest waits</caption><thead><tr><th>thread</th><th>waited for</th>"
          "<th>ended by</th><th>events</th><th>at</th></tr></thead><tbody>\n",
          self->out);
    for (size_t i = 0; i < self->waits.count && i < ROWS; i++) {
        const struct run_wait *wait = &self->waits.longest[i];
        const struct event *event = &self->history->events[wait->pos];
        const char *function, *place;
        frame_own(self->report->trace, event->location, event->stack, &function, &place);
        fputs("<tr><td>", self->out);
        put_thread(self, wait->thread);
        fputs("</td><td>", self->out);
        put_wanted(self, event);
        fputs("</td><td>", self->out);
        if (wait->by != POS_NONE)
            put_thread(self, wait->by);
        else
            fputs(wait->to == self->history->count ? "nobody" : "itself", self->out);
        fprintf(self->out, "</td><td>%u</td>", wait->to - wait->from);
        put(self, "<td class=\"mono\">", place_base(place), "</td></tr>\n");
    }
    fputs("</tbody></table>\n", self->out);
}

static void put_locks(struct overview *self)
{
    if (!self->waits.lock_count)
        return;
    fputs("<table><caption>Locks</caption><thead><tr><th>lock</th><th>taken</th>"
          "<th>after a wait</th><th>waited, events</th><th>longest held, events</th></tr></thead>"
          "<tbody>\n",
          self->out);
    for (size_t i = 0; i < self->waits.lock_count && i < ROWS; i++) {
        const struct run_lock *lock = &self->waits.locks[i];
        char *name = words_object(self->report->trace, CLASS_LOCK, lock->lock);
        put(self, "<tr><td>", name, "</td>");
        fprintf(self->out,
                "<td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64
                "</td></tr>\n",
                lock->taken, lock->waits, lock->waited, lock->held);
        free(name);
    }
    fputs("</tbody></table>\n", self->out);
    if (self->waits.lock_count > ROWS)
        fprintf(self->out, "<p class=\"soft\">and %zu more locks</p>\n",
                self->waits.lock_count - ROWS);
}

static void put_process(FILE *out, const struct report *report)
{
    struct overview *self = NEW(struct overview);
    self->out = out;
    self->report = report;
    self->history = report->history;
    self->lane_of = memory_zero(report->history->threads + 1, sizeof *self->lane_of);
    run_waits_find(&self->waits, report->history, WAITS);
    choose_lanes(self);
    count_events(self);
    if (report->process)
        put(self, "<h3>", report->process, "</h3>\n");
    if (report->explored)
        fprintf(out, "<h3>Run %u</h3>\n", report->explored);
    put_picture(self);
    fputs("<div class=\"tables\" tabindex=\"0\" role=\"region\" aria-label=\"waits and locks\">\n",
          out);
    put_waits(self);
    put_locks(self);
    fputs("</div>\n", out);
    run_waits_free(&self->waits);
    free(self->lane_of);
    free(self);
}

void html_overview(FILE *out, const struct report *report)
{
    size_t shown = 0, left = 0;
    const bool runs = report->explored;
    fprintf(out, "<details id=\"run\" open><summary>%s as a whole</summary>\n",
            !runs          ? "The recorded run"
            : report->next ? "Each run that is told of,"
                           : "The run");
    fputs("<p class=\"legend\">From left to right the events, a lane a thread, the busier "
          "the darker. <strong>Bars</strong> are waits, at most so long, with a line from who "
          "ended them; "
          "<em>points</em> are the findings&#39; events, and lead there. A recording has an order "
          "and no clock: lengths count the events of all threads.</p>\n",
          out);
    for (; report; report = report->next)
        if (!report->history)
            continue;
        else if (shown++ < PROCESSES)
            put_process(out, report);
        else
            left++;
    if (left)
        fprintf(out, "<p class=\"soft\">and %zu more %s</p>\n", left, runs ? "runs" : "processes");
    fputs("</details>\n", out);
}
