# predict, compare, check: exit codes, JSON, usage.

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
}

@test "findings: exit code 66, or another; none: 0" {
    run "$PREPLAY" predict -e hb "$traces/002-fig1.8-hb-race.std"
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 race, 0 deadlocks, 0 atomicity violations"* ]]
    run "$PREPLAY" predict -e hb --exit-code 7 "$traces/002-fig1.8-hb-race.std"
    [ "$status" -eq 7 ]
    run "$PREPLAY" predict -e hb "$traces/002-fig1.7-no-race.std"
    [ "$status" -eq 0 ]
}

@test "JSON has the shape of the design" {
    run "$PREPLAY" predict -e hb,lockset --json out.json "$traces/002-fig1.8-hb-race.std"
    [ "$status" -eq 66 ]
    jq -e '.format == "preplay-findings" and .version == 2' out.json
    jq -e '.trace == {"events": 6, "threads": 2, "objects": 1}' out.json
    jq -e '[.engines[].name] == ["hb", "lockset"]' out.json
    jq -e '.findings[0] | .kind == "race" and .verdict == "observed" and .object == "x"' out.json
    jq -e '.findings[0].events[0] ==
        {"thread": 0, "index": 2, "pos": 2, "op": "write", "location": "3"}' out.json
    jq -e '.findings[0].id | test("^r-[0-9a-f]{10}$")' out.json
}

@test "JSON on standard output is nothing but JSON" {
    "$PREPLAY" predict -e hb --json - "$traces/002-fig1.8-hb-race.std" >out.json || [ $? -eq 66 ]
    jq -e '.findings | length == 1' out.json
}

@test "what happened in a long run is told before prediction begins, unless --quiet" {
    { yes 'T0|w(p)|1' | head -n 140000; printf 'T0|w(x)|2\nT1|w(x)|3\n'; } >long.std
    "$PREPLAY" predict long.std >out 2>err || [ $? -eq 66 ]
    grep -q 'this happened in the recorded run; predicting goes on' err
    id=$(sed -n 's/^race \(r-[0-9a-f]*\) on x.*/\1/p' err)
    grep -q "^race $id on x: observed" out # the report has it by the same name
    "$PREPLAY" predict --quiet long.std >/dev/null 2>err || [ $? -eq 66 ]
    [ ! -s err ]
}

@test "a long thread of accesses alone takes time in proportion" { # squared, the suite's time is up
    { echo 'T1|w(x)|1'; yes 'T0|r(x)|2' | head -n 1000000; } >accesses.std
    run "$PREPLAY" predict --quiet accesses.std
    [ "$status" -eq 66 ]
    [[ "$output" == *"1000001 events"* ]]
}

@test "ids do not depend on thread names, positions or variables" {
    printf 'A|w(x)|a.c:1\nB|w(x)|b.c:2\n' >one.std
    printf 'C|r(z)|z\nD|w(y)|b.c:2\nC|w(y)|a.c:1\n' >two.std
    "$PREPLAY" predict -e hb --json one.json one.std || [ $? -eq 66 ]
    "$PREPLAY" predict -e hb --json two.json two.std || [ $? -eq 66 ]
    [ "$(jq -r '.findings[0].id' one.json)" = "$(jq -r '.findings[0].id' two.json)" ]
}

@test "the same trace gives the same bytes" {
    "$PREPLAY" predict -e hb,shb,lockset --json - "$traces/004-fig1-running-example.std" |
        jq 'del(.engines[].seconds)' >one.json
    "$PREPLAY" predict -e hb,shb,lockset --json - "$traces/004-fig1-running-example.std" |
        jq 'del(.engines[].seconds)' >two.json
    cmp one.json two.json
}

@test "pairs: one finding per pair of events" {
    printf 'A|w(x)|1\nA|w(x)|1\nB|w(x)|2\nB|w(x)|2\n' >loop.std
    "$PREPLAY" predict -e hb --json - loop.std | jq -e '.findings | length == 1'
    "$PREPLAY" predict -e hb --pairs --json - loop.std | jq -e '.findings | length == 4'
}

@test "compare shows the engines side by side" {
    run "$PREPLAY" compare -e hb,lockset "$traces/002-fig1.9-hidden-race.std"
    [ "$status" -eq 66 ]
    [[ "${lines[0]}" == *"hb"*"lockset"*"finding"* ]]
    [[ "${lines[1]}" == *"."*"x"*"race x: 1 ~ 6"* ]]
}

@test "check accepts a witness and rejects a wrong one with the rule" {
    echo "3 4 0 5" >good
    run "$PREPLAY" check "$traces/002-fig1.9-hidden-race.std" good
    [ "$status" -eq 0 ]
    [[ "$output" == *"accepted"* ]]
    echo "4 3 0 5" >wrong
    run "$PREPLAY" check "$traces/002-fig1.9-hidden-race.std" wrong
    [ "$status" -eq 1 ]
    [[ "$output" == *"rejected at place 0, event 4"*"keep their order"* ]]
    echo "3 four" >nonsense
    run "$PREPLAY" check "$traces/002-fig1.9-hidden-race.std" nonsense
    [ "$status" -eq 3 ]
    echo '{"findings": [{"witness": [1]}]}' >broken
    run "$PREPLAY" check "$traces/002-fig1.9-hidden-race.std" broken
    [ "$status" -eq 3 ]
}

@test "wrong usage: exit code 2 and what to do" {
    run "$PREPLAY"
    [ "$status" -eq 2 ]
    run "$PREPLAY" frobnicate
    [ "$status" -eq 2 ]
    run "$PREPLAY" predict
    [ "$status" -eq 2 ]
    run "$PREPLAY" predict --frob x.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"see preplay predict --help"* ]]
    run "$PREPLAY" predict -e nothing x.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"no engine 'nothing'; there are: "*hb* ]]
    run "$PREPLAY" predict -j 0 x.std
    [ "$status" -eq 2 ]
    run "$PREPLAY" predict -m loose x.std
    [ "$status" -eq 2 ]
}

@test "options come from the environment too" {
    PREPLAY_OPTIONS="engine=hb:exit-code=9:to=std" run "$PREPLAY" predict "$traces/002-fig1.8-hb-race.std"
    [ "$status" -eq 9 ]
    PREPLAY_OPTIONS="nonsense=1" run "$PREPLAY" predict "$traces/002-fig1.8-hb-race.std"
    [ "$status" -eq 2 ]
}

@test "help and version" {
    run "$PREPLAY" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *predict* ]]
    run "$PREPLAY" predict --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"--engine NAME,..."* ]]
    run "$PREPLAY" --version
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^"preplay "[0-9]+\.[0-9]+\.[0-9]+(" (commit "[0-9a-f]+"+"?")")?$ ]]
    # Only a copy of the sources has no commit.
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    [[ ! -e "$root/.git" || "$output" == *"commit "* ]] || ! git -C "$root" rev-parse HEAD
}

@test "the page says which preplay made it" {
    cd "$BATS_TEST_TMPDIR"
    "$PREPLAY" report --html -o page.html "$traces/002-fig1.8-hb-race.std" || [ $? -eq 66 ]
    version=$("$PREPLAY" --version)
    grep -qF "\"version\":\"${version#preplay }\"" page.html
}

@test "--atomic names the blocks" {
    printf 'A|begin(f)|1\nA|begin(g)|2\nA|acq(m)|3\nA|rel(m)|4\nA|acq(m)|5\nA|rel(m)|6\nA|end(g)|7\n' >t.std
    printf 'A|end(f)|8\nB|acq(m)|9\nB|rel(m)|10\n' >>t.std
    run "$PREPLAY" predict -e atomicity t.std
    [ "$status" -eq 66 ]
    [[ "$output" == *"blame f/g"* ]]
    run "$PREPLAY" predict -e atomicity --atomic 'h*,f' t.std
    [ "$status" -eq 66 ]
    [[ "$output" == *"in block f,"* ]]
    run "$PREPLAY" predict -e atomicity --atomic 'h*' t.std
    [ "$status" -eq 0 ]
}

@test "an atomicity finding in JSON: error, block, window and culprit" {
    "$PREPLAY" predict -e atomicity --json out.json "$traces/002-fig18.1-observed-serial.std" || [ $? -eq 66 ]
    jq -e '.findings[0] | .kind == "atomicity" and .error == "after" and .block == "a"' out.json
    jq -e '[.findings[0].events[].location] == ["2", "4", "7"]' out.json
    jq -e '.findings[0].witness == [0, 1, 2, 6, 7, 3]' out.json
}
