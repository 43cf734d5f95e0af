# preplay explore: the command line around it. What it finds is in tests/programs/explore.sh.

setup() {
    programs=$BATS_TEST_DIRNAME/../programs/explore
    cd "$BATS_TEST_TMPDIR"
    "$PREPLAY" cc -g "$programs/account.c" -o account
}

@test "explore: a failure is told, kept and repeated" {
    run "$PREPLAY" explore --json out.json ./account
    [ "$status" -eq 66 ]
    [[ "$output" == *"Assertion \`balance >= 0' failed"* ]]
    [[ "$output" == *"preplay: complete: all behaviours of this program on this input were covered by "*" runs, 1 failure"* ]]
    [[ "$output" == *"ASSERTION FAILED f-"*": confirmed"* ]]
    id=$(sed -n 's/.*"id": "\(f-[0-9a-f]*\)".*/\1/p' out.json)
    run "$PREPLAY" replay "$id"
    [ "$status" -eq 0 ]
    [[ "$output" == "$id confirmed"* ]]
    run "$PREPLAY" replay preplay.data "${id:0:6}"
    [ "$status" -eq 0 ]
    run "$PREPLAY" replay preplay.data f-0123456789
    [ "$status" -eq 2 ]
}

@test "explore: failures at two places are two, with the place that is the program's" {
    cat >two.c <<'END'
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
    seen = x;
    assert(seen != 2);
    return 0;
}
END
    "$PREPLAY" cc -g two.c -o two
    run "$PREPLAY" explore ./two
    [ "$status" -eq 66 ]
    [[ "$output" == *"2 failures"* ]]
    [[ "$output" == *"#0 main "*"two.c:14:"* ]]
    [[ "$output" == *"#0 main "*"two.c:16:"* ]]
}

@test "explore: the same runs each time" {
    "$PREPLAY" explore -d first --json first.json ./account || true
    "$PREPLAY" explore -d second --json second.json ./account || true
    diff <(grep -v seconds first.json) <(grep -v seconds second.json)
    # What lies on a stack that nobody has written to differs from run to run.
    "$PREPLAY" cc -g -DRIGHT "$programs/ring_buffer.c" -o ring_buffer
    "$PREPLAY" explore --time 0 -d first --json first.json ./ring_buffer
    "$PREPLAY" explore --time 0 -d second --json second.json ./ring_buffer
    diff <(grep -v seconds first.json) <(grep -v seconds second.json)
}

@test "explore: limits end it, and it says what is open" {
    run "$PREPLAY" explore --runs 1 ./account
    [ "$status" -eq 0 ]
    [[ "$output" == *"preplay: not complete: 1 run, at least "*" open, none fails"* ]]
    run "$PREPLAY" explore --preemptions 0 ./account
    [ "$status" -eq 0 ]
    [[ "$output" == *"with at most 0 preemptions on this input were covered"* ]]
    run "$PREPLAY" explore --until-failure --exit-code 5 ./account
    [ "$status" -eq 5 ]
}

@test "explore: the user's files are safe, and each run finds them as the first did" {
    cat >writes.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static _Atomic int x;
static void *set(void *argument) { x = 1; return argument; }
int main(void)
{
    pthread_t thread;
    char word[8] = "";
    assert(access("new", F_OK) != 0);
    FILE *file = fopen("new", "w");
    fputs("new", file);
    fclose(file);
    assert(scanf("%7s", word) == 1 && word[0] == 'i');
    pthread_create(&thread, NULL, set, NULL);
    printf("%d\n", x);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g writes.c -o writes
    run bash -c 'echo input | "$PREPLAY" explore ./writes'
    [ "$status" -eq 0 ]
    [[ "$output" == *"covered by 2 runs, none fails"* ]]
    [ ! -e new ]
}

@test "explore: side by side finds the same, and runs do not meet in the network" {
    # At a name that is the network's, as a port is, but that nobody else uses.
    cat >named.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
static int x, y;
static void *set(void *argument) { x = 1; y = x; x = 2; return argument; }
int main(int argc, char **argv)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "%s", argv[argc - 1]);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(file, (struct sockaddr *)&name, sizeof name))
        return 3;
    struct timespec pause = {.tv_nsec = 20000000}; // so long that runs side by side have it at a time
    syscall(SYS_nanosleep, &pause, NULL);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    assert(!(x == 2 && y == 2));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
    "$PREPLAY" cc -g named.c -o named
    for jobs in 1 3; do
        run "$PREPLAY" explore -j $jobs -d "data-$jobs" --json "$jobs.json" ./named "$BATS_TEST_TMPDIR" </dev/null
        echo "$output"
        [ "$status" -eq 66 ]
        [[ "$output" == *"complete: all"*"1 failure"* && "$output" != *"exit code 3"* ]]
        grep -o '"id": "f-[0-9a-f]*"' "$jobs.json" >"$jobs.ids"
    done
    diff 1.ids 3.ids
    run "$PREPLAY" explore -j 2 --in-place ./account
    [ "$status" -eq 66 ]
    [[ "$output" == *"one run at a time"* ]]
}

@test "explore: what a run leaves behind is ended, and its signals reach no other" {
    cat >behind.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static _Atomic int x;
static void *set(void *argument) { x = 1; return argument; }
int main(int argc, char **argv)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "preplay-%s", argv[argc - 1]);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(file, (struct sockaddr *)&name, sizeof name) == 0);
    if (fork() == 0) {
        setsid();
        sleep(1000);
        _exit(0);
    }
    signal(SIGTERM, SIG_IGN);
    assert(kill(0, SIGTERM) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    printf("%d\n", x);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g behind.c -o behind
    run "$PREPLAY" explore ./behind $$ </dev/null
    echo "$output"
    [ "$status" -eq 67 ]
    [[ "$output" == *"not complete: 2 runs"*"none fails"* ]]
}

# limited PROGRAM STATUS TEXT [FLAG]
limited() {
    "$PREPLAY" cc -g ${4:-} "$programs/limits/$1.c" -o "$1"
    run "$PREPLAY" explore "./$1" </dev/null
    echo "$1: $output"
    [ "$status" -eq "$2" ]
    [[ "$output" == *"$3"* ]]
}

@test "explore: what passes between threads is a choice, or makes it incomplete" {
    limited join_results 66 "complete: all"
    limited join_results 0 "complete: all" -DRIGHT
    limited strings 66 "complete: all"
    limited pipe 67 "what threads read from files, pipes and sockets is no choice yet"
    limited random 67 "threads share what the C library keeps"
    limited alarm 67 "signals come when they like"
    limited cancel 67 "when a thread is cancelled is no choice yet"
}

@test "explore: what cannot be explored is said" {
    run "$PREPLAY" explore
    [ "$status" -eq 2 ]
    run "$PREPLAY" explore ./missing
    [ "$status" -eq 2 ]
    printf '#!/bin/sh\n./account\n' >script
    chmod +x script
    run "$PREPLAY" explore ./script
    [ "$status" -eq 2 ]
    [[ "$output" == *"no script"* ]]
    run "$PREPLAY" explore /bin/true
    [ "$status" -eq 2 ]
    [[ "$output" == *"is not instrumented"* ]]
    cc -x c - -o plain -static <<<'int main(void) { return 0; }'
    run "$PREPLAY" explore ./plain
    [ "$status" -eq 2 ]
    [[ "$output" == *"link it dynamically"* ]]
    [ ! -e preplay.data/plain-1 ]
}

@test "explore: a run that waits for what is outside is ended, and doubted" {
    cat >outside.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *nothing(void *argument) { return argument; }
int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return 1;
    return pause();
}
END
    "$PREPLAY" cc -g outside.c -o outside
    run "$PREPLAY" explore --runs 1 ./outside
    [ "$status" -eq 67 ]
    [[ "$output" == *"stood still in a call that preplay does not know"* ]]
}

@test "explore: somebody else's exploration.json is no link, no pipe, and makes sense, or is refused" {
    run "$PREPLAY" explore -d found ./account
    [ "$status" -eq 66 ]
    mv found/exploration.json kept.json
    ln -s ../kept.json found/exploration.json
    run "$PREPLAY" replay found
    [ "$status" -eq 3 ]
    [[ "$output" == *"exploration.json: it is a symbolic link"* ]]
    rm found/exploration.json
    mkfifo found/exploration.json
    run timeout 60 "$PREPLAY" replay found
    [ "$status" -eq 3 ]
    [[ "$output" == *"exploration.json: it is no regular file"* ]]
    rm found/exploration.json
    sed 's/"schedule": \[/"schedule": [["x", -1, 0],/' kept.json >found/exploration.json
    run "$PREPLAY" replay found
    [ "$status" -eq 3 ]
    [[ "$output" == *"exploration.json: turn 0 of f-"*" is malformed"* ]]
}

# Two threads that add to a sum, with or without a lock: nothing fails by itself.
sum_program() {
    cat >sum.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *argument)
{
    if (LOCKED)
        pthread_mutex_lock(&mutex);
    sum++;
    if (LOCKED)
        pthread_mutex_unlock(&mutex);
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    printf("two threads added\nsum %d\n", sum);
    FILE *file = fopen("result", "w");
    fprintf(file, "%d\n", sum);
    fclose(file);
    return 0;
}
END
    "$PREPLAY" cc -g -DLOCKED=0 sum.c -o sum
    "$PREPLAY" cc -g -DLOCKED=1 sum.c -o sum-right
}

@test "explore: a command looks at each run's output and files" {
    sum_program
    for check in 'grep -q "^sum 2$"' 'test "$(cat result)" = 2 || { echo "it is $(cat result)"; exit 7; }'; do
        run "$PREPLAY" explore --check "$check" --json out.json ./sum
        [ "$status" -eq 66 ]
        [[ "$output" == *"CHECK FAILED f-"*": confirmed"*"the check of its result ended with "* ]]
        grep -q '"rule": "check"' out.json
        run "$PREPLAY" replay preplay.data
        [ "$status" -eq 0 ]
        [[ "$output" == "f-"*" confirmed"* ]]
        run "$PREPLAY" explore --check "$check" ./sum-right
        [ "$status" -eq 0 ]
        [[ "$output" == *"preplay: complete: "*", none fails"* ]]
    done
    run "$PREPLAY" explore --check "$check" ./sum
    [[ "$output" == *"the check of its result ended with 7: it is 1"* ]]
    [ ! -e result ]
    run "$PREPLAY" explore --check no-such-command ./sum
    [ "$status" -eq 2 ]
    [[ "$output" == *"--check: no such command: no-such-command"* ]]
}

@test "explore: the output of all runs is the same, or the other one is told" {
    sum_program
    run "$PREPLAY" explore --expect-same-output --json out.json ./sum
    [ "$status" -eq 66 ]
    [[ "$output" == *"WRONG OUTPUT f-"*"printed something else than the first good run, line 2: \"sum 1\" instead of \"sum 2\""* ]]
    grep -q '"rule": "output"' out.json
    run "$PREPLAY" replay preplay.data
    [ "$status" -eq 0 ]
    [[ "$output" == "f-"*" confirmed"* ]]
    run "$PREPLAY" explore --expect-same-output ./sum-right
    [ "$status" -eq 0 ]
    run "$PREPLAY" explore ./sum
    [ "$status" -eq 66 ]
    [[ "$output" == *"none fails, "*"race"* ]]
}

@test "explore: what was found is in every report, now and later" {
    run "$PREPLAY" explore --json out.json --html out.html --sarif out.sarif --junit out.xml --code-quality out.cq ./account
    [ "$status" -eq 66 ]
    id=$(jq -r '.findings[0].id' out.json)
    jq -e '.exploration | .complete and .runs > 1 and .open == 0 and .to_first_failure == 2' out.json
    jq -e '.findings[0] | .kind == "failure" and .rule == "assertion" and .run == 2 and .verdict == "confirmed"' out.json
    jq -e --arg id "$id" '.runs[0].results[0].partialFingerprints | tostring | contains($id)' out.sarif
    jq -e --arg id "$id" '.[0].fingerprint == $id and (.[0].location.path | endswith("account.c"))' out.cq
    grep -q "failure $id" out.xml
    grep -q "$id" out.html
    for format in json html sarif junit code-quality; do
        run "$PREPLAY" report --$format -o again preplay.data
        [ "$status" -eq 66 ]
        case $format in
            json) diff <(sed 1d out.json) <(sed 1d again); jq -e '.exploration.complete' again ;;
            html) grep -q "$id" again ;;
            sarif) diff out.sarif again ;;
            junit) diff out.xml again ;;
            code-quality) diff out.cq again ;;
        esac
    done
    # What is known, or not wanted, is no finding; that of another place is one.
    run "$PREPLAY" explore --baseline out.json ./account
    [ "$status" -eq 0 ]
    jq -r '"id:" + .findings[].id' out.json >known
    run "$PREPLAY" explore --suppressions known ./account
    [ "$status" -eq 0 ]
    [ "$(jq '.findings | length' preplay.data/latest/exploration.json)" -eq 2 ]
    run "$PREPLAY" report --suppressions known preplay.data
    [ "$status" -eq 0 ]
    "$PREPLAY" cc -g "$programs/lazy.c" -o lazy
    run "$PREPLAY" explore --baseline out.json ./lazy
    [ "$status" -eq 66 ]
    run "$PREPLAY" report --json -o merged.json preplay.data
    [ "$status" -eq 66 ]
}

@test "explore: a kept run that makes no sense is refused" {
    run "$PREPLAY" explore -d found ./account
    head -c 100 found/runs/1.run >short
    mv short found/runs/1.run
    run "$PREPLAY" report found
    [ "$status" -eq 3 ]
    [[ "$output" == *"1.run: is no run of this version of preplay"* ]]
}

@test "explore: a failure is made small, and told beside a run that went well" {
    # Of three threads the third has no part in it, and its turn is left out.
    cat >three.c <<'END'
#include <assert.h>
#include <pthread.h>
static _Atomic int x, y, z;
static void *set(void *argument) { x = 1; y = 1; return argument; }
static void *other(void *argument) { z++; return argument; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, other, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    z++;
    int first = x;
    int second = y;
    assert(!(first == 1 && second == 0));
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END
    "$PREPLAY" cc -g three.c -o three
    run "$PREPLAY" explore --json out.json ./three
    [ "$status" -eq 66 ]
    jq -e '.findings | length == 1 and (.[0] | .preemptions == 2 and (.schedule | length) <= 3)' out.json
    jq -e '.findings[0].explanation | test("So T0 read y \\(three.c:13:[0-9]+\\) as 0, which it held from the start; there it was 1, written by T0.2 \\(three.c:4:[0-9]+\\)")' out.json
    [[ "$output" == *"The nearest run that went well does the same for "*"; then "*" goes on in it, and "* ]]
    "$PREPLAY" report --html -o out.html preplay.data || [ $? -eq 66 ]
    grep -q "The nearest run that went well" out.html
    run "$PREPLAY" replay preplay.data
    [ "$status" -eq 0 ]
}

@test "explore: a directory is used again, whatever was in it" {
    run "$PREPLAY" explore -j 2 --check true --expect-same-output -d again ./account
    [ "$status" -eq 66 ]
    run "$PREPLAY" explore -d again ./account
    [ "$status" -eq 66 ]
    run "$PREPLAY" replay again
    [ "$status" -eq 0 ]
}

@test "explore: the first lock and the first wait of a function are two places" {
    printf 'program\nacq 1 m\nwait 1 c m\nrel 1 m\nacq main m\n' >stuck.tiddle
    "$PREPLAY" tiddle --lines stuck.tiddle -o stuck.c
    "$PREPLAY" cc -g stuck.c -o stuck
    run "$PREPLAY" explore ./stuck
    [ "$status" -eq 66 ]
    [[ "$output" == *"2 failures"* ]]
    [[ "$output" == *"stuck.tiddle:2:"* ]]
    [[ "$output" == *"stuck.tiddle:3:"* ]]
}

@test "explore: a run of more events than are kept is told at once, with what to do" {
    cat >long.c <<'END'
#include <pthread.h>
static _Atomic int x;
static void *count(void *unused) { for (int i = 0; i < 1100000; i++) x++; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    int seen = x;
    pthread_join(thread, NULL);
    return seen < 0;
}
END
    "$PREPLAY" cc -g long.c -o long
    run "$PREPLAY" explore --time 0 --runs 1 ./long
    echo "$output"
    [ "$status" -eq 67 ]
    [[ "$output" == *"first run has more than 1048576 events"*"smaller input"*"preplay: not complete"*"longer than what is kept"* ]]
    run "$PREPLAY" explore ./account
    [[ "$output" != *"first run has"* ]]
}
