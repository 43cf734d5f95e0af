# A recording that stopped early says so in every report, and "nothing found" is no success then.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    cat >"$BIN/loop.c" <<'C'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long numbers[4096], rounds = 20000;
static void *run(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        numbers[i % 4096]++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    if (argc > 1)
        rounds *= 10;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread "$BIN/loop.c" -o "$BIN/loop"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

@test "whole: exit code 0, and no word of it" {
    run -0 "$PREPLAY" run --json out.json --sarif out.sarif --html out.html --code-quality out.quality "$BIN/loop"
    [[ "$output" == *"nothing found"* && "$output" != *incomplete* ]]
    jq -e 'has("incomplete") | not' out.json
    jq -e '.runs[0].invocations[0] | has("toolExecutionNotifications") | not' out.sarif
    run -1 grep -q '"incomplete":"' out.html
    jq -e '. == []' out.quality
}

@test "incomplete: text, JSON, SARIF, HTML and the code quality say it, and the exit code is 67" {
    run -67 "$PREPLAY" run --max-trace 64K --json out.json --sarif out.sarif --html out.html \
        --code-quality out.quality "$BIN/loop"
    [[ "$output" == *"nothing found; the recording is incomplete (the trace limit is reached"* ]]
    jq -e '.incomplete | startswith("the trace limit is reached")' out.json
    jq -e '.runs[0].invocations[0].toolExecutionNotifications[0] |
        .level == "warning" and (.message.text | contains("the trace limit is reached"))' out.sarif
    grep -q '"incomplete":"the trace limit is reached' out.html
    jq -e 'length == 1 and .[0].check_name == "preplay/incomplete" and .[0].severity == "major" and
        (.[0].description | contains("the trace limit is reached")) and .[0].location.path and
        .[0].location.lines.begin == 1 and (.[0].fingerprint | endswith("/loop"))' out.quality
    # So do the commands that come later.
    run -67 "$PREPLAY" predict
    [[ "$output" == *"the recording is incomplete (the trace limit"* ]]
    run -67 "$PREPLAY" report
    [[ "$output" == *"the recording is incomplete (the trace limit"* ]]
    jq -e .incomplete preplay.data/latest/findings.json
    for format in json sarif html code-quality; do
        run -67 "$PREPLAY" report --$format -o again
        grep -q "the trace limit is reached" again
    done
}

@test "findings in an incomplete recording: they count first" {
    "$PREPLAY" cc -g -pthread "$BATS_TEST_DIRNAME/../programs/race.c" -o race
    "$PREPLAY" record ./race
    echo '18000000000000000000 a reason' >preplay.data/latest/stopped
    run -66 "$PREPLAY" predict --json out.json
    [[ "$output" == *"1 race"* && "$output" == *"the recording is incomplete (a reason)"* ]]
    jq -e '(.findings | length) > 0 and .incomplete == "a reason"' out.json
}

@test "what cannot be read of the reason is incomplete all the same" {
    "$PREPLAY" record "$BIN/loop"
    printf '9999999999999999 a \033[31mreason\n' >preplay.data/latest/stopped
    run -67 "$PREPLAY" predict
    [[ "$output" == *"incomplete (a ?[31mreason)"* ]]
    printf 'nonsense' >preplay.data/latest/stopped
    run -67 "$PREPLAY" predict
    [[ "$output" == *"incomplete (it stopped early)"* ]]
}

@test "without --max-trace a quarter of the free disk is the limit, and it is stated" {
    place=$(mktemp -d)
    mount -t tmpfs -o size=4M none "$place"
    cd "$place"
    run -67 "$PREPLAY" run "$BIN/loop" long
    cd /
    limit=$(jq .limit "$place/preplay.data/latest/manifest.json")
    used=$(du -sk "$place" | cut -f1)
    umount "$place"
    [ "$limit" -gt 900000 ] && [ "$limit" -lt 1100000 ]
    [ "$used" -lt 2048 ]
    [[ "$output" == *"the trace limit is reached"* ]]
    [[ "$output" == *"the limit was 1.0 MiB, a quarter of what was free on the disk; --max-trace SIZE sets another"* ]]
    cd "$BATS_TEST_TMPDIR"
    run -0 "$PREPLAY" record --max-trace 0 "$BIN/loop"
    [ "$(jq 'has("limit")' preplay.data/latest/manifest.json)" = false ]
    run -0 "$PREPLAY" record --help
    [[ "$output" == *"a quarter of the free disk"* ]]
}
