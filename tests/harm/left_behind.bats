# Daemons: the program ends, what it started records on.

bats_require_minimum_version 1.5.0
load as_plain.bash

setup() {
    cd "$BATS_TEST_TMPDIR"
    chmod 755 .
    build daemon
}

@test "a daemon's end is waited for, and its race found; the exit code is the program's" {
    run -5 "$PREPLAY" record -d trace ./daemon.recorded 40
    [[ "$output" == *"still records; waiting"* ]]
    [[ "$output" != *"not analysed"* ]]
    run -66 "$PREPLAY" run -d trace ./daemon.recorded 3
    [[ "$output" == *racy* ]]
}

@test "a daemon that has dropped its user" {
    [ "$(id -u)" -eq 0 ]
    run -66 "$PREPLAY" run -d trace ./daemon.recorded 3 drop
    [[ "$output" == *racy* ]]
}

@test "whoever does not want to wait is told that it goes on" {
    "$PREPLAY" record -d trace ./daemon.recorded 600 2>said &
    preplay=$!
    for i in $(seq 1000); do
        grep -q waiting said && break
        sleep 0.05
    done
    kill -INT $preplay
    wait $preplay || [ $? -eq 5 ]
    grep -q "not analysed" said
    process=$(sed -n 's/.*process \([0-9]*\) still.*/\1/p' said | tail -1)
    kill "$process"
    "$PREPLAY" info trace >/dev/null
}
