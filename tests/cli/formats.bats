# Traces in and out: convert, info, dump, and what bad input gets.

bats_require_minimum_version 1.5.0

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
}

refused() { # TEXT REASON : exit code 3, one line, place and reason
    printf "$1" >bad.std
    run "$PREPLAY" predict -e hb bad.std
    [ "$status" -eq 3 ]
    [[ "$output" == *"$2"* ]]
    [ "${#lines[@]}" -eq 1 ]
}

@test "every figure converts to std and back to the same bytes" {
    for trace in "$traces"/*.std; do
        "$PREPLAY" convert --to std "$trace" -o once.std
        "$PREPLAY" convert --to std once.std -o twice.std
        cmp once.std twice.std
    done
}

@test "csv has a row an event, and quotes what needs it" {
    printf 'T0|fork(T1)|a.c:1\nT1|w(x[1,2])=7|say "hi"\nT0|tryacq!(m)|3\n' >t.std
    ! "$PREPLAY" convert --to csv t.std # nobody holds m
    printf 'T0|fork(T1)|a.c:1\nT1|w(x[1,2])=7|say "hi"\nT1|atomicw.release(f)|2\n' >t.std
    "$PREPLAY" convert --to csv t.std -o t.csv
    printf '%s\r\n' 'pos,thread,op,order,try,failed,object,other,value,location' \
        '0,T0,fork,,0,0,T1,,,a.c:1' '1,T1,w,,0,0,"x[1,2]",,7,"say ""hi"""' \
        '2,T1,atomicw,release,0,0,f,,,2' >expected.csv
    cmp t.csv expected.csv
}

@test "info counts events, threads and objects" {
    run "$PREPLAY" info "$traces/000-fig1-csp-model.std"
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "10 events, format std" ]]
    [[ "$output" == *"4  write"* ]]
    [[ "$output" == *"2  threads"* ]]
}

@test "info --contention: locks held and waited for, by place" {
    printf '%s\n' 'T0|acq(l)|1' 'T1|w(x)|2' 'T0|w(y)|3' 'T0|w(z)|4' 'T0|rel(l)|5' 'T1|acq(l)|6' 'T1|rel(l)|7' >"$BATS_TEST_TMPDIR/held.std"
    run "$PREPLAY" info --contention "$BATS_TEST_TMPDIR/held.std"
    [ "$status" -eq 0 ]
    [[ "$output" == *"locks held "*$'\n           3           3           1  l  1\n           1           1           1  l  6\n'* ]]
    # T1 came after its write, and T0 had the lock for three events from then on.
    [[ "$output" == *"locks waited for "*$'\n           3           3           1  l  6' ]]
}

@test "dump shows every event with thread, index and location" {
    run "$PREPLAY" dump "$traces/000-fig1-csp-model.std"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 10 ]
    [[ "${lines[5]}" == *"5  T2#0  acq(m)  14" ]]
}

@test "a trace can come from standard input" {
    run bash -c 'printf "A|w(x)|1\nB|w(x)|2\n" | "$PREPLAY" predict -e hb -'
    [ "$status" -eq 66 ]
}

@test "malformed traces: exit code 3 with file, line and reason" {
    refused 'A|r(x)|1\nA|rel(l)|2\n' 'bad.std:2: thread A releases lock l'
    refused 'A|acq(l)|1\nB|acq(l)|2\n' 'bad.std:2: thread B acquires lock l, which thread A holds'
    refused 'A|what(x)|1\n' "bad.std:1: unknown operation 'what'"
    refused 'A|\033[31mwhat(x)|1\n' "bad.std:1: unknown operation '\\x1b[31mwhat'"
    refused 'B|r(x)|1\nA|fork(B)|2\n' 'bad.std:2: thread B has events before its fork'
    refused 'A|r(x)\n' 'bad.std:1:'
    refused 'A|r(x\000)|1\n' 'bad.std:1: the line holds a NUL byte'
}

@test "a missing trace: exit code 3" {
    run "$PREPLAY" info nowhere.std
    [ "$status" -eq 3 ]
    [[ "$output" == *"nowhere.std: no such trace"* ]]
}

@test "control characters of a trace do not reach the terminal" {
    printf 'A|w(x)|\033[31mred\nB|w(x)|2\n' >control.std
    run "$PREPLAY" predict -e hb control.std
    [[ "$output" != *$'\033'* ]]
    [[ "$output" == *'\x1b[31mred'* ]]
}

@test "an unwritable output is an error, exit code 4" {
    run "$PREPLAY" convert --to std "$traces/000-fig1-csp-model.std" -o /nowhere/out.std
    [ "$status" -eq 4 ]
    run bash -c '"$PREPLAY" convert --to std "$0" >/dev/full' "$traces/000-fig1-csp-model.std"
    [ "$status" -eq 4 ]
}

@test "what cannot be printed is an error of every command" {
    echo 'T1|w(x)|a' >one.std
    for command in 'dump one.std' 'info one.std' 'predict one.std' 'report one.std' '--help' 'run --help' '--version'; do
        run -4 bash -c "'$PREPLAY' $command >/dev/full"
        [[ "$output" == *"cannot write: No space left on device"* ]]
    done
    run -4 bash -c "'$PREPLAY' dump one.std >&-"
}

@test "a name cannot send commands to the terminal, not even in eight bits" {
    printf 'T1|w(x\x9b31m\xc2\x9b2J)|a\n' >eight.std
    "$PREPLAY" dump eight.std >text
    [ "$(LC_ALL=C grep -c $'\x9b' text)" = 0 ]
    grep -q 'x\\x9b31m' text
}

@test "perfetto: threads, locks and schedules as tracks whose slices do not overlap" {
    cd "$BATS_TEST_TMPDIR"
    "$PREPLAY" cc -g -pthread -include "$BATS_TEST_DIRNAME/../programs/patience.h" "$BATS_TEST_DIRNAME/../../examples/lock_order.c" -o lock_order
    "$PREPLAY" run -q --max-replays 0 -d data ./lock_order || true
    run -0 "$PREPLAY" convert --to perfetto data -o out.json
    jq -e '[.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid]) |
        all(sort_by(.ts) | . as $track | all(range(1; length); $track[. - 1].ts + $track[. - 1].dur <= $track[.].ts))' out.json
    jq -e '[.traceEvents[] | select(.pid == 1 and .name == "thread_name") | .args.name] | index("T0 (main)") and index("T0.1 (save)")' out.json
    jq -e '[.traceEvents[] | select(.pid == 2 and .name == "thread_name") | .args.name] | index("savings.lock") != null' out.json
    jq -e '[.traceEvents[] | select(.pid == 2 and .ph == "X" and (.name | startswith("T0")))] | length >= 4' out.json
    # The schedule of the deadlock, with what is wanted at its end; and where that was in the recorded run.
    jq -e '[.traceEvents[] | select(.pid == 10 and .ph == "X" and (.name | startswith("! wants ")))] | length == 2' out.json
    jq -e '[.traceEvents[] | select(.ph == "i" and .pid == 1)] | length == 2' out.json
    # A trace in which nobody looked for findings.
    printf 'T1|acq(m)|1\nT1|rel(m)|2\n' >plain.std
    run -0 "$PREPLAY" convert --to perfetto plain.std
    jq -e '.traceEvents | length > 3' <<<"$output"
}
