# Long recordings: what matters of them is found, kept and replayed; the rest is read and forgotten.

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# A buffer goes back and forth between two threads, under a lock: millions of accesses that come in
# one order. With RACE, a counter that the two share is not guarded: at the end, and never at once.
handover() { # CFLAGS
    cat >handover.c <<'END'
#include <pthread.h>
enum { SIZE = 1 << 16, ROUNDS = 24 };
static int buffer[SIZE], turn, counter;
static long sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void take(int mine)
{
    pthread_mutex_lock(&mutex);
    while (turn != mine)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
static void give(int other)
{
    pthread_mutex_lock(&mutex);
    turn = other;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}
static void *consume(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        take(1);
        for (int i = 0; i < SIZE; i++)
            sum += buffer[i];
        give(0);
    }
#ifdef RACE
    counter++;
#endif
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, consume, 0);
    for (int round = 0; round < ROUNDS; round++) {
        take(0);
        for (int i = 0; i < SIZE; i++)
            buffer[i] = round + i;
        give(1);
    }
    take(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    counter++;
    pthread_join(thread, 0);
    return sum == 0;
}
END
    "$PREPLAY" cc -O1 -g $1 handover.c -o handover -pthread
}

@test "a race in a long recording is found and confirmed; what was handed over is left out" {
    handover -DRACE
    run "$PREPLAY" run -d data --json out.json ./handover
    [ "$status" -eq 66 ]
    jq -e '[.findings[] | select(.verdict == "observed" or .verdict == "confirmed") | .object] | unique == ["counter"]' out.json
    jq -e '.trace.events < 100000' out.json
    [ "$("$PREPLAY" info data | awk '/ events, /{ print ($1 > 2000000) }')" = 1 ]
    # By itself, from the file: the same positions.
    id=$(jq -r '[.findings[] | select(.object == "counter")][0].id' out.json)
    run "$PREPLAY" replay data "$id"
    [ "$status" -eq 0 ]
}

@test "without the race there is nothing, in 300 MB" {
    handover ''
    "$PREPLAY" record -d data ./handover
    limit="ulimit -v 300000"
    ! ldd "$PREPLAY" | grep -q libasan || limit=true # its shadow memory alone is more
    run bash -c "$limit; exec '$PREPLAY' predict --json out.json data"
    [ "$status" -eq 0 ]
    jq -e '[.findings[] | select(.verdict != "candidate")] == []' out.json
}

@test "what is left of a long recording can be dumped, checked and reported again" {
    handover -DRACE
    "$PREPLAY" record -d data ./handover
    run "$PREPLAY" predict --json out.json data
    [ "$status" -eq 66 ]
    events=$(jq .trace.events out.json)
    [ "$("$PREPLAY" dump data | wc -l)" -eq "$events" ]
    "$PREPLAY" report --json -o again.json data || true
    positions='[.findings[] | select(.object == "counter" and .verdict != "candidate").events[].pos] | sort'
    [ "$(jq -c "$positions" out.json)" != '[]' ]
    [ "$(jq -c "$positions" out.json)" = "$(jq -c "$positions" again.json)" ]
}

# A block of four million variables that two threads have written, and its end, which is an access of
# each of them. With EARLY, that may come while the last is still written.
large_block() { # CFLAGS
    cat >block.c <<'C'
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
enum { COUNT = 4000000 };
static int *block;
static void *fill(void *unused)
{
    for (int i = 0; i < COUNT; i++)
        block[i] = i;
    return unused;
}
static void *last(void *unused)
{
    block[COUNT - 1]++;
    return unused;
}
int main(void)
{
    pthread_t filler, late;
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* it stays mapped: who comes too late does no harm */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    block = malloc(COUNT * sizeof *block);
    for (int i = 0; i < COUNT; i++)
        block[i] = 0;
    pthread_create(&filler, 0, fill, 0);
    pthread_join(filler, 0);
    pthread_create(&late, 0, last, 0);
#ifndef EARLY
    pthread_join(late, 0);
#endif
    free(block);
#ifdef EARLY
    pthread_join(late, 0);
#endif
}
C
    "$PREPLAY" cc -O1 -g $1 block.c -o block -pthread
    "$PREPLAY" record -d data ./block
    limit="ulimit -v 180000"
    ! ldd "$PREPLAY" | grep -q libasan || limit=true
    run bash -c "$limit; exec '$PREPLAY' predict --json out.json data"
}

@test "the end of a large block is an access of all that was in it, one after the other" {
    large_block -DEARLY
    [ "$status" -eq 66 ]
    [ "$(jq -r '[.findings[].rule] | unique | join(" ")' out.json)" = use-after-free ]
}

@test "a large block that nobody uses any more is not found, and does not fill memory" {
    large_block ''
    [ "$status" -eq 0 ]
    jq -e '.findings == []' out.json
}
