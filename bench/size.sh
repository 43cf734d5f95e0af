#!/bin/bash
# Usage: bench/size.sh [BUILD] [NUMBERS (40000000)] [THREADS (100000)] [MUTEXES (1000000)] [EVENTS (100000000)]
# Predicting at real size, on recordings that are made here: processor seconds, how many times that of a
# bare decode of all records (bench/decode) and of `preplay info`, and the most memory each took.
#   sort       two threads sort halves of an array: everything comes in one order
#   threads    short threads, eight at a time
#   mutexes    as many as that, each locked by two threads
#   generated  a tenth of EVENTS, then all of them, with 20 races and 20 deadlocks planted, written by
#              bench/generate: how many of those are found
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build} numbers=${2:-40000000} threads=${3:-100000} mutexes=${4:-1000000} events=${5:-100000000}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# A recording takes about 25 bytes a number, 4 KB a thread, 60 bytes a mutex, 7 a generated event; one
# is there at a time.
need=0
for bytes in $((numbers * 25)) $((threads * 4096)) $((mutexes * 60)) $((events * 7)); do
    [ "$bytes" -le $((need * 1024)) ] || need=$((bytes / 1024))
done
free=$(df --output=avail -k "$work" | tail -1)
if [ "$need" -gt "$free" ]; then
    echo "bench/size.sh: needs $((need / 1024)) MB in $work, which has $((free / 1024)) MB" >&2
    exit 1
fi

sed "s/COUNT = 1500000/COUNT = $numbers/" bench/record/sort.c >"$work/sort.c"
cat >"$work/threads.c" <<END
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;
static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    for (int i = 0; i < $threads / 8; i++) {
        pthread_t ids[8];
        for (int k = 0; k < 8; k++)
            pthread_create(&ids[k], 0, work, 0);
        for (int k = 0; k < 8; k++)
            pthread_join(ids[k], 0);
    }
}
END
cat >"$work/mutexes.c" <<END
#include <pthread.h>
#include <stdlib.h>
enum { COUNT = $mutexes };
static pthread_mutex_t *mutexes;
static int *values;
static void *work(void *unused)
{
    for (int i = 0; i < COUNT; i++) {
        pthread_mutex_lock(&mutexes[i]);
        values[i]++;
        pthread_mutex_unlock(&mutexes[i]);
    }
    return unused;
}
int main(void)
{
    pthread_t ids[2];
    mutexes = calloc(COUNT, sizeof *mutexes);
    values = calloc(COUNT, sizeof *values);
    for (int i = 0; i < COUNT; i++)
        pthread_mutex_init(&mutexes[i], 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], 0);
}
END

measure() { # COMMAND... : processor seconds and MB at most
    { /usr/bin/time -f '%U %S %M' "$@" >"$work/out" 2>"$work/err" || [ $? -eq 66 ]; }
    tail -1 "$work/err" | awk '{ printf "%.2f %d\n", $1 + $2, $3 / 1024 }'
}

head=(program recorded 'after sift' seconds 'x decode' 'x info' 'info MB' 'peak MB')
printf '%-10s %12s %12s %9s %9s %7s %8s %8s  %s\n' "${head[@]}" planted

row() { # NAME TRUTH : predicts the recording that is there
    read -r decoding _ < <(measure "$build/bench/decode" "$work/$1.data")
    read -r reading reading_mb < <(measure "$build/preplay" info "$work/$1.data")
    recorded=$("$build/bench/decode" "$work/$1.data" | awk '{ print $1 + $3 }')
    read -r predicting mb < <(measure "$build/preplay" predict --json "$work/json" "$work/$1.data")
    printf '%-10s %12s %12s %9s %9s %7s %8s %8s  %s\n' "$1" "$recorded" "$(jq .trace.events "$work/json")" \
        "$predicting" "$(ratio "$predicting" "$decoding")" "$(ratio "$predicting" "$reading")" "$reading_mb" "$mb" "$(found "$2")"
    rm -r "$work/$1.data"
}

ratio() {
    awk "BEGIN { printf \"%.1f\", $1 / ($2 > 0 ? $2 : 0.01) }"
}

# Of what was planted, how much a sound model finds.
found() { # TRUTH
    [ -n "$1" ] || return 0
    jq -r '.findings[] | select(.verdict != "candidate") | .kind, (.events[].location)' "$work/json" |
        sed 's/^\(race\|deadlock\)$/\n\1/' | awk -v RS= '{ print $1; print $2 < $3 "" ? $2 " " $3 : $3 " " $2 }' |
        paste -d' ' - - | sort -u >"$work/found"
    awk '{ print $1, ($2 "" < $3 "" ? $2 " " $3 : $3 " " $2) }' "$1" | sort -u >"$work/planted"
    echo "$(comm -12 "$work/planted" "$work/found" | wc -l) of $(wc -l <"$work/planted")"
}

for name in sort threads mutexes; do
    "$build/preplay" cc -O2 -g "$work/$name.c" -o "$work/$name" -pthread
    "$build/preplay" record -d "$work/$name.data" "$work/$name" >/dev/null 2>&1
    row "$name" ''
done
for count in $((events / 10)) "$events"; do
    "$build/bench/generate" --events "$count" --contention low --races 20 --deadlocks 20 --decoys 20 \
        --truth "$work/truth" --recording "$work/generated.data"
    row generated "$work/truth"
done
