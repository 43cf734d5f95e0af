# What a program is told from outside, a replay tells it again.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    cat >"$BIN/told.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>
#include "late.h"
static int result;
static unsigned long drawn;
static void *worker(void *unused)
{
    getrandom(&drawn, sizeof drawn, 0);
    result = 42;
    say("drawn");
    return unused;
}
int main(void)
{
    unsigned char salt[6];
    pthread_t thread = begin(worker);
    getentropy(salt, sizeof salt);
    do_other_things();
    say("now for the result");
    int seen = *(volatile int *)&result;
    (void)seen;
    pthread_join(thread, NULL);
    printf("told %lx %02x%02x%02x%02x%02x%02x", drawn, salt[0], salt[1], salt[2], salt[3], salt[4], salt[5]);
    if (getenv("WITH_ID"))
        printf(" %d", (int)getpid());
    printf("\n");
}
EOF
    "$PREPLAY" cc -g -pthread -I"$BATS_TEST_DIRNAME/../programs/failures" "$BIN/told.c" -o "$BIN/told"
}

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# What it prints when the schedule that was kept is run to the program's end.
told_again() { # OPTION...
    "$PREPLAY" replay "$@" told.data >/dev/null
    grep -h "^told" told.data/replays/*.output
}

record() {
    run -66 --separate-stderr "$PREPLAY" run -d told.data "$BIN/told"
    [[ "$output" == told* ]]
}

@test "random bytes of the recorded run are drawn again, unless --live-inputs asks for others" {
    record
    record # in the same place
    [ "$(told_again)" = "$output" ]
    [[ "$(told_again --live-inputs)" == told* ]]
    [ "$(told_again --live-inputs)" != "$output" ]
}

@test "a replay has the process id of the recorded run" {
    # Where a namespace of processes can be told which id to give.
    unshare --user --map-root-user --pid --fork --mount-proc sh -c 'echo 1000 >/proc/sys/kernel/ns_last_pid' ||
        skip "the machine does not allow that"
    export WITH_ID=1
    record
    [ "$(told_again)" = "$output" ]
}
