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

# The program runs as it would without, and the message says what it is and what to do.
@test "what cannot be recorded is said by its kind" {
    plain='int main(void) { return 0; }'
    gcc -static -x c - -o static <<<"$plain"
    gcc -x c - -o plain <<<"$plain"
    gcc -fsanitize=address -x c - -o asan <<<"$plain"
    printf '#!/bin/sh\nexit 0\n' >script
    chmod +x script
    for each in "static:linked statically" "plain:is not instrumented; build it with preplay cc" \
        "asan:built with AddressSanitizer" "script:is a script, and no program that it started is instrumented"; do
        run "$PREPLAY" run "./${each%%:*}"
        [ "$status" -ne 0 ]
        [[ "$output" == *"nothing was recorded: ./${each%%:*} "*"${each#*:}"* ]]
    done
}

@test "programs that no recorder can get into: of 32 bits, of another C library, of another user" {
    # As a header of 32 bits says it: no compiler for those is needed.
    cp /bin/true narrow
    printf '\001' | dd of=narrow bs=1 seek=4 conv=notrunc 2>/dev/null
    run "$PREPLAY" run ./narrow
    [ "$status" -ne 0 ]
    [[ "$output" == *"nothing was recorded: ./narrow is not a program of 64 bits"* ]]
    # As musl's linker leaves it.
    echo 'void nothing(void) { }' | gcc -shared -fPIC -x c - -Wl,-soname,libc.musl-x86_64.so.1 -o libc.musl-x86_64.so.1
    echo 'void nothing(void); int main(void) { nothing(); return 0; }' | gcc -o musl -x c - -x none ./libc.musl-x86_64.so.1
    LD_LIBRARY_PATH=. run "$PREPLAY" run ./musl
    [ "$status" -ne 0 ]
    [[ "$output" == *"nothing was recorded: ./musl is linked with musl"* ]]
    [ "$EUID" -eq 0 ] || return 0 # only root can make the next ones
    . "$BATS_TEST_DIRNAME/../harm/users.bash"
    room_for user
    cp "$BIN/program" "$room/own"
    chmod 4755 "$room/own"
    chmod 777 "$room"
    cd "$room"
    run as user "$PREPLAY" run -d "$room/data" ./own
    [ "$status" -ne 0 ]
    [[ "$output" == *"nothing was recorded: ./own changes its user (set-user-ID)"* ]]
    # And where an ordinary user may not write.
    rm "$room/it-ran"
    chmod 755 "$room/own"
    chmod 555 "$room"
    chmod u-s "$room/own"
    run -2 as user "$PREPLAY" run ./own
    [[ "$output" == *"preplay.data: cannot be made: Permission denied; choose a directory with -d"* ]]
    [ ! -e "$room/it-ran" ]
    cd "$BATS_TEST_TMPDIR"
    rm -rf "$room"
}

@test "what is no program" {
    mkdir folder
    echo text >text
    refused "folder: cannot be run: Is a directory" "$PREPLAY" run ./folder
    refused "nothing-here: cannot be run: No such file or directory" "$PREPLAY" run ./nothing-here
    refused "text: cannot be run: Permission denied" "$PREPLAY" run ./text
    run -2 "$PREPLAY" run
    [[ "$output" == *"PROGRAM"* ]]
}

@test "what is no trace, or no finding of one" {
    mkdir folder
    echo text >text.txt
    run ! "$PREPLAY" report nothing-here
    [[ "$output" == *"nothing-here: no such trace"* ]]
    run ! "$PREPLAY" report folder
    [[ "$output" == *"folder: not a preplay trace: it has no streams"* ]]
    run ! "$PREPLAY" report
    [[ "$output" == *"preplay.data"* ]]
    run ! "$PREPLAY" convert text.txt
    [[ "$output" == *"needs --to FORMAT"* || "$output" == *"text.txt"* ]]
    "$PREPLAY" run --max-replays 0 -q "$BIN/program" || true
    run ! "$PREPLAY" replay r-0000000000
    [[ "$output" == *"no finding r-0000000000"* ]]
    run ! "$PREPLAY" convert --to foo
    [[ "$output" == *"no format 'foo' to convert to; there are: "*"perfetto"* ]]
}

@test "cc --help is ours, and all other arguments are the compiler's" {
    run -0 "$PREPLAY" cc --help
    [[ "$output" == *"Usage: preplay cc"*"go to the compiler"*"preplay-cc"* ]]
    run -0 "$PREPLAY" cc --help=common
    [[ "$output" != *"Usage: preplay"* ]]
}

@test "quiet: only the program, the exit code, and what was asked for" {
    run -66 --separate-stderr "$PREPLAY" run -q --json found.json "$BIN/program"
    [ "$output" = "printed by the program" ]
    [ -z "$stderr" ]
    jq -e '.findings | length == 1' found.json
}

@test "doctor: the directory for temporary files, and 1 if there is none" {
    TMPDIR="$PWD/nothing-here" run -1 "$PREPLAY" doctor
    [[ "$output" == *"NO   files can be made"*"nothing-here: No such file or directory; set TMPDIR"* ]]
}

@test "a stripped program, one with a preloaded library, a trace of another version" {
    cp "$BIN/program" stripped
    strip stripped
    run -66 "$PREPLAY" run --max-replays 0 -d stripped.trace ./stripped
    [[ "$output" == *"DATA RACE"* ]]
    # (which a preplay that is built with ASan would refuse for itself)
    ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 LD_PRELOAD=libm.so.6 run -66 "$PREPLAY" run --max-replays 0 -d preloaded "$BIN/program"
    [[ "$output" == *"DATA RACE"*"on shared"* ]]
    sed -i 's/"version" *: *[0-9]*/"version": 99/' preloaded/manifest.json
    run -3 "$PREPLAY" report preloaded
    [[ "$output" == *"format version 99, this preplay reads version "*"record the program again"* ]]
}
