# Where recordings go: nothing of the user's is removed, no two recordings mix, a directory in use stays.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/race.c" -o "$BIN/race"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/mutexes.c" -I"$BATS_TEST_DIRNAME/../../include" -o "$BIN/mutexes"
    cat >"$BIN/slow.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *run(void *unused)
{
    return unused;
}
int main(void) /* until somebody makes `go` */
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    while (access("go", F_OK))
        usleep(10000);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread "$BIN/slow.c" -o "$BIN/slow"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# until_true COMMAND... : waits for it, not for ever.
until_true() {
    for _ in $(seq 3000); do
        ! "$@" 2>/dev/null || return 0
        sleep 0.01
    done
    return 1
}

tree() { find "$1" | sort | xargs stat -c '%n %i %s %Y'; }

@test "-d removes no directory that is not marked as ours, whatever its files are called" {
    mkdir other
    echo '{"manifest_version": 3, "name": "a browser extension"}' >other/manifest.json
    echo precious >other/background.js
    before=$(tree other)
    run -2 "$PREPLAY" record -d other "$BIN/race"
    [[ "$output" == *"other is in the way"*"background.js"* ]]
    rm other/background.js
    run -2 "$PREPLAY" record -d other "$BIN/race"
    echo 'no json' >other/manifest.json
    run -2 "$PREPLAY" record -d other "$BIN/race"
    echo precious >other/background.js
    [ "$(cat other/background.js)" = precious ]
    touch file
    run -2 "$PREPLAY" record -d file "$BIN/race"
    [[ "$output" == *"file is in the way: it is no directory"* ]]
    [ -f file ]
    # An empty directory is nobody's.
    mkdir empty
    "$PREPLAY" record -d empty "$BIN/race"
    "$PREPLAY" info empty
}

@test "-d replaces a recording, but not what somebody put beside it" {
    "$PREPLAY" run -d mine "$BIN/mutexes" >/dev/null 2>&1 || true
    "$PREPLAY" report --html -o page.html mine || true
    run -66 "$PREPLAY" run -d mine "$BIN/race"
    echo precious >mine/notes.txt
    run -2 "$PREPLAY" record -d mine "$BIN/race"
    [[ "$output" == *"mine holds a recording and notes.txt"* ]]
    [ "$(cat mine/notes.txt)" = precious ]
    "$PREPLAY" info mine >/dev/null # is all there
    rm mine/notes.txt
    mkdir mine/process-1
    echo precious >mine/process-1/diary
    run -2 "$PREPLAY" record -d mine "$BIN/race"
    [[ "$output" == *diary* ]]
    [ -e mine/process-1/diary ]
}

@test "-d replaces a recording of a program that changes files, and of one that a script starts" {
    cat >writer.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int racy;
static void *run(void *unused)
{
    racy++;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    FILE *file = fopen("changed", "w");
    fputs("new", file);
    fclose(file);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread writer.c -o writer
    printf '#!/bin/sh\n./writer\n"%s"\n' "$BIN/race" >script
    chmod +x script
    for _ in 1 2 3; do
        echo old >changed
        run -66 "$PREPLAY" run -d mine ./script
        "$PREPLAY" replay mine
    done
}

@test "-d replaces a recording with what ranks, and gdb after an exploration, leave in it" {
    "$PREPLAY" record -d mine "$BIN/race"
    touch mine/checkpoint mine/rank mine/rank.new-abcdef
    "$PREPLAY" record -d mine "$BIN/race"
    [ ! -e mine/checkpoint ]
    run -66 "$PREPLAY" explore -d mine "$BIN/race"
    PREPLAY_GDB="-batch -ex preplay" "$PREPLAY" replay --gdb mine </dev/null
    [ -e mine/gdb-story ]
    run -66 "$PREPLAY" explore -d mine "$BIN/race"
    "$PREPLAY" record -d mine "$BIN/race"
}

@test "-d never empties the working directory, nor one around it" {
    "$PREPLAY" record -d mine "$BIN/race"
    cd mine
    before=$(find . | sort)
    for way in . "$PWD" ../mine ./; do
        run -2 "$PREPLAY" record -d "$way" "$BIN/race"
        [[ "$output" == *"working directory"* ]]
    done
    cd streams
    run -2 "$PREPLAY" record -d .. "$BIN/race"
    cd ..
    [ "$(find . | sort)" = "$before" ]
}

@test "-d never goes through a symbolic link to remove something" {
    mkdir elsewhere
    "$PREPLAY" record -d elsewhere/recording "$BIN/race"
    ln -s elsewhere/recording link
    ln -s elsewhere around
    before=$(tree elsewhere)
    for way in link around/recording; do
        run -2 "$PREPLAY" record -d $way "$BIN/race"
        [[ "$output" == *"symbolic link"* ]]
    done
    [ "$(tree elsewhere)" = "$before" ]
    # A link inside is removed, not followed.
    mkdir precious
    echo precious >precious/file
    rm -r elsewhere/recording/streams
    ln -s "$PWD/precious" elsewhere/recording/streams
    "$PREPLAY" record -d elsewhere/recording "$BIN/race"
    [ "$(cat precious/file)" = precious ]
}

@test "two programs in one directory have a recording each, and latest is the newer" {
    run -66 "$PREPLAY" run "$BIN/race"
    run -0 "$PREPLAY" record "$BIN/mutexes"
    [ "$(readlink preplay.data/latest)" = mutexes-1 ]
    # None takes the other's findings.
    run -66 "$PREPLAY" predict preplay.data/race-1
    [[ "$output" == *"on counter"* ]]
    "$PREPLAY" predict -e hb --json - >mutexes.json || [ $? -eq 66 ]
    "$PREPLAY" predict -e hb --json - preplay.data/mutexes-1 >named.json || [ $? -eq 66 ]
    "$PREPLAY" predict -e hb --json - preplay.data >store.json || [ $? -eq 66 ]
    for file in mutexes named store; do
        [ "$(jq -S '.trace, [.findings[].id]' $file.json)" = "$(jq -S '.trace, [.findings[].id]' named.json)" ]
    done
    # A failed start leaves no recording, and latest as it was.
    run -2 "$PREPLAY" record ./nothing
    [ "$(readlink preplay.data/latest)" = mutexes-1 ]
    [ "$(ls preplay.data)" = "$(printf 'latest\nmutexes-1\nrace-1')" ]
}

@test "sixteen recordings at once have sixteen directories" {
    for i in $(seq 16); do
        "$PREPLAY" record --keep 0 "$BIN/race" >/dev/null 2>&1 &
    done
    wait
    [ "$(ls -d preplay.data/race-* | wc -l)" -eq 16 ]
    for directory in preplay.data/race-*; do
        run -66 "$PREPLAY" predict $directory
    done
}

@test "TRACE goes without saying: predict, replay, report, info, dump, compare" {
    run -2 "$PREPLAY" info
    [[ "$output" == *"here is no preplay.data"* ]]
    run -66 "$PREPLAY" run "$BIN/race"
    [[ "$output" == *"replay preplay.data/race-1 r-"* ]]
    run -66 "$PREPLAY" predict
    id=$(jq -r '.findings[0].id' preplay.data/latest/findings.json)
    [[ "$output" == *"$id"* ]]
    run -66 "$PREPLAY" report
    [[ "$output" == *"$id"* ]]
    run -66 "$PREPLAY" compare
    run -0 "$PREPLAY" info
    [[ "$output" == *"3  threads"* ]]
    run -0 "$PREPLAY" dump
    [[ "$output" == *"w(counter)"* ]]
    run -0 "$PREPLAY" replay
    [[ "$output" == *"$id confirmed"* ]]
    run -0 "$PREPLAY" replay "$id"
    [[ "$output" == *"$id confirmed"* ]]
    run -0 "$PREPLAY" replay preplay.data "$id"
    run -2 "$PREPLAY" replay r-000000
    [[ "$output" == *"no finding r-000000"* ]]
}

@test "an old recording directly in preplay.data stays readable, and is never removed" {
    "$PREPLAY" record -d preplay.data "$BIN/race"
    before=$(tree preplay.data/streams)
    run -66 "$PREPLAY" predict
    touch go
    for _ in 1 2 3; do
        "$PREPLAY" record --keep 1 --keep-size 1 "$BIN/slow"
    done
    [ "$(tree preplay.data/streams)" = "$before" ]
    run -0 "$PREPLAY" info preplay.data
    [[ "$output" == *"2  threads"* ]]
    run -0 "$PREPLAY" info preplay.data/.
    [[ "$output" == *"3  threads"* ]]
    # Nor does -d remove it with the newer ones inside.
    run -2 "$PREPLAY" record -d preplay.data "$BIN/race"
    [[ "$output" == *"preplay.data holds a recording and "* ]]
    "$PREPLAY" info preplay.data/latest
}

@test "old recordings make room: by count for each program, by size, never one in use or with a stranger" {
    for _ in 1 2 3; do
        "$PREPLAY" record --keep 2 "$BIN/race"
    done
    "$PREPLAY" record --keep 2 "$BIN/mutexes"
    [ "$(ls preplay.data | tr '\n' ' ')" = "latest mutexes-1 race-2 race-3 " ]
    touch preplay.data/race-2/notes
    "$PREPLAY" record --keep 1 "$BIN/race"
    [ "$(ls preplay.data | tr '\n' ' ')" = "latest mutexes-1 race-2 race-4 " ]
    mkdir preplay.data/mine-7
    touch preplay.data/mine-7/precious
    PREPLAY_OPTIONS=keep-size=1K "$PREPLAY" record "$BIN/race"
    [ "$(ls preplay.data | tr '\n' ' ')" = "latest mine-7 race-2 race-5 " ]
    for _ in $(seq 7); do
        "$PREPLAY" record "$BIN/race"
    done
    [ "$(ls -d preplay.data/race-* | wc -l)" -eq 6 ] # five, and the one with notes
}

@test "a directory in use is locked: not replaced, not removed, but readable" {
    "$PREPLAY" record "$BIN/slow" &
    until_true test -e preplay.data/latest/streams/000000001.pps
    until_true "$PREPLAY" info
    run -2 "$PREPLAY" record -d preplay.data/slow-1 "$BIN/race"
    [[ "$output" == *"preplay.data/slow-1 is in use by another preplay (process $!)"* ]]
    "$PREPLAY" record --keep 1 --keep-size 1 "$BIN/race"
    [ -e preplay.data/slow-1/streams ]
    run -0 "$PREPLAY" info preplay.data/slow-1
    touch go
    wait
    run -66 "$PREPLAY" run --keep 1 --keep-size 1 "$BIN/race"
    [ ! -e preplay.data/slow-1 ]
}

@test "a recording whose preplay was killed is in use as long as its program writes" {
    "$PREPLAY" record -d mine "$BIN/slow" &
    until_true test -e mine/streams/000000001.pps
    kill -KILL $!
    wait $! || true
    run -2 "$PREPLAY" record -d mine "$BIN/race"
    [[ "$output" == *"process $(cat mine/process) still records into it"* ]]
    touch go
    until_true test ! -d "/proc/$(cat mine/process)"
    "$PREPLAY" record -d mine "$BIN/race"
}
