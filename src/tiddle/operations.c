/* SPDX-License-Identifier: MIT */
#include "tiddle/operations.h"

#include <inttypes.h>

void operation_write_value(FILE *out, uint64_t value)
{
    if (value == UINT64_C(1) << 63)
        fputs("LONG_MIN", out);
    else
        fprintf(out, "%" PRId64, (int64_t)value);
}

static const char *name(struct operation_writer *writer, enum object_class class, uint32_t id)
{
    return identifier(writer->identifiers, class, id);
}

/* The variable as an lvalue. What an allocated one's pointer says is no business
 * of the trace, so it is read out of sight. */
static void variable(struct operation_writer *writer, uint32_t id)
{
    const char *text = name(writer, CLASS_VARIABLE, id);
    if (!writer->plan->heap[id])
        fputs(text, writer->out);
    else if (writer->strict)
        fprintf(writer->out, "*(long *)at(&%s)", text);
    else
        fprintf(writer->out, "*%s", text);
}

static void read_statement(struct operation_writer *writer, const struct event *event)
{
    bool asserted = writer->strict && event->flags & EVENT_HAS_VALUE;
    fputs(asserted ? "expect(" : "use(", writer->out);
    variable(writer, event->object);
    if (asserted) {
        fputs(" == ", writer->out);
        operation_write_value(writer->out, event->value);
    }
    putc(')', writer->out);
}

static void write_statement(struct operation_writer *writer, const struct event *event,
                            uint32_t pos)
{
    variable(writer, event->object);
    fputs(" = ", writer->out);
    operation_write_value(writer->out, writer->plan->written[pos]);
}

/* Loads cannot release and stores cannot acquire, whatever the trace says. */
static const char *order_text(const struct event *event)
{
    bool loads = event->op != EVENT_ATOMIC_STORE, stores = event_writes(event);
    switch (event->order) {
    case ORDER_RELAXED:
        return "__ATOMIC_RELAXED";
    case ORDER_CONSUME:
    case ORDER_ACQUIRE:
        return loads ? "__ATOMIC_ACQUIRE" : "__ATOMIC_RELAXED";
    case ORDER_RELEASE:
        return stores ? "__ATOMIC_RELEASE" : "__ATOMIC_RELAXED";
    case ORDER_ACQ_REL:
        return loads && stores ? "__ATOMIC_ACQ_REL"
               : loads         ? "__ATOMIC_ACQUIRE"
                               : "__ATOMIC_RELEASE";
    default:
        return "__ATOMIC_SEQ_CST";
    }
}

static void atomic_statement(struct operation_writer *writer, const struct event *event,
                             uint32_t pos)
{
    bool load = !event_writes(event), store = event->op == EVENT_ATOMIC_STORE;
    bool adds = event->op == EVENT_ATOMIC_RMW && writer->plan->adds[pos];
    bool asserted = load && writer->strict && event->flags & EVENT_HAS_VALUE;
    FILE *out = writer->out;
    fputs(asserted ? "expect(" : load ? "use(" : "", out);
    fprintf(out, "__atomic_%s(&",
            load    ? "load_n"
            : store ? "store_n"
            : adds  ? "fetch_add"
                    : "exchange_n");
    variable(writer, event->object);
    if (!load) {
        fputs(", ", out);
        operation_write_value(out, adds ? 1 : writer->plan->written[pos]);
    }
    fprintf(out, ", %s)", order_text(event));
    if (asserted) {
        fputs(" == ", out);
        operation_write_value(out, event->value);
    }
    if (load)
        putc(')', out);
}

static const char *lock_function(const struct event *event, bool is_rwlock, bool try)
{
    if (!is_rwlock)
        return event_releases(event) ? "pthread_mutex_unlock"
               : try                 ? "pthread_mutex_trylock"
                                     : "pthread_mutex_lock";
    if (event_releases(event))
        return "pthread_rwlock_unlock";
    if (event->op == EVENT_ACQUIRE_READ)
        return try ? "pthread_rwlock_tryrdlock" : "pthread_rwlock_rdlock";
    return try ? "pthread_rwlock_trywrlock" : "pthread_rwlock_wrlock";
}

static void lock_statement(struct operation_writer *writer, const struct event *event)
{
    bool is_rwlock = writer->plan->is_rwlock[event->object];
    bool failed = event->flags & EVENT_FAILED;
    bool try = event->flags & EVENT_TRY && (writer->strict || failed);
    const char *function = lock_function(event, is_rwlock, try);
    const char *lock = name(writer, CLASS_LOCK, event->object);
    if (!try)
        fprintf(writer->out, "%s(&%s)", function, lock);
    else if (writer->strict)
        fprintf(writer->out, "expect(%s(&%s) == %s)", function, lock, failed ? "EBUSY" : "0");
    else
        fprintf(writer->out, "if (%s(&%s) == 0) %s(&%s)", function, lock,
                is_rwlock ? "pthread_rwlock_unlock" : "pthread_mutex_unlock", lock);
}

static void misuse_statement(struct operation_writer *writer, const struct event *event)
{
    bool is_rwlock = writer->plan->is_rwlock[event->object];
    const char *word = event->op == EVENT_DESTROY       ? "destroy"
                       : event->op == EVENT_BAD_RELEASE ? "unlock"
                       : is_rwlock                      ? "wrlock"
                                                        : "lock";
    fprintf(writer->out, "pthread_%s_%s(&%s)", is_rwlock ? "rwlock" : "mutex", word,
            name(writer, CLASS_LOCK, event->object));
}

static void semaphore_statement(struct operation_writer *writer, const struct event *event)
{
    const char *semaphore = name(writer, CLASS_SEMAPHORE, event->object);
    bool failed = event->flags & EVENT_FAILED;
    if (event->op == EVENT_POST)
        fprintf(writer->out, "sem_post(&%s)", semaphore);
    else if (!(event->flags & EVENT_TRY) || (!failed && !writer->strict))
        fprintf(writer->out, "sem_wait(&%s)", semaphore);
    else if (writer->strict)
        fprintf(writer->out, "expect(sem_trywait(&%s) == %s)", semaphore, failed ? "-1" : "0");
    else
        fprintf(writer->out, "if (sem_trywait(&%s) == 0) sem_post(&%s)", semaphore, semaphore);
}

static void thread_statement(struct operation_writer *writer, const struct event *event,
                             uint32_t pos)
{
    const char *thread = name(writer, CLASS_THREAD, event->object);
    if (event->op == EVENT_FORK)
        fprintf(writer->out, "pthread_create(&%s_id, NULL, %s, NULL)", thread, thread);
    else if (writer->plan->history->join_of[event->object] != pos)
        fputs("(void)0 /* joined already */", writer->out);
    else if (writer->strict)
        fprintf(writer->out, "pthread_join((pthread_t)at(&%s_id), NULL)", thread);
    else
        fprintf(writer->out, "pthread_join(%s_id, NULL)", thread);
}

static void heap_statement(struct operation_writer *writer, const struct event *event)
{
    const char *pointer = name(writer, CLASS_VARIABLE, event->object);
    if (event->op == EVENT_ALLOC)
        fprintf(writer->out,
                writer->strict ? "place(&%s, calloc(1, sizeof(long)))"
                               : "%s = calloc(1, sizeof(long))",
                pointer);
    else
        fprintf(writer->out, writer->strict ? "free(place(&%s, NULL))" : "free(%s)", pointer);
}

/* Every thread that gets the signal goes as far as its mutex before anything else
 * happens (conditions.h). */
static void signal_statement(struct operation_writer *writer, const struct event *event,
                             uint32_t pos)
{
    const struct plan *plan = writer->plan;
    fprintf(writer->out, "pthread_cond_%s(&%s)", event->op == EVENT_SIGNAL ? "signal" : "broadcast",
            name(writer, CLASS_CONDITION, event->object));
    for (uint32_t wait = 0; plan->signal_of && wait < pos; wait++)
        if (plan->signal_of[wait] == pos)
            fprintf(writer->out, "; leave(%u, &%s)", wait,
                    name(writer, CLASS_LOCK, plan->history->events[wait].other));
}

void operation_write(struct operation_writer *writer, uint32_t pos)
{
    const struct event *event = &writer->plan->history->events[pos];
    switch (event->op) {
    case EVENT_FORK:
    case EVENT_JOIN:
        thread_statement(writer, event, pos);
        break;
    case EVENT_READ:
        read_statement(writer, event);
        break;
    case EVENT_WRITE:
        write_statement(writer, event, pos);
        break;
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_LOOK:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        atomic_statement(writer, event, pos);
        break;
    case EVENT_FENCE:
        fprintf(writer->out, "__atomic_thread_fence(%s)", order_text(event));
        break;
    case EVENT_ALLOC:
    case EVENT_FREE:
        heap_statement(writer, event);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        signal_statement(writer, event, pos);
        break;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        semaphore_statement(writer, event);
        break;
    case EVENT_ONCE_PASS:
        fprintf(writer->out, "pthread_once(&%s, %s_routine)",
                name(writer, CLASS_ONCE, event->object), name(writer, CLASS_ONCE, event->object));
        break;
    case EVENT_DESTROY:
    case EVENT_BAD_RELEASE:
    case EVENT_BAD_ACQUIRE:
        misuse_statement(writer, event);
        break;
    case EVENT_CONDITION_DESTROY:
        fprintf(writer->out, "pthread_cond_destroy(&%s)",
                name(writer, CLASS_CONDITION, event->object));
        break;
    case EVENT_BARRIER_DESTROY:
        fprintf(writer->out, "pthread_barrier_destroy(&%s)",
                name(writer, CLASS_BARRIER, event->object));
        break;
    case EVENT_SEMAPHORE_DESTROY:
        fprintf(writer->out, "sem_destroy(&%s)", name(writer, CLASS_SEMAPHORE, event->object));
        break;
    case EVENT_BRANCH:
        fputs("BRANCH()", writer->out);
        break;
    case EVENT_START:
    case EVENT_END:
    case EVENT_BAD_WAIT: /* refused, or without end */
    case EVENT_BAD_JOIN:
    case EVENT_DETACH: /* its handle is the generated program's own */
    case EVENT_BAD_CALL:
        fputs("(void)0", writer->out);
        break;
    default:
        lock_statement(writer, event);
    }
}
