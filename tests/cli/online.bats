# record --online: what is found while the program runs, and that it is the truth.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >work.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static long counter, racy, hidden;
static int held;
/* The writes of `hidden` are ordered in this run, not in others. */
static void *run(void *number)
{
    long thread = (long)number;
    if (thread == 0)
        hidden = 1;
    for (long i = 0; i < 500; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    if (thread == 1)
        hidden = 2;
    racy++;
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    while (held && access("go", F_OK))
        usleep(5000);
    return NULL;
}
static void work(long count)
{
    pthread_t *threads = malloc((size_t)count * sizeof *threads);
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}
static void *brief(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    held = !strcmp(how, "held");
    if (!strcmp(how, "exec"))
        return execl(argv[0], argv[0], "end", (char *)0);
    if (!strcmp(how, "fork") && fork() == 0) {
        work(2);
        exit(0);
    }
    for (long i = 0; !strcmp(how, "many") && i < 2500; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, brief, NULL);
        if (i % 2)
            pthread_join(thread, NULL);
        else
            pthread_detach(thread);
    }
    if (strcmp(how, "fork"))
        work(2);
    wait(NULL);
    if (!strcmp(how, "crash"))
        kill(getpid(), SIGKILL);
    puts("end");
    return 5;
}
C
    "$PREPLAY" cc -g work.c -o work -pthread
}

# What --online left is what predict finds, to the last witness.
same_as_predict() {
    "$PREPLAY" predict -e tlh,happened --json predicted.json "$1" >/dev/null || [ $? -eq 66 ]
    diff <(jq -S 'del(.engines[].seconds)' "$2") <(jq -S 'del(.engines[].seconds)' predicted.json)
}

# Waits until the file has the text.
appears() {
    timeout 300 bash -c 'until grep -q "$1" "$0" 2>/dev/null; do sleep 0.05; done' "$1" "$2"
}

@test "online: findings are said while the program runs" {
    timeout 600 "$PREPLAY" record --online ./work held >out 2>said 3>&- &
    recorder=$!
    appears said "on racy"
    [ ! -s out ]
    touch go
    wait $recorder && code=0 || code=$?
    [ "$code" -eq 66 ]
    grep -q end out
    [ "$(grep -c 'on racy' said)" -eq 1 ]
    grep -q 'while the program ran' said
    [[ "$(cat said)" != *"on counter"* ]]
    cp preplay.data/latest/findings.json online.json
    [ "$(jq '.findings | length' online.json)" -ge 1 ]
    same_as_predict preplay.data online.json
}

@test "online: without findings the program's exit code is its own" {
    cat >none.c <<'C'
#include <stdatomic.h>
#include <pthread.h>
#include <sched.h>
enum { ROUNDS = 3000 };
static _Atomic long turn;
static long data[8];
static void *run(void *number)
{
    for (long i = (long)number; i < ROUNDS; i += 2) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != i)
            sched_yield();
        data[i % 8] += data[(i + 1) % 8] + 1;
        atomic_store_explicit(&turn, i + 1, memory_order_release);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (long i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 9;
}
C
    "$PREPLAY" cc -g none.c -o none -pthread
    run "$PREPLAY" record --online -e hb,tlh ./none
    [ "$status" -eq 9 ]
    [ "$output" = "preplay: 0 findings, 0 of them while the program ran" ]
}

@test "online: a program that is killed" {
    run bash -c '"$PREPLAY" record --online ./work crash; exit $?'
    [ "$status" -eq 66 ]
    cp preplay.data/latest/findings.json online.json
    same_as_predict preplay.data online.json
    jq -e '.signal == 9' preplay.data/latest/manifest.json
}

@test "online: children and programs that take another's place" {
    run "$PREPLAY" record --online -d forked ./work fork
    [ "$status" -eq 66 ]
    [[ "$output" == *"on racy"* ]]
    cp forked/process-1/findings.json online.json
    same_as_predict forked/process-1 online.json
    run "$PREPLAY" record --online -d replaced ./work exec
    [ "$status" -eq 66 ]
    cp replaced/findings.json online.json
    same_as_predict replaced online.json
}

@test "online: thousands of threads" {
    run "$PREPLAY" record --online ./work many
    [ "$status" -eq 66 ]
    cp preplay.data/latest/findings.json online.json
    [ "$(jq .trace.threads online.json)" -gt 2500 ]
    same_as_predict preplay.data online.json
}

# Its threads have one lock each before they want the other's.
@test "online: a deadlock that happens is a finding, and not only a hang" {
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/hangs/two_locks.c" -o two_locks
    timeout 600 "$PREPLAY" record --online -d races -e hb ./two_locks >races.txt 2>&1 3>&- &
    recorder=$!
    run -66 timeout 600 "$PREPLAY" record --online ./two_locks
    [[ "$output" == *"the program hung: 3 threads were waiting; stopped after "*": deadlock d-"*", observed by happened"* ]]
    [[ "$output" == *"thread T0.1  acquire  at "*"two_locks.c:8:5"*"thread T0.2  acquire  at "*"two_locks.c:15:5"* ]]
    [[ "$output" == *"each waits for another one of them; 1 more thread is blocked for good."*"preplay: 1 finding, 0 of them "* ]]
    cp preplay.data/latest/findings.json online.json
    same_as_predict preplay.data online.json
    # It is what predict finds, by another engine.
    "$PREPLAY" predict --json auto.json preplay.data || [ $? -eq 66 ]
    diff <(jq '.findings[] | del(.engine)' online.json) <(jq '.findings[] | del(.engine)' auto.json)
    jq -e '.findings | length == 1 and .[0].kind == "deadlock" and .[0].verdict == "observed" and .[0].witness' online.json
    "$PREPLAY" check preplay.data online.json
    # Engines that are asked for by name are all there are.
    wait $recorder && code=0 || code=$?
    [ "$code" -eq 124 ]
    grep -q "^preplay: 0 findings" races.txt
}

@test "online: a deadlock after more than a million accesses" {
    cat >long.c <<'C'
#include "hang.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static long cells[1200000];
static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    meet(2);
    pthread_mutex_lock(&b);
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    for (int i = 0; i < 1200000; i++)
        cells[i] = i;
    meet(2);
    pthread_mutex_lock(&a);
    return unused;
}
int main(void)
{
    for (int i = 0; i < 1200000; i++)
        cells[i] = 1;
    pthread_t first = start(one), second = start(two);
    finish(first);
    finish(second);
}
C
    "$PREPLAY" cc -g -pthread -I"$BATS_TEST_DIRNAME/../programs/hangs" long.c -o long
    run -66 timeout 600 "$PREPLAY" record --online ./long
    [[ "$output" == *": deadlock d-"*", observed by happened"* ]]
    cp preplay.data/latest/findings.json online.json
    # To the positions the same as with all that prediction keeps of the trace in memory.
    "$PREPLAY" predict -e deadlock --json whole.json preplay.data || [ $? -eq 66 ]
    diff <(jq '.findings[] | del(.engine)' online.json) <(jq '.findings[] | del(.engine)' whole.json)
}

@test "online: wrong engines and models are refused before anything runs" {
    run "$PREPLAY" record --online -e nonsense ./work
    [ "$status" -eq 2 ]
    [ ! -e preplay.data ]
    run "$PREPLAY" record --online -m nonsense ./work
    [ "$status" -eq 2 ]
}
