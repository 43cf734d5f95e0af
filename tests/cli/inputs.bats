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
    cat >"$BIN/clocks.c" <<'EOF'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "late.h"
static int result;
static struct timespec drawn;
static void *worker(void *unused)
{
    clock_gettime(CLOCK_MONOTONIC, &drawn);
    result = 42;
    say("drawn");
    return unused;
}
static long elapsed(void) /* since the last time, by the kernel's own word, in milliseconds */
{
    static long before;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long time = now.tv_sec * 1000 + now.tv_nsec / 1000000, passed = time - before;
    before = time;
    return passed;
}
static struct timespec soon(clockid_t clock)
{
    struct timespec time;
    elapsed();
    clock_gettime(clock, &time);
    time.tv_nsec += 50000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
#define WAITS(clock, call)                                          \
    {                                                               \
        struct timespec until = soon(clock);                        \
        int failed = (call) ? 1 : 0;                                \
        long passed = elapsed();                                    \
        if (passed < 49 || passed > 60000)                          \
            printf("told: " #call " %d after %ld ms\n", failed, passed); \
    }
int main(void)
{
    unsigned char bytes[4], stream[4];
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timeval day;
    time_t now = time(NULL);
    sem_t semaphore;
    gettimeofday(&day, NULL);
    int file = open("/dev/urandom", O_RDONLY);
    FILE *device = fopen("/dev/urandom", "r");
    if (read(file, bytes, sizeof bytes) < 4 || fread(stream, 1, 4, device) < 4)
        return 1;
    pthread_t thread = begin(worker);
    do_other_things();
    say("now for the result");
    int seen = *(volatile int *)&result;
    (void)seen;
    pthread_join(thread, NULL);
    printf("told %ld %ld.%06ld %ld.%09ld", (long)now, (long)day.tv_sec, (long)day.tv_usec,
           (long)drawn.tv_sec, drawn.tv_nsec);
    for (int i = 0; i < 4; i++)
        printf(" %02x %02x", bytes[i], stream[i]);
    printf(" hour %d\n", localtime(&now)->tm_hour);
    sem_init(&semaphore, 0, 0);
    pthread_mutex_lock(&mutex);
    WAITS(CLOCK_REALTIME, pthread_cond_timedwait(&condition, &mutex, &until))
    WAITS(CLOCK_MONOTONIC, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until))
    WAITS(CLOCK_REALTIME, sem_timedwait(&semaphore, &until))
    WAITS(CLOCK_MONOTONIC, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
}
EOF
    for name in told clocks; do
        "$PREPLAY" cc -g -pthread -D_GNU_SOURCE -I"$BATS_TEST_DIRNAME/../programs/failures" "$BIN/$name.c" -o "$BIN/$name"
    done
}

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# What it prints when the schedule that was kept is run to the program's end.
told_again() { # OPTION...
    "$PREPLAY" replay "$@" told.data >/dev/null
    grep -h "^told" told.data/replays/*.output
}

record() { # [PROGRAM]
    run -66 --separate-stderr "$PREPLAY" run -d told.data "$BIN/${1:-told}"
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

@test "the time, random devices and the time zone are told again, and waits are as long as they were meant" {
    export TZ=Asia/Kathmandu
    record clocks
    [[ "${lines[1]}" != told* ]] # of waits that ended early
    told=${lines[0]}
    export TZ=America/Lima
    [ "$(told_again)" = "$told" ]
    [ "$(told_again)" = "$told" ]
}

@test "with --live-inputs a replay is told what is true now" {
    record clocks
    told=${lines[0]}
    run told_again --live-inputs
    [ "${#lines[@]}" = 1 ]
    [ "$(cut -d' ' -f4 <<<"$output")" != "$(cut -d' ' -f4 <<<"$told")" ]
    [ "$(cut -d' ' -f5-12 <<<"$output")" != "$(cut -d' ' -f5-12 <<<"$told")" ]
}
