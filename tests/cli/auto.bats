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
