# record --valgrind and run --valgrind: programs that nobody compiled for preplay.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT="$BATS_TEST_DIRNAME/../.."
    export BIN="$BATS_FILE_TMPDIR"
    sed "s,<unistd.h>,\"$ROOT/tests/programs/patience.h\"," "$ROOT/examples/hidden_race.c" >"$BIN/hidden_race.c"
    gcc -g -O1 -pthread "$BIN/hidden_race.c" -o "$BIN/hidden_race"
    gcc -g -O1 -pthread -include "$ROOT/tests/programs/patience.h" "$ROOT/examples/lock_order.c" -o "$BIN/lock_order"
    strip -o "$BIN/stripped" "$BIN/hidden_race"
    gcc -O1 -pthread "$BIN/hidden_race.c" -o "$BIN/symbols"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "a race of a stripped binary is found and confirmed, with its offsets" {
    run --separate-stderr -66 "$PREPLAY" run --valgrind "$BIN/stripped"
    [[ "$stderr" == *"DATA RACE"*": confirmed"* ]]
    [[ "$stderr" == *"both threads stood before their accesses"* ]]
    [[ "$stderr" == *"#0 stripped+0x"* ]]
    [[ "$stderr" == *"1 race confirmed"* ]]
    [[ "$output" == *"the result is 42"* ]]
}

@test "a binary with symbols and no lines has places as symbol+offset" {
    run --separate-stderr -66 "$PREPLAY" run --valgrind "$BIN/symbols"
    [[ "$stderr" == *"worker+0x"* ]]
    [[ "$stderr" == *"main+0x"* ]]
    [[ "$stderr" == *"on result: confirmed"* ]]
}

@test "the finding is the one of the compiled recorder, lines and all" {
    "$PREPLAY" cc -g -O1 -pthread "$BIN/hidden_race.c" -o compiled
    "$PREPLAY" record -d a ./compiled
    gcc -g -O1 -pthread "$BIN/hidden_race.c" -o plain
    "$PREPLAY" record --valgrind -d b ./plain
    for trace in a b; do
        "$PREPLAY" predict --json $trace.json $trace >/dev/null 2>&1 || [ $? -eq 66 ]
        jq -c '[.findings[] | [.kind, .object, ([.events[] | [.op, .location]] | sort)]]' $trace.json >$trace.found
    done
    diff a.found b.found
    [ "$(jq length a.found)" -eq 1 ]
}

@test "a deadlock is replayed natively" {
    run --separate-stderr -66 "$PREPLAY" run --valgrind "$BIN/lock_order"
    [[ "$stderr" == *"LOCK-ORDER INVERSION"*": confirmed"* ]]
    run jq .valgrind preplay.data/latest/replays/*/manifest.json
    [ "$output" = false ]
}

@test "output, exit code and signal are the program's own" {
    printf '#include <stdio.h>\nint main(void) { puts("out"); fputs("err\\n", stderr); return 7; }' >p.c
    gcc p.c -o p
    run --separate-stderr -7 "$PREPLAY" record --valgrind ./p
    [ "$output" = out ]
    [ "$stderr" = err ]
    printf '#include <stdlib.h>\nint main(void) { abort(); }' >q.c
    gcc q.c -o q
    run -134 bash -c '"$0" record --valgrind ./q; exit $?' "$PREPLAY"
}

@test "a trace is not one thread after another" {
    cat >turns.c <<'END'
#include <pthread.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;
long counter;
static void *work(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter != 10000;
}
END
    gcc -O1 -pthread turns.c -o turns
    switches() { "$PREPLAY" dump preplay.data | awk '$3 ~ /^acq/ { split($2, t, "#"); n += t[1] != last; last = t[1] } END { print n }'; }
    # On a busy machine a thread may sleep through all that the other does: the most of five runs.
    most() {
        most=0
        for _ in 1 2 3 4 5; do
            "$PREPLAY" record --valgrind "$@" ./turns
            now=$(switches)
            [ "$now" -le "$most" ] || most=$now
        done
    }
    "$PREPLAY" record --valgrind --switch-every 0 ./turns
    none=$(switches)
    most
    standard=$most
    most --switch-every 2
    echo "$none $standard $most"
    [ "$standard" -ge 20 ]
    [ "$standard" -gt "$none" ]
    [ "$most" -gt "$standard" ]
}

@test "values are exact" {
    cat >values.c <<'END'
#include <pthread.h>
int shared;
char byte;
static void *work(void *unused)
{
    shared = 4711;
    byte = 7;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return shared + byte != 4718;
}
END
    gcc -g -O1 -pthread values.c -o values
    "$PREPLAY" record --valgrind --values ./values
    run "$PREPLAY" dump preplay.data
    [ "$(echo "$output" | grep -c 4711)" -eq 2 ]
}

@test "a static program is refused with a reason" {
    printf 'int main(void) { return 0; }' >s.c
    gcc -static s.c -o s
    run -2 "$PREPLAY" record --valgrind ./s
    [[ "$output" == *"linked statically"* ]]
    run -2 "$PREPLAY" record --valgrind ./nowhere
    [[ "$output" == *"cannot be run"* ]]
}

@test "gdb stands at deadlocks only" {
    "$PREPLAY" record --valgrind "$BIN/hidden_race"
    run "$PREPLAY" predict preplay.data
    id=$(jq -r '.findings[0].id' preplay.data/latest/findings.json)
    run -2 "$PREPLAY" replay --gdb preplay.data "$id"
    [[ "$output" == *"build it with preplay cc"* ]]
}

@test "Valgrind's own end is explained" {
    cat >many.c <<'END'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *wait(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 600; i++)
        pthread_create(&thread, NULL, wait, NULL);
    return 0;
}
END
    gcc many.c -o many -pthread
    run "$PREPLAY" record --valgrind ./many
    [[ "$output" == *"Valgrind gave up: Max number of threads is too low"* ]]
}

@test "a program started by a script, which itself is recorded too" {
    run --separate-stderr -66 "$PREPLAY" run --valgrind sh -c "$BIN/hidden_race; true"
    [[ "$stderr" == *"1 race confirmed"* ]]
    [[ "$stderr" == *"hidden_race.c:21"* ]]
}

@test "clang's debug information, which Valgrind itself cannot read" {
    command -v clang >/dev/null || skip "no clang"
    clang -g -O1 -pthread "$BIN/hidden_race.c" -o clang
    run --separate-stderr -66 "$PREPLAY" run --valgrind ./clang
    [[ "$stderr" == *"1 race confirmed"* ]]
    [[ "$stderr" == *"hidden_race.c:21"* ]]
}

@test "with --online findings are said while the program runs, and are those of the trace" {
    cat >held.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, racy;
static void *run(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    racy++;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    while (access("go", F_OK))
        usleep(5000);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("end");
    return 5;
}
C
    gcc -g -O1 -pthread held.c -o held
    timeout 1000 "$PREPLAY" record --online --valgrind ./held >out 2>said 3>&- &
    recorder=$!
    timeout 600 bash -c 'until grep -q "on racy" said 2>/dev/null; do sleep 0.05; done'
    [ ! -s out ]
    touch go
    wait $recorder && code=0 || code=$?
    [ "$code" -eq 66 ]
    grep -q end out
    grep -q '1 finding, 1 of them while the program ran' said
    cp preplay.data/latest/findings.json online.json
    "$PREPLAY" predict -e tlh,happened --json predicted.json preplay.data >/dev/null || [ $? -eq 66 ]
    diff <(jq -S 'del(.engines[].seconds)' online.json) <(jq -S 'del(.engines[].seconds)' predicted.json)
}

@test "OpenMP's library is not the program: only what its tasks do is told" {
    gcc -g -fopenmp "$ROOT/tests/programs/openmp/tasks.c" -o tasks
    run -66 timeout 1000 "$PREPLAY" run --valgrind --json out.json ./tasks
    [[ "$output" == *"60 2016 1"* ]]
    jq -e '[.findings[].object] | sort == ["early", "racy"]' out.json
}

# The program's own runtime and the preloaded one would both record.
@test "an instrumented program is recorded as the plain one is, also with --sync-only" {
    cat >p.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static struct { char bytes[100]; } one, two;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    two = one;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return counter;
}
END
    gcc -g -pthread p.c -o plain
    gcc -g -pthread -fsanitize=thread p.c -o sanitized
    "$PREPLAY" cc -g -pthread p.c -o instrumented
    for how in valgrind sync-only; do
        for program in plain sanitized instrumented; do
            run -3 "$PREPLAY" record "--$how" -d "$how.$program" "./$program"
            [ ! -d "$how.$program/process-1" ]
            "$PREPLAY" dump "$how.$program" | sed 's/ [^ ]*$//; s/0x[0-9a-f]*/A/g' >"$how.$program.txt"
        done
        [ "$(grep -c 'acquire\|acq' "$how.plain.txt")" = 3 ]
        cmp "$how.plain.txt" "$how.sanitized.txt"
        cmp "$how.plain.txt" "$how.instrumented.txt"
    done
}

# Nothing but the debug information of the library's functions tells that it is one.
@test "std::atomic on the heap orders what it orders, and hides nothing else" {
    cat >heap.cc <<'END'
#include <atomic>
#include <memory>
#include <thread>
struct Shared {
    std::atomic<int> count{0};
    std::atomic<bool> ready{false};
    int data = 0, racy = 0;
};
int main()
{
    auto shared = std::make_unique<Shared>();
    std::thread thread([&] {
        shared->count.store(1, std::memory_order_relaxed);
        shared->data = 1;
        shared->ready.store(true, std::memory_order_release);
        shared->racy = 1;
    });
    while (!shared->ready.load(std::memory_order_acquire))
        std::this_thread::yield();
    int sum = shared->data + shared->racy + shared->count.load(std::memory_order_relaxed);
    thread.join();
    return sum > 3;
}
END
    for level in -O0 -O2; do
        g++ -std=c++17 -g $level -pthread heap.cc -o heap
        "$PREPLAY" run --valgrind --json out.json ./heap || [ $? -eq 66 ]
        # The two accesses to racy, and nothing else.
        jq -r '.findings[] | select(.verdict == "observed" or .verdict == "confirmed") | .events[].location' out.json |
            sed 's/.*heap.cc:\([0-9]*\).*/\1/' | sort -un | tr '\n' ' ' >lines
        [ "$(cat lines)" = "16 20 " ]
    done
}

# Valgrind makes files for itself, and the program's name leads there from another directory.
@test "replays in a copy of the working directory, where no mounts can be made" {
    . "$BATS_TEST_DIRNAME/../harm/users.bash"
    cat >apart.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hidden;
static void *other(void *unused)
{
    hidden = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", hidden);
    return pthread_join(thread, NULL);
}
C
    gcc -g -pthread -include "$ROOT/tests/programs/patience.h" apart.c -o apart
    mkdir work
    cd work
    run as contained "$PREPLAY" run --valgrind -d ../trace ../apart
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 race confirmed"*"in a copy of its working directory"* ]]
}
