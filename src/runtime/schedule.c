/* SPDX-License-Identifier: MIT */
#include "runtime/schedule.h"

#include "runtime/enforce.h"
#include "runtime/system.h"

#include <link.h>

static const char *const op_texts[EVENT_COUNT] = {
#define EVENT(name, text, object, other) text,
    EVENT_TABLE(EVENT)
#undef EVENT
};

const char *schedule_op_text(unsigned op)
{
    return op < EVENT_COUNT ? op_texts[op] : "something else";
}

bool schedule_same_op(unsigned expected, unsigned op)
{
    return expected == op || expected == EVENT_COUNT ||
           (expected == EVENT_SEM_WAIT && op == EVENT_ACQUIRE) ||
           (expected == EVENT_POST && op == EVENT_RELEASE) ||
           (op_in(expected, OPS_ACQUIRING) && op == EVENT_BAD_ACQUIRE) ||
           (expected == EVENT_RELEASE && op == EVENT_BAD_RELEASE) ||
           (expected == EVENT_BAD_RELEASE && op_in(op, OPS_RELEASING)) ||
           (expected == EVENT_JOIN && op == EVENT_BAD_JOIN);
}

bool schedule_is_access(unsigned op)
{
    return op < EVENT_COUNT && op_in(op, OPS_ACCESS);
}

/* --- text ------------------------------------------------------------------------ */

struct text {
    const char *at, *end;
};

static bool same(const char *a, size_t length, const char *b)
{
    size_t i = 0;
    while (i < length && b[i] && a[i] == b[i])
        i++;
    return i == length && !b[i];
}

/* The next word of the line; empty at its end. */
static struct text next_word(struct text *line)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
    struct text word = {line->at, line->at};
    while (word.end < line->end && *word.end != ' ')
        word.end++;
    line->at = word.end;
    return word;
}

static bool is(const struct text *word, const char *text)
{
    return same(word->at, (size_t)(word->end - word->at), text);
}

static bool read_number(struct text *line, uint64_t *number)
{
    struct text word = next_word(line);
    *number = 0;
    for (const char *c = word.at; c < word.end; c++) {
        if (*c < '0' || *c > '9' || *number > UINT64_MAX / 10 - 1)
            return false;
        *number = *number * 10 + (uint64_t)(*c - '0');
    }
    return word.end > word.at;
}

static bool read_op(struct text *line, uint8_t *op)
{
    struct text word = next_word(line);
    static uint8_t common[2]; /* the words before, where locks come and go */
    for (unsigned i = 0; i < 2; i++)
        if (is(&word, op_texts[common[i]])) {
            *op = common[i];
            return true;
        }
    *op = EVENT_COUNT;
    if (is(&word, "any"))
        return true;
    for (unsigned i = 0; i < EVENT_COUNT; i++)
        if (is(&word, op_texts[i])) {
            common[0] = common[1];
            *op = common[1] = (uint8_t)i;
            return true;
        }
    return false;
}

/* "T0.2.1": from the main thread to its second child, to that one's first. */
static uint64_t path_of(const char *name)
{
    uint64_t path = ENFORCE_MAIN_PATH;
    if (name[0] != 'T' || name[1] != '0')
        return 0; /* no thread of ours: never matched */
    for (const char *c = name + 2; *c == '.';) {
        uint32_t child = 0;
        for (c++; *c >= '0' && *c <= '9'; c++)
            child = child * 10 + (uint32_t)(*c - '0');
        path = enforce_child_path(path, child);
    }
    return path;
}

/* --- items ------------------------------------------------------------------------ */

static bool add_thread(struct schedule *schedule, struct text *line)
{
    uint64_t number;
    if (!read_number(line, &number) || number != schedule->thread_count)
        return false;
    struct text name = next_word(line);
    struct schedule_thread *thread = &schedule->threads[schedule->thread_count++];
    thread->number = (uint32_t)number;
    for (size_t i = 0; name.at + i < name.end && i + 1 < SCHEDULE_NAME; i++)
        thread->name[i] = name.at[i];
    thread->path = path_of(thread->name);
    return true;
}

static bool add_step(struct schedule *schedule, struct text *line)
{
    uint64_t thread, index;
    uint8_t op;
    if (!read_number(line, &thread) || thread >= schedule->thread_count ||
        !read_number(line, &index) || index != schedule->threads[thread].operations ||
        !read_op(line, &op))
        return false;
    struct text more = next_word(line);
    schedule->threads[thread].steps++;
    schedule->threads[thread].operations++;
    schedule->steps[schedule->step_count++] = (struct schedule_step){.thread = (uint32_t)thread,
                                                                     .index = (uint32_t)index,
                                                                     .op = op,
                                                                     .failed = is(&more, "failed"),
                                                                     .beside = is(&more, "beside")};
    return true;
}

/* OFFSET and MODULE, which is the rest of the line (a zero ends it). */
static bool read_place(struct text *line, struct schedule_place *place)
{
    if (!read_number(line, &place->offset))
        return false;
    while (line->at < line->end && *line->at == ' ')
        line->at++;
    place->module = line->at;
    return true;
}

static bool add_access(struct schedule *schedule, struct text *line)
{
    uint64_t thread, index;
    struct schedule_step step = {0};
    if (!read_number(line, &thread) || thread >= schedule->thread_count ||
        !read_number(line, &index) || !read_op(line, &step.op) || !schedule_is_access(step.op) ||
        !read_place(line, &step.place))
        return false;
    step.thread = (uint32_t)thread;
    step.index = (uint32_t)index;
    schedule->threads[thread].steps++;
    schedule->steps[schedule->step_count++] = step;
    return true;
}

static bool add_target(struct schedule *schedule, struct text *line)
{
    uint64_t thread, index;
    uint8_t op;
    if (schedule->target_count == CONTROL_TARGETS || !read_number(line, &thread) ||
        thread >= schedule->thread_count || !read_number(line, &index) || !read_op(line, &op))
        return false;
    struct schedule_target *target = &schedule->targets[schedule->target_count];
    *target = (struct schedule_target){
        .number = schedule->target_count++, .index = (uint32_t)index, .op = op};
    schedule->threads[thread].target = target;
    return !schedule_is_access(op) || read_place(line, &target->place);
}

static bool read_line(struct schedule *schedule, struct text line, bool *ended)
{
    struct text word = next_word(&line);
    if (is(&word, "thread"))
        return add_thread(schedule, &line);
    if (is(&word, "step"))
        return add_step(schedule, &line);
    if (is(&word, "access"))
        return add_access(schedule, &line);
    if (is(&word, "target"))
        return add_target(schedule, &line);
    uint64_t version, first;
    if (is(&word, "first")) {
        bool good = read_number(&line, &first) && first < schedule->target_count;
        schedule->first = good ? (uint32_t)first + 1 : 0;
        return good;
    }
    if (is(&word, "preplay-schedule"))
        return read_number(&line, &version) && version == SCHEDULE_VERSION;
    *ended = is(&word, "end");
    return *ended || is(&word, "#");
}

/* The whole file in memory, with room for a zero; NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    int file = system_open(path, O_RDONLY, 0);
    if (file < 0)
        return NULL;
    long length = system_call(SYS_lseek, file, 0, 2, 0, 0, 0);
    system_call(SYS_lseek, file, 0, 0, 0, 0, 0);
    char *bytes = length > 0 ? system_map(-1, 0, (size_t)length + 1) : NULL;
    long got = 0, part = 1;
    while (bytes && got < length &&
           (part = system_read(file, bytes + got, (size_t)(length - got))) > 0)
        got += part;
    system_close(file);
    *size = (size_t)got;
    return got == length ? bytes : NULL;
}

/* Where each thread's steps are, in order. */
/* Steps that may come beside each other are a group. */
static void group_steps(struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        struct schedule_step *step = &schedule->steps[i];
        step->group = i && step->beside ? step[-1].group : i;
    }
}

static void index_steps(struct schedule *schedule)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < schedule->thread_count; i++) {
        schedule->threads[i].first = start;
        start += schedule->threads[i].steps;
        schedule->threads[i].steps = 0;
    }
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        struct schedule_thread *thread = &schedule->threads[schedule->steps[i].thread];
        schedule->positions[thread->first + thread->steps++] = i;
    }
}

/* The program's file, which the load map does not name. */
static char program[SCHEDULE_MODULE];

bool schedule_load(struct schedule *schedule, const char *path)
{
    size_t size, lines = 1;
    system_call(SYS_readlink, (long)"/proc/self/exe", (long)program, sizeof program - 1, 0, 0, 0);
    char *bytes = read_file(path, &size);
    if (!bytes)
        return false;
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    schedule->threads = system_map(-1, 0, lines * sizeof *schedule->threads);
    schedule->steps = system_map(-1, 0, lines * sizeof *schedule->steps);
    schedule->positions = system_map(-1, 0, lines * sizeof *schedule->positions);
    schedule->glance = (struct timespec){.tv_nsec = 20000000};
    if (!schedule->threads || !schedule->steps || !schedule->positions)
        return false;
    bool ended = false;
    for (char *at = bytes, *end = bytes + size; at < end && !ended;) {
        char *stop = at;
        while (stop < end && *stop != '\n')
            stop++;
        *stop = 0;
        if (!read_line(schedule, (struct text){at, stop}, &ended))
            return false;
        at = stop + 1;
    }
    index_steps(schedule);
    group_steps(schedule);
    return ended;
}

/* --- places ------------------------------------------------------------------------ */

struct search {
    const char *module;
    uintptr_t bias;
};

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    const char *name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : program;
    size_t length = 0;
    while (search->module[length])
        length++;
    if (!same(search->module, length, name))
        return 0;
    search->bias = info->dlpi_addr;
    return 1;
}

bool schedule_is_here(struct schedule_place *place, uintptr_t pc)
{
    if (!place->pc) {
        struct search search = {.module = place->module};
        if (!dl_iterate_phdr(look, &search))
            return false;
        place->pc = search.bias + place->offset;
    }
    return place->pc == pc;
}
