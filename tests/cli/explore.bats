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
    [[ "$output" == *"#0 main  "*"two.c:14:"* ]]
    [[ "$output" == *"#0 main  "*"two.c:16:"* ]]
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
static int x;
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
static int ends[2];
static void *send(void *argument) { return write(ends[1], "x", 1) == 1 ? argument : NULL; }
int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends) || pthread_create(&thread, NULL, send, NULL))
        return 1;
    return read(ends[0], &byte, 1) == 1 ? 0 : 1;
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
