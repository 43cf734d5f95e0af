# The line that says how far a command is, and what replays leave on the disk.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../../examples/hidden_race.c" -o "$BIN/hidden_race"
    # The same, which prints more than anybody reads.
    sed 's/^    pthread_t thread;$/&\n    for (int i = 0; i < 20000; i++)\n        puts("more than anybody reads");/' \
        "$BATS_TEST_DIRNAME/../../examples/hidden_race.c" >"$BIN/more.c"
    sed 's/printf("the result is %d.n", result)/int seen = *(volatile int *)\&result; (void)seen/' "$BIN/more.c" >"$BIN/talks.c"
    "$PREPLAY" cc -g -pthread "$BIN/talks.c" -o "$BIN/talks"
    # ... and fails then.
    sed 's/printf("the result is %d.n", result)/if (!result) __builtin_trap()/' "$BIN/more.c" >"$BIN/fails.c"
    "$PREPLAY" cc -g -pthread "$BIN/fails.c" -o "$BIN/fails"
}

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

# The command in a terminal; what it wrote there.
in_terminal() {
    python3 -c 'import os, pty, sys
pty.spawn(sys.argv[1:], lambda terminal: os.read(terminal, 65536))' "$@" </dev/null
}

@test "on a terminal every phase says how far it is" {
    run in_terminal "$PREPLAY" run "$BIN/hidden_race"
    [[ "$output" == *"preplay: reading the recording"* ]]
    [[ "$output" == *"preplay: replaying, 0 of 1 settled, 0 happened, at most "* ]]
    run in_terminal "$PREPLAY" predict
    [[ "$output" == *"preplay: reading the recording"* ]]
    run in_terminal "$PREPLAY" replay
    [[ "$output" == *"preplay: replaying, 1 of 1, 0 confirmed; now r-"* ]]
}

@test "in a pipe, and with --quiet, there is no such line" {
    run "$PREPLAY" run "$BIN/hidden_race"
    [[ "$output" == *"1 race confirmed"* && "$output" != *"reading the recording"* && "$output" != *"replaying,"* ]]
    run in_terminal "$PREPLAY" run --quiet "$BIN/hidden_race"
    [[ "$output" != *"reading the recording"* && "$output" != *"replaying,"* ]]
    run in_terminal "$PREPLAY" replay -q
    [[ "$output" == *"confirmed"* && "$output" != *"replaying,"* ]]
}

@test "a long output is kept only of a replay that failed" {
    run -66 "$PREPLAY" run -d talks.data "$BIN/talks"
    ls talks.data/replays/*.schedule
    ! ls talks.data/replays/*.output
    run -66 "$PREPLAY" run -d fails.data "$BIN/fails"
    [[ "$output" == *"SIGILL"* ]]
    [ "$(stat -c %s fails.data/replays/*.output)" -gt 400000 ]
}
