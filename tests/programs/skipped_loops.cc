// Which reads decide about a wait, where nobody waits in the run: known by the code alone.
// count 5: oncepass(plain:signal
// count 1: oncepass(lambda:signal
// count 1: oncepass(helper:signal
// count 1: oncepass(wrapped:signal
// count 1: oncepass(once:signal
// count 1: oncepass(either:signal
// count 1: oncepass(logged:signal
// count 1: oncepass(timed:signal
// count 1: oncepass(first_of_two:signal
// never: oncepass(looked:signal
// never: oncepass(beside:signal
// never: oncepass(behind:signal
// never: oncepass(elsewhere:signal
// never: oncepass(own_section:signal
// hb: none
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, log_mutex = PTHREAD_MUTEX_INITIALIZER;
std::mutex cpp_mutex;
#define CONDITION(name)                                                                            \
    pthread_cond_t name = PTHREAD_COND_INITIALIZER;                                                \
    int name##_flag
CONDITION(plain);
CONDITION(helper);
CONDITION(wrapped);
CONDITION(once);
CONDITION(either);
CONDITION(logged);
CONDITION(timed);
CONDITION(first_of_two);
CONDITION(second_of_two);
CONDITION(looked);
CONDITION(beside);
CONDITION(behind);
CONDITION(elsewhere);
CONDITION(own_section);
std::condition_variable lambda;
bool lambda_flag;
int never_set, lines;

#define NOINLINE __attribute__((noinline))

#define SIGNAL(name)                                                                               \
    pthread_mutex_lock(&mutex);                                                                    \
    name##_flag = 1;                                                                               \
    pthread_cond_signal(&name);                                                                    \
    pthread_mutex_unlock(&mutex)

static void *signaller(void *unused)
{
    SIGNAL(plain);
    SIGNAL(helper);
    SIGNAL(wrapped);
    SIGNAL(once);
    SIGNAL(either);
    SIGNAL(logged);
    SIGNAL(timed);
    SIGNAL(first_of_two);
    SIGNAL(second_of_two);
    SIGNAL(looked);
    SIGNAL(beside);
    SIGNAL(behind);
    SIGNAL(elsewhere);
    SIGNAL(own_section);
    std::lock_guard<std::mutex> guard(cpp_mutex);
    lambda_flag = true;
    lambda.notify_one();
    return unused;
}

/* --- checks of a wait --------------------------------------------------------- */

NOINLINE static void wait_plainly()
{
    pthread_mutex_lock(&mutex);
    while (!plain_flag)
        pthread_cond_wait(&plain, &mutex);
    pthread_mutex_unlock(&mutex);
}

NOINLINE static void wait_with_lambda()
{
    std::unique_lock<std::mutex> lock(cpp_mutex);
    lambda.wait(lock, [] { return lambda_flag; });
}

NOINLINE static bool is_ready(int *flag)
{
    return *flag != 0;
}

NOINLINE static void wait_with_helper()
{
    pthread_mutex_lock(&mutex);
    while (!is_ready(&helper_flag))
        pthread_cond_wait(&helper, &mutex);
    pthread_mutex_unlock(&mutex);
}

NOINLINE static void my_wait(pthread_cond_t *condition)
{
    pthread_cond_wait(condition, &mutex);
    lines++;
}

NOINLINE static void wait_in_wrapper()
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        int ready = wrapped_flag;
        if (ready)
            break;
        my_wait(&wrapped);
    }
    pthread_mutex_unlock(&mutex);
}

NOINLINE static void wait_once()
{
    pthread_mutex_lock(&mutex);
    if (!once_flag)
        pthread_cond_wait(&once, &mutex);
    pthread_mutex_unlock(&mutex);
}

NOINLINE static void wait_for_either()
{
    pthread_mutex_lock(&mutex);
    while (!either_flag || never_set)
        pthread_cond_wait(&either, &mutex);
    pthread_mutex_unlock(&mutex);
}

NOINLINE static void say_so()
{
    pthread_mutex_lock(&log_mutex);
    lines++;
    pthread_mutex_unlock(&log_mutex);
}

NOINLINE static void wait_and_log()
{
    pthread_mutex_lock(&mutex);
    while (!logged_flag) {
        say_so();
        pthread_mutex_lock(&log_mutex);
        lines++;
        pthread_mutex_unlock(&log_mutex);
        pthread_cond_wait(&logged, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

NOINLINE static int wait_some_time()
{
    struct timespec when = {};
    int result = 0;
    pthread_mutex_lock(&mutex);
    while (!timed_flag && !result)
        result = pthread_cond_timedwait(&timed, &mutex, &when);
    pthread_mutex_unlock(&mutex);
    return result;
}

NOINLINE static void wait_for_both()
{
    pthread_mutex_lock(&mutex);
    while (!first_of_two_flag)
        pthread_cond_wait(&first_of_two, &mutex);
    while (!second_of_two_flag)
        pthread_cond_wait(&second_of_two, &mutex);
    pthread_mutex_unlock(&mutex);
}

/* --- reads that decide about nothing --------------------------------------------- */

NOINLINE static int look()
{
    pthread_mutex_lock(&mutex);
    int seen = looked_flag;
    pthread_mutex_unlock(&mutex);
    return seen;
}

/* A wait follows in the same section, whatever was read. */
NOINLINE static int look_beside()
{
    pthread_mutex_lock(&mutex);
    int seen = beside_flag;
    while (!plain_flag)
        pthread_cond_wait(&plain, &mutex);
    pthread_mutex_unlock(&mutex);
    return seen;
}

/* The loop is done by then. */
NOINLINE static int look_behind()
{
    pthread_mutex_lock(&mutex);
    while (!plain_flag)
        pthread_cond_wait(&plain, &mutex);
    int seen = behind_flag;
    pthread_mutex_unlock(&mutex);
    return seen;
}

/* Once a round, in another section than the wait. */
NOINLINE static int look_elsewhere()
{
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        if (elsewhere_flag)
            seen++;
        pthread_mutex_unlock(&mutex);
        wait_plainly();
    }
    return seen;
}

NOINLINE static int look_in_own_section()
{
    pthread_mutex_lock(&mutex);
    int seen = own_section_flag;
    pthread_mutex_unlock(&mutex);
    return seen;
}

/* The caller waits, but with the mutex that the read was made under long given back. */
NOINLINE static void wait_for_own_section()
{
    while (!look_in_own_section()) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&own_section, &mutex);
        pthread_mutex_unlock(&mutex);
    }
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, signaller, nullptr);
    /* It ends before anybody looks; the order is the kernel's, which the recorder does not know. */
    struct timespec moment = {0, 300000000};
    nanosleep(&moment, nullptr);
    wait_plainly();
    wait_with_lambda();
    wait_with_helper();
    wait_in_wrapper();
    wait_once();
    wait_for_either();
    wait_and_log();
    int result = wait_some_time();
    wait_for_both();
    result += look() + look_beside() + look_behind() + look_elsewhere();
    wait_for_own_section();
    pthread_join(thread, nullptr);
    return result == 5 ? 0 : 1;
}
