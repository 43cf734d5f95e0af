# Nothing that is replayed outlives preplay, whatever ends preplay.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    # Two locks in two orders, and a grandchild that does all it can to get away.
    cat >stay.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_t last;
static int changes; /* as many behaviours as there are orders */
static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    changes += last != pthread_self();
    last = pthread_self();
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *other(void *unused)
{
    for (int i = getenv("MANY_ORDERS") ? 30 : 1; i; i--)
        both(&a, &b);
    return unused;
}
static void run_away(void)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0)
            for (int i = 0; i < 600; i++)
                sleep(1);
        _exit(0);
    }
    syscall(SYS_wait4, child, NULL, 0, NULL); /* whoever looks finds the grandchild alone */
}
int main(void)
{
    pthread_t thread;
    if (getenv("RUN_AWAY") || getenv("PREPLAY_REPLAY"))
        run_away();
    pthread_create(&thread, NULL, other, NULL);
    usleep(300000);
    both(&b, &a);
    if (getenv("MANY_ORDERS"))
        other(NULL);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g stay.c -o stay -pthread
    "$PREPLAY" record -d stay.data "$PWD/stay" </dev/null
    "$PREPLAY" predict stay.data || [ $? -eq 66 ]
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    path="$PWD/stay"
    rm -rf stay.data/replays
}

left() { pgrep -f "^$path" || true; }

# Time is only given, never measured: who has not gone then stays for minutes.
gone() {
    for i in $(seq 100); do
        [ -n "$(left)" ] || return 0
        sleep 0.1
    done
    ps -f -p "$(left | tr '\n' ',' | sed 's/,$//')"
    left | xargs kill -9
    return 1
}

replaying() { # until the program runs, with its grandchild; `replaying 1`: or without
    for i in $(seq 1200); do
        [ "$(left | wc -l)" -lt "${1:-2}" ] || return 0
        sleep 0.05
    done
    return 1
}

@test "SIGKILL of preplay ends the program and a grandchild that ran away" {
    "$PREPLAY" replay stay.data >/dev/null 2>&1 3>&- &
    preplay=$!
    replaying
    kill -9 $preplay
    wait $preplay || true
    gone
}

# The guards as well: a PID namespace ends with its first process.
@test "SIGKILL of preplay and of all its own processes at once does, too" {
    "$PREPLAY" replay stay.data >/dev/null 2>&1 3>&- &
    preplay=$!
    replaying
    all=$(pgrep -f "^$PREPLAY replay stay.data")
    [ "$(wc -w <<<"$all")" -ge 4 ]
    kill -9 $all
    wait $preplay || true
    gone
}

@test "without PID namespaces the guard ends what has run away" {
    unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"' sh \
        "$PREPLAY" replay stay.data >/dev/null 2>&1 3>&- &
    preplay=$!
    replaying
    kill -9 $preplay
    wait $preplay || true
    gone
}

# `pkill -9 preplay`: of ours, only the guard is called otherwise.
@test "and does so if all that is called preplay is killed" {
    unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"' sh \
        "$PREPLAY" replay stay.data >/dev/null 2>&1 3>&- &
    preplay=$!
    replaying
    # The last one first: it would be the guard.
    kill -9 $(comm -12 <(pgrep preplay | sort) <(pgrep -f "^$PREPLAY replay stay.data" | sort) | sort -rn)
    wait $preplay || true
    gone
}

@test "when a replay is over, what it left behind has gone" {
    "$PREPLAY" replay stay.data
    [ -z "$(left)" ]
}

@test "a recorded process is the user's, and stays" {
    RUN_AWAY=1 "$PREPLAY" record --stop-after 2 -d mine.data "$path" 3>&-
    left >mine
    xargs kill -9 <mine
    [ "$(wc -l <mine)" -eq 1 ]
}

# As for a replay: with PID namespaces, and without.
@test "SIGKILL of preplay ends what is explored, too" {
    for limit in 1000 0; do
        rm -rf explored
        RUN_AWAY=1 MANY_ORDERS=1 unshare -U -r sh -c "echo $limit >/proc/sys/user/max_pid_namespaces && exec \"\$@\"" sh \
            "$PREPLAY" explore -d explored "$path" >/dev/null 2>&1 </dev/null 3>&- &
        preplay=$!
        replaying 1 # a run is over at once, and the next begins
        kill -9 $preplay
        wait $preplay || true
        gone
    done
}

@test "when an exploration is over, what its runs left behind has gone" {
    RUN_AWAY=1 "$PREPLAY" explore -d explored "$path" </dev/null || [ $? -eq 66 ]
    gone
}
