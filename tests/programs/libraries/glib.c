// GLib: locks and conditions that are futexes, queues, pools, loops.
// package: glib-2.0
// case mutexes: race value
// case tries: race value
// case lock_order: deadlock .*
// case conditions: race value
// case timed_conditions: race value
// case other_locks: race value
// case once: race value
// case once_init: race value
// case bits: race value
// case queues: race value
// case pools: race value
// case pool_end: race value
// case loops: race value
// case counts: race value|0x
#include "zoo.h"

#include <glib.h>

static GMutex mutex, second_mutex;
static GCond condition;
static int value, ready;

static void by_two(GThreadFunc first, GThreadFunc second, void *data)
{
    GThread *threads[] = {g_thread_new("first", first, data), g_thread_new("second", second, data)};
    g_thread_join(threads[0]);
    g_thread_join(threads[1]);
}

static void *count(void *unused)
{
    for (int i = 0; i < 20; i++) {
        if (!wrong)
            g_mutex_lock(&mutex);
        value++;
        if (!wrong)
            g_mutex_unlock(&mutex);
    }
    return unused;
}

static void mutexes(void)
{
    by_two(count, count, NULL);
    ZOO_SEES(value == 40);
}

static void *count_if_free(void *unused)
{
    for (int i = 0; i < 20; i++)
        if (wrong || g_mutex_trylock(&mutex)) {
            value++;
            if (!wrong)
                g_mutex_unlock(&mutex);
        }
    return unused;
}

static void tries(void)
{
    by_two(count_if_free, count_if_free, NULL);
}

static void *lock_both(void *unused)
{
    g_mutex_lock(&mutex);
    g_mutex_lock(&second_mutex);
    value++;
    g_mutex_unlock(&second_mutex);
    g_mutex_unlock(&mutex);
    return unused;
}

static void *lock_both_later(void *unused)
{
    zoo_later();
    g_mutex_lock(wrong ? &second_mutex : &mutex);
    g_mutex_lock(wrong ? &mutex : &second_mutex);
    value++;
    g_mutex_unlock(&mutex);
    g_mutex_unlock(&second_mutex);
    return unused;
}

static void lock_order(void)
{
    by_two(lock_both, lock_both_later, NULL);
}

static void *wait_for_it(void *unused)
{
    g_mutex_lock(&mutex);
    while (!ready)
        g_cond_wait(&condition, &mutex);
    g_mutex_unlock(&mutex);
    ZOO_SEES(value == 5);
    return unused;
}

static void *wait_a_while(void *unused)
{
    gint64 until = g_get_monotonic_time() + 60 * G_TIME_SPAN_SECOND;
    g_mutex_lock(&mutex);
    while (!ready && g_cond_wait_until(&condition, &mutex, until))
        ;
    g_mutex_unlock(&mutex);
    ZOO_SEES(value == 5);
    return unused;
}

static void *signal_it(void *unused)
{
    value = 5;
    g_mutex_lock(&mutex);
    ready = 1;
    g_cond_broadcast(&condition);
    g_mutex_unlock(&mutex);
    if (wrong)
        value = 6;
    return unused;
}

static void conditions(void)
{
    by_two(wait_for_it, signal_it, NULL);
}

static void timed_conditions(void)
{
    by_two(wait_a_while, signal_it, NULL);
}

static GRWLock shared_lock;
static GRecMutex recursive;

static void *use_others(void *unused)
{
    for (int i = 0; i < 10; i++) {
        g_rec_mutex_lock(&recursive);
        g_rec_mutex_lock(&recursive);
        g_rw_lock_reader_lock(&shared_lock);
        ZOO_SEES(value >= 0);
        g_rw_lock_reader_unlock(&shared_lock);
        if (!wrong)
            g_rw_lock_writer_lock(&shared_lock);
        g_rec_mutex_unlock(&recursive);
        g_rec_mutex_unlock(&recursive);
        value++;
        if (!wrong)
            g_rw_lock_writer_unlock(&shared_lock);
    }
    return unused;
}

static void other_locks(void)
{
    by_two(use_others, use_others, NULL);
}

static void *make(void *unused)
{
    value = 5;
    return unused ? unused : &value;
}

static void *use_once(void *unused)
{
    static GOnce once = G_ONCE_INIT;
    if (wrong)
        make(NULL);
    int *made = g_once(&once, make, NULL);
    ZOO_SEES(*made == 5);
    return unused;
}

static void *use_once_later(void *unused)
{
    zoo_later();
    return use_once(unused);
}

static void once(void)
{
    by_two(use_once, use_once_later, NULL);
}

static void *init_once(void *unused)
{
    static gsize initialised;
    if (g_once_init_enter(&initialised)) {
        value = 7;
        g_once_init_leave(&initialised, 1);
        if (wrong)
            value = 8;
    }
    ZOO_SEES(value == 7);
    return unused;
}

static void *init_once_later(void *unused)
{
    zoo_later();
    return init_once(unused);
}

static void once_init(void)
{
    by_two(init_once, init_once_later, NULL);
}

static int lock_word;

static void *count_by_bit(void *bit)
{
    for (int i = 0; i < 20; i++) {
        g_bit_lock(&lock_word, GPOINTER_TO_INT(bit));
        value++;
        g_bit_unlock(&lock_word, GPOINTER_TO_INT(bit));
    }
    return NULL;
}

static void bits(void)
{
    GThread *first = g_thread_new("first", count_by_bit, GINT_TO_POINTER(0)),
            *second = g_thread_new("second", count_by_bit, GINT_TO_POINTER(wrong));
    g_thread_join(first);
    g_thread_join(second);
}

static void *produce(void *queue)
{
    for (int i = 1; i <= 20; i++) {
        int *item = g_new(int, 1);
        *item = i;
        value = i;
        g_async_queue_push(queue, item);
        if (wrong)
            value++;
    }
    return NULL;
}

static void *consume(void *queue)
{
    for (int i = 1; i <= 20; i++) {
        int *item = g_async_queue_pop(queue);
        ZOO_SEES(*item == i);
        g_free(item);
    }
    if (wrong)
        value = 0;
    return NULL;
}

static void queues(void)
{
    GAsyncQueue *queue = g_async_queue_new();
    by_two(produce, consume, queue);
    g_async_queue_unref(queue);
}

static void work(void *item, void *data)
{
    ZOO_SEES(*(int *)item == 3 && data == &mutex);
    if (!wrong)
        g_mutex_lock(&mutex);
    value++;
    if (!wrong)
        g_mutex_unlock(&mutex);
}

static void pools(void)
{
    static int items[20];
    GThreadPool *pool = g_thread_pool_new(work, &mutex, 3, FALSE, NULL);
    for (int i = 0; i < 20; i++) {
        items[i] = 3;
        g_thread_pool_push(pool, &items[i], NULL);
        if (wrong)
            value++;
    }
    g_thread_pool_free(pool, FALSE, TRUE);
    ZOO_SEES(value == 20);
}

static void set(void *item, void *data)
{
    zoo_later();
    *(int *)item = 9;
    (void)data;
}

static void pool_end(void)
{
    GThreadPool *pool = g_thread_pool_new(set, NULL, 1, TRUE, NULL);
    g_thread_pool_push(pool, &value, NULL);
    if (wrong)
        value = 8;
    g_thread_pool_free(pool, FALSE, TRUE);
    ZOO_SEES(value == 9);
}

static gboolean look_and_quit(void *loop)
{
    ZOO_SEES(value == 4);
    g_main_loop_quit(loop);
    return FALSE;
}

static void *give(void *loop)
{
    zoo_later();
    if (!wrong)
        value = 4;
    g_idle_add(look_and_quit, loop);
    if (wrong)
        value = 4;
    return NULL;
}

static void loops(void)
{
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GThread *thread = g_thread_new("giver", give, loop);
    g_main_loop_run(loop);
    g_thread_join(thread);
    g_main_loop_unref(loop);
}

struct counted {
    gatomicrefcount owners;
    int looks[2];
};

static void *let_go_of(struct counted *object, int i)
{
    object->looks[i]++;
    if (wrong)
        value++;
    if (g_atomic_ref_count_dec(&object->owners)) {
        ZOO_SEES(object->looks[0] + object->looks[1] == 2);
        g_free(object);
    }
    return NULL;
}

static void *first_lets_go(void *object)
{
    return let_go_of(object, 0);
}

static void *second_lets_go(void *object)
{
    return let_go_of(object, 1);
}

static void counts(void)
{
    struct counted *object = g_new0(struct counted, 1);
    g_atomic_ref_count_init(&object->owners);
    g_atomic_ref_count_inc(&object->owners);
    by_two(first_lets_go, second_lets_go, object);
}

ZOO_MAIN({"mutexes", mutexes}, {"tries", tries}, {"lock_order", lock_order},
         {"conditions", conditions}, {"timed_conditions", timed_conditions},
         {"other_locks", other_locks}, {"once", once}, {"once_init", once_init}, {"bits", bits},
         {"queues", queues}, {"pools", pools}, {"pool_end", pool_end}, {"loops", loops},
         {"counts", counts})
