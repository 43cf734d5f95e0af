# Libraries that are not instrumented and wait for conditions themselves.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# build LIBRARY PROGRAM : the first plainly, the second for preplay
build() {
    cc -g -O1 -shared -fPIC "$1" -o libgate.so -pthread
    "$PREPLAY" cc -g -O1 -include "$BATS_TEST_DIRNAME/../programs/patience.h" "$2" -o program -pthread -L. -lgate -Wl,-rpath,"$PWD"
    "$PREPLAY" record -d trace ./program
}

lost() { # the number of lost wake-ups that are predicted
    "$PREPLAY" predict --all --json - trace | jq '[.findings[] | select(.kind == "deadlock")] | length'
}

@test "a wait of a library's own, whose predicate is not seen, is not taken for a lost wake-up" {
    cat >gate.c <<'END'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_open;
void gate_open(void)
{
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}
void gate_pass(void)
{
    pthread_mutex_lock(&mutex);
    while (!is_open)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}
END
    cat >program.c <<'END'
#include <pthread.h>
#include <unistd.h>
void gate_open(void);
void gate_pass(void);
int data;
static void *give(void *unused)
{
    usleep(200000);
    data = 42;
    gate_open();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, give, NULL);
    gate_pass();
    int seen = data;
    pthread_join(thread, NULL);
    return seen != 42;
}
END
    build gate.c program.c
    "$PREPLAY" dump trace | grep -q 'woken('
    [ "$(lost)" -eq 0 ]
}

@test "where the library only wraps the wait, and the program looks, a lost wake-up is found" {
    cat >wrap.c <<'END'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
void gate_lock(void) { pthread_mutex_lock(&mutex); }
void gate_unlock(void) { pthread_mutex_unlock(&mutex); }
void gate_wait(void) { pthread_cond_wait(&condition, &mutex); }
void gate_signal(void) { pthread_cond_signal(&condition); }
END
    cat >program.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
void gate_lock(void);
void gate_unlock(void);
void gate_wait(void);
void gate_signal(void);
atomic_int flag;
static void *give(void *unused)
{
    usleep(200000);
    atomic_store(&flag, 1); /* without the mutex: between the look and the wait */
    gate_signal();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, give, NULL);
    gate_lock();
    while (!atomic_load(&flag))
        gate_wait();
    gate_unlock();
    return pthread_join(thread, NULL);
}
END
    build wrap.c program.c
    [ "$(lost)" -eq 1 ]
}
