# Threads that have not run yet when main() returns.

bats_require_minimum_version 1.5.0
load as_plain.bash

setup() {
    cd "$BATS_TEST_TMPDIR"
    build unjoined
}

@test "what they do is recorded, every time" {
    for i in $(seq 10); do
        run -0 "$PREPLAY" record -d trace ./unjoined.recorded
        [ -z "$output" ]
        run -66 "$PREPLAY" predict trace
        [[ "$output" == *racy* ]]
    done
}

@test "those that do not come to an end are cut off, and that is said" {
    run -9 "$PREPLAY" record -d trace ./unjoined.recorded spin
    [[ "$output" == *"2 threads could have gone on"* ]]
    # The note of it is ours, and in nobody's way.
    run -9 "$PREPLAY" record -d trace ./unjoined.recorded spin
}

@test "threads that sleep hold nothing up, and replays do not wait" {
    cat >asleep.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *run(void *unused)
{
    for (;;)
        pause();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(100000);
    return 4;
}
C
    "$PREPLAY" cc -g -pthread asleep.c -o asleep
    run -4 "$PREPLAY" record -d trace ./asleep
    [ -z "$output" ]
    [ ! -e trace/cut_off ]
    "$PREPLAY" record -d trace ./unjoined.recorded
    "$PREPLAY" predict trace || [ $? -eq 66 ]
    ! tr '\0' '\n' <trace/environ | grep -q '^PREPLAY_REPLAY'
    run "$PREPLAY" replay trace
    [ "$status" -le 1 ]
    [[ "$output" != *"could have gone on"* ]]
}
