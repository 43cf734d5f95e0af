# replay: verdicts, repetition, standard input, gdb, errors.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    programs="$BATS_TEST_DIRNAME/../programs/truth"
    for name in race_after_section deadlock_two; do
        "$PREPLAY" cc -g -O1 "$programs/$name.c" -o "$name" -pthread
        "$PREPLAY" record -d "$name.data" "./$name" </dev/null
        "$PREPLAY" predict "$name.data" || [ $? -eq 66 ]
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

id() {
    jq -r '.findings[0].id' "$1.data/findings.json"
}

@test "a race is confirmed, every time" {
    run "$PREPLAY" replay -n 5 race_after_section.data
    [ "$status" -eq 0 ]
    [[ "$output" == *"confirmed 5 of 5 times"* ]]
}

@test "a deadlock is confirmed: every thread of the cycle is blocked" {
    run "$PREPLAY" replay deadlock_two.data "$(id deadlock_two)"
    [ "$status" -eq 0 ]
    [[ "$output" == *"confirmed: every thread of the cycle is blocked"* ]]
}

@test "the schedule is readable text" {
    "$PREPLAY" replay race_after_section.data
    run cat "race_after_section.data/replays/$(id race_after_section).schedule"
    [[ "${lines[0]}" == "preplay-schedule 3" ]]
    [[ "$output" == *"target "*" w "*"/race_after_section"* ]]
}

@test "a program that does something else diverges, and says what" {
    cp race_after_section changed
    "$PREPLAY" record -d changed.data ./changed </dev/null
    "$PREPLAY" predict changed.data || [ $? -eq 66 ]
    cp deadlock_two changed
    run -3 "$PREPLAY" replay changed.data
    [[ "$output" == *"built again since it was recorded"* ]]
    run "$PREPLAY" replay --trust changed.data
    [ "$status" -eq 1 ]
    [[ "$output" == *"diverged: "* ]]
}

@test "standard input comes again" {
    cat >reader.c <<'C'
#include <stdio.h>
#include "steps.h"
MUTEX(m);
int x;
THREAD(a) { x = 1; PASS(m); END; }
THREAD(b) { SLEEP(1); PASS(m); x = 2; END; }
int main(void) { if (getchar() == 'y') RUN(a, b); return 0; }
C
    "$PREPLAY" cc -g -I"$BATS_TEST_DIRNAME/../programs/truth" reader.c -o reader -pthread
    echo y >input
    "$PREPLAY" record -d file.data ./reader <input
    echo y | "$PREPLAY" record -d pipe.data ./reader
    for trace in file pipe; do
        "$PREPLAY" predict $trace.data || [ $? -eq 66 ]
        run "$PREPLAY" replay $trace.data </dev/null
        [ "$status" -eq 0 ]
        [[ "$output" == *"confirmed"* ]]
    done
}

@test "gdb stops at the error, and tells how it came there" {
    PREPLAY_GDB="-batch -ex preplay" run "$PREPLAY" replay --gdb race_after_section.data
    [[ "$output" == *"the program stands at the error"* ]]
    [[ "$output" == *"The schedule so far:"*"acq(m)"*"Now about to happen:"*"w(x)"* ]]
    [[ "$output" == *" a (unused="* ]]
    [[ "$output" == *" b (unused="* ]]
}

@test "gdb stands in the user's frame, hides ours, and walks along the schedule" {
    gdb -nx -batch -ex 'python print(1)' 2>/dev/null | grep -q 1 || [ -n "${PREPLAY_TEST_ALL:-}" ] || skip "gdb has no Python"
    printf '%s\n' 'echo ==frame\n' frame 'echo ==why\n' 'preplay why' 'echo ==prev\n' 'preplay prev' 'preplay prev' \
        'echo ==next\n' 'preplay next' 'echo ==stack\n' 'thread apply all backtrace' 'echo ==wrong\n' 'preplay back' >"$BATS_TEST_TMPDIR/commands"
    PREPLAY_GDB="-batch -x $BATS_TEST_TMPDIR/commands" run "$PREPLAY" replay --gdb race_after_section.data
    part() { sed -n "/^==$1/,/^==/p" <<<"$output"; }
    [[ "$(part frame)" == *" in "[ab]" (unused="*"race_after_section.c:"* ]]
    [[ "$(part why)" == *"Now about to happen"*"w(x)"*"race_after_section.c:"* ]]
    # Back from the end twice and on once is the last step again, with its line.
    last=$(part prev | grep '^step' | head -1)
    [[ "$last" =~ ^step\ ([0-9]+)\ of\ ([0-9]+): ]]
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
    [ "$(part prev | grep -c '^step')" -eq 2 ]
    [ "$(part next | grep '^step')" = "$last" ]
    [[ "$(part stack)" == *" a (unused="* && "$(part stack)" == *" b (unused="* ]]
    [[ "$(part stack)" != *"turns_"* && "$(part stack)" != *"libpreplay"* ]]
    [[ "$output" == *"preplay back: there are next, prev and why"* ]]
}

@test "gdb as an editor's: it runs the program by itself, and stands at the error" {
    cd "$BATS_TEST_TMPDIR"
    vscode="$BATS_TEST_DIRNAME/../../integration/vscode"
    mkdir -p preplay.data .vscode
    cp -r "$BATS_FILE_TMPDIR/race_after_section.data" preplay.data/one
    ln -s one preplay.data/latest
    cp "$vscode/preplay-gdb" .vscode
    jq -e '.configurations[0] | .miDebuggerPath == "${workspaceFolder}/.vscode/preplay-gdb" and .customLaunchSetupCommands == []' \
        "$vscode/launch.json"
    jq -e '[.configurations[0] | tostring | scan("[{]input:(.*?)[}]")[]] - [.inputs[].id] == []' "$vscode/launch.json"
    finding=$(jq -r '.findings[0].id' preplay.data/latest/findings.json)
    printf '%s\n' 1-exec-run '2-interpreter-exec console "thread apply all backtrace"' 3-gdb-exit |
        PATH="$(dirname "$PREPLAY"):$PATH" timeout 300 .vscode/preplay-gdb --interpreter=mi "$finding" >out 2>&1
    [ "$(grep -c '^\*stopped,' out)" -eq 1 ]
    # Not before it was asked to.
    sed -n '/^1^running/,/^2^done/p' out >asked
    grep -q '^\*stopped,reason="signal-received",signal-name="SIGTRAP"' asked
    grep -q ' a (unused=' asked
    grep -q ' b (unused=' asked
}

@test "lldb stops at the error, and tells how it came there" {
    command -v lldb >/dev/null || skip "no lldb"
    PREPLAY_LLDB="--no-lldbinit --batch -o preplay" run "$PREPLAY" replay --lldb race_after_section.data </dev/null
    [[ "$output" == *"The schedule so far:"*"acq(m)"*"Now about to happen:"*"w(x)"* ]]
    [[ "$output" == *'`a(unused='* && "$output" == *'`b(unused='* ]]
}

@test "what cannot be replayed is an error" {
    run "$PREPLAY" replay race_after_section.data r-000000
    [ "$status" -eq 2 ]
    run "$PREPLAY" replay "$BATS_TEST_DIRNAME/../traces/002-fig1.9-hidden-race.std"
    [ "$status" -eq 3 ]
    run "$PREPLAY" replay
    [ "$status" -eq 2 ]
    "$PREPLAY" record -d only.data "$BATS_FILE_TMPDIR/race_after_section"
    run "$PREPLAY" replay only.data
    [ "$status" -eq 3 ]
    [[ "$output" == *"only.data: no findings yet (preplay predict only.data)" ]]
}

@test "what threads see of each other without locks is kept, without being asked" {
    cat >seen.c <<'C'
#include "steps.h"
MUTEX(m);
MUTEX(own);
volatile int flag;
int x;
/* Slow in replays only: b would not see the flag. Its own mutex tells the recorder that it
 * looks late, whichever thread starts first. */
THREAD(a) { if (getenv("PREPLAY_REPLAY")) SLEEP(12); flag = 1; x = 1; PASS(m); END; }
THREAD(b) { SLEEP(6); PASS(own); if (flag) { PASS(m); x = 2; } END; }
int main(void) { RUN(a, b); return 0; }
C
    "$PREPLAY" cc -g -I"$BATS_TEST_DIRNAME/../programs/truth" seen.c -o seen -pthread
    "$PREPLAY" record -d seen.data ./seen </dev/null
    "$PREPLAY" predict seen.data || [ $? -eq 66 ]
    hidden=$(jq -r '.findings[] | select(.object == "x") | .id' seen.data/findings.json)
    for fine in "" --fine; do
        run "$PREPLAY" replay $fine seen.data "$hidden"
        [ "$status" -eq 0 ]
        grep -q '^access [12] 3 r ' "seen.data/replays/$hidden.schedule"
    done
}

@test "replays side by side give the same, in the same order" {
    "$PREPLAY" cc -g -O1 "$BATS_TEST_DIRNAME/../programs/truth/deadlock_and_race.c" -o both -pthread
    "$PREPLAY" record -d both.data ./both </dev/null
    "$PREPLAY" predict both.data || [ $? -eq 66 ]
    "$PREPLAY" replay both.data | sed 's/ ([0-9.]* s)$//' >one
    "$PREPLAY" replay -j 2 both.data | sed 's/ ([0-9.]* s)$//' >two
    cmp one two
    [ "$(grep -c '^[dr]-.* confirmed: ' one)" -eq 2 ]
}

@test "what is ordered after a close finds it closed" {
    cat >numbers.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int number, racy;
static void *closes(void *later)
{
    usleep(later ? 200000 : 0);
    close(number);
    racy = 1;
    return NULL;
}
static void *opens(void *later)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", number);
    while (later && access(name, F_OK) == 0)
        usleep(1000);
    puts(open("/dev/zero", O_RDONLY) == number ? "its number" : "another number");
    fflush(stdout);
    racy = 2;
    return NULL;
}
int main(void)
{
    pthread_t first, second;
    void *replayed = getenv("PREPLAY_REPLAY"); /* there, who is to close comes too late by itself */
    number = open("/dev/null", O_RDONLY);
    pthread_create(&first, NULL, closes, replayed);
    pthread_create(&second, NULL, opens, replayed ? NULL : &number);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread numbers.c -o numbers
    run -0 "$PREPLAY" record -d numbers.data ./numbers
    [ "$output" = "its number" ]
    "$PREPLAY" predict numbers.data || [ $? -eq 66 ]
    run -0 "$PREPLAY" replay numbers.data
    [[ "$output" == *"confirmed: both threads stood before their accesses"* ]]
    [ "$(cat numbers.data/replays/*.output)" = "its number" ]
}
