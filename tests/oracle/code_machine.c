#include "oracle/code_machine.h"

#include "base/map.h"

#include <string.h>

static void name_children(struct machine_code *machine, uint32_t parent)
{
    const struct code *code = machine->code;
    const struct code_thread *thread = &code->threads.items[parent];
    uint32_t number = 0;
    for (size_t i = 0; i < thread->order.count; i++) {
        const struct code_line *line = &code->lines.items[thread->order.items[i]];
        if (line->op != CODE_FORK)
            continue;
        machine->name[line->other] = stepper_child(machine->name[parent], ++number);
        machine->number[line->other] = number;
        machine->parent[line->other] = parent;
        name_children(machine, line->other);
    }
}

bool machine_prepare(struct machine_code *machine, const struct code *code)
{
    *machine = (struct machine_code){.code = code, .threads = (uint32_t)code->threads.count};
    if (machine->threads > MACHINE_THREADS ||
        intern_count(code->names[CODE_VARIABLES]) > MACHINE_VARIABLES ||
        intern_count(code->names[CODE_LOCALS]) > MACHINE_LOCALS ||
        intern_count(code->names[CODE_LOCKS]) > MACHINE_LOCKS ||
        intern_count(code->names[CODE_CONDITIONS]) > MACHINE_CONDITIONS ||
        intern_count(code->names[CODE_SEMAPHORES]) > MACHINE_SEMAPHORES)
        return false;
    machine->position = NEW_ARRAY(uint32_t, code->lines.count + 1);
    for (uint32_t i = 0; i < machine->threads; i++) {
        const struct code_thread *thread = &code->threads.items[i];
        for (uint32_t k = 0; k < thread->order.count; k++)
            machine->position[thread->order.items[k]] = k;
        machine->twins |= thread->runs != i;
    }
    machine->name[code->root] = STEPPER_MAIN;
    name_children(machine, code->root);
    return true;
}

void machine_release(struct machine_code *machine)
{
    free(machine->position);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash * 31 + value + 1);
}

static uint32_t runs(const struct machine_code *code, uint32_t thread)
{
    return code->code->threads.items[thread].runs;
}

const struct code_line *machine_line(const struct machine_code *code, const struct machine *machine,
                                     uint32_t thread)
{
    const struct code_thread *written = &code->code->threads.items[runs(code, thread)];
    return machine->at[thread] < written->order.count
               ? &code->code->lines.items[written->order.items[machine->at[thread]]]
               : NULL;
}

/* --- what concerns nobody else ------------------------------------------------------------------
 */

static int64_t term(const struct machine *machine, uint32_t thread, const struct code_term *term)
{
    return term->is_local ? machine->local[thread][term->local] : term->number;
}

static int64_t value(const struct machine *machine, uint32_t thread, const struct code_value *value)
{
    uint64_t first = (uint64_t)term(machine, thread, &value->first);
    uint64_t second = (uint64_t)term(machine, thread, &value->second);
    if (!value->sign)
        return (int64_t)first;
    return (int64_t)(value->sign == '+' ? first + second : first - second);
}

static bool holds(const struct machine *machine, uint32_t thread, const struct code_line *line)
{
    int64_t left = value(machine, thread, &line->value);
    int64_t right = value(machine, thread, &line->wanted);
    switch (line->comparison) {
    case CODE_EQUAL:
        return left == right;
    case CODE_NOT_EQUAL:
        return left != right;
    case CODE_LESS:
        return left < right;
    case CODE_AT_MOST:
        return left <= right;
    case CODE_GREATER:
        return left > right;
    default:
        return left >= right;
    }
}

static void run_local(const struct machine_code *code, struct machine *machine, uint32_t thread)
{
    const struct code_line *line;
    while ((line = machine_line(code, machine, thread)) && line->op >= CODE_LET) {
        bool jumps =
            line->op == CODE_ELSE || (line->op == CODE_IF && !holds(machine, thread, line));
        if (line->op == CODE_LET)
            machine->local[thread][line->local] = value(machine, thread, &line->value);
        if (line->op == CODE_ASSERT && !holds(machine, thread, line)) {
            machine->failed = (uint8_t)(thread + 1);
            machine->failed_line = line->number;
            return;
        }
        machine->at[thread] = (jumps ? code->position[line->partner] : machine->at[thread]) + 1;
    }
}

void machine_begin(const struct machine_code *code, struct machine *machine)
{
    memset(machine, 0, sizeof *machine);
    machine->state[code->code->root] = MACHINE_ALIVE;
    run_local(code, machine, code->code->root);
}

/* --- steps --------------------------------------------------------------------------------------
 */

static enum step_op step_op(const struct code_line *line, unsigned stage)
{
    static const enum step_op waiting[] = {STEP_QUEUE, STEP_UNLOCK, STEP_AWAKE, STEP_LOCK};
    static const enum step_op ops[CODE_OPS] = {
        [CODE_READ] = STEP_READ,
        [CODE_WRITE] = STEP_WRITE,
        [CODE_ATOMIC_READ] = STEP_READ,
        [CODE_ATOMIC_WRITE] = STEP_WRITE,
        [CODE_ADD] = STEP_UPDATE,
        [CODE_EXCHANGE] = STEP_UPDATE,
        [CODE_ACQUIRE] = STEP_LOCK,
        [CODE_TRY_ACQUIRE] = STEP_TRY_LOCK,
        [CODE_RELEASE] = STEP_UNLOCK,
        [CODE_NOTIFY] = STEP_SIGNAL,
        [CODE_NOTIFY_ALL] = STEP_BROADCAST,
        [CODE_POST] = STEP_POST,
        [CODE_SEMWAIT] = STEP_WAIT,
        [CODE_TRY_SEMWAIT] = STEP_TRY_WAIT,
        [CODE_FORK] = STEP_FORK,
        [CODE_JOIN] = STEP_JOIN,
    };
    if (!line)
        return STEP_END;
    return line->op == CODE_WAIT ? waiting[stage] : ops[line->op];
}

static uint64_t address(enum code_names names, uint32_t id)
{
    return 0x1000u * (names + 1u) + 8u * id;
}

static uint64_t object_of(const struct machine_code *code, const struct code_line *line,
                          enum step_op step)
{
    if (step == STEP_END)
        return 0;
    if (step == STEP_FORK || step == STEP_JOIN)
        return code->name[line->other];
    if (line->op == CODE_WAIT && (step == STEP_UNLOCK || step == STEP_LOCK))
        return address(CODE_LOCKS, line->other);
    return address(code_object_names(line->op), line->object);
}

struct step_event machine_next(const struct machine_code *code, const struct machine *machine,
                               uint32_t thread)
{
    const struct code_line *line = machine_line(code, machine, thread);
    enum step_op step = step_op(line, machine->stage[thread]);
    struct step_event event = {.op = (uint8_t)step,
                               .thread = machine->order[thread],
                               .object = object_of(code, line, step),
                               .made = !line && thread == code->code->root,
                               .pc = 0x10000u * (runs(code, thread) + 1u) +
                                     16u * machine->at[thread] + machine->stage[thread]};
    if (line && code_object_names(line->op) == CODE_VARIABLES) {
        event.size = 8;
        event.flags = line->op == CODE_READ || line->op == CODE_WRITE ? 0 : STEP_ATOMIC;
    }
    return event;
}

/* Of a lock: that of the line, which may be a wait's. */
static uint8_t *owner_of(struct machine *machine, const struct code_line *line)
{
    return &machine->owner[line->op == CODE_WAIT ? line->other : line->object];
}

bool machine_can_go(const struct machine_code *code, const struct machine *machine, uint32_t thread)
{
    const struct code_line *line = machine_line(code, machine, thread);
    if (machine->state[thread] != MACHINE_ALIVE || machine->failed || machine->exited)
        return false;
    switch (step_op(line, machine->stage[thread])) {
    case STEP_LOCK:
        return !*owner_of((struct machine *)machine, line);
    case STEP_WAIT:
        return machine->posts[line->object] > 0;
    case STEP_AWAKE:
        return !machine->queue[thread];
    case STEP_JOIN:
        return machine->state[line->other] == MACHINE_ENDED;
    default:
        return true;
    }
}

bool machine_waits(const struct machine_code *code, const struct machine *machine, uint32_t thread,
                   uint32_t waiter)
{
    const struct code_line *line = machine_line(code, machine, thread);
    return line && line->op == CODE_NOTIFY && machine->queue[waiter] == line->object + 1;
}

static void see(struct machine *machine, uint32_t thread, const struct code_line *line,
                uint64_t seen)
{
    machine->local[thread][line->local] = (int64_t)seen;
    machine->past[thread] = mix(machine->past[thread], seen + 1);
    machine->sources[thread] = mix(machine->sources[thread], seen + 1);
}

static void access_variable(struct machine *machine, uint32_t thread, const struct code_line *line,
                            struct step_event *event)
{
    int64_t *variable = &machine->variable[line->object], before = *variable;
    int64_t given = value(machine, thread, &line->value);
    bool written = event->op == STEP_WRITE || line->op == CODE_ADD;
    if (line->op == CODE_EXCHANGE)
        written = before == value(machine, thread, &line->wanted);
    if (event->op != STEP_WRITE) {
        machine->sources[thread] = mix(machine->sources[thread], machine->writer[line->object]);
        see(machine, thread, line, (uint64_t)before);
    }
    if (written) {
        *variable = line->op == CODE_ADD ? (int64_t)((uint64_t)before + (uint64_t)given) : given;
        machine->writer[line->object] = (thread + 1) << 16 | machine->count[thread];
    }
    event->seen = (uint64_t)before;
    event->made = (uint64_t)*variable;
}

static void fork_thread(const struct machine_code *code, struct machine *machine, uint32_t thread)
{
    machine->state[thread] = MACHINE_ALIVE;
    machine->order[thread] = ++machine->forked;
    run_local(code, machine, thread);
}

static void wake_all(struct machine *machine, uint32_t condition)
{
    for (uint32_t i = 0; i < MACHINE_THREADS; i++)
        if (machine->queue[i] == condition + 1)
            machine->queue[i] = 0;
}

static void synchronise(const struct machine_code *code, struct machine *machine, uint32_t thread,
                        const struct code_line *line, struct step_event *event, uint32_t woken)
{
    switch (event->op) {
    case STEP_LOCK:
        *owner_of(machine, line) = (uint8_t)(thread + 1);
        break;
    case STEP_TRY_LOCK:
        event->seen = !machine->owner[line->object];
        see(machine, thread, line, event->seen);
        if (event->seen)
            machine->owner[line->object] = (uint8_t)(thread + 1);
        break;
    case STEP_UNLOCK:
        *owner_of(machine, line) = 0;
        break;
    case STEP_POST:
        machine->posts[line->object]++;
        break;
    case STEP_WAIT:
        machine->posts[line->object]--;
        break;
    case STEP_TRY_WAIT:
        event->seen = machine->posts[line->object] > 0;
        see(machine, thread, line, event->seen);
        machine->posts[line->object] = (uint8_t)(machine->posts[line->object] - event->seen);
        break;
    case STEP_QUEUE:
        machine->queue[thread] = (uint8_t)(line->object + 1);
        break;
    case STEP_AWAKE:
        event->seen = 1;
        break;
    case STEP_SIGNAL:
        event->made = woken != MACHINE_NOBODY ? code->name[woken] : 0;
        if (woken != MACHINE_NOBODY)
            machine->queue[woken] = 0;
        break;
    case STEP_BROADCAST:
        wake_all(machine, line->object);
        break;
    case STEP_FORK:
        fork_thread(code, machine, line->other);
        break;
    default:
        break;
    }
}

struct step_event machine_step(const struct machine_code *code, struct machine *machine,
                               uint32_t thread, uint32_t woken)
{
    struct step_event event = machine_next(code, machine, thread);
    const struct code_line *line = machine_line(code, machine, thread);
    machine->count[thread]++;
    machine->past[thread] = mix(machine->past[thread], event.pc);
    machine->sources[thread] = mix(machine->sources[thread], event.pc);
    if (event.op == STEP_END) {
        machine->state[thread] = MACHINE_ENDED;
        machine->exited = event.made != 0;
        return event;
    }
    if (event.size)
        access_variable(machine, thread, line, &event);
    else
        synchronise(code, machine, thread, line, &event, woken);
    if (line->op == CODE_WAIT && ++machine->stage[thread] < 4)
        return event;
    machine->stage[thread] = 0;
    machine->at[thread]++;
    if (!machine->failed)
        run_local(code, machine, thread);
    return event;
}
