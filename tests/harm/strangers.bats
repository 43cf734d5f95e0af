# Trace directories and programs of others: nothing is written through a link, nothing hangs, no stranger's
# program runs, no secret is kept.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/race.c" -o "$BIN/race"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# recorded : a recording with findings in `trace`.
recorded() {
    rm -rf trace
    "$PREPLAY" run -d trace "$BIN/race" >/dev/null 2>&1 || [ $? -eq 66 ]
}

@test "a recording is for its user alone" {
    umask 0
    echo input | "$PREPLAY" run "$BIN/race" || [ $? -eq 66 ]
    "$PREPLAY" replay
    "$PREPLAY" report --html -o page.html || [ $? -eq 66 ]
    [ -e preplay.data/latest/stdin ]
    [ -z "$(find preplay.data -type d ! -perm 0700)" ]
    [ -z "$(find preplay.data -type f ! -perm 0600)" ]
    # So is what a process that a script starts leaves.
    printf '#!/bin/sh\n"%s"\n"%s"\n' "$BIN/race" "$BIN/race" >script
    chmod +x script
    "$PREPLAY" record ./script
    [ -e preplay.data/latest/process-1/environ ]
    [ -z "$(find preplay.data -type d ! -perm 0700 -o -type f ! -perm 0600)" ]
    mkdir -m 0777 mine
    "$PREPLAY" record -d mine "$BIN/race"
    [ "$(stat -c %a mine)" = 700 ]
}

@test "what looks like a secret is not kept; replay takes it from the environment, or says that it misses it" {
    printf '#!/bin/sh\n"%s"\n"%s"\n' "$BIN/race" "$BIN/race" >script
    chmod +x script
    export GITHUB_TOKEN=s3cret-one aws_secret_access_key=s3cret-two MINE_TOO=s3cret-three PLAIN=kept
    "$PREPLAY" record --no-env 'MINE_*,OTHER' ./script
    run -1 grep -rq s3cret preplay.data
    grep -q PLAIN=kept preplay.data/latest/manifest.json
    grep -q PLAIN=kept preplay.data/latest/process-1/environ
    run -66 "$PREPLAY" run --no-env 'MINE_*' "$BIN/race"
    jq -e '.environment_left_out | index("GITHUB_TOKEN") and index("aws_secret_access_key") and index("MINE_TOO")' \
        preplay.data/latest/manifest.json
    run -0 "$PREPLAY" replay
    [[ "$output" != *"was not recorded"* ]]
    unset MINE_TOO
    run -0 "$PREPLAY" replay
    [[ "$output" == *"MINE_TOO in its environment, which was not recorded"* && "$output" != *GITHUB* ]]
    run -1 grep -rq s3cret preplay.data
    # Who wants all of it says so.
    "$PREPLAY" record --no-env '' "$BIN/race"
    grep -q s3cret-one preplay.data/latest/manifest.json
}

@test "the replayed program has the secrets that its user still has" {
    cat >needs.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int racy;
static void *run(void *unused)
{
    racy++;
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    if (!getenv("MY_TOKEN"))
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread needs.c -o needs
    export MY_TOKEN=s3cret
    run -66 "$PREPLAY" run ./needs
    run -0 "$PREPLAY" replay
    [[ "$output" == *confirmed* ]]
    unset MY_TOKEN
    run -1 "$PREPLAY" replay
    [[ "$output" == *"MY_TOKEN in its environment"* ]]
}

@test "findings.json is not written through a symbolic link" {
    recorded
    echo precious >precious
    rm trace/findings.json
    ln -s ../precious trace/findings.json
    run -66 "$PREPLAY" predict trace
    [ "$(cat precious)" = precious ]
    [ ! -L trace/findings.json ]
    rm trace/findings.json
    ln -s ../precious trace/findings.json
    run -3 "$PREPLAY" report trace
    [[ "$output" == *"findings.json"*"symbolic link"* ]]
    run -3 "$PREPLAY" replay trace
    [ "$(cat precious)" = precious ]
}

@test "replays write nothing through a link" {
    recorded
    mkdir elsewhere
    rm -rf trace/replays
    ln -s ../elsewhere trace/replays
    run "$PREPLAY" replay trace
    [ "$status" -eq 3 ] || [ "$status" -eq 4 ]
    [ -z "$(ls elsewhere)" ]
    rm trace/replays
    mkdir trace/replays
    id=$(jq -r '.findings[0].id' trace/findings.json)
    for end in schedule control output; do
        echo precious >precious.$end
        ln -s "$PWD/precious.$end" trace/replays/$id.$end
    done
    run -0 "$PREPLAY" replay trace
    for end in schedule control output; do
        [ "$(cat precious.$end)" = precious ]
    done
}

@test "a FIFO, a device, a link or a directory in place of any file: an error at once, never a hang" {
    for file in manifest.json findings.json modules stopped process streams/000000001.pps cmdline environ cwd stdin lock; do
        for kind in fifo device link directory; do
            recorded
            rm -f trace/$file
            case $kind in
            fifo) mkfifo trace/$file ;;
            device) ln /dev/zero trace/$file 2>/dev/null || mknod trace/$file c 1 5 ;;
            link) ln -s /dev/zero trace/$file ;;
            directory) mkdir trace/$file ;;
            esac
            for command in info "predict -e hb" report replay; do
                run timeout 60 "$PREPLAY" $command trace
                echo "$file $kind $command: $status"
                [ "$status" -ne 124 ]
                [ "$status" -lt 128 ]
            done
            case $file in
            manifest.json | streams/*)
                run -3 "$PREPLAY" info trace
                [[ "$output" == *"$file"*"it is "* || "$output" == *"$file"*directory* ]]
                ;;
            esac
        done
    done
}

@test "a module that is a FIFO or a device holds nobody up" {
    recorded
    mkfifo fifo
    for module in "$PWD/fifo" /dev/zero /dev/stdin; do
        sed -i "s, [^ ]*\$, $module," trace/modules
        run timeout 60 "$PREPLAY" predict trace
        [ "$status" -eq 66 ]
    done
}

@test "another user's recording is not replayed, unless it is trusted" {
    recorded
    run -0 "$PREPLAY" replay trace
    chown -R 12345 trace
    run -3 "$PREPLAY" replay trace
    [[ "$output" == *"recorded by user (12345), and you are root (0)"*"--trust"* ]]
    run -0 "$PREPLAY" replay --trust trace
}

@test "a program that was built again is not replayed, unless it is trusted; nor is one that is gone" {
    cp "$BATS_TEST_DIRNAME/../programs/race.c" .
    "$PREPLAY" cc -g -pthread race.c -o race
    run -66 "$PREPLAY" run ./race
    touch race # the same
    run -0 "$PREPLAY" replay
    before=$(readelf -n race | awk '/Build ID/ { print $3 }')
    echo 'int more;' >>race.c
    "$PREPLAY" cc -g -pthread race.c -o race
    now=$(readelf -n race | awk '/Build ID/ { print $3 }')
    [ "$before" != "$now" ]
    run -3 "$PREPLAY" replay
    [[ "$output" == *"build-id $now now, $before then"* ]]
    run "$PREPLAY" replay --trust
    [ "$status" -le 1 ]
    rm race
    run -3 "$PREPLAY" replay
    [[ "$output" == *"(build-id $before) is not there any more"* ]]
    # Without a build-id, by its age.
    "$PREPLAY" cc -g -pthread -Wl,--build-id=none race.c -o race
    run -66 "$PREPLAY" run ./race
    run -0 "$PREPLAY" replay
    touch -d '+1 hour' race
    run -3 "$PREPLAY" replay
    [[ "$output" == *"changed since it was recorded"* ]]
}

@test "a set-user-id program takes no orders from its caller" {
    [ "$(id -u)" -eq 0 ]
    place=$(mktemp -d /tmp/preplay-secure-XXXXXX)
    chmod 0777 "$place"
    # It and its runtime where anybody may read them; its search path without $ORIGIN, which such programs ignore.
    mkdir "$place/lib"
    cp "$(ldd "$BIN/race" | awk '/libpreplay.so/ { print $3 }')" "$place/lib/"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/race.c" -o "$place/race" \
        -Wl,--disable-new-dtags -Wl,-rpath,"$place/lib"
    cat >whoami.c <<'C'
#include <stdio.h>
#include <sys/auxv.h>
__attribute__((constructor)) static void say(void) { printf("secure %lu\n", getauxval(AT_SECURE)); }
C
    "$PREPLAY" cc -g -pthread whoami.c "$BATS_TEST_DIRNAME/../programs/race.c" -o "$place/race" \
        -Wl,--disable-new-dtags -Wl,-rpath,"$place/lib"
    chmod 4755 "$place/race"
    mkdir "$place/target"
    chmod 0777 "$place/target"
    run env PREPLAY_RECORD="$place/target" setpriv --reuid=65534 --clear-groups "$place/race"
    [[ "$output" == *"secure 1"* ]]
    [ -z "$(ls "$place/target")" ]
    # The same program without the bit records, of course.
    chmod 0755 "$place/race"
    run env PREPLAY_RECORD="$place/target" "$place/race"
    [[ "$output" == *"secure 0"* ]]
    [ -e "$place/target/streams" ]
    rm -r "$place"
}

@test "manifests of other versions, broken ones, and recordings without a thread are errors" {
    recorded
    cp trace/manifest.json good
    for command in info dump "predict -e hb" report replay compare; do
        jq '.version = 99' good >trace/manifest.json
        run -3 "$PREPLAY" $command trace
        [[ "$output" == *"manifest.json: format version 99, this preplay reads version"* ]]
        jq '.format = "something"' good >trace/manifest.json
        run -3 "$PREPLAY" $command trace
        [[ "$output" == *"not the manifest of a recording"* ]]
        head -c 100 good >trace/manifest.json
        run -3 "$PREPLAY" $command trace
        [[ "$output" == *"manifest.json:"* ]]
        : >trace/manifest.json
        run -3 "$PREPLAY" $command trace
        cp good trace/manifest.json
    done
    rm trace/streams/*
    for command in info dump "predict -e hb" report replay compare; do
        run -3 "$PREPLAY" $command trace
        [[ "$output" == *"the start of no thread was recorded"* ]]
    done
}

@test "a schedule that was kept is no link and no pipe, and the copies of it go through none" {
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../../examples/hidden_race.c" -o hidden_race
    run -66 "$PREPLAY" run -d trace ./hidden_race
    id=$(jq -r '.findings[0].id' trace/findings.json)
    schedule=trace/replays/$id.schedule
    mv "$schedule" kept
    mkfifo "$schedule"
    run timeout 60 "$PREPLAY" replay trace "$id"
    [ "$status" -ne 124 ] # it did not wait for somebody to write
    rm "$schedule"
    cp kept "$schedule"
    echo precious >precious
    ln -s ../../precious "trace/replays/$id.1.schedule"
    run -0 timeout 120 "$PREPLAY" replay -n 4 -j 2 trace "$id"
    [ "$(cat precious)" = precious ]
}
