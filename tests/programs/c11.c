// C11's threads: conditions, thread-specific data, and all ways to wait for a lock.
// expect: wait(changed,lock)
// expect: woken(changed,lock)
// expect: notify(changed)
// expect: notifyall(changed)
// expect: tryacq!(lock)
// expect: w(ended)
// hb: none
#include <threads.h>
#include <time.h>

mtx_t lock;
cnd_t changed;
tss_t key;
int state, ended;

static void at_end(void *value)
{
    mtx_lock(&lock);
    ended += *(int *)value;
    mtx_unlock(&lock);
}

static int run(void *value)
{
    tss_set(key, value);
    mtx_lock(&lock);
    state = 1;
    cnd_signal(&changed);
    while (state != 2)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_exit(3);
}

int main(void)
{
    thrd_t thread;
    int one = 1, result;
    struct timespec past = {1, 0};
    mtx_init(&lock, mtx_timed);
    cnd_init(&changed);
    tss_create(&key, at_end);
    mtx_lock(&lock);
    if (cnd_timedwait(&changed, &lock, &past) != thrd_timedout)
        return 1;
    thrd_create(&thread, run, &one);
    if (mtx_trylock(&lock) != thrd_busy || mtx_timedlock(&lock, &past) != thrd_timedout)
        return 2;
    while (state != 1)
        cnd_wait(&changed, &lock);
    state = 2;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    thrd_join(thread, &result);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return result == 3 && ended == 1 ? 0 : 3;
}
