# What a finding is called, and what is suggested: each wrong trace beside one that differs in the
# single point that decides.

bats_require_minimum_version 1.5.0

# titled TITLE <TRACE : its only finding begins so.
titled() {
    cat >"$BATS_TEST_TMPDIR/trace.std"
    run "$PREPLAY" report "$BATS_TEST_TMPDIR/trace.std"
    [[ "$output" == *"
$1 "[rd]-* ]]
}

suggested() {
    [[ "$output" == *"Suggestion: $1."* ]]
}

nothing_suggested() {
    [[ "$output" != *"Suggestion"* ]]
}

started='T0|fork(T1)|1
T0|fork(T2)|2'

@test "double-checked locking: a look without the lock, and again with it" {
    titled "DOUBLE-CHECKED LOCKING" <<END
$started
T1|r(instance)|10
T1|acq(m)|11
T1|r(instance)|12
T1|w(instance)|13
T1|rel(m)|14
T2|r(instance)|10
END
    suggested "take m at 10, as every other access does, or make all of them atomic"
    # It does not look again.
    titled "DATA RACE" <<END
$started
T1|r(instance)|10
T1|acq(m)|11
T1|w(instance)|13
T1|rel(m)|14
T2|r(instance)|10
END
    # The other looks elsewhere.
    titled "DATA RACE" <<END
$started
T1|r(instance)|10
T1|acq(m)|11
T1|r(instance)|12
T1|w(instance)|13
T1|rel(m)|14
T2|r(instance)|30
END
}

@test "a lock is suggested that every other access holds" {
    titled "DATA RACE" <<END
T0|w(x)|0
$started
T1|acq(m)|11
T1|w(x)|12
T1|rel(m)|13
T2|r(x)|20
T0|join(T1)|3
T0|join(T2)|4
T0|r(x)|5
END
    suggested "take m at 20, as every other access does"
    # Main reads before it has joined all.
    titled "DATA RACE" <<END
$started
T1|acq(m)|11
T1|w(x)|12
T1|rel(m)|13
T2|r(x)|20
T0|join(T1)|3
T0|r(x)|5
T0|join(T2)|4
END
    nothing_suggested
    # The same place holds it at another time.
    titled "DATA RACE" <<END
$started
T1|acq(m)|11
T1|w(x)|12
T1|rel(m)|13
T2|r(x)|20
T2|acq(m)|19
T2|r(x)|20
T2|rel(m)|21
END
    nothing_suggested
}

@test "no lock is suggested that might close a cycle" {
    titled "DATA RACE" <<END
$started
T1|acq(m)|11
T1|w(x)|12
T1|w(x)|13
T1|rel(m)|14
T2|acq(n)|19
T2|r(x)|20
T2|rel(n)|21
END
    suggested "take m at 20, as every other access does"
    titled "DATA RACE" <<END
$started
T1|acq(m)|11
T1|acq(n)|12
T1|rel(n)|13
T1|w(x)|14
T1|w(x)|15
T1|rel(m)|16
T2|acq(n)|19
T2|r(x)|20
T2|rel(n)|21
END
    nothing_suggested
    # Each could follow the other.
    titled "DATA RACE" <<END
$started
T1|acq(m)|11
T1|w(x)|12
T1|rel(m)|13
T2|acq(n)|19
T2|r(x)|20
T2|rel(n)|21
END
    nothing_suggested
}

@test "a lock that is held for reading protects no write" {
    titled "DATA RACE" <<END
$started
T1|rdacq(l)|11
T1|w(x)|12
T1|rdrel(l)|13
T2|r(x)|20
END
    nothing_suggested
    titled "DATA RACE" <<END
$started
T1|wracq(l)|11
T1|w(x)|12
T1|wrrel(l)|13
T2|r(x)|20
END
    suggested "take l at 20, as every other access does"
}

@test "an access is to be atomic where all others are" {
    titled "DATA RACE" <<END
$started
T1|atomicw(x)|11
T2|r(x)|20
END
    suggested "make the access at 20 atomic, as every other is"
    titled "DATA RACE" <<END
$started
T1|atomicw(x)|11
T1|w(x)|12
T2|r(x)|20
END
    nothing_suggested
}

@test "deadlocks: lock-order inversion, lost wake-up" {
    titled "LOCK-ORDER INVERSION" <<END
$started
T1|acq(a)|11
T1|acq(b)|12
T1|rel(b)|13
T1|rel(a)|14
T2|acq(b)|21
T2|acq(a)|22
T2|rel(a)|23
T2|rel(b)|24
END
    titled "LOST WAKE-UP" <<END
$started
T2|acq(m)|21
T2|wait(c,m)|22
T1|acq(m)|11
T1|notify(c)|12
T1|rel(m)|13
T2|woken(c,m)|22
T2|rel(m)|23
END
}

@test "a thread that wants what it holds: for good, or for writing" {
    cd "$BATS_TEST_TMPDIR"
    "$PREPLAY" cc -g -pthread -include "$BATS_TEST_DIRNAME/../programs/patience.h" -x c - -o upgrade <<'C'
#include <pthread.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static void *query(void *unused)
{
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_t *again = &table;
    if (pthread_rwlock_trywrlock(again) == 0)
        return unused;
    pthread_rwlock_wrlock(again);
    return unused;
}
int main(void)
{
    pthread_t thread, other;
    pthread_rwlock_rdlock(&table);
    pthread_create(&thread, NULL, query, NULL);
    pthread_create(&other, NULL, query, NULL);
    pthread_join(thread, NULL);
    return pthread_join(other, NULL);
}
C
    run -66 "$PREPLAY" run ./upgrade
    [[ "$output" == *"READER UPGRADE d-"* ]]
    "$PREPLAY" cc -g -pthread -x c - -o self <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *twice(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, twice, NULL);
    return pthread_join(thread, NULL);
}
C
    run -66 "$PREPLAY" run ./self
    [[ "$output" == *"SELF-DEADLOCK d-"*" of 1 thread: observed"* ]]
    "$PREPLAY" cc -g -pthread -x c - -o left <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *leave(void *unused)
{
    pthread_mutex_lock(&m);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return pthread_mutex_lock(&m);
}
C
    run -66 "$PREPLAY" run ./left
    [[ "$output" == *"MISSING UNLOCK d-"*" of 1 thread: observed"* ]]
}

@test "heap memory is named by where it was allocated, also long before its first use" {
    cd "$BATS_TEST_TMPDIR"
    cat >freed.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct connection { int handle, bytes; };
static struct connection *connection;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *unused)
{
    connection->bytes += 10;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    connection = calloc(1, sizeof *connection);
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    free(connection);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -pthread freed.c -o freed
    run -66 "$PREPLAY" run ./freed
    [[ "$output" == *"USE AFTER FREE r-"*" on block freed.c:15 byte 4: "* ]]
    [[ "$output" == *"frees 4 bytes of block freed.c:15 byte 4"* ]]
    [[ "$output" == *"offset 4 of a heap block of 8 bytes"* ]]
}

@test "the counts of the summary add up" {
    cd "$BATS_TEST_TMPDIR"
    # Two pairs at the same places, one that a lock refutes, one elsewhere.
    cat >trace.std <<END
$started
T1|w(x)|10
T1|w(x)|10
T1|acq(m)|11
T1|w(y)|12
T1|rel(m)|13
T2|w(x)|20
T2|w(x)|20
T2|acq(m)|21
T2|w(y)|22
T2|rel(m)|23
T2|w(x)|24
END
    run "$PREPLAY" report trace.std
    [[ "$output" =~ ([0-9]+)" candidate"s?": "([^.]*)"." ]]
    total=${BASH_REMATCH[1]} sum=0
    for count in $(grep -oE '[0-9]+' <<<"${BASH_REMATCH[2]}"); do sum=$((sum + count)); done
    [ "$sum" -eq "$total" ]
}

@test "an atomicity violation has a first and a last step, and one in between" {
    cd "$BATS_TEST_TMPDIR"
    trace="$BATS_TEST_DIRNAME/../traces/002-fig18.1-observed-serial.std"
    "$PREPLAY" report "$trace" >text || [ $? -eq 66 ]
    [ "$(grep -A1 ': Thread' text | grep -v '^--')" = "  First step: Thread T1 locks l:
    #0 2
  Last step: Thread T1 locks l:
    #0 4
  In between: Thread T2 locks l:
    #0 7" ]
    "$PREPLAY" predict -e atomicity "$trace" >short || [ $? -eq 66 ]
    [ "$(grep -c -e '^    First step  thread T1 .* at 2 ' -e '^    Last step   thread T1 .* at 4 ' \
        -e '^    In between  thread T2 .* at 7 ' short)" -eq 3 ]
    "$PREPLAY" report --sarif "$trace" >sarif || [ $? -eq 66 ]
    for list in stacks relatedLocations; do
        jq -e --arg list $list '[.runs[0].results[0][$list][].message.text] == ["First step: thread T1 locks l",
            "Last step: thread T1 locks l", "In between: thread T2 locks l"]' sarif
    done
}
