# What a report is to a reader who never saw one: one finding a bug, named by what it is, in lines that
# fit. The programs are in readable/, each with one bug that its run does not show (deep.cc: two).

bats_require_minimum_version 1.5.0

# findings_of SOURCE [OPTION...] : compiles it and runs it; leaves `text`, `out.json`, and the titles in `titles`.
findings_of() {
    local source=$1 compiler=cc
    shift
    [[ $source == *.c ]] || compiler=c++
    "$PREPLAY" $compiler -g -O1 -pthread "$@" "$source" -o program
    "$PREPLAY" run -d data --max-findings 0 --json out.json ./program >text 2>&1 || [ $? -eq 66 ]
    grep -E '^[A-Z][A-Z -]+ [a-z]-[0-9a-f]{10} ' text | sed 's/ [a-z]-[0-9a-f]*//' >titles || true
    awk 'length($0) > 200 { print "too long:", $0; found = 1 } END { exit found }' text
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    programs="$BATS_TEST_DIRNAME/readable"
}

@test "one finding a bug, called by what it is" {
    while read -r source title; do
        rm -rf data
        findings_of "$programs/$source"
        [ "$(wc -l <titles)" -eq 1 ] && grep -q "^$title" titles || {
            echo "$source, for one $title:"
            cat titles
            false
        }
    done <<'END'
hidden.c DATA RACE on config
three_forks.c DEADLOCK of 3 threads
lost_wakeup.c LOST WAKE-UP of 1 thread
check_act.c ATOMICITY VIOLATION on balance in block withdraw
double_checked.cc DOUBLE-CHECKED LOCKING on instance
two_rwlocks.c LOCK-ORDER INVERSION of 2 threads
upgrade.c READER UPGRADE of
after_free.c USE AFTER FREE on
shared_pointer.cc DATA RACE on current
semaphores.c DATA RACE on out
END
}

@test "sixty fields are one finding" {
    {
        printf '#include <pthread.h>\n#include <string.h>\nstatic struct { int '
        seq -s , -f 'f%.0f' 0 59
        printf '; } a, b;\nstatic void *work(void *unused)\n{\n'
        seq 0 59 | sed 's/.*/    a.f& = &;/'
        printf '    return unused;\n}\nint main(void)\n{\n    pthread_t thread;\n'
        printf '    pthread_create(&thread, 0, work, 0);\n    memcpy(&b, &a, sizeof a);\n'
        printf '    pthread_join(thread, 0);\n    return b.f3 == 100;\n}\n'
    } >flood.c
    findings_of flood.c
    [ "$(cat titles)" = "$(grep '^DATA RACE on a.f0:' titles)" ]
    [ "$(jq '.findings | length' out.json)" -eq 60 ]
    grep -q '1 race .*, and 59 more places of the same$' text
}

@test "names of thousands of characters, of functions, variables, locks and blocks" {
    findings_of "$programs/deep.cc" -std=c++17
    cat titles
    [ "$(wc -l <titles)" -eq 2 ]
    grep -q '^DATA RACE on block deep.cc:[0-9]*' titles # allocated by a container, for a line of ours
    grep -q '^LOCK-ORDER INVERSION of 2 threads' titles
    grep -q 'locks store<Pack<.*>>.guard:' text
    grep -q 'locks other<Pack<.*>>:' text
    grep -q 'Thread T0.3 (back<...>) locks' text
    ! grep -q _Z text
    # In full for whoever asks.
    [ "$(jq '[.. | .function? // empty | length] | max' out.json)" -gt 5000 ]
}

@test "a block is the one that new asked for, of all kinds" {
    cat >blocks.cc <<'CC'
#include <memory>
#include <new>
#include <thread>
#include <vector>
struct alignas(64) Line { long value; };
int main()
{
    auto block =
        BLOCK;
    auto work = [&] { *(long *)&block[0] = 1; };
    std::thread first(work), second(work);
    first.join();
    second.join();
}
CC
    for block in 'new long' 'new long[4]' 'new (std::nothrow) long' 'new (std::nothrow) long[4]' 'new Line' \
        'new Line[2]' 'new (std::nothrow) Line' 'new (std::nothrow) Line[2]' 'std::make_unique<long[]>(2)' \
        'std::vector<long>(3)'; do
        sed "s/BLOCK/$block/" blocks.cc >block.cc
        for compiler in g++ clang++; do
            PREPLAY_CXX=$compiler "$PREPLAY" c++ -std=c++17 -g -O0 -pthread block.cc -o program
            rm -rf data
            "$PREPLAY" run -d data --max-replays 0 ./program >text 2>&1 || [ $? -eq 66 ]
            grep -q '^DATA RACE .* on block block.cc:9: ' text || { echo "$compiler, $block:"; cat text; false; }
        done
    done
}

@test "operator new is the program's own: linked statically, or replaced" {
    cat >news.cc <<'CC'
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#ifdef OWN
static int news;
void *operator new(std::size_t size) { news++; return std::malloc(size); }
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
#endif
int main()
{
    auto *block = new long;
    std::thread thread([=] { *block = 1; });
    thread.join();
    try {
        volatile std::size_t most = std::size_t{1} << 59;
        delete[] new long[most];
    } catch (const std::bad_alloc &) {
        std::puts("no room");
    }
#ifdef OWN
    std::puts(news ? "own" : "not own");
#endif
    delete block;
}
CC
    for compiler in g++ clang++; do
        for options in "" -static-libstdc++ -DOWN; do
            # shellcheck disable=SC2086
            PREPLAY_CXX=$compiler "$PREPLAY" c++ -g -O0 -pthread news.cc -o news $options
            "$PREPLAY" run -d data ./news >out 2>text || { cat text; false; }
            [ "$(cat out)" = "$([ "$options" = -DOWN ] && echo own || echo no room)" ]
        done
    done
}
