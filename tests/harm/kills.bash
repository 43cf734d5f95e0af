#!/bin/bash
# kills.bash N: kills preplay N times, and the program N times, by SIGKILL at random moments of
# `preplay run`. After each: no process is left (but for a recorded program that outlives preplay,
# which is the user's), the trace can be read, and no report says what is not so. PREPLAY is the
# tool. Prints what it did, and fails at the first thing that is wrong.
set -u
times=${1:-200} seed=${2:-$RANDOM}
RANDOM=$seed
directory=$(mktemp -d "${TMPDIR:-/tmp}/preplay-kills-XXXXXX")
cd "$directory"
trap 'cd /; rm -rf "$directory"' EXIT
cat >both.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int hidden, kept;
static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    kept++;
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *other(void *unused) { hidden = 1; both(&a, &b); return unused; }
int main(void)
{
    pthread_t thread;
    FILE *file = fopen("result", "w");
    pthread_create(&thread, NULL, other, NULL);
    usleep(50000);
    both(&b, &a);
    fprintf(file, "%d\n", hidden);
    fclose(file);
    return pthread_join(thread, NULL);
}
C
"$PREPLAY" cc -g both.c -o both -pthread || exit 1
program=$directory/both

wrong() {
    echo "kills: seed $seed, number $number of $whom: $*" >&2
    cat output >&2
    pgrep -f "^$program" | xargs -r kill -9
    exit 1
}

# Time is only given, never measured.
gone() {
    for _ in $(seq 100); do
        pgrep -f "$1" >/dev/null || return 0
        sleep 0.1
    done
    return 1
}

readable() {
    [ -e trace/manifest.json ] || return 0 # killed before there was one
    timeout 60 "$PREPLAY" info trace >info 2>&1 ||
        grep -q "nothing was recorded\|no stream\|no process\|no thread\|streams" info || wrong "the trace cannot be read: $(cat info)"
    [ ! -e trace/findings.json ] || jq -e . trace/findings.json >/dev/null || wrong "findings.json is broken"
}

# Whatever is confirmed must be one of the two errors that the program has.
true_report() {
    [ -e trace/findings.json ] || return 0
    jq -e '[.findings[] | select(.verdict == "confirmed" or .verdict == "observed")] |
        all((.kind == "deadlock") or (.kind == "race" and (.object | tostring | test("hidden"))))' \
        trace/findings.json >/dev/null || wrong "a finding that is not so"
}

once() {
    rm -rf trace result
    "$PREPLAY" run -d trace "$program" >output 2>&1 &
    preplay=$!
    sleep "0.$(printf %03d $((RANDOM % 700)))"
    case $whom in
    preplay) kill -9 $preplay 2>/dev/null ;;
    program) pgrep -f "^$program" | shuf -n 1 | xargs -r kill -9 2>/dev/null ;;
    esac
    wait $preplay 2>/dev/null
    gone "^$program" || wrong "a process is left"
    gone "^$PREPLAY run -d trace $program" || wrong "one of preplay is left"
    readable
    true_report
}

for whom in preplay program; do
    for number in $(seq "$times"); do
        once
    done
done
ls -d /tmp/preplay-"$UID"-* /var/tmp/preplay-"$UID"-* 2>/dev/null && wrong "a directory is left"
echo "kills: $times of preplay and $times of the program, seed $seed: nothing left, all readable, all true"
