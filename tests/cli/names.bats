# Names as the source has them, and short enough to read.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

members() {
    cat <<'C'
#include <mutex>
#include <pthread.h>
struct Base { int id; };
struct Account : Base { pthread_mutex_t lock; long balance; struct { short low, high; } limits[3]; };
static Account account[4];
namespace app {
struct { int width, height; union { int whole; float part; }; } volatile config; // each store stays one of its own
int grid[3][5];
}
static struct { std::mutex lock; int count; } table[2];
static void *work(void *unused)
{
    static volatile int calls[4];
    pthread_mutex_lock(&account[2].lock);
    pthread_mutex_unlock(&account[2].lock);
    { std::lock_guard<std::mutex> guard(table[1].lock); }
    account[2].balance = 1;
    account[3].id = 2;
    account[1].limits[2].high = 3;
    app::config.height = 4;
    app::config.whole = 5;
    app::grid[2][4] = 6;
    table[1].count = 7;
    calls[3] = 8;
    return unused;
}
int main()
{
    pthread_t first, second;
    pthread_create(&first, nullptr, work, nullptr);
    pthread_create(&second, nullptr, work, nullptr);
    pthread_join(first, nullptr);
    pthread_join(second, nullptr);
}
C
}

@test "members and elements by their names" {
    members >program.cc
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            CXX=$compiler "$PREPLAY" c++ -g $level -pthread program.cc -o program
            rm -rf data
            "$PREPLAY" record -d data ./program
            "$PREPLAY" report --max-findings 0 data >text || [ $? -eq 66 ]
            "$PREPLAY" predict --json out.json data >/dev/null 2>&1 || [ $? -eq 66 ]
            jq -r '.findings[].object' out.json | sort -u >objects
            for name in 'account\[2\].balance' 'account\[3\].id' 'account\[1\].limits\[2\].high' \
                'config.*.height' 'config.*.whole' 'grid.*\[2\]\[4\]' 'table\[1\].count' 'calls\[3\]'; do
                grep -q "$name" objects || {
                    echo "$compiler $level: no $name in:"
                    cat objects
                    false
                }
            done
            grep -q "^DATA RACE .* on app::config.height" text
            "$PREPLAY" dump data >dump
            grep -q 'acq(.*account\[2\].lock)' dump
            grep -q 'acq(.*table\[1\].lock)' dump
        done
    done
}

@test "an object that is a whole structure is called by the structure's name" {
    cat >program.c <<'C'
#include <pthread.h>
#include <string.h>
static struct { long first, second; } pair, source;
static void *copy(void *unused) { memcpy(&pair, &source, sizeof pair); return unused; }
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, copy, NULL);
    pthread_create(&second, NULL, copy, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -O0 -fno-builtin -pthread program.c -o program
    "$PREPLAY" record -d data ./program
    "$PREPLAY" predict --json out.json data >/dev/null 2>&1 || [ $? -eq 66 ]
    [ "$(jq -r '.findings[].object' out.json | sort -u)" = pair ]
}

@test "names of a hundred thousand characters are folded" {
    cat >program.cc <<'C'
#include <map>
#include <string>
#include <thread>
#include <vector>
template <class T> struct Deep { };
template <int N> struct Nest {
    using type = Deep<std::pair<typename Nest<N - 1>::type, std::map<std::string, typename Nest<N - 1>::type>>>;
};
template <> struct Nest<0> { using type = Deep<std::vector<std::string>>; };
static int counter;
template <class T> static void bump(T &) { counter++; }
int main()
{
    Nest<6>::type deep;
    auto twice = [&] { bump(deep); };
    std::thread thread(twice);
    twice();
    thread.join();
    return 0;
}
C
    "$PREPLAY" c++ -g -pthread program.cc -o program
    "$PREPLAY" run -d data --html page.html --json out.json ./program >text 2>&1 || [ $? -eq 66 ]
    grep -q 'bump<' text
    [ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' text)" -le 200 ]
    # In full for whoever asks.
    [ "$(jq '[.. | .function? // empty | length] | max' out.json)" -gt 50000 ]
}

@test "threads by what they began with; lambdas by where they were created" {
    cat >program.cc <<'C'
#include <pthread.h>
#include <thread>
static int shared;
struct Server { void serve(int) { shared++; } };
template <class T> static void convert(T value) { shared += (int)value; }
static void *inner(void *unused) { shared++; return unused; }
static void *outer(void *unused)
{
    pthread_t thread;
    pthread_create(&thread, nullptr, inner, nullptr);
    shared++;
    pthread_join(thread, nullptr);
    return unused;
}
int main()
{
    Server server;
    pthread_t plain;
    pthread_create(&plain, nullptr, outer, nullptr);
    std::thread member(&Server::serve, &server, 1);
    std::thread generic(convert<double>, 2.0);
    std::thread lambda([] { shared++; });
    pthread_join(plain, nullptr);
    member.join();
    generic.join();
    lambda.join();
}
C
    for compiler in g++ clang++; do
        for level in -O0 -O2; do
            PREPLAY_CXX=$compiler "$PREPLAY" c++ -g $level -pthread program.cc -o program
            rm -rf data
            "$PREPLAY" record -d data ./program
            "$PREPLAY" convert --to perfetto data -o out.json
            jq -r '.traceEvents[] | select(.pid == 1 and .name == "thread_name") | .args.name' out.json | sort >threads
            diff threads - <<'END' || { echo "$compiler $level"; false; }
T0 (main)
T0.1 (outer)
T0.1.1 (inner)
T0.2 (Server::serve)
T0.3 (convert<double>)
T0.4 (lambda program.cc:22)
END
        done
    done
}
