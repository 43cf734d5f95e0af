/* SPDX-License-Identifier: MIT */
#include "tiddle/code_whole.h"

#include <string.h>

#define NEVER UINT32_MAX

static int refuse(const struct code *code, const struct code_line *line, struct error *error,
                  const char *reason)
{
    return error_set(error, ERROR_INPUT, "%s:%u: %s", code->path, line->number, reason);
}

static const char *thread_error(const struct code *code, const struct code_line *line)
{
    const struct code_thread *other = &code->threads.items[line->other];
    if (line->op != CODE_FORK && line->op != CODE_JOIN)
        return NULL;
    if (line->depth)
        return "threads are forked and joined outside of conditions";
    if (line->thread == line->other)
        return "a thread that forks or joins itself";
    if (line->op == CODE_FORK && other->forked)
        return "this thread is forked twice";
    return NULL;
}

/* Of `like`: both threads are known by now, and one of them has lines. */
static const char *likeness_error(const struct code *code, const struct code_line *line)
{
    const struct code_thread *like = &code->threads.items[line->thread];
    const struct code_thread *other = &code->threads.items[line->other];
    if (line->depth)
        return "like stands outside of conditions";
    if (like->order.count || like->runs != line->thread)
        return "this thread has lines of its own";
    if (line->thread == line->other || other->runs != line->other || !other->order.count)
        return "like takes a thread that has lines";
    for (size_t i = 0; i < other->order.count; i++) {
        enum code_op op = code->lines.items[other->order.items[i]].op;
        if (op == CODE_FORK || op == CODE_JOIN)
            return "a thread that forks or joins is the only one of its kind";
    }
    return NULL;
}

static int give_lines(struct code *code, struct error *error)
{
    for (uint32_t i = 0; i < code->lines.count; i++) {
        const struct code_line *line = &code->lines.items[i];
        if (line->op <= CODE_LIKE)
            continue;
        const char *reason = thread_error(code, line);
        if (reason)
            return refuse(code, line, error, reason);
        if (line->op == CODE_FORK)
            code->threads.items[line->other].forked = true;
        array_push(&code->threads.items[line->thread].order, i);
    }
    for (uint32_t i = 0; i < code->lines.count; i++) {
        const struct code_line *line = &code->lines.items[i];
        const char *reason = line->op == CODE_LIKE ? likeness_error(code, line) : NULL;
        if (reason)
            return refuse(code, line, error, reason);
        if (line->op == CODE_LIKE)
            code->threads.items[line->thread].runs = line->other;
    }
    return 0;
}

static void add_line(struct code *code, struct code_line line, struct code_order *order)
{
    line.added = true;
    line.number = code->lines.count ? array_last(&code->lines).number : 1;
    line.thread = code->root;
    array_push(order, (uint32_t)code->lines.count);
    array_push(&code->lines, line);
}

static void add_threads(struct code *code, enum code_op op, struct code_order *order)
{
    for (uint32_t i = 0; i < code->threads.count; i++)
        if (i != code->root)
            add_line(code, (struct code_line){.op = (uint8_t)op, .other = i}, order);
}

static uint32_t thread_named(struct code *code, const char *name)
{
    uint32_t id = intern(code->names[CODE_THREADS], name, strlen(name));
    for (uint32_t i = (uint32_t)code->threads.count; i <= id; i++)
        array_push(&code->threads, ((struct code_thread){.runs = i}));
    return id;
}

/* The one that nobody forks. If there are no forks: main, which forks and joins all others. */
static int find_root(struct code *code, bool forks, struct error *error)
{
    code->root = forks ? NEVER : thread_named(code, "main");
    for (uint32_t i = 0; forks && i < code->threads.count; i++) {
        if (code->threads.items[i].forked)
            continue;
        if (code->root != NEVER)
            return error_set(error, ERROR_INPUT, "%s: nobody forks %s, nor %s", code->path,
                             code_name(code, CODE_THREADS, code->root),
                             code_name(code, CODE_THREADS, i));
        code->root = i;
    }
    if (code->root == NEVER)
        return error_set(error, ERROR_INPUT, "%s: no thread is there from the beginning",
                         code->path);
    if (code->threads.items[code->root].runs != code->root)
        return error_set(error, ERROR_INPUT, "%s: the main thread has lines of its own",
                         code->path);
    return 0;
}

/* Each thread is joined once at most: C allows no more. */
static int check_joins(const struct code *code, struct error *error)
{
    bool *joined = NEW_ARRAY(bool, code->threads.count + 1);
    const struct code_line *twice = NULL;
    for (size_t i = 0; i < code->lines.count && !twice; i++) {
        const struct code_line *line = &code->lines.items[i];
        if (line->op != CODE_JOIN)
            continue;
        if (joined[line->other] || line->other == code->root)
            twice = line;
        joined[line->other] = true;
    }
    free(joined);
    return twice ? refuse(code, twice, error, "this thread is joined twice, or is the main one")
                 : 0;
}

static void complete(struct code *code, bool forks)
{
    struct code_order order = {0};
    struct code_order *written = &code->threads.items[code->root].order;
    if (!forks)
        add_threads(code, CODE_FORK, &order);
    for (size_t i = 0; i < written->count; i++)
        array_push(&order, written->items[i]);
    if (!forks)
        add_threads(code, CODE_JOIN, &order);
    for (uint32_t i = 0; i < intern_count(code->names[CODE_VARIABLES]); i++)
        add_line(code,
                 (struct code_line){
                     .op = CODE_READ, .object = i, .local = code_usual_local(code, CODE_READ, i)},
                 &order);
    array_free(written);
    *written = order;
}

int code_make_whole(struct code *code, struct error *error)
{
    bool forks = false;
    if (code->root == UINT32_MAX)
        return error_set(error, ERROR_INPUT, "%s: found nothing, expected program", code->path);
    for (size_t i = 0; i < code->lines.count; i++)
        forks |= code->lines.items[i].op == CODE_FORK || code->lines.items[i].op == CODE_JOIN;
    for (uint32_t i = 0; i < intern_count(code->names[CODE_THREADS]); i++)
        array_push(&code->threads, ((struct code_thread){.runs = i}));
    if (give_lines(code, error) || find_root(code, forks, error) || check_joins(code, error))
        return -1;
    complete(code, forks);
    return 0;
}
