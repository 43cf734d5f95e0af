// libuv: a loop, a pool of threads, and its wrappers of the C library's locks.
// package: libuv
// case work: race value
// case wake_ups: race value
// case locks: race value
// case barriers: race value
#include "zoo.h"

#include <uv.h>

static int value, results[8];
static uv_mutex_t mutex;
static uv_barrier_t barrier;

static void work(uv_work_t *request)
{
    int *result = request->data;
    ZOO_SEES(*result == 1);
    *result = 2;
    if (wrong)
        value++;
}

static void after_work(uv_work_t *request, int status)
{
    int *result = request->data;
    ZOO_SEES(status == 0 && *result == 2);
    *result = 3;
    if (wrong)
        value++;
}

static void work_case(void)
{
    static uv_work_t requests[8];
    for (int i = 0; i < 8; i++) {
        results[i] = 1;
        requests[i].data = &results[i];
        uv_queue_work(uv_default_loop(), &requests[i], work, after_work);
    }
    if (wrong)
        value++;
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    ZOO_SEES(results[7] == 3);
}

static uv_async_t wake_up;

static void woken(uv_async_t *handle)
{
    ZOO_SEES(value == 4);
    uv_close((uv_handle_t *)handle, NULL);
}

static void wake(void *unused)
{
    (void)unused;
    zoo_later();
    if (!wrong)
        value = 4;
    uv_async_send(&wake_up);
    if (wrong)
        value = 4;
}

static void wake_ups(void)
{
    uv_thread_t thread;
    uv_async_init(uv_default_loop(), &wake_up, woken);
    uv_thread_create(&thread, wake, NULL);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    uv_thread_join(&thread);
}

static void count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++) {
        if (!wrong)
            uv_mutex_lock(&mutex);
        value++;
        if (!wrong)
            uv_mutex_unlock(&mutex);
    }
}

static void meet(void *first)
{
    if (first)
        value = 5;
    if (!wrong)
        uv_barrier_wait(&barrier);
    ZOO_SEES(value == 5);
}

static void by_two(uv_thread_cb run)
{
    uv_thread_t threads[2];
    uv_thread_create(&threads[0], run, NULL);
    uv_thread_create(&threads[1], run, &value);
    uv_thread_join(&threads[0]);
    uv_thread_join(&threads[1]);
}

static void locks(void)
{
    uv_mutex_init(&mutex);
    by_two(count);
}

static void barriers(void)
{
    uv_barrier_init(&barrier, 2);
    by_two(meet);
}

ZOO_MAIN({"work", work_case}, {"wake_ups", wake_ups}, {"locks", locks}, {"barriers", barriers})
