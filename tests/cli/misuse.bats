# Misuse of locks and threads as reports tell it. What is found is in tests/programs/misuse.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "C++ locks by the names that the source gives them, in every form" {
    cat >program.cc <<'C'
#include <pthread.h>
struct Account { long balance; pthread_mutex_t mutex; };
static Account all;
namespace bank { static pthread_mutex_t vault, spare; }
int main()
{
    pthread_mutex_lock(&all.mutex);
    pthread_mutex_destroy(&all.mutex);
    pthread_mutex_lock(&bank::spare);
    pthread_mutex_lock(&bank::vault);
    pthread_mutex_destroy(&bank::vault);
}
C
    g++ -g -pthread program.cc -o program
    "$PREPLAY" run --sync-only -d data --json out.json --html page.html --sarif out.sarif --junit out.xml \
        ./program >text 2>&1 || [ $? -eq 66 ]
    "$PREPLAY" run --sync-only -d again --json again.json ./program >/dev/null 2>&1 || [ $? -eq 66 ]
    "$PREPLAY" merge out.json again.json >merged || [ $? -eq 66 ]
    "$PREPLAY" merge --json -o merged.json out.json again.json || [ $? -eq 66 ]
    for name in all.mutex bank::vault; do
        grep -q "^MISUSE .* on $name (destroy-held): observed" text
        jq -e --arg name $name '[.findings[].object] | index($name)' out.json
        grep -q "^misuse .* on $name: observed, in 2 of 2 runs" merged
    done
    jq -e '[.findings[].events[].held[].lock] | index("bank::spare")' out.json
    run ! grep -l _ZL text out.json page.html out.sarif out.xml merged merged.json
}

@test "what the program itself rules out is not told as misuse" {
    gcc -g -pthread "$BATS_TEST_DIRNAME/../programs/misuse/destroy_held.c" -o program
    "$PREPLAY" run --sync-only -d data ./program counted >text 2>&1
    grep -q "(destroy-held): diverged" text
    grep -q "What the threads read may rule this schedule out, and the recording has no reads of shared memory to tell." text
    grep -q "It would be misuse: a lock is destroyed while a thread holds it." text
    run ! grep -E "Misuse:|Destroy a lock only" text
    grep -q "nothing found; not confirmed: 1 misuse" text
}
