# Where in the source: inlined frames, debug information in files apart, ids that do not
# depend on where the program was built.

bats_require_minimum_version 1.5.0

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/source"
    cd "$BATS_FILE_TMPDIR/source"
    cat >inlined.c <<'E'
#include <pthread.h>
#include <stdio.h>
static int counter;
static inline void __attribute__((always_inline)) bump(int *what)
{
    *what = 7;
}
static inline void __attribute__((always_inline)) twice(int *what)
{
    bump(what);
}
static void *worker(void *unused)
{
    twice(&counter);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    twice(&counter);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
E
    export SOURCE="$BATS_FILE_TMPDIR/source/inlined.c"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# The program at ./program, its debug information in ./apart.debug, and a trace of it.
stripped() {
    "$PREPLAY" cc -g -O1 -pthread "$SOURCE" -o program
    objcopy --only-keep-debug program apart.debug
    strip program
    "$@"
    "$PREPLAY" record -d here ./program
}

# Below DIRECTORY as debuggers look for it.
by_build_id() { # DIRECTORY
    id=$(readelf -n program | sed -n 's/.*Build ID: //p')
    mkdir -p "$1/.build-id/${id:0:2}"
    mv apart.debug "$1/.build-id/${id:0:2}/${id:2}.debug"
}

shows_lines() { # preplay report OPTIONS
    "$PREPLAY" predict -e hb "${@}" here >/dev/null || [ $? -eq 66 ]
    run -66 "$PREPLAY" report "$@" here
    [[ "$output" == *"of counter:"*"#0 bump $SOURCE:6"*"#1 twice $SOURCE:10"*"#2 worker $SOURCE:14"* ]]
}

shows_none() {
    "$PREPLAY" predict -e hb here >/dev/null || [ $? -eq 66 ]
    run -66 "$PREPLAY" report here
    [[ "$output" == *"DATA RACE"*"#0 program+0x"* ]]
    [[ "$output" != *"inlined.c"* ]]
}

@test "inlined functions are frames of their own" {
    for compiler in gcc clang; do
        command -v $compiler || continue
        PREPLAY_CC=$compiler "$PREPLAY" cc -g -O2 -pthread "$SOURCE" -o program
        run -66 "$PREPLAY" run -d here ./program
        [[ "$output" == *"#0 bump $SOURCE:6"*"#1 twice $SOURCE:10"*"#2 worker $SOURCE:14"* ]]
        [[ "$output" == *"#0 bump $SOURCE:6"*"#1 twice $SOURCE:10"*"#2 main $SOURCE:21"* ]]
    done
    # The page and SARIF have them too, and a suppression may name one in the middle.
    "$PREPLAY" report --sarif here >sarif || [ $? -eq 66 ]
    jq -e '[.runs[0].results[0].stacks[0].frames[].location.logicalLocations[0].fullyQualifiedName][:2] == ["bump", "twice"]' sarif
    echo race:^twice$ >list
    run -0 "$PREPLAY" report --suppressions list here
    echo race_top:^twice$ >list
    run -66 "$PREPLAY" report --suppressions list here
}

@test "a stripped program, its debug file beside it" {
    stripped objcopy --add-gnu-debuglink=apart.debug program
    shows_lines
    mkdir .debug
    mv apart.debug .debug
    shows_lines
    rm -r .debug
    shows_none
}

@test "a stripped program, its debug file found by build-id" {
    stripped by_build_id "$PWD/debug"
    shows_none
    shows_lines --debug-files "/nowhere:$PWD/debug"
    rm program # as on another machine
    shows_lines --debug-files "$PWD/debug"
}

@test "a debug file of another build is not believed" {
    stripped objcopy --add-gnu-debuglink=apart.debug program
    sed '1i\\' "$SOURCE" >other.c
    "$PREPLAY" cc -g -O1 -pthread other.c -o other
    objcopy --only-keep-debug other apart.debug
    shows_none
}

@test "debuginfod's servers are asked on request alone" {
    stripped by_build_id "$PWD/debug"
    mkdir -p "buildid/$id"
    cp "debug/.build-id/${id:0:2}/${id:2}.debug" "buildid/$id/debuginfo"
    python3 -u -m http.server --bind 127.0.0.1 0 >port 2>log 3>&- &
    server=$!
    until grep -q port port; do kill -0 $server && sleep 0.1; done
    export DEBUGINFOD_URLS="http://127.0.0.1:$(sed 's/.*port \([0-9]*\).*/\1/' port)" DEBUGINFOD_CACHE_PATH="$PWD/cache"
    shows_none
    run ! grep -q GET log
    ldconfig -p | grep -q libdebuginfod || { kill $server; skip "no libdebuginfod"; }
    shows_lines --debuginfod
    grep -q "GET /buildid/$id/debuginfo" log
    kill $server
}

@test "ids do not depend on where a program was built" {
    for place in one two/three; do
        mkdir -p "$place/build"
        cp "$SOURCE" "$place"
        (cd "$place" && "$PREPLAY" cc -g -pthread inlined.c -o bare)
        (cd "$place/build" && "$PREPLAY" cc -g -pthread "$BATS_TEST_TMPDIR/$place/inlined.c" -o apart)
        for name in bare build/apart; do
            "$PREPLAY" run --max-replays 0 -d here --json - "$place/$name" 2>/dev/null | jq -r '.findings[]?.id' >>"$(basename $name).${place%/*}"
        done
    done
    grep -q r- bare.one
    cmp bare.one bare.two
    cmp apart.one apart.two
}

@test "what the C++ library does is told by who asked for it" {
    cd "$BATS_TEST_TMPDIR"
    cat >locks.cc <<'END'
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex a, b, c, d;
static std::condition_variable ready;
static bool flag;
static void one()
{
    { std::lock_guard<std::mutex> first(a), second(b); }
    c.lock();
    d.lock();
    d.unlock();
    c.unlock();
}
static void two()
{
    { std::lock_guard<std::mutex> first(b), second(a); }
    d.lock();
    c.lock();
    c.unlock();
    d.unlock();
    std::lock_guard<std::mutex> guard(a);
    flag = true;
    ready.notify_all();
}
int main()
{
    std::thread first(one);
    first.join();
    std::thread second(two), third(one);
    {
        std::unique_lock<std::mutex> lock(a);
        while (!flag)
            ready.wait(lock);
    }
    second.join();
    third.join();
}
END
    for level in -O0 -O1 -O2; do
        "$PREPLAY" c++ -g $level -pthread locks.cc -o locks
        "$PREPLAY" record ./locks
        # Two deadlocks, though every lock is taken by the same line of a header.
        "$PREPLAY" predict -e deadlock --json out.json preplay.data || [ $? -eq 66 ]
        [ "$(jq '.findings | length' out.json)" = 2 ]
        jq -e '[.findings[].events[].location | split("/")[-1] | split(":")[0:2] | join(":")] | sort ==
            ["locks.cc:11", "locks.cc:17", "locks.cc:19", "locks.cc:9"]' out.json
        "$PREPLAY" dump preplay.data >dump
        for line in 28 30; do
            grep -q "fork(.*locks.cc:$line:" dump
        done
        grep -q "join(.*locks.cc:29:" dump
        grep -q "notifyall(.*locks.cc:24:" dump
    done
    "$PREPLAY" report preplay.data >text || [ $? -eq 66 ]
    grep -q "taken at .*locks.cc:9:" text
    grep -q "frames of the C++ library" text
    ! grep -q "src/runtime" text
}

@test "what the C++ library reads and writes is told by who asked for it, demangled" {
    cat >text.cc <<'C'
#include <string>
#include <thread>
namespace hidden {
static std::string word;
static void change() { word = "other"; } // here
}
int main()
{
    std::thread thread(hidden::change);
    hidden::change();
    thread.join();
}
C
    # The strings of C++20 are all in headers, older ones in the library, which is not instrumented.
    for standard in c++17 c++20; do
        "$PREPLAY" c++ -g -O0 -std=$standard -pthread text.cc -o text
        "$PREPLAY" run --sarif out.sarif ./text >out 2>&1 || [ $? -eq 66 ]
        grep -q "^DATA RACE r-.* on hidden::word" out
        grep -qE "^ +[0-9]+ >.*(reads|writes) hidden::w.* text.cc:5:" out
        jq -e '.runs[0].results[0] | (.message.text | test("hidden::word.* in change, .* in change")) and
            .locations[0].physicalLocation.region.startLine == 5' out.sarif
        [ "$(grep -c '^    #[1-9] change .*text.cc:5:' out)" -ge 2 ]
        ! grep -q "_ZN" out
    done
    echo 'race:^hidden::word' >suppressions
    run -0 "$PREPLAY" report --suppressions suppressions preplay.data
    [[ "$output" == *"nothing found; "*" suppressed"* ]]
    run -66 "$PREPLAY" predict preplay.data
    [[ "$output" == "race r-"*" on hidden::word"* ]]
}

@test "a part of an OpenMP region has a name and a caller" {
    cat >region.c <<'C'
#include <stdio.h>
int best;
int main(void)
{
#pragma omp parallel num_threads(2)
    best++;
    printf("%d\n", best);
}
C
    "$PREPLAY" cc -g -fopenmp region.c -o region
    run -66 "$PREPLAY" run ./region
    [[ "$output" == *"#0 main._omp_fn.0 "*"region.c:6:"* ]]
    [ "$(grep -c '#1 main .*region.c:[45]:' <<<"$output")" -eq 3 ] # both accesses, and the thread's creation
    grep -qE "creates T0.1 +region.c:[45]:" <<<"$output"
}
