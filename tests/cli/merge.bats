# preplay merge: the findings of many runs as one.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    cd "$BIN" || exit 1
    # Two programs that share a defect, one that has another, one that has none.
    for name in first second; do
        cat >$name.c <<'C'
#include <pthread.h>
int shared, field[3];
void *write_it(void *unused) { shared = 1; for (int i = 0; i < 3; i++) field[i] = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_it, NULL);
    int seen = shared;
    pthread_join(thread, NULL);
    return seen == 2;
}
C
        sed -i '1i #line 1 "common.c"' $name.c
        "$PREPLAY" cc -g -pthread $name.c -o $name
    done
    sed 's/shared/alone/; s/= shared/= alone/; s/write_it/other/g' first.c >third.c
    "$PREPLAY" cc -g -pthread third.c -o third
    echo '#include <pthread.h>
int main(void) { return pthread_self() == 0; }' >fourth.c
    "$PREPLAY" cc -g -pthread fourth.c -o fourth
    for name in first second third fourth; do
        "$PREPLAY" run --json $name.json ./$name >/dev/null 2>&1 || [ $? -eq 66 ]
    done
}

setup() {
    cd "$BIN" || exit 1
}

@test "findings with one id are one, and every run is counted" {
    run -66 "$PREPLAY" merge --json -o all.json first.json second.json third.json fourth.json
    jq -e '.format == "preplay-findings" and .version == 2 and (.traces | length) == 4' all.json
    jq -e '[.findings[] | [.object, .runs, .traces, .trace]] | sort ==
        [["alone", 1, [2], "third.json"], ["shared", 2, [0, 1], "first.json"]]' all.json
    jq -e --slurpfile a first.json --slurpfile b third.json \
        '.trace.events >= $a[0].trace.events + $b[0].trace.events' all.json
}

@test "a preplay.data stands for all its recordings" {
    run -66 "$PREPLAY" merge --json -o data.json preplay.data
    jq -e '[.traces[].path] == ["preplay.data/first-1", "preplay.data/fourth-1", "preplay.data/second-1", "preplay.data/third-1"]' data.json
    diff <(jq -S '[.findings[] | [.id, .runs, .verdict, .group]]' data.json) \
        <("$PREPLAY" merge --json first.json fourth.json second.json third.json | jq -S '[.findings[] | [.id, .runs, .verdict, .group]]')
}

@test "text: the most frequent first, and a summary" {
    run -66 "$PREPLAY" merge first.json second.json third.json fourth.json
    [[ "${lines[0]}" == "race r-"*" on shared: "*", in 2 of 4 runs" ]]
    [[ "$output" == *"preplay: 2 found in 4 runs"* ]]
    run -0 "$PREPLAY" merge fourth.json
    [[ "$output" == "preplay: 0 found in 1 runs" ]]
}

@test "junit: a case for each run" {
    "$PREPLAY" merge --junit -o all.xml first.json third.json fourth.json || [ $? -eq 66 ]
    python3 - <<'P'
import xml.etree.ElementTree as tree
suite = tree.parse("all.xml").getroot()
assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["3", "2", "0"]
assert [case.find("failure") is not None for case in suite] == [True, True, False]
P
}

@test "the schema takes it" {
    "$PREPLAY" merge --json -o all.json first.json third.json || [ $? -eq 66 ]
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import jsonschema' 2>/dev/null && break
    done
    "$python" -c 'import json, sys, jsonschema; jsonschema.validate(json.load(open("all.json")), json.load(open(sys.argv[1])))' \
        "$BATS_TEST_DIRNAME/../../docs/findings.schema.json"
}

@test "what is no report is said" {
    echo '{"format": "something"}' >odd.json
    run -3 "$PREPLAY" merge odd.json
    [[ "$output" == *"odd.json: not a report of preplay"* ]]
    run -3 "$PREPLAY" merge "$BATS_TEST_DIRNAME/baseline-version-1.json"
    [[ "$output" == *"version 1"* ]]
    mkdir -p empty
    run -3 "$PREPLAY" merge empty
    [[ "$output" == *"no report in it"* ]]
    run -3 "$PREPLAY" merge nonexistent.json
    run -2 "$PREPLAY" merge
}
