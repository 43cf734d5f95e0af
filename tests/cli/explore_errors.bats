# preplay explore: races, deadlocks and atomicity violations of runs that did not fail, and what can
# be done with a finding afterwards.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Only a run that reads what the other thread wrote comes to the second access.
path_program() {
    cat >path.c <<'END_OF_PROGRAM'
#include <pthread.h>
#include <unistd.h>
#ifdef RIGHT
static _Atomic int other;
#else
static int other;
#endif
static int flag, copy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    usleep(100000); /* a recording sees the other path */
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    other++;
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    int seen = flag;
    pthread_mutex_unlock(&lock);
    if (seen)
        copy = other;
    pthread_join(thread, NULL);
    return copy > 5;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g path.c -o path
    "$PREPLAY" cc -g -DRIGHT path.c -o path-right
}

# Who waits for the other one's lock is nobody's: the program ends all the same.
cross_program() {
    cat >cross.c <<'END_OF_PROGRAM'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#ifdef RIGHT
#define FIRST  &b
#define SECOND &a
#else
#define FIRST  &a
#define SECOND &b
#endif
static void *work(void *argument)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}
static void *other(void *argument)
{
    pthread_mutex_lock(FIRST);
    pthread_mutex_lock(SECOND);
    pthread_mutex_unlock(SECOND);
    pthread_mutex_unlock(FIRST);
    return argument;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    return 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g cross.c -o cross
    "$PREPLAY" cc -g -DRIGHT cross.c -o cross-right
}

# What the other thread writes between the two sections is lost.
halves_program() {
    cat >halves.c <<'END_OF_PROGRAM'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;
static void *withdraw(void *argument)
{
    pthread_mutex_lock(&lock);
    int seen = balance;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = seen - 3;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(thread, NULL);
    return 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g halves.c -o halves
    "$PREPLAY" cc -g -DRIGHT halves.c -o halves-right
}

# finds PROGRAM KIND WORDS: one finding, in every report, again by replay; none in the right twin
finds() {
    run "$PREPLAY" explore -d "$1.data" --json "$1.json" --sarif "$1.sarif" --html "$1.html" "./$1"
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *"none fails, 1 $3"* ]]
    jq -e --arg kind "$2" '.findings | length == 1 and .[0].kind == $kind and .[0].run == 2' "$1.json"
    jq -e '.exploration | .complete and .to_first_failure == null' "$1.json"
    id=$(jq -r '.findings[0].id' "$1.json")
    jq -e --arg id "$id" '.runs[0].results | length == 1 and (tostring | contains($id))' "$1.sarif"
    grep -q "$id" "$1.html"
    run "$PREPLAY" replay "$1.data" "$id"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == "$id confirmed"* ]]
    run "$PREPLAY" replay "$1.data"
    [ "$status" -eq 0 ]
    run "$PREPLAY" report --json -o again.json "$1.data"
    [ "$status" -eq 66 ]
    diff <(jq .findings "$1.json") <(jq .findings again.json)
    run "$PREPLAY" explore --baseline "$1.json" "./$1"
    [ "$status" -eq 0 ]
    run "$PREPLAY" explore "./$1-right"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"preplay: complete"*"none fails"$'\n'* ]]
}

@test "explore: a race that only another run comes to is told, and replayed" {
    path_program
    finds path race "race"
}

@test "explore: a deadlock that the program does not wait for is told, and replayed" {
    cross_program
    finds cross deadlock "deadlock"
}

@test "explore: a block that another thread breaks is told, and replayed" {
    halves_program
    finds halves atomicity "atomicity violation"
    jq -e '.findings[0].block == "withdraw"' halves.json
}

@test "explore: what several runs show is told once, beside what fails" {
    cat >both.c <<'END_OF_PROGRAM'
#include <assert.h>
#include <pthread.h>
static int x;
static void *set(void *argument)
{
    x = 1;
    x = 2;
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    int seen = x;
    assert(seen != 1);
    pthread_join(thread, NULL);
    return 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g both.c -o both
    run "$PREPLAY" explore --json both.json ./both
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *", 1 failure, 2 races"* ]]
    [ "$(jq -r '.findings[].id' both.json | sort | uniq -d)" = "" ]
    [ "$(jq '[.findings[] | select(.kind == "race")] | length' both.json)" -eq 2 ]
    run "$PREPLAY" replay preplay.data
    [ "$status" -eq 0 ]
    [ "$(grep -c '^[fr]-[0-9a-f]* confirmed$' <<<"$output")" -eq 3 ]
}

@test "explore: gdb stands where a run failed, and right before a race" {
    path_program
    "$PREPLAY" cc -g "$BATS_TEST_DIRNAME/../programs/explore/account.c" -o account
    "$PREPLAY" explore -d account.data ./account || [ $? -eq 66 ]
    PREPLAY_GDB="-batch -ex preplay" run timeout 300 "$PREPLAY" replay --gdb account.data </dev/null
    echo "$output"
    [[ "$output" == *"SIGABRT"*"the program stands at the error"*"The schedule so far:"*"acq(lock)"* ]]
    [[ "$output" == *"in withdraw (argument="*"account.c:19"* ]]
    "$PREPLAY" explore -d path.data --json path.json ./path || [ $? -eq 66 ]
    id=$(jq -r '.findings[0].id' path.json)
    PREPLAY_GDB="-batch -ex preplay" run timeout 300 "$PREPLAY" replay --gdb path.data "$id" </dev/null
    echo "$output"
    [[ "$output" == *"SIGTRAP"*"Now about to happen:"*"(other)"*"path.c:"* ]]
    [[ "$output" == *"in work (argument="*"path.c:16"* && "$output" == *"in main () at path.c:27"* ]]
    run "$PREPLAY" replay --gdb path.data r-0123456789
    [ "$status" -eq 2 ]
}

@test "explore: gdb stands at a deadlock, and the program reads its input" {
    cat >waits.c <<'END_OF_PROGRAM'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}
int main(void)
{
    pthread_t thread;
    if (getchar() != 'x')
        return 0;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g waits.c -o waits
    echo x | "$PREPLAY" explore -d waits.data ./waits || [ $? -eq 66 ]
    PREPLAY_GDB="-batch -ex preplay" run timeout 300 "$PREPLAY" replay --gdb waits.data </dev/null
    echo "$output"
    [[ "$output" == *"SIGTRAP"*"the program stands at the error"*"Now about to happen:"*"acq("* ]]
    [[ "$output" == *"in work (argument="*"waits.c:7"* && "$output" == *"in main () at waits.c:19"* ]]
}

@test "run: --explore goes on where the recording ends, and tells each error once" {
    path_program
    run "$PREPLAY" run --explore 60 -d path.data --json path.json --html path.html ./path
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *"preplay: complete: all behaviours of this program on this input were covered by "* ]]
    [[ "$output" != *" processes, "* ]] # a run that was explored is none
    jq -e '[.findings[] | select(.kind == "race")] | length == 1' path.json
    jq -e '.exploration.complete and .run and (.findings | map(.id) | unique | length) == (.findings | length)' path.json
    id=$(jq -r '.findings[] | select(.kind == "race").id' path.json)
    grep -q "$id" path.html
    [[ "$output" == *"replay path.data-explored $id"* ]]
    run "$PREPLAY" replay path.data-explored "$id"
    [ "$status" -eq 0 ]
    # Again into the same directories; and what needs no exploration says nothing.
    run "$PREPLAY" run --explore 60 -d path.data ./path-right
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"none fails"* ]]
    run "$PREPLAY" run --max-replays 0 -d path.data ./path-right
    [[ "$output" != *"none fails"* ]]
}

@test "run: --explore gives each run the input of the recorded one" {
    cat >reads.c <<'END_OF_PROGRAM'
#include <pthread.h>
#include <stdio.h>
static _Atomic int x;
static void *set(void *argument) { x = 1; return argument; }
int main(void)
{
    pthread_t thread;
    if (getchar() != 'y')
        return 3;
    pthread_create(&thread, NULL, set, NULL);
    int seen = x;
    pthread_join(thread, NULL);
    return seen ? 5 : 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g reads.c -o reads
    run bash -c 'echo y | "$PREPLAY" run --explore 60 --json reads.json ./reads'
    echo "$output"
    [ "$status" -eq 66 ]
    jq -e '[.findings[] | select(.rule == "exit-code")] | length == 1' reads.json
}

@test "explore: a thread that waits for another one's signal waits as for a semaphore" {
    cat >handler.c <<'END_OF_PROGRAM'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static _Atomic int done;
static sigset_t set;
static void *wait_for_it(void *argument)
{
    int number = 0;
    sigwait(&set, &number);
    assert(number == SIGUSR1 && done != BAD);
    return argument;
}
int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    done = 1;
    pthread_kill(thread, SIGUSR1);
    done = 2;
    pthread_join(thread, NULL);
    return 0;
}
END_OF_PROGRAM
    "$PREPLAY" cc -g -DBAD=1 handler.c -o handler
    "$PREPLAY" cc -g -DBAD=0 handler.c -o handler-right
    run "$PREPLAY" explore ./handler
    echo "$output"
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 failure"* && "$output" != *"stood still"* ]]
    run "$PREPLAY" replay preplay.data
    [ "$status" -eq 0 ]
    # Whether one comes from outside is not known.
    run "$PREPLAY" explore ./handler-right
    echo "$output"
    [ "$status" -eq 67 ]
    [[ "$output" == *"none fails"*"signals come when they like"* && "$output" != *"stood still"* ]]
}
