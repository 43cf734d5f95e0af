#!/bin/bash
# Usage: bench/size.sh [BUILD] [NUMBERS (40000000)] [THREADS (100000)] [MUTEXES (1000000)]
# Predicting at real size, on recordings of programs that are built here: processor time against
# `preplay info` of the same recording, which decodes all of it twice, and the most memory each took.
#   sort     two threads sort halves of an array: everything comes in one order
#   threads  short threads, eight at a time
#   mutexes  as many as that, each locked by two threads
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build} numbers=${2:-40000000} threads=${3:-100000} mutexes=${4:-1000000}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# A recording takes about 25 bytes a number, 4 KB a thread and 60 bytes a mutex.
need=$(((numbers * 25 + threads * 4096 + mutexes * 60) / 1024))
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

printf '%-8s %12s %12s %8s %8s %8s\n' program recorded 'after sift' 'x info' 'info MB' 'peak MB'
for name in sort threads mutexes; do
    "$build/preplay" cc -O2 -g "$work/$name.c" -o "$work/$name" -pthread
    "$build/preplay" record -d "$work/$name.data" "$work/$name" >/dev/null 2>&1
    read -r reading reading_mb < <(measure "$build/preplay" info "$work/$name.data")
    recorded=$(awk '/ events, /{ print $1; exit }' "$work/out")
    read -r predicting mb < <(measure "$build/preplay" predict --json "$work/json" "$work/$name.data")
    printf '%-8s %12s %12s %8s %8s %8s\n' "$name" "$recorded" "$(jq .trace.events "$work/json")" \
        "$(awk "BEGIN { printf \"%.1f\", $predicting / $reading }")" "$reading_mb" "$mb"
    rm -r "$work/$name.data"
done
