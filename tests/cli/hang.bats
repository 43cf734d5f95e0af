# A program that really deadlocks: stopping it, and what is said then. What is found in which
# program is tests/programs/hangs.sh's business.

bats_require_minimum_version 1.5.0

setup_file() {
    export HANGS="$BATS_TEST_DIRNAME/../programs/hangs"
    export BIN="$BATS_FILE_TMPDIR"
    for name in two_locks lost_wakeup none_asleep three_joins; do
        "$PREPLAY" cc -g -pthread "$HANGS/$name.c" -o "$BIN/$name"
    done
    beginning_with stubborn 'signal(SIGINT, SIG_IGN); signal(SIGTERM, SIG_IGN);'
    # An alarm might yet come: these are not stopped without being asked to, however long it takes.
    beginning_with expectant 'signal(SIGALRM, exit);'
    beginning_with both 'signal(SIGALRM, exit); signal(SIGINT, SIG_IGN); signal(SIGTERM, SIG_IGN);'
}

# two_locks as a program of another name that does this first.
beginning_with() { # NAME STATEMENTS
    sed "s/^int main(void)\$/&\n{ $2/; s/^#include \"hang.h\"/#include <signal.h>\n&/" "$HANGS/two_locks.c" |
        sed '/{ signal/{n;d}' >"$BIN/$1.c"
    "$PREPLAY" cc -g -pthread -I"$HANGS" "$BIN/$1.c" -o "$BIN/$1"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    # shellcheck disable=SC2034
    BATS_TEST_TIMEOUT=1000
}

# preplay, with --stop-after and a time in which that many threads come to wait.
stopped() { # WAITING COMMAND PROGRAM
    for seconds in 1 5 25 125; do
        run timeout 500 "$PREPLAY" "$2" --stop-after $seconds "$3"
        [ "$("$PREPLAY" info preplay.data | awk '/that waited to the end/ { print $1 }')" != "$1" ] || break
    done
}

press() {
    python3 "$BATS_TEST_DIRNAME/press.py" "$@"
}

@test "Ctrl-C in a terminal ends the program, and the deadlock is reported" {
    run -66 press 1 3 "$PREPLAY" run "$BIN/expectant"
    [[ "$output" == *"preplay: the program hung: 3 threads were waiting; ended by Interrupt (SIGINT) after "* ]]
    [[ "$output" == *"LOCK-ORDER INVERSION d-"*" of 2 threads: "*"observed"* ]]
    [[ "$output" == *"holding a, taken at "*"expectant.c:7:5"* ]]
}

@test "a program that does not mind Ctrl-C is killed by the second" {
    run -66 press 2 3 "$PREPLAY" run "$BIN/both"
    [[ "$output" == *"the program hung: 3 threads were waiting; ended by Killed (SIGKILL)"* ]]
    [[ "$output" == *"1 deadlock observed"* ]]
}

@test "record says that the program hung, and ends as it ended" {
    run -130 press 1 3 "$PREPLAY" record "$BIN/expectant"
    [[ "$output" == *"preplay: the program hung: 3 threads were waiting; ended by Interrupt (SIGINT)"* ]]
    run -66 "$PREPLAY" predict preplay.data
    [[ "$output" == *"deadlock d-"*"observed by auto (rf)"*"1 more thread is blocked for good"* ]]
}

@test "a program that can never go on is stopped without being asked to" {
    run -66 timeout 500 "$PREPLAY" run "$BIN/two_locks"
    [[ "$output" == *"preplay: the program hung: 3 threads were waiting; stopped after "*" s, since none can ever go on"* ]]
    [[ "$output" == *"1 deadlock observed"* ]]
    run -124 timeout 500 "$PREPLAY" record "$BIN/stubborn"
    [[ "$output" == *"stopped after "*" s, since none can ever go on"* ]]
    run -124 timeout 500 "$PREPLAY" record "$BIN/three_joins" # whose first thread has ended
    [[ "$output" == *"hung: 3 threads were waiting; stopped after "*" s, since none can ever go on"* ]]
}

@test "of several processes the one that hangs is stopped, and the others go on" {
    printf '#!/bin/sh\n%s; echo "first $?"; %s; echo "second $?"; exit 3\n' "$BIN/two_locks" "$BIN/stubborn" >script
    chmod +x script
    run -66 timeout 500 "$PREPLAY" run ./script
    [[ "$output" == *"first 143"*"second 137"* ]]
    [ "$(grep -c "preplay: process [0-9]* hung: 3 threads were waiting; stopped after .* s, since none can ever go on" <<<"$output")" -eq 2 ]
    [[ "$output" == *"2 deadlocks observed"* || "$(grep -c "LOCK-ORDER INVERSION d-.*observed" <<<"$output")" -eq 2 ]]
}

@test "a program that waits for a signal to its handler is left alone" {
    cat >served.c <<'END'
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static sem_t over;
static void on_signal(int number) { sem_post(&over); }
int main(void)
{
    sem_init(&over, 0, 0);
    signal(SIGUSR1, on_signal);
    FILE *ready = fopen("ready", "w");
    fprintf(ready, "%d\n", getpid());
    fclose(ready);
    sem_wait(&over);
    puts("served");
}
END
    "$PREPLAY" cc -g -pthread served.c -o served
    (until [ -s ready ]; do sleep 0.1; done; sleep 7; kill -USR1 "$(cat ready)") &
    run -0 timeout 500 "$PREPLAY" run ./served
    [[ "$output" == *"served"* ]]
    wait
}

# One thread waits for what it has itself, until its handler jumps: to wait for input then, or
# later than a program is stopped that can never go on.
@test "a program that an alarm gets out of a deadlock is left alone, then and after" {
    cat >alarmed.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf out;
static void on_alarm(int number) { siglongjmp(out, number); }
int main(int count, char **arguments)
{
    signal(SIGALRM, on_alarm);
    pthread_mutex_lock(&lock);
    if (!sigsetjmp(out, 1)) {
        alarm((unsigned)atoi(arguments[1]));
        pthread_mutex_lock(&lock);
    }
    signal(SIGALRM, SIG_DFL);
    char text[8] = "";
    if (read(0, text, 4) == 4)
        printf("read %s", text);
}
END
    "$PREPLAY" cc -g -pthread alarmed.c -o alarmed
    (sleep 7; echo one) | timeout 500 "$PREPLAY" record -d early ./alarmed 1 >early.txt 2>&1 &
    echo two | timeout 500 "$PREPLAY" record -d late ./alarmed 6 >late.txt 2>&1
    wait
    [ "$(cat early.txt late.txt)" = "read one"$'\n'"read two" ]
    run ! grep "waited to the end" <("$PREPLAY" info early)
}

@test "a handler that is told to end has the time that it takes" {
    cat >saving.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void on_end(int number)
{
    sleep(4);
    _exit(write(1, "saved\n", 6) != 6);
}
int main(void)
{
    signal(SIGTERM, on_end);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}
END
    "$PREPLAY" cc -g -pthread saving.c -o saving
    run -124 timeout 500 "$PREPLAY" record ./saving
    [[ "$output" == *"since none can ever go on"*"saved"* ]]
}

@test "a program that waits in memory that has come to be shared is left alone" {
    cat >remapped.c <<'END'
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static int *word;
static void *wake(void *seconds)
{
    sleep((unsigned)(long)seconds);
    __atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
    return NULL;
}
static void await(void)
{
    while (!__atomic_load_n(word, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, word, FUTEX_WAIT, 0, 0, 0, 0);
}
int main(void)
{
    pthread_t thread;
    word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *word = 0;
    pthread_create(&thread, NULL, wake, (void *)1);
    await();
    pthread_join(thread, NULL);
    mmap(word, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    *word = 0;
    if (!fork()) {
        wake((void *)6);
        _exit(0);
    }
    await();
    puts("woken");
}
END
    "$PREPLAY" cc -g -pthread remapped.c -o remapped
    run -0 timeout 500 "$PREPLAY" record ./remapped
    [[ "$output" == *"woken"* ]]
}

@test "--stop-after ends what does not end by itself, even if it does not want to" {
    stopped 3 run "$BIN/both"
    [ "$status" -eq 66 ]
    [[ "$output" == *"the program hung: 3 threads were waiting; stopped after "*" s (--stop-after)"* ]]
    stopped 2 record "$BIN/none_asleep"
    [ "$status" -eq 124 ]
    [[ "$output" == *"2 of the program's 3 threads were waiting; stopped after "* ]]
}

@test "--stop-after reaches a program that a script has started" {
    printf '#!/bin/sh\n%s\necho behind\n' "$BIN/expectant" >script
    chmod +x script
    stopped 3 run ./script
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 deadlock observed"* ]]
    while pgrep -f "$BIN/expectant"; do sleep 0.1; done # killed, but perhaps not gone yet
}

@test "all reports tell what happened" {
    run -66 timeout 500 "$PREPLAY" run --json out.json --sarif out.sarif --html out.html "$BIN/two_locks"
    jq -e '.findings | length == 1' out.json
    jq -e '.findings[0] | .kind == "deadlock" and .verdict == "observed" and (.events | length) == 2 and
        (.events[0].held[0].lock == "a") and (.events[1].held[0].lock == "b") and
        ([.events[].op] == ["acquire", "acquire"]) and (.note | test("each waits for another"))' out.json
    jq -e '.runs[0].results[0] | .ruleId == "preplay/deadlock" and .level == "error" and
        (.message.text | test("T0.1 wants b in one, T0.2 wants a in two \\(observed\\)"))' out.sarif
    grep -q '"verdict":"observed"' out.html
    "$PREPLAY" check preplay.data out.json
    "$PREPLAY" info preplay.data | grep -q "3  threads that waited to the end"
    "$PREPLAY" dump preplay.data | grep -q "wants  acq(b)"
}

@test "a lost wake-up says that nobody is left to signal" {
    run -66 timeout 500 "$PREPLAY" run "$BIN/lost_wakeup"
    [[ "$output" == *"of 1 thread: observed"*"no thread is left that could signal it"* ]]
    [[ "$output" == *"waits for ready"* ]]
}

@test "a replay of what happened leaves it observed" {
    timeout 500 "$PREPLAY" run "$BIN/two_locks" || [ $? -eq 66 ]
    id=$(jq -r '.findings[0].id' preplay.data/latest/findings.json)
    run -0 timeout 500 "$PREPLAY" replay preplay.data "$id"
    [[ "$output" == "$id confirmed: every thread of the cycle is blocked"* ]]
    [[ "$output" == *"It happened in the recorded run."*"In a replay: every thread of the cycle is blocked."* ]]
    jq -e '.findings[0].verdict == "observed"' preplay.data/latest/findings.json
}

@test "compare takes what happened for true, and tiddle cannot cut it out" {
    timeout 500 "$PREPLAY" record "$BIN/two_locks" || [ $? -eq 124 ]
    "$PREPLAY" compare preplay.data >table || [ $? -eq 66 ]
    grep "two_locks.c:8:5" table | grep -q " x .* x .* rf "
    grep -q "^ *\(0  *\)*wrong$" table
    run -3 "$PREPLAY" tiddle --from preplay.data
    [[ "$output" == *"only what is predicted can be cut out"* ]]
}
