# turns: the schedules of long traces, from prediction to replay and report.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >long.c <<'C'
#include "steps.h"
MUTEX(m);
int own[50000], other[50000], x;
static void fill(int *cells) { for (int i = 0; i < 50000; i++) cells[i] = i; }
pthread_barrier_t both;
THREAD(a) { pthread_barrier_wait(&both); fill(own); x = 1; PASS(m); END; }
THREAD(b) { pthread_barrier_wait(&both); SLEEP(4); fill(other); PASS(m); x = 2; END; }
int main(void) {
    fill(own), fill(other); /* what one thread alone touches is not in the trace */
    pthread_barrier_init(&both, NULL, 2);
    RUN(a, b);
    return 0;
}
C
    "$PREPLAY" cc -g -O1 -I"$BATS_TEST_DIRNAME/../programs/truth" long.c -o long -pthread
    "$PREPLAY" record -d long.data ./long </dev/null
    for engine in tlh auto; do
        "$PREPLAY" predict -e $engine --json $engine.json long.data || [ $? -eq 66 ]
        cp -r long.data $engine.data
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "a long schedule is a few turns" {
    for engine in tlh auto; do
        jq -e '.trace.events > 65536' $engine.json
        jq -e '.findings | length == 1' $engine.json
        jq -e '.findings[0] | (.turns | length < 20) and (has("witness") | not)' $engine.json
    done
    run "$PREPLAY" predict -e tlh long.data
    [[ "$output" == *"witness: "*" turns"* ]]
}

@test "check unfolds turns, and rejects wrong ones with the rule" {
    for engine in tlh auto; do
        run "$PREPLAY" check long.data $engine.json
        [ "$status" -eq 0 ]
        [[ "$output" == *"accepted"*"turns"* ]]
        # The first turn again, at the end of the schedule.
        jq '.findings[0].turns |= .[:-2] + [.[0]] + .[-2:]' $engine.json >wrong.json
        run "$PREPLAY" check long.data wrong.json
        [ "$status" -eq 1 ]
        [[ "$output" == *"keep their order"* ]]
        jq '.findings[0].turns |= [4000000000] + .' $engine.json >wrong.json
        run "$PREPLAY" check long.data wrong.json
        [ "$status" -eq 1 ]
        jq '.findings[0].turns |= ["x"] + .' $engine.json >wrong.json
        run "$PREPLAY" check long.data wrong.json
        [ "$status" -eq 3 ]
    done
}

@test "a schedule in turns is replayed" {
    for engine in tlh auto; do
        run "$PREPLAY" replay -n 2 $engine.data
        [ "$status" -eq 0 ]
        [[ "$output" == *"confirmed 2 of 2 times"* ]]
    done
}

@test "reports show all that happens in the turns" {
    for engine in tlh auto; do
        run "$PREPLAY" report --all $engine.data
        [[ "$output" == *"A schedule that reaches it, "[0-9][0-9][0-9][0-9][0-9]*" events"* ]]
        "$PREPLAY" report --all --json -o report.json $engine.data || [ $? -eq 66 ]
        diff <(jq '.findings[0].turns' report.json) <(jq '.findings[0].turns' $engine.json)
        "$PREPLAY" report --all --sarif -o report.sarif $engine.data || [ $? -eq 66 ]
        jq -e '.runs[0].results[0].codeFlows[0].threadFlows | length >= 2' report.sarif
    done
}

@test "a findings file with too short a schedule is refused" {
    cp -r tlh.data broken.data
    jq '.findings[0].turns |= .[-1:]' tlh.data/findings.json >broken.data/findings.json
    run "$PREPLAY" replay broken.data
    [ "$status" -eq 3 ]
    [[ "$output" == *"does not fit the trace"* ]]
}
