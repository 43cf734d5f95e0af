# preplay report: text, JSON, SARIF and HTML of what is known about a trace.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT="$BATS_TEST_DIRNAME/../.."
    export BIN="$BATS_FILE_TMPDIR"
    cd "$ROOT" || exit 1
    for name in hidden_race lock_order; do
        "$PREPLAY" cc -g -pthread -include tests/programs/patience.h "examples/$name.c" -o "$BIN/$name"
        "$PREPLAY" run -d "$BIN/$name.data" "$BIN/$name" >/dev/null 2>&1 || [ $? -eq 66 ]
    done
}

setup() {
    cd "$ROOT" || exit 1
}

# $python: one that has Debian's python3-jsonschema.
find_python() {
    python=""
    for each in python3 /usr/bin/python3; do
        "$each" -c 'import jsonschema' 2>/dev/null && python=$each && break
    done
    [ -n "$python" ] || [ -n "${PREPLAY_TEST_ALL:-}" ] || skip "no python3-jsonschema"
    python=${python:-python3}
}

@test "text: stacks, locks, threads, schedule, command, summary" {
    run -66 "$PREPLAY" report "$BIN/lock_order.data"
    [[ "$output" == *"LOCK-ORDER INVERSION d-"*"of 2 threads: confirmed"* ]]
    [[ "$output" == *"Thread T0.1 (save) locks savings.lock:"* ]]
    [[ "$output" == *"#0 transfer examples/lock_order.c:20"* ]]
    [[ "$output" == *"20 | pthread_mutex_lock(&to->lock);"* ]]
    [[ "$output" == *"#1 save examples/lock_order.c:29"* ]]
    [[ "$output" == *"holding current.lock, taken at examples/lock_order.c:19"* ]]
    [[ "$output" == *"Thread T0.2 (spend) was created by thread T0 (main):"* ]]
    [[ "$output" == *"Again: "*"preplay replay $BIN/lock_order.data d-"* ]]
    [[ "$output" == *"preplay: 1 deadlock confirmed"* ]]
    [[ "$output" == *"2 replays"* ]]
}

@test "text: the command to replay is one that works here" {
    for path in "$PATH" "$(dirname "$PREPLAY"):$PATH"; do
        command=$(PATH=$path "$PREPLAY" report "$BIN/lock_order.data" | sed -n 's/^  Again: //p')
        run -0 env PATH="$path" bash -c "$command"
    done
    [[ "$command" == "preplay replay "* ]]
}

@test "text: a long schedule shows what a thread does in a row as one step" {
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN { print "T1|fork(T2)|0"
        for (i = 0; i < 500; i++) printf "T1|acq(l)|a\nT1|rel(l)|b\n"
        for (i = 0; i < 500; i++) printf "T2|acq(m)|c\nT2|rel(m)|d\n"
        print "T1|w(x)|e\nT2|w(x)|f" }' >long.std
    "$PREPLAY" report long.std >text || [ $? -eq 66 ]
    grep -q '^ *2  1000 events  *a$' text
    grep -Eq '^ *[0-9]+   *9[0-9]+ events  *c$' text
    [ "$(wc -l <text)" -lt 70 ]
}

@test "text: the schedule in columns, within 80 cells, without escapes in a pipe" {
    "$PREPLAY" report "$BIN/hidden_race.data" >"$BATS_TEST_TMPDIR/text" || [ $? -eq 66 ]
    grep -q '^ *[0-9]* >reads result  *hidden_race.c:32' "$BATS_TEST_TMPDIR/text"
    grep -q '^ *[0-9]* >   *writes result  *hidden_race.c:21' "$BATS_TEST_TMPDIR/text"
    run ! grep -q $'\033' "$BATS_TEST_TMPDIR/text"
    sed -n '/A schedule/,/Again/p' "$BATS_TEST_TMPDIR/text" | grep -v Again |
        awk 'length > 80 { bad = 1; print } / $/ { bad = 1; print "trailing: " $0 } END { exit bad }'
}

@test "text: colour on a terminal, none with NO_COLOR" {
    command -v script || skip "no script(1)"
    TERM=xterm script -qec "'$PREPLAY' report '$BIN/hidden_race.data'" /dev/null >"$BATS_TEST_TMPDIR/a" || true
    grep -q $'\033\[1;31mDATA RACE' "$BATS_TEST_TMPDIR/a"
    NO_COLOR=1 TERM=xterm script -qec "'$PREPLAY' report '$BIN/hidden_race.data'" /dev/null >"$BATS_TEST_TMPDIR/b" || true
    grep -q "DATA RACE" "$BATS_TEST_TMPDIR/b"
    run ! grep -q $'\033' "$BATS_TEST_TMPDIR/b"
}

@test "json: what findings.json says, and stacks, locks and threads" {
    "$PREPLAY" report --json "$BIN/hidden_race.data" >"$BATS_TEST_TMPDIR/json" || [ $? -eq 66 ]
    diff <(jq -S '.findings | map(del(.threads, .nature, .suggestion, .events[].stack, .events[].held))' "$BATS_TEST_TMPDIR/json") \
        <(jq -S .findings "$BIN/hidden_race.data/findings.json")
    jq -e '.findings[0] | (.threads | length) == 2 and ([.events[] | has("stack") and has("held")] | all)' "$BATS_TEST_TMPDIR/json"
    diff <(jq -S .run "$BATS_TEST_TMPDIR/json") <(jq -S .run "$BIN/hidden_race.data/findings.json")
}

@test "sarif: rules, relative paths, fingerprints, thread flows that interleave" {
    sarif="$BATS_TEST_TMPDIR/sarif"
    "$PREPLAY" report --sarif -o "$sarif" "$BIN/hidden_race.data" || [ $? -eq 66 ]
    jq -e '.version == "2.1.0" and (.runs | length) == 1' "$sarif"
    jq -e '.runs[0].automationDetails.id | test("^preplay/[^/]*hidden_race/$")' "$sarif"
    jq -e '.runs[0].tool.driver | .name == "preplay" and ([.rules[].id][:4] == ["preplay/race", "preplay/deadlock", "preplay/atomicity", "preplay/failure"]) and ([.rules[].id] | index("preplay/destroy-held"))' "$sarif"
    jq -e '.runs[0] as $run | .runs[0].results[] | $run.tool.driver.rules[.ruleIndex].id == .ruleId' "$sarif"
    jq -e '.runs[0].results[0] | .level == "error" and .ruleId == "preplay/race" and (.message.text | length > 0)' "$sarif"
    jq -e '.runs[0].results[0].locations[0].physicalLocation | .artifactLocation == {uri: "examples/hidden_race.c", uriBaseId: "SRCROOT"} and (.region.startLine == 21 or .region.startLine == 32)' "$sarif"
    id=$(jq -r '.findings[0].id' "$BIN/hidden_race.data/findings.json")
    [ "$(jq -r '.runs[0].results[0].partialFingerprints["preplayFinding/v2"]' "$sarif")" = "$id" ]
    jq -e '.runs[0].results[0].codeFlows[0].threadFlows | length == 2 and all(.[]; .locations | length > 0)' "$sarif"
    # Every step of the witness once, in one order over both threads.
    jq -e '[.runs[0].results[0].codeFlows[0].threadFlows[].locations[].executionOrder] | sort as $all | $all == ($all | unique) and $all[0] == 1' "$sarif"
    jq -e '[.. | .location? // empty | select(has("physicalLocation") or has("logicalLocations") | not)] | length == 0' "$sarif"
}

@test "sarif: the official schema accepts it" {
    export NODE_PATH="${NODE_PATH:-$ROOT/build/npm/node_modules}"
    schema="$NODE_PATH/@microsoft/sarif-multitool-linux/sarif-2.1.0.json"
    [ -n "${PREPLAY_TEST_ALL:-}" ] || [ -f "$schema" ] || skip "no schema of SARIF (npm)"
    find_python
    cd "$BATS_TEST_TMPDIR"
    printf 'T1|fork(T2)|0\nT1|w(v\377<)|\\1 /\303\244:7\nT2|r(v\377<)|2\n' >odd.std
    for trace in "$BIN/hidden_race.data" "$BIN/lock_order.data" odd.std \
        "$ROOT/tests/traces/002-fig1.6-bank-account-atomicity.std"; do
        "$PREPLAY" report --all --sarif "$trace" >"$(basename "$trace").sarif" || [ $? -eq 66 ]
    done
    "$PREPLAY" report --sarif -o none.sarif --suppressions <(echo race:worker) "$BIN/hidden_race.data"
    cat >validate.py <<'END'
import json, sys, jsonschema
validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
counts = []
for name in sys.argv[2:]:
    log = json.load(open(name))
    validator.validate(log)
    counts.append(len(log["runs"][0]["results"]))
assert sorted(counts)[0] == 0 and sorted(counts)[1] > 0, counts
del log["runs"][0]["tool"]
assert list(validator.iter_errors(log)), "the schema accepts anything"
END
    "$python" validate.py "$schema" ./*.sarif
}

@test "html: one file that asks for nothing, with the data inside" {
    html="$BATS_TEST_TMPDIR/page.html"
    "$PREPLAY" report --html -o "$html" "$BIN/lock_order.data" || [ $? -eq 66 ]
    run ! grep -E '(src|href)="?[^"#]' "$html" # but for places in the page itself
    grep -q "default-src 'none'" "$html"
    sed -n 's,.*<script type="application/json" id="data">\(.*\)</script>.*,\1,p' "$html" >"$BATS_TEST_TMPDIR/data"
    jq -e '.findings[0] | .kind == "deadlock" and (.steps | length > 4) and (.events | length == 2)' "$BATS_TEST_TMPDIR/data"
    jq -e '.snippets | length > 0' "$BATS_TEST_TMPDIR/data"
}

@test "nothing from a target becomes markup, a control sequence or broken JSON" {
    cd "$BATS_TEST_TMPDIR"
    evil='</script><img/src=x/onerror=alert(1)>&"x'
    printf 'T1|fork(T2)|0\nT1|w(%s)|<b>1\nT2|r(%s)|2\033[31m\n' "$evil" "$evil" >evil.std
    for format in text json sarif html; do
        "$PREPLAY" report --$format -o out.$format evil.std || [ $? -eq 66 ]
    done
    run ! grep -q '<img\|<b>' out.html
    run ! grep -q $'\033' out.text
    jq -e . out.json out.sarif >/dev/null
    [ "$(jq -r '.findings[0].object' out.json)" = "$evil" ]
}

@test "a name that is not UTF-8 still gives valid JSON" {
    cd "$BATS_TEST_TMPDIR"
    printf 'T1|fork(T2)|0\nT1|w(v\377)|1\nT2|r(v\377)|2\n' >latin.std
    "$PREPLAY" report --sarif latin.std >out || [ $? -eq 66 ]
    jq -e '.runs[0].results | length == 1' out
}

@test "the same trace gives the same bytes" {
    for format in text sarif html; do
        "$PREPLAY" report --$format "$BIN/lock_order.data" >"$BATS_TEST_TMPDIR/1" || [ $? -eq 66 ]
        "$PREPLAY" report --$format "$BIN/lock_order.data" >"$BATS_TEST_TMPDIR/2" || [ $? -eq 66 ]
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
    done
}

@test "wrong usage and broken files" {
    run -2 "$PREPLAY" report
    run -2 "$PREPLAY" report --html --json "$BIN/hidden_race.data"
    cp -r "$BIN/hidden_race.data" "$BATS_TEST_TMPDIR/broken"
    echo '{"findings": [{"kind": "race", "events": [{"pos": 99999}]}]}' >"$BATS_TEST_TMPDIR/broken/findings.json"
    run -3 "$PREPLAY" report "$BATS_TEST_TMPDIR/broken"
    [[ "$output" == *"findings.json"* ]]
    echo '{' >"$BATS_TEST_TMPDIR/broken/findings.json"
    run -3 "$PREPLAY" report "$BATS_TEST_TMPDIR/broken"
}

@test "suppressions: ThreadSanitizer's files, by function, file, variable and id" {
    id=$(jq -r '.findings[0].id' "$BIN/hidden_race.data/findings.json")
    cd "$BATS_TEST_TMPDIR"
    for line in race:worker race:result 'race:^main$' 'race:*hidden_race.c' race_top:worker "id:$id"; do
        echo "$line" >list
        run -0 "$PREPLAY" report --suppressions list "$BIN/hidden_race.data"
        [[ "$output" == *"1 suppressed"* ]]
        [[ "$output" != *"DATA RACE"* ]]
    done
    printf 'race:worke$\ndeadlock:worker\nrace:nothing_of_that_name\n' >list
    run -66 "$PREPLAY" report --suppressions list "$BIN/hidden_race.data"
    [[ "$output" == *"covered nothing: race:nothing_of_that_name"* ]]
    echo 'nonsense' >list
    run -3 "$PREPLAY" report --suppressions list "$BIN/hidden_race.data"
    [[ "$output" == *"list:1:"* ]]
}

@test "baseline: only what is new" {
    "$PREPLAY" report --json "$BIN/hidden_race.data" >"$BATS_TEST_TMPDIR/old" || [ $? -eq 66 ]
    run -0 "$PREPLAY" report --baseline "$BATS_TEST_TMPDIR/old" "$BIN/hidden_race.data"
    [[ "$output" == *"1 known from the baseline"* ]]
    run -66 "$PREPLAY" report --baseline "$BATS_TEST_TMPDIR/old" "$BIN/lock_order.data"
    "$PREPLAY" report --json --baseline "$BATS_TEST_TMPDIR/old" "$BIN/hidden_race.data" >"$BATS_TEST_TMPDIR/new"
    jq -e '.findings == []' "$BATS_TEST_TMPDIR/new"
    run -0 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/again" --baseline "$BATS_TEST_TMPDIR/old" "$BIN/hidden_race"
}

@test "json: every form of it fits docs/findings.schema.json" {
    find_python
    "$PREPLAY" predict --all --json "$BATS_TEST_TMPDIR/std.json" examples/hidden-race.std || [ $? -eq 66 ]
    "$PREPLAY" compare --json "$BATS_TEST_TMPDIR/all.json" tests/traces/002-fig1.6-bank-account-atomicity.std || [ $? -eq 66 ]
    "$PREPLAY" report --json -o "$BATS_TEST_TMPDIR/report.json" "$BIN/lock_order.data" || [ $? -eq 66 ]
    cat >"$BATS_TEST_TMPDIR/validate.py" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for name in sys.argv[2:]:
    jsonschema.validate(json.load(open(name)), schema)
broken = json.load(open(sys.argv[2]))
broken["findings"] = [{"id": "x"}]
try:
    jsonschema.validate(broken, schema)
except jsonschema.ValidationError:
    sys.exit(0)
sys.exit("the schema accepts anything")
END
    "$python" "$BATS_TEST_TMPDIR/validate.py" docs/findings.schema.json "$BATS_TEST_TMPDIR"/{std,all,report}.json \
        "$BIN/hidden_race.data/findings.json"
}

@test "a lock that is held for reading is called so" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'T1|fork(T2)|1' 'T1|rdacq(l)|2' 'T1|w(x)|3' 'T1|rdrel(l)|4' 'T2|rdacq(l)|5' 'T2|w(x)|6' >readers.std
    run -66 "$PREPLAY" report readers.std
    [[ "$output" == *"holding l for reading, taken at 2"*"holding l for reading, taken at 5"* ]]
}

@test "suppressions that cannot be read are an error, not none" {
    cd "$BATS_TEST_TMPDIR"
    mkdir directory
    run -3 "$PREPLAY" report --suppressions directory "$BIN/lock_order.data"
    [[ "$output" == *"directory: cannot be read: Is a directory"* ]]
    run -3 "$PREPLAY" report --suppressions /dev/zero "$BIN/lock_order.data"
    [[ "$output" == *"/dev/zero:1: not a line of text"* ]]
}

@test "text: an address in a narrow column is told by its end, a note's C++ names as they are written" {
    cd "$BATS_TEST_TMPDIR"
    cat >three.std <<'END'
T1|fork(T2)|0
T1|fork(T3)|0
T1|w(0x56043ac3aeb8)|a
T2|begin(_Z8withdrawi)|b
T2|r(0x56043ac3aed0)|c
T3|w(0x56043ac3aed0)|d
T2|w(0x56043ac3aed0)|e
T2|end(_Z8withdrawi)|f
END
    "$PREPLAY" report three.std >text || [ $? -eq 66 ]
    grep -q 'ATOMICITY.* in block withdraw(int)' text
    grep -q '^  blame withdraw(int)' text
    grep -q ' writes \.\.\.3aed0 ' text
    [ "$(grep -c _Z8 text)" = 0 ]
}

@test "text: what the reader adds to a trace is not shown as the program's steps" {
    cd "$BATS_TEST_TMPDIR"
    cat >flag.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, racy;
static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    racy = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    racy = 2;
    pthread_join(thread, NULL);
    return 0;
}
END
    # Which of the two is first is not known: the wait may be skipped or not.
    "$PREPLAY" cc -g -pthread flag.c -o flag
    "$PREPLAY" run ./flag 2>text || [ $? -eq 66 ]
    grep -q 'DATA RACE .* on racy' text
    [ "$(grep -c 'once\|:signal:' text)" = 0 ]
}
