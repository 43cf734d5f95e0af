# The engine auto: models, threads, every pair.

bats_require_minimum_version 1.5.0

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
}

findings() { # OPTIONS... TRACE : all but the times
    "$PREPLAY" predict --all --json - "$@" | jq -S 'del(.engines[].seconds)'
}

pairs() { # MODEL TRACE : the pairs of locations that race, one a line
    "$PREPLAY" predict -e auto -m "$1" --all --json - "$2" |
        jq -r '.findings[] | select(.kind == "race") | .events | map(.location) | join("~")' | sort
}

@test "every figure has the races its verdict says, model by model" {
    for trace in "$traces"/*.std; do
        for model in rf sync; do
            wanted=$(sed -n "s/^oracle-$model: //p" "${trace%.std}.verdict" | sed 's/ derived$//')
            [ -n "$wanted" ] || continue
            [ "$wanted" != none ] || wanted=
            echo "$trace $model"
            [ "$(tr ',' '\n' <<<"$wanted" | sort)" = "$(pairs "$model" "$trace")" ]
        done
    done
}

@test "the strongest model that has a witness is named" {
    run -66 "$PREPLAY" predict --all "$traces/002-fig1.9-hidden-race.std"
    [[ "$output" == *"predicted by auto (rf)"* ]]
    run -66 "$PREPLAY" predict -e auto "$traces/002-fig1.12-no-predictable-race.std"
    [[ "$output" == *"candidate by auto (sync)"* ]]
}

@test "the output is the same on one thread and on two" {
    for trace in "$traces"/*.std; do
        [ "$(findings -j 1 "$trace")" = "$(findings -j 2 "$trace")" ]
        [ "$(findings -j 1 --pairs "$trace")" = "$(findings -j 2 --pairs "$trace")" ]
    done
}

@test "also where there is work for both: rounds, models, many witnesses" {
    for shape in large:events=600 large-all:events=200; do
        "$PREPLAY" tiddle --random --shape "$shape" --seed 5 --format -o random.tiddle
        # Few locations, so that each pair of them has many instances.
        "$PREPLAY" convert --to std random.tiddle | awk -F'|' '{ print $1 "|" $2 "|" NR % 7 }' >random.std
        findings -j 1 random.std >one
        findings -j 2 random.std >two
        cmp one two
        [ "$(jq '.findings | length' one)" -gt 10 ]
    done
}

@test "a window leaves out what is farther apart" {
    run -0 "$PREPLAY" predict -e auto --window 1 "$traces/002-fig1.9-hidden-race.std"
    [[ "$output" == *"0 races"* ]]
}

@test "a relaxed atomic orders nothing, in another order of locks" {
    # Observed, the lock orders the two; the other way round nothing does.
    printf '%s\n' 'T0|w(x)|1' 'T0|atomicw.relaxed(f)|2' 'T0|acq(l)|3' 'T0|rel(l)|4' \
        'T1|acq(l)|5' 'T1|rel(l)|6' 'T1|atomicr.relaxed(f)|7' 'T1|r(x)|8' >relaxed.std
    run -66 "$PREPLAY" predict relaxed.std
    [[ "$output" == *"predicted by auto (rf)"*"relaxed atomics"*"witness: 0 1 4 5 6 7"* ]]
    [ "$(pairs rf relaxed.std)" = 1~8 ]
    # Acquire and release do.
    sed 's/atomicw.relaxed/atomicw.release/; s/atomicr.relaxed/atomicr.acquire/' relaxed.std >ordered.std
    run -0 "$PREPLAY" predict ordered.std
    [ -z "$(pairs rf ordered.std)" ]
}

@test "of a statement that reads and writes, what is proven of one access counts" {
    cat >counter.c <<'END'
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *add(void *unused)
{
    pthread_mutex_lock(&one);
    counter += 1;
    pthread_mutex_unlock(&one);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    pthread_mutex_lock(&other);
    counter += 10;
    pthread_mutex_unlock(&other);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g -pthread counter.c -o counter
    "$PREPLAY" record ./counter
    # Read and write have one line and column; the second thread's write, for its read saw the
    # first one's write, is in no race that keeps what was read.
    run -66 "$PREPLAY" predict preplay.data
    [[ "$output" == *"on counter: observed by auto (rf)"* ]]
    [[ "$output" == *"1 race, "* ]]
}

@test "a lost wake-up that only values prove is found without asking for values" {
    run "$PREPLAY" predict "$traces/003-fig2-wait-notify.std"
    [[ "$output" == *"deadlock "*"predicted by auto (value)"* ]]
    [[ "$output" == *"lost wake-up: the wait can be left without a signal"* ]]
    # Under rf alone there is none.
    run "$PREPLAY" predict -m rf "$traces/003-fig2-wait-notify.std"
    [[ "$output" == *"0 deadlocks"* ]]
}

# What x holds before the first section is known from the program's file alone: nobody reads it.
initial() { # DECLARATION VALUE : the model that the race on y is predicted under
    cat >initial.c <<END
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int y;
$1;
typeof(x) r;
static void *a(void *p) { y = 1; pthread_mutex_lock(&m); x = $2; pthread_mutex_unlock(&m); return p; }
static void *b(void *p) { usleep(60000); pthread_mutex_lock(&m); r = x; pthread_mutex_unlock(&m); y = 2; return p; }
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
END
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" initial.c -o initial -pthread
    "$PREPLAY" record --values -d data ./initial
    "$PREPLAY" predict --all --json - data | jq -r '.findings[] | select(.object == "y").model'
}

@test "initial values are those of the program's file" {
    [ "$(initial 'int x' 0)" = value ]
    [ "$(initial 'long x = 1234567890123' 1234567890123)" = value ]
    [ "$(initial 'char pad[3] = {1}, x = 7' 7)" = value ]
    # Another value, and one that the dynamic linker put there.
    [ "$(initial 'int x = 5' 0)" = sync ]
    [ "$(initial 'int *x = &y' '&y')" = sync ]
}

# Memory follows the threads that are alive, not all that ever were, squared: 880 MB once.
@test "twenty thousand threads, eight at a time, in 300 MB" {
    awk 'BEGIN { for (i = 0; i < 20000; i += 8) {
        for (j = 0; j < 8; j++) printf "T0|fork(t%d)|1\n", i + j
        for (j = 0; j < 8; j++) {
            if (i == 9600 && j == 3) printf "t%d|w(x)|7\n", i + j
            if (i == 9600 && j == 5) printf "t%d|w(x)|8\n", i + j
            printf "t%d|acq(m)|2\nt%d|w(n)|3\nt%d|rel(m)|4\n", i + j, i + j, i + j
        }
        for (j = 0; j < 8; j++) printf "T0|join(t%d)|6\n", i + j } }' >threads.std
    limit="ulimit -v 300000"
    ! ldd "$PREPLAY" | grep -q libasan || limit=true # its shadow memory alone is more
    run bash -c "$limit; exec '$PREPLAY' predict --json out.json threads.std"
    [ "$status" -eq 66 ]
    jq -e '[.findings[] | select(.verdict != "candidate") | [.events[].location]] == [["7", "8"]]' out.json
    run bash -c "$limit; exec '$PREPLAY' predict -e hb,lockset threads.std"
    [ "$status" -eq 66 ]
}

# Where nothing tells that a thread has ended, it has with its last event: 880 MB once.
@test "twenty thousand threads that nobody forks or joins, in 300 MB" {
    for same in 1 0; do
        awk -v same=$same 'BEGIN { for (i = 0; i < 20000; i++) {
            if (i == 9603 || i == 9605) printf "t%d|w(x%s)|1\n", i, same ? "" : i
            printf "t%d|acq(m)|2\nt%d|w(n)|3\nt%d|rel(m)|4\n", i, i, i } }' >threads$same.std
    done
    limit="ulimit -v 300000"
    ! ldd "$PREPLAY" | grep -q libasan || limit=true # its shadow memory alone is more
    run bash -c "$limit; exec '$PREPLAY' predict --json out.json threads1.std"
    [ "$status" -eq 66 ]
    jq -e '[.findings[] | select(.verdict != "candidate") | .object] == ["x"]' out.json
    run bash -c "$limit; exec '$PREPLAY' predict threads0.std"
    [ "$status" -eq 0 ]
}

# Whose turn it is in the schedule of a set of waits was asked of all threads before every event: minutes, and no
# signal ended them.
@test "five thousand threads that wait for one condition are through" {
    awk 'BEGIN {
        for (i = 0; i < 5000; i++) printf "T0|fork(t%d)|1\n", i
        for (i = 0; i < 5000; i++) {
            printf "t%d|acq(m)|2\n", i
            if (i % 500 == 499) printf "t%d|notifyall(c)|3\n", i
            printf "t%d|r(go)|4\nt%d|wait(c,m)|5\n", i, i
            if (i % 500 == 499)
                for (k = 0; k < i; k++) printf "t%d|woken(c,m)|5\nt%d|r(go)|4\nt%d|wait(c,m)|5\n", k, k, k
        }
        printf "T0|acq(m)|5\nT0|w(go)|6\nT0|notifyall(c)|7\nT0|rel(m)|8\n"
        for (i = 0; i < 5000; i++) printf "t%d|woken(c,m)|5\nt%d|r(go)|4\nt%d|rel(m)|9\n", i, i, i
        for (i = 0; i < 5000; i++) printf "T0|join(t%d)|10\n", i }' >waiting.std
    run timeout -k 5 300 "$PREPLAY" predict waiting.std
    [ "$status" -eq 0 ]
}
