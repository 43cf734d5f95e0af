# What a user gets wrong: said at once, with what, why and what to do, and before the program runs.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    cat >"$BIN/program.c" <<'C'
#include <pthread.h>
#include <stdio.h>
static int shared;
static void *write_it(void *unused) { shared = 1; return unused; }
int main(void)
{
    FILE *mark = fopen("it-ran", "w");
    pthread_t thread;
    if (mark)
        fclose(mark);
    puts("printed by the program");
    pthread_create(&thread, NULL, write_it, NULL);
    int seen = shared;
    pthread_join(thread, NULL);
    return seen == 2;
}
C
    "$PREPLAY" cc -g -pthread "$BIN/program.c" -o "$BIN/program"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# refused MESSAGE COMMAND... : exit 2 with the message, and the program did not run.
refused() {
    local message=$1
    shift
    run -2 "$@"
    [[ "$output" == *"$message"* ]]
    [ ! -e it-ran ]
}

@test "options are checked before the program runs" {
    refused "no engine 'foo'" "$PREPLAY" run -e foo "$BIN/program"
    refused "no model 'foo'" "$PREPLAY" run -m foo "$BIN/program"
    refused "/nonexistent/x: cannot write: No such file or directory" "$PREPLAY" run --html /nonexistent/x "$BIN/program"
    refused "/nonexistent/x: cannot write" "$PREPLAY" run --json /nonexistent/x "$BIN/program"
    mkdir folder
    refused "folder: cannot write: it is a directory" "$PREPLAY" run --sarif folder "$BIN/program"
    refused "only one report can go to standard output" "$PREPLAY" run --json - --html - "$BIN/program"
    refused "window" "$PREPLAY" run --window many "$BIN/program"
    [ ! -e preplay.data ]
}

@test "a report to be written is not made before there is one" {
    run -2 "$PREPLAY" run --html page.html -e foo "$BIN/program"
    [ ! -e page.html ]
    run -66 "$PREPLAY" run --html page.html "$BIN/program"
    [ -s page.html ]
}

@test "misspelt commands and options: did you mean" {
    run -2 "$PREPLAY" rnu "$BIN/program"
    [[ "$output" == *"did you mean 'run'?"* ]]
    refused "did you mean '--html'?" "$PREPLAY" run --htlm x "$BIN/program"
    run -2 "$PREPLAY" nothinglikeit
    [[ "$output" == *"see preplay --help"* ]]
    [[ "$output" != *"did you mean"* ]]
    # Of the options that this command has.
    run -2 "$PREPLAY" predict --htm x
    [[ "$output" != *"did you mean"* ]]
}

@test "help COMMAND is COMMAND --help" {
    run -0 "$PREPLAY" help replay
    help=$output
    run -0 "$PREPLAY" replay --help
    [ "$output" = "$help" ]
    run -2 "$PREPLAY" help repla
    [[ "$output" == *"did you mean 'replay'?"* ]]
}

@test "a report on standard output is all that is there" {
    "$PREPLAY" run --json - "$BIN/program" >out 2>err || [ $? -eq 66 ]
    jq -e '.findings | length == 1' out
    grep -q 'printed by the program' err
    "$PREPLAY" run "$BIN/program" >out 2>err || [ $? -eq 66 ]
    [ "$(cat out)" = 'printed by the program' ]
}
