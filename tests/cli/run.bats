# preplay run: from a program to confirmed findings, in one command.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT="$BATS_TEST_DIRNAME/../.."
    export BIN="$BATS_FILE_TMPDIR"
    for name in hidden_race lock_order; do
        "$PREPLAY" cc -g -pthread -include "$ROOT/tests/programs/patience.h" "$ROOT/examples/$name.c" -o "$BIN/$name"
    done
    cat >"$BIN/clean.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    if (argc > 2)
        abort();
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
    "$PREPLAY" cc -g -pthread "$BIN/clean.c" -o "$BIN/clean"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "a hidden race is predicted and confirmed" {
    run -66 "$PREPLAY" run --json found.json "$BIN/hidden_race"
    [ "$(jq -r '[.findings[] | .kind, .verdict] | join(" ")' found.json)" = "race confirmed" ]
    [ "$(jq -r '.findings[0].object' found.json)" = result ]
    [ "$(jq '.run.replays' found.json)" -ge 1 ]
}

@test "a deadlock is predicted and confirmed" {
    run -66 "$PREPLAY" run --json found.json "$BIN/lock_order"
    [ "$(jq -r '[.findings[] | select(.kind == "deadlock") | .verdict] | join(" ")' found.json)" = confirmed ]
}

@test "the trace directory keeps the verdicts" {
    run -66 "$PREPLAY" run -d here "$BIN/hidden_race"
    [ "$(jq -r '.findings[0].verdict' here/findings.json)" = confirmed ]
    jq -e '.findings[0].replay | length > 0' here/findings.json
}

@test "what it confirmed, preplay replay confirms again" {
    run -66 "$PREPLAY" run -d here "$BIN/hidden_race"
    run -0 "$PREPLAY" replay here "$(jq -r '.findings[0].id' here/findings.json)"
    [[ "$output" == *confirmed* ]]
}

@test "without findings, the program's own exit code" {
    run -0 "$PREPLAY" run "$BIN/clean"
    run -7 "$PREPLAY" run "$BIN/clean" 7
    run -134 "$PREPLAY" run "$BIN/clean" 1 2
}

@test "the program's output is its own" {
    "$PREPLAY" run "$BIN/hidden_race" >output 2>errors || [ $? -eq 66 ]
    diff output <(printf 'worker: the result is there\nmain: now for the result\nthe result is 42\n')
    grep -q confirmed errors
}

@test "--exit-code changes the code, --max-replays 0 replays nothing" {
    run -5 "$PREPLAY" run --exit-code 5 "$BIN/hidden_race"
    run -0 "$PREPLAY" run --max-replays 0 --json found.json "$BIN/hidden_race"
    [ "$(jq -r '.findings[0].verdict' found.json)" = predicted ]
}

@test "no program, no such program" {
    run -2 "$PREPLAY" run
    run -2 "$PREPLAY" run ./not-there
    [[ "$output" == *not-there* ]]
}

@test "programs that the program starts are recorded, replayed on their own, and reported once" {
    cat >check.sh <<END
#!/bin/sh
"$BIN/hidden_race"
mkdir -p below && cd below && "$BIN/lock_order" && "$BIN/hidden_race"
exit 3
END
    chmod +x check.sh
    run -66 "$PREPLAY" run -d here --json found.json -- ./check.sh
    [[ "$output" == *"3 processes"* ]]
    [[ "$output" == *"1 more of the same in other processes"* ]]
    [ "$(jq -c '[.findings[] | [.kind, .verdict, .process]]' found.json)" = \
        '[["race","confirmed",null],["deadlock","confirmed","process-1"]]' ]
    id=$(jq -r '.findings[1].id' found.json)
    run -0 "$PREPLAY" replay here/process-1 "$id"
}

@test "a program that is not built for preplay: nothing is recorded, and said so" {
    run -3 "$PREPLAY" run /bin/true
    [[ "$output" == *"not instrumented"* ]]
    run -0 "$PREPLAY" run --sync-only /bin/true
}

@test "a candidate that only replay can decide is confirmed, or counted" {
    cat >flag.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen, data, other;
static void *writer(void *unused)
{
    data = 1;
    pthread_mutex_lock(&lock);
    seen++; /* main's seen++ reads this: the order is fixed if values matter */
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    usleep(20000);
    pthread_mutex_lock(&lock);
    int ready = seen++;
    pthread_mutex_unlock(&lock);
    if (ready)
        other = data; /* guarded: no schedule races here */
    printf("%d\n", other);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g -pthread -include "$ROOT/tests/programs/patience.h" flag.c -o guarded
    sed 's/if (ready)/if (ready || 1)/' flag.c >open.c
    "$PREPLAY" cc -g -pthread -include "$ROOT/tests/programs/patience.h" open.c -o open
    run -66 "$PREPLAY" run --json open.json ./open
    [ "$(jq -r '[.findings[] | select(.model == "sync") | .verdict] | join(" ")' open.json)" = confirmed ]
    run -0 "$PREPLAY" run --json guarded.json ./guarded
    [[ "$output" == *"1 candidate not shown (--all)"* ]]
    [[ "$output" == *"Not confirmed: $(jq -r '.findings[0].id' guarded.json), "* ]]
    run -0 "$PREPLAY" run --all ./guarded
    [[ "$output" == *"DATA RACE"* ]]
}

@test "a program that cannot be run leaves the last trace alone" {
    timeout 600 "$PREPLAY" run "$BIN/clean"
    run -2 "$PREPLAY" run ./no-such-program
    [ "$output" = "preplay: ./no-such-program: cannot be run: No such file or directory" ]
    run -2 "$PREPLAY" run no-such-program
    [ "$output" = "preplay: no-such-program: cannot be run: No such file or directory" ]
    run -2 "$PREPLAY" run /
    [ "$output" = "preplay: /: cannot be run: Is a directory" ]
    touch plain
    run -2 "$PREPLAY" run ./plain
    [ "$output" = "preplay: ./plain: cannot be run: Permission denied" ]
    "$PREPLAY" info preplay.data | grep -q "2  threads"
}

@test "what was found is told even if it cannot be kept" {
    # A directory stands where the file should be written: nobody can, not even root.
    printf '#!/bin/sh\n"%s"\nmkdir preplay.data/latest/findings.json\n' "$BIN/hidden_race" >script
    chmod +x script
    run -66 "$PREPLAY" run ./script
    [[ "$output" == *"findings.json: cannot be written"*"1 race confirmed"* ]]
}

@test "OpenMP: regions, barriers, loops, sections, turns and locks order what they order" {
    source="$ROOT/tests/programs/openmp/regions.c"
    line=$(grep -n '//@A$' "$source" | cut -d: -f1)
    for level in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
        PREPLAY_CC=${level% *} "$PREPLAY" cc -g ${level#* } -fopenmp "$source" -o openmp
        run -66 timeout 1000 "$PREPLAY" run --json out.json ./openmp
        [[ "$output" == *"1 1"* ]]
        jq -e --arg line "$line" '(.findings | length) == 1 and .findings[0].kind == "race" and
            all(.findings[0].events[].location; split(":")[1] == $line)' out.json
    done
}

@test "OpenMP: cancelled barriers, waiting iterations, dependences by object and reductions of tasks" {
    for level in -O0 -O2; do
        PREPLAY_CC=gcc "$PREPLAY" cc -g $level -fopenmp "$ROOT/tests/programs/openmp/corners.c" -o corners
        for _ in 1 2 3; do
            OMP_CANCELLATION=true run -0 timeout 1000 "$PREPLAY" run ./corners
            [ "${lines[0]}" = "128 432 190 5 120 41225" ]
            [[ "$output" == *"nothing found"* ]]
        done
    done
}

@test "OpenMP: taskwait, groups, dependences, loops and barriers order tasks" {
    source="$ROOT/tests/programs/openmp/tasks.c"
    places=$(grep -n '//@[ABC]$' "$source" | cut -d: -f1 | jq -cs '[[.[0], .[0]], .[1:3]]')
    for level in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
        PREPLAY_CC=${level% *} "$PREPLAY" cc -g ${level#* } -fopenmp "$source" -o tasks
        run -66 timeout 1000 "$PREPLAY" run --json out.json ./tasks
        [[ "$output" == *"60 2016 1"* ]]
        jq -e --argjson places "$places" '[.findings[] | [.events[].location | split(":")[1] | tonumber] | sort] |
            sort == $places' out.json
    done
}
