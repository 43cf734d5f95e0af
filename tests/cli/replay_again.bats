# replay: the program gets what it got when it was recorded, and every way to leave a
# schedule has its own words.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    mkdir here
    cat >needs.c <<'C'
#include "steps.h"
#include <stdio.h>
MUTEX(m);
int x;
THREAD(a) { x = 1; PASS(m); END; }
THREAD(b) { SLEEP(4); PASS(m); x = 2; END; }
int main(int count, char **words)
{
    char here[4096], line[64];
    int stack;
    printf("%p %p %p\n", (void *)&stack, malloc(8), (void *)&x);
    FILE *left = fopen("left", "r");
    if (left)
        printf("somebody was here\n");
    fclose(fopen("left", "w"));
    if (count == 3 && !strcmp(words[1], "two words") && !strcmp(words[2], "*") &&
        getenv("MOOD") && !strcmp(getenv("MOOD"), "blue sky") && getcwd(here, sizeof here) &&
        fgets(line, sizeof line, stdin) && !strcmp(line, "go\n") &&
        (strstr(here, "/here") || getenv("ANYWHERE")))
        RUN(a, b);
    return 0;
}
C
    "$PREPLAY" cc -g -O1 -I"$BATS_TEST_DIRNAME/../programs/truth" needs.c -o needs -pthread
    cd here
    echo go | MOOD="blue sky" "$PREPLAY" record -d ../needs.data ../needs "two words" "*"
    echo go | ANYWHERE=1 MOOD="blue sky" "$PREPLAY" record -d ../any.data ../needs "two words" "*"
    cd ..
    "$PREPLAY" predict needs.data || [ $? -eq 66 ]
    "$PREPLAY" predict any.data || [ $? -eq 66 ]
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

# A program that leaves its schedule in replays only: before b's section it does $2.
leaves() { # NAME STATEMENT
    cat >"$1.c" <<C
#define _GNU_SOURCE
#include "steps.h"
#include <dlfcn.h>
MUTEX(m);
MUTEX(n);
int x;
#define AGAIN (getenv("PREPLAY_REPLAY") != NULL)
THREAD(a) { x = 1; PASS(m); END; }
THREAD(b) { SLEEP(4); if (AGAIN) { $2 } PASS(m); x = 2; END; }
int main(void) { RUN(a, b); return 0; }
C
    "$PREPLAY" cc -g -O1 -I"$BATS_TEST_DIRNAME/../programs/truth" "$1.c" -o "$1" -pthread
    "$PREPLAY" record -d "$1.data" "./$1" </dev/null
    "$PREPLAY" predict "$1.data" || [ $? -eq 66 ]
}

@test "arguments, environment, working directory and standard input come again" {
    run "$PREPLAY" replay needs.data </dev/null
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == *" confirmed: "* ]]
}

@test "gdb gives them to the program, too" {
    PREPLAY_GDB="-batch -ex preplay" run timeout 300 "$PREPLAY" replay --gdb needs.data </dev/null
    [[ "$output" == *"the program stands at the error"* ]]
    [[ "$output" == *" a (unused="* ]]
}

@test "addresses are the same in every replay" {
    "$PREPLAY" replay needs.data
    cat needs.data/replays/*.output >first
    "$PREPLAY" replay needs.data
    cat needs.data/replays/*.output | cmp - first
    grep -q 0x first
}

@test "replays side by side have lanes and files of their own, unless the user's own are asked for" {
    rm -f here/left
    run "$PREPLAY" replay -n 4 -j 2 any.data
    [ "$status" -eq 0 ]
    [[ "$output" == *"confirmed 4 of 4 times"* ]]
    [ ! -e here/left ]
    ! grep -l "somebody was here" any.data/replays/*.output
    [ "$(ls any.data/replays/*.1.schedule | wc -l)" -eq 1 ]
    run "$PREPLAY" replay -n 2 --in-place any.data
    [ -e here/left ]
    grep -q "somebody was here" any.data/replays/*.output
}

@test "standard input is kept up to 64 MiB" {
    cat >eats.c <<'C'
#include <stdio.h>
int main(void) { while (getchar() != EOF) ; return 0; }
C
    "$PREPLAY" cc -O1 eats.c -o eats
    head -c 70000000 /dev/zero | "$PREPLAY" record -d eats.data ./eats
    [ "$(stat -c %s eats.data/stdin)" -eq 67108864 ]
}

@test "a verdict is kept for report, with stacks, locks and threads" {
    "$PREPLAY" predict needs.data || [ $? -eq 66 ]
    run "$PREPLAY" replay needs.data
    for words in "Thread T0.1 (a) writes 4 bytes of x:" "#0 a " "holding no lock" \
        "was created by thread T0 (main):" "#1 main"; do
        [[ "$output" == *"$words"* ]]
    done
    run "$PREPLAY" report --json needs.data
    [ "$(jq -r '.findings[0].verdict' <<<"$output")" = confirmed ]
}

@test "another operation is a divergence: expected and came instead" {
    leaves other "sem_t s; sem_init(&s, 0, 1); sem_wait(&s); return NULL;"
    run "$PREPLAY" replay other.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: thread T0.2, operation 1: expected acq, but it does semwait"* ]]
}

@test "a program that ends early says what it left out" {
    leaves ends "exit(0);"
    run "$PREPLAY" replay ends.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: thread T0.2, operation 1: expected acq, but it ends the program"* ]]
    leaves aborts "_exit(0);"
    run "$PREPLAY" replay aborts.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: the program ended after "*": expected acq of thread T0.2, which never came"* ]]
}

@test "a program that stalls is told from one that deadlocks" {
    leaves stalls "pause();"
    run "$PREPLAY" replay stalls.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: the program stalled after "*": expected acq of thread T0.2, which sleeps elsewhere"* ]]
    # The lock is taken behind the back of the schedule.
    leaves deadlocks 'int (*lock)(pthread_mutex_t *) = (int (*)(pthread_mutex_t *))dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_mutex_lock"); lock(&m);'
    run "$PREPLAY" replay deadlocks.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: the program deadlocked after "*": expected acq of thread T0.2, which is blocked in it"* ]]
}

# A race of the recorded run; in replays a does something else before it.
observed_race() { # NAME STATEMENT
    cat >"$1.c" <<C
#include "steps.h"
#include <time.h>
MUTEX(m);
int x;
static void nap(long seconds) { struct timespec time = {seconds, 500000000}; nanosleep(&time, NULL); }
THREAD(a) { if (getenv("PREPLAY_REPLAY")) { $2 } else PASS(m); x = 1; END; }
THREAD(b) { x = 2; END; }
int main(void) { RUN(a, b); return 0; }
C
    "$PREPLAY" cc -g -O1 -I"$BATS_TEST_DIRNAME/../programs/truth" "$1.c" -o "$1" -pthread
    "$PREPLAY" record -d "$1.data" "./$1" </dev/null
    run "$PREPLAY" predict "$1.data"
    [[ "$output" == *"observed"* ]]
    id=$(jq -r '.findings[0].id' "$1.data/findings.json")
    run "$PREPLAY" replay "$1.data" "$id"
}

@test "a race that was observed is shown again by a run that left the schedule" {
    observed_race another "sem_t s; sem_init(&s, 0, 1); sem_wait(&s); nap(1);"
    [ "$status" -eq 0 ]
    [[ "$output" == *"observed: the program came to it by itself, after it had left the schedule: "* ]]
    observed_race sleeps "nap(3); PASS(m);" # who is awaited stalls, or is slow: on a busy machine
    [ "$status" -eq 0 ]
}

@test "a race that was observed stays one where a replay of it fails" {
    observed_race fails "abort();"
    [[ "$output" == *"DATA RACE $id on x: observed"*"SIGABRT"* ]]
    run "$PREPLAY" replay fails.data "$id"
    [[ "$output" == *"DATA RACE $id on x: observed"* ]]
}

@test "the watchdog ends what never ends, after --timeout" {
    leaves loops "for (;;) usleep(20000); /* too seldom to be called polling */"
    run "$PREPLAY" replay --timeout 1 loops.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"timeout: the time was up (1 s) after "* ]]
}

@test "a thread that spins is recognised by its processor time" {
    leaves spins "for (;;) ;"
    jq '.seconds = 0.01 | .processor_seconds = 0.01' spins.data/manifest.json >m && mv m spins.data/manifest.json
    run "$PREPLAY" replay spins.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: the program computes without end after "*": expected acq of thread T0.2, which does not come"* ]]
}

@test "without --timeout it is ten times the recorded run, at least 10 s" {
    leaves standard "for (;;) ;"
    # A recording that does not say how long it computed.
    jq '.seconds = 0.01 | del(.processor_seconds)' standard.data/manifest.json >m && mv m standard.data/manifest.json
    run "$PREPLAY" replay standard.data
    echo "$output"
    [[ "$output" == *"timeout: the time was up (10 s) after "* ]]
}

@test "gdb stands at a deadlock of a program that was not compiled for preplay" {
    gcc -g -O1 "$BATS_TEST_DIRNAME/../programs/truth/deadlock_two.c" -o plain -pthread
    "$PREPLAY" record --sync-only -d plain.data ./plain </dev/null
    "$PREPLAY" predict plain.data || [ $? -eq 66 ]
    PREPLAY_GDB="-batch -ex preplay" run timeout 300 "$PREPLAY" replay --gdb plain.data </dev/null
    [[ "$output" == *"the program stands at the error"* ]]
    [[ "$output" == *" a (unused="* ]]
    [[ "$output" == *" b (unused="* ]]
}

@test "a forked child follows the schedule, the rest of the program runs as it likes" {
    cat >forks.c <<'C'
#include "steps.h"
#include <sys/wait.h>
MUTEX(m);
MUTEX(n);
int x;
THREAD(a) { x = 1; PASS(m); END; }
THREAD(b) { SLEEP(4); PASS(m); x = 2; END; }
THREAD(c) { LOCK(m); LOCK(n); UNLOCK(n); UNLOCK(m); END; }
THREAD(d) { SLEEP(4); LOCK(n); LOCK(m); UNLOCK(m); UNLOCK(n); END; }
int main(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (!child) {
            if (i)
                RUN(c, d);
            else
                RUN(a, b);
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
C
    "$PREPLAY" cc -g -O1 -I"$BATS_TEST_DIRNAME/../programs/truth" forks.c -o forks -pthread
    "$PREPLAY" record -d forks.data ./forks </dev/null
    for child in process-1 process-2; do
        "$PREPLAY" predict forks.data/$child || [ $? -eq 66 ]
        run "$PREPLAY" replay -n 3 forks.data/$child
        [ "$status" -eq 0 ]
        [[ "$output" == *"confirmed 3 of 3 times"* ]]
    done
}

@test "JSON has stacks, locks held and creation stacks, of every kind" {
    programs="$BATS_TEST_DIRNAME/../programs"
    for name in truth/race_nested_locks truth/deadlock_two atomicity/atomic_counter; do
        "$PREPLAY" cc -g -O1 -I"$programs/../../include" "$programs/$name.c" -o kind -pthread
        "$PREPLAY" record -d kind.data ./kind </dev/null
        "$PREPLAY" predict kind.data || [ $? -eq 66 ]
        "$PREPLAY" replay kind.data
        run "$PREPLAY" report --json kind.data
        jq -e '.findings[0] | .verdict == "confirmed" and ([.events[] | .stack[0].function] | all) and
            ([.events[] | .stack[0].location == .location] | all) and
            (.threads | map(select(.created_by == 0 and .stack[-1].function == "main")) | length > 0)' <<<"$output"
        [ $name != truth/deadlock_two ] || jq -e '[.findings[0].events[].held[0].lock] == ["m", "n"]' <<<"$output"
    done
}

@test "run replays side by side, with the verdicts of one at a time" {
    # Some values are used only if a flag says so: their schedules are left. Others always are.
    cat >many.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[3], flags[3], always, found, *pointer;
static void *compute(void *sum)
{
    volatile unsigned long value = 1;
    for (int i = 0; i < 1000000; i++)
        value = value * 25214903917ul + 11;
    return sum;
}
static int pass(int *flag, int next)
{
    pthread_mutex_lock(&lock);
    int was = *flag;
    *flag = next ? next : was;
    pthread_mutex_unlock(&lock);
    return was;
}
static void *writes(void *number)
{
    values[0] = 1;
    pass(&flags[0], 1);
    values[1] = 1;
    pass(&flags[1], 1);
    values[2] = 1;
    pass(&flags[2], 1);
    always = 1;
    pass(&flags[0], 0);
    pointer = malloc(sizeof *pointer);
    pass(&flags[0], 0);
    return number;
}
static void *reads(void *number)
{
    if (pass(&flags[0], 0))
        found += values[0];
    if (pass(&flags[1], 0))
        found += values[1];
    if (pass(&flags[2], 0))
        found += values[2];
    pass(&flags[0], 0);
    found += always;
    pass(&flags[0], 0);
    found += *pointer * 0;
    return number;
}
int main(void)
{
    pthread_t writer, reader, other;
    pthread_create(&writer, NULL, writes, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_create(&other, NULL, compute, NULL);
        pthread_join(other, NULL);
    }
    pthread_create(&reader, NULL, reads, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return found != 4;
}
C
    "$PREPLAY" cc -g -O1 many.c -o many -pthread
    for lanes in 1 4; do
        "$PREPLAY" run -q -j $lanes -d many$lanes.data --json many$lanes.json ./many || [ $? -eq 66 ]
        jq '[.findings[] | {id, kind, rule, verdict, via, consequence: [.consequence.orders[]?.rule]}]' many$lanes.json >many$lanes
        # What they left lies where one at a time leaves it.
        ls many$lanes.data/replays >files$lanes
    done
    [ "$(jq '.run.at_once' many1.json)" = null ]
    [ "$(jq '.run.at_once' many4.json)" -ge 2 ]
    jq -e 'map(select(.verdict == "confirmed")) | length >= 2' many1
    diff many1 many4
    diff files1 files4
    id=$(jq -r '[.[] | select(.verdict == "confirmed")][1].id' many4)
    "$PREPLAY" replay many4.data "$id"
}
