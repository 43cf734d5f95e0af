# cc, record, info, dump: the ways to switch recording on, and what may never happen.

bats_require_minimum_version 1.5.0

setup() {
    programs="$BATS_TEST_DIRNAME/../programs"
    cd "$BATS_TEST_TMPDIR"
    cat >work.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, racy, numbers[4096];
static long rounds = 1000;
static void *run(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        numbers[i % 4096]++;
        pthread_mutex_unlock(&mutex);
    }
    racy++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc > 2)
        rounds = atol(argv[2]);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", counter);
    if (argc > 1 && !strcmp(argv[1], "abort"))
        abort();
    if (argc > 1 && !strcmp(argv[1], "crash"))
        *(volatile int *)0 = 0;
    return argc > 1 ? atoi(argv[1]) : 0;
}
C
}

events() { "$PREPLAY" info "$1" | sed -n '1s/ .*//p'; }

@test "cc and record: output, exit code and signals are the program's own" {
    for compiler in gcc clang clang-19; do
        command -v $compiler >/dev/null || continue
        PREPLAY_CC=$compiler "$PREPLAY" cc work.c -o work -pthread
        run "$PREPLAY" record ./work 7
        [ "$status" -eq 7 ]
        [ "$output" = 2000 ]
        "$PREPLAY" dump preplay.data | grep -q 'acq(mutex)  .*work.c:11'
        run "$PREPLAY" predict -e hb preplay.data
        [ "$status" -eq 66 ]
        [[ "$output" == *"on racy"* ]]
        [[ "$output" != *"on counter"* ]]
    done
    run bash -c '"$PREPLAY" record ./work abort; exit $?'
    [ "$status" -eq 134 ]
    [ "$(jq .signal preplay.data/latest/manifest.json)" -eq 6 ]
    run bash -c '"$PREPLAY" record ./work crash; exit $?'
    [ "$status" -eq 139 ]
    "$PREPLAY" dump preplay.data | tail -3 | grep -q 'join(T0.2)'
}

@test "a program that was built for ThreadSanitizer needs no rebuild" {
    gcc -g -fsanitize=thread work.c -o work
    run "$PREPLAY" record ./work
    [ "$status" -eq 0 ]
    [ "$output" = 2000 ]
    "$PREPLAY" dump preplay.data | grep -q 'w(racy)'
}

@test "clang's static runtime cannot be replaced, and that is said" {
    for compiler in clang clang-19; do
        command -v $compiler >/dev/null || continue
        $compiler -g -fsanitize=thread work.c -o work
        run "$PREPLAY" record ./work
        [[ "$output" == *"-fno-sanitize-link-runtime"* ]]
        # ... and what it advises works.
        $compiler -g -fsanitize=thread -fno-sanitize-link-runtime work.c -o work \
            -L"$(dirname "$PREPLAY")/src/runtime" -lpreplay -Wl,-rpath,"$(dirname "$PREPLAY")/src/runtime"
        run "$PREPLAY" record ./work
        [ "$output" = 2000 ]
        "$PREPLAY" dump preplay.data | grep -q 'w(racy)'
    done
}

@test "the C++ compiler is the one beside the chosen C compiler" {
    cat >show <<'SH'
#!/bin/sh
echo "${0##*/}"
SH
    chmod +x show
    mkdir bin
    for name in gcc g++ gcc-12 g++-12 clang++-19 x86_64-linux-gnu-g++-12 ccache; do ln -s ../show bin/$name; done
    while read -r c plus; do
        run env PATH="$PWD/bin:$PATH" PREPLAY_CC="$c" "$PREPLAY" c++ --version
        [ "$output" = "$plus" ]
    done <<'END'
gcc g++
gcc-12 g++-12
clang-19 clang++-19
x86_64-linux-gnu-gcc-12 x86_64-linux-gnu-g++-12
END
    run env PATH="$PWD/bin:$PATH" PREPLAY_CC="ccache cc" "$PREPLAY" c++ --version
    [ "$output" = ccache ]
}

@test "an unmodified program: synchronisation only" {
    gcc -g work.c -o work -pthread
    run "$PREPLAY" record ./work
    [[ "$output" == *"not instrumented"* ]]
    run "$PREPLAY" record --sync-only ./work 3
    [ "$status" -eq 3 ]
    "$PREPLAY" dump preplay.data | grep -q 'acq(mutex)'
    ! "$PREPLAY" dump preplay.data | grep -q 'w(counter)'
}

@test "a static link is refused with advice" {
    run "$PREPLAY" cc -static work.c -o work
    [ "$status" -eq 2 ]
    [[ "$output" == *"link it dynamically"* ]]
    run "$PREPLAY" cc -static -c work.c -o work.o
    [ "$status" -eq 0 ]
}

@test "an instrumented program runs as always without preplay record" {
    "$PREPLAY" cc work.c -o work -pthread
    run ./work 5
    [ "$status" -eq 5 ]
    [ "$output" = 2000 ]
}

@test "killed at 20 moments: every stream is readable" {
    "$PREPLAY" cc -O1 work.c -o work -pthread
    for i in $(seq 20); do
        rm -rf trace
        mkdir trace
        PREPLAY_RECORD=$PWD/trace ./work 0 100000000 &
        until [ -d trace/streams ]; do sleep 0.01; done
        sleep "0.0$((i * 7 % 90))"
        # The last one when it has recorded something. (Who reads a trace that grows as fast reads long.)
        until [ "$i" -lt 20 ] || [ "$(du -sk trace | cut -f1)" -gt 1000 ]; do sleep 0.01; done
        kill -KILL $!
        wait $! || true
        run "$PREPLAY" info trace
        [ "$status" -eq 0 ] || [[ "$output" == *"the start of no thread was recorded"* ]]
    done
    [ "$(events trace)" -gt 1000 ]
}

@test "a trace limit: one line, and the program goes on" {
    "$PREPLAY" cc work.c -o work -pthread
    run "$PREPLAY" record --max-trace 200K ./work 0 100000
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 2 ]
    [[ "$output" == *"--max-trace"* && "$output" == *200000* ]]
    [ "$(events preplay.data)" -gt 100 ]
    [ "$(du -skL preplay.data/latest | cut -f1)" -lt 300 ]
}

@test "a full disk: one line, and the program goes on" {
    mkdir disk
    mount -t tmpfs -o size=1m tmpfs disk || skip "mounting needs privileges"
    "$PREPLAY" cc work.c -o work -pthread
    run "$PREPLAY" record --max-trace 0 -d disk/trace ./work 0 300000
    [ "$status" -eq 0 ]
    [[ "$output" == *"no space left"* && "$output" == *600000* ]]
    run "$PREPLAY" info disk/trace
    umount disk
    [ "$status" -eq 0 ]
}

@test "small limits on memory and descriptors" {
    "$PREPLAY" cc work.c -o work -pthread
    run "$PREPLAY" record bash -c 'ulimit -v 200000; exec ./work'
    [ "$output" = 2000 ]
    [ "$(events preplay.data)" -gt 8000 ]
    cat >greedy.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
static int shared;
static void *run(void *unused) { shared++; return unused; }
int main(void)
{
    pthread_t thread;
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return printf("%d\n", shared) != 2;
}
C
    "$PREPLAY" cc greedy.c -o greedy -pthread
    run "$PREPLAY" record ./greedy
    [ "$status" -eq 0 ]
    [ "$output" = 1 ] # it goes on recording, too: its space was mapped before
    run "$PREPLAY" info preplay.data
    [ "$status" -eq 0 ]
    [[ "$output" == *"2  threads"* ]]
}

@test "a directory that is no trace is left alone; a trace is replaced" {
    "$PREPLAY" cc work.c -o work -pthread
    mkdir mine
    touch mine/precious
    run "$PREPLAY" record -d mine ./work
    [ "$status" -eq 2 ]
    [ -e mine/precious ]
    "$PREPLAY" record -d trace ./work
    "$PREPLAY" record -d trace ./work
    run "$PREPLAY" record -d /nowhere/at/all ./work
    [ "$status" -eq 2 ]
    run "$PREPLAY" record ./no-such-program
    [ "$status" -eq 2 ]
}

@test "a directory that cannot be written: one line, and the program goes on" {
    "$PREPLAY" cc work.c -o work -pthread
    for place in /proc/preplay "$PWD/work" /nowhere; do
        run env PREPLAY_RECORD="$place" ./work 4
        [ "$status" -eq 4 ]
        [ "${#lines[@]}" -eq 2 ]
        [[ "$output" == *"cannot be written"* && "$output" == *2000* ]]
    done
}

@test "a library that is loaded while the program runs is recorded, by its own lines" {
    cat >plugin.c <<'C'
int plugged;
void plug(void) { plugged++; }
C
    cat >host.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
static void (*plug)(void);
static void *run(void *unused) { plug(); return unused; }
int main(void)
{
    pthread_t thread;
    void *library = dlopen("./plugin.so", RTLD_NOW);
    plug = (void (*)(void))dlsym(library, "plug");
    pthread_create(&thread, 0, run, 0);
    plug();
    pthread_join(thread, 0);
    return dlclose(library);
}
C
    for compiler in gcc clang; do
        PREPLAY_CC=$compiler "$PREPLAY" cc -shared -fPIC plugin.c -o plugin.so
        PREPLAY_CC=$compiler "$PREPLAY" cc host.c -o host -pthread
        "$PREPLAY" record ./host
        run "$PREPLAY" predict -e hb preplay.data
        [ "$status" -eq 66 ]
        [[ "$output" == *"on plugged"* && "$output" == *"plugin.c:2"* ]]
    done
}

@test "signals to threads that wait, hold locks and take locks of their own in the handler" {
    cat >signalled.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int handled, done;
static long counter;
static sem_t semaphore;
static void handle(int number) { (void)number; handled++; sem_post(&semaphore); }
static void *work(void *unused)
{
    for (int i = 0; !done; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
static void *wait(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    struct sigaction action = {.sa_handler = handle};
    sem_init(&semaphore, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&threads[0], NULL, wait, NULL);
    for (int i = 1; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 300; i++) {
        pthread_kill(threads[i % 3], SIGUSR1);
        sem_wait(&semaphore);
    }
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return printf("%d\n", handled) < 0 || !counter;
}
C
    for compiler in gcc clang; do
        PREPLAY_CC=$compiler "$PREPLAY" cc -O1 signalled.c -o signalled -pthread
        run timeout 600 "$PREPLAY" record ./signalled
        [ "$output" = 300 ]
        run "$PREPLAY" predict -e hb preplay.data
        [ "$status" -eq 0 ]
    done
}

@test "thread ids are the same from run to run" {
    cat >tree.c <<'C'
#include <pthread.h>
static void *branch(void *depth)
{
    pthread_t children[3];
    for (int i = 0; depth && i < 3; i++)
        pthread_create(&children[i], NULL, branch, (char *)depth - 1);
    for (int i = 0; depth && i < 3; i++)
        pthread_join(children[i], NULL);
    return NULL;
}
int main(void) { branch((char *)0 + 4); return 0; }
C
    "$PREPLAY" cc tree.c -o tree -pthread
    for run in one two; do
        "$PREPLAY" record -d $run ./tree
        # Who forks first is the schedule's business, who is who is not.
        "$PREPLAY" dump $run | grep -o 'T[0-9.]*#[0-9]*  fork(.*)' | sed 's,#[0-9]*,,' | sort >$run.txt
    done
    cmp one.txt two.txt
    [ "$(wc -l <one.txt)" -eq 120 ]
}

@test "a forked child and a program started by exec have traces of their own" {
    "$PREPLAY" cc -I"$programs/../../include" "$programs/forks.c" -o forks -pthread
    "$PREPLAY" record ./forks
    "$PREPLAY" dump preplay.data/latest/process-1 | grep -q 'fork(T0.1)'
    "$PREPLAY" cc work.c -o work -pthread
    "$PREPLAY" record -d two sh -c './work; ./work'
    [ "$(events two)" -gt 8000 ]
    [ "$(events two/process-1)" -gt 8000 ]
    gcc work.c -o plain -pthread
    "$PREPLAY" record --sync-only -d three bash -c 'exec ./plain'
    [ "$(events three)" -ge 4000 ]
    run "$PREPLAY" record --sync-only -d four bash -c './plain; true'
    [[ "$output" == *"recorded in four/process-"* ]]
}

@test "values, branches and blocks" {
    cat >value.c <<'C'
#include <pthread.h>
static int flag, data;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void set(void)
{
    pthread_mutex_lock(&mutex);
    flag = 321;
    pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void react(void)
{
    data = 1;
}
static void *run(void *unused) { set(); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_mutex_lock(&mutex);
    if (flag)
        react();
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return flag == 321 ? data * 0 : 1;
}
C
    "$PREPLAY" cc --branches -O1 value.c -o value -pthread
    "$PREPLAY" record --values --branches --blocks ./value
    "$PREPLAY" dump preplay.data >dump
    grep -q 'w(flag.*321' dump
    grep -q 'r(flag.*321' dump
    grep -q 'branch()' dump
    grep -q 'begin(set)' dump
    grep -q 'end(set)' dump
}

@test "broken traces are errors with a place, never crashes" {
    "$PREPLAY" cc work.c -o work -pthread
    "$PREPLAY" record -d trace ./work
    stream=trace/streams/000000001.pps
    printf 'XXXX' | dd of=$stream conv=notrunc status=none
    run "$PREPLAY" info trace
    [ "$status" -eq 3 ]
    [[ "$output" == *"not a preplay stream"* ]]
    "$PREPLAY" record -d trace ./work
    printf '\036\377\377' | dd of=$stream bs=1 seek=112 conv=notrunc status=none
    run "$PREPLAY" info trace
    [ "$status" -eq 3 ]
    [[ "$output" == *"offset"* ]]
    mkdir -p empty/streams
    run "$PREPLAY" info empty
    [ "$status" -eq 3 ]
    mkdir none
    run "$PREPLAY" info none
    [ "$status" -eq 3 ]
}

@test "a thread whose file was made and not begun is no error" {
    "$PREPLAY" cc work.c -o work -pthread
    "$PREPLAY" record -d begun ./work
    before=$(events begun)
    : >begun/streams/000000099.pps
    truncate -s 4096 begun/streams/000000098.pps
    [ "$(events begun)" -eq "$before" ]
    printf 'nonsense' >begun/streams/000000097.pps
    run "$PREPLAY" info begun
    [ "$status" -eq 3 ]
}

@test "a limit of files' sizes stops neither the program nor the recording" {
    cat >limited.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
static void *nothing(void *unused)
{
    return unused;
}
int main(void)
{
    struct rlimit limit = {4096, 4096};
    pthread_t thread;
    setrlimit(RLIMIT_FSIZE, &limit); /* the default of SIGXFSZ is to end the program */
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    puts("alive");
    return 19;
}
END
    "$PREPLAY" cc -g limited.c -o limited
    run -19 "$PREPLAY" record -d limited.data ./limited
    [[ "$output" == *alive* ]]
    # It records on, too: its space was mapped before the limit.
    run -0 "$PREPLAY" info limited.data
    [[ "$output" == *"2  threads"* ]]
    # preplay itself has an error to tell.
    run -4 bash -c "ulimit -f 0; '$PREPLAY' record -d none.data ./limited 2>&1 | cat; exit \${PIPESTATUS[0]}"
    [[ "$output" == *"manifest.json: cannot be written"* ]]
}

@test "what a thread does under a lock after the recording stopped is no race" {
    cat >late.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared, file;
static void change(void)
{
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
}
static void wait_for(int turn) /* which no recorder sees */
{
    while (lseek(file, 0, SEEK_CUR) != turn)
        sched_yield();
}
static void *late(void *unused)
{
    lseek(file, 1, SEEK_SET);
    wait_for(2);
    change();
    return unused;
}
int main(void)
{
    pthread_t thread;
    file = fileno(tmpfile());
    pthread_create(&thread, NULL, late, NULL);
    wait_for(1);
    for (int i = 0; i < 200000; i++)
        change();
    lseek(file, 2, SEEK_SET);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g late.c -o late
    run -0 "$PREPLAY" record --max-trace 200K -d late.data ./late
    [[ "$output" == *"recording stopped"* ]]
    run -67 "$PREPLAY" predict late.data
    [[ "$output" == *"0 races"* ]]
}

@test "an allocator in a shared library of the program's" {
    cat >other.c <<'END'
#include <stdlib.h>
#include <string.h>
static _Alignas(16) char memory[1 << 24];
static size_t used;
struct head { size_t size, magic; };
void *malloc(size_t size)
{
    struct head *head = (void *)(memory + __atomic_fetch_add(&used, (size + 47) & ~15ul, __ATOMIC_RELAXED));
    head->size = size;
    head->magic = 0x6d61676963;
    return head + 1;
}
size_t malloc_usable_size(void *block)
{
    struct head *head = (struct head *)block - 1;
    if (head->magic != 0x6d61676963)
        abort(); /* not of this allocator */
    return head->size;
}
void free(void *block)
{
    if (block)
        malloc_usable_size(block);
}
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *memalign(size_t alignment, size_t size) { return alignment > 16 ? NULL : malloc(size); }
void *realloc(void *block, size_t size)
{
    void *fresh = malloc(size);
    if (block)
        memcpy(fresh, block, malloc_usable_size(block) < size ? malloc_usable_size(block) : size);
    return fresh;
}
END
    cat >user.c <<'END'
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    for (size_t size = 1; size < 300000; size = size * 3 + 1) {
        char *block = malloc(size);
        if (malloc_usable_size(block) < size)
            return 1;
        memset(block, 1, malloc_usable_size(block));
        block = realloc(block, 2 * size);
        block = reallocarray(block, 3, size);
        if (malloc_usable_size(block) < 3 * size)
            return 2;
        free(block);
        free(strdup("x"));
    }
    puts("whole");
    return 0;
}
END
    gcc -shared -fPIC -fno-builtin other.c -o libother.so
    "$PREPLAY" cc -g user.c -o linked -L. -lother -Wl,-rpath,"$PWD"
    "$PREPLAY" cc -g user.c -o alone
    [ "$(./linked)" = whole ]
    [ "$("$PREPLAY" record -d linked.data ./linked)" = whole ]
    [ "$("$PREPLAY" record -d alone.data ./alone)" = whole ]
    [ "$("$PREPLAY" record -d before.data env LD_PRELOAD=./libother.so ./alone)" = whole ]
}

@test "a robust mutex is free when the thread that holds it has ended" {
    cat >robust.c <<'END'
#include <errno.h>
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock;
static int guarded;
static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    guarded++;
    return unused;
}
static void *inherits(void *unused)
{
    int result;
    while ((result = pthread_mutex_trylock(&lock)) != EOWNERDEAD) {
        if (result == 0)
            pthread_mutex_unlock(&lock);
        sched_yield();
    }
    pthread_mutex_consistent(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    pthread_create(&threads[0], NULL, dies, NULL);
    pthread_create(&threads[1], NULL, inherits, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return guarded;
}
END
    "$PREPLAY" cc -g -pthread robust.c -o robust
    run -2 "$PREPLAY" record -d robust.data ./robust
    run -0 "$PREPLAY" predict -e hb,auto robust.data
    [[ "$output" == *"0 races"* ]]
    run "$PREPLAY" info robust.data
    [[ "$output" != *"left out"* ]]
}

# A library that was built for preplay, in a program that was not.
make_plug() {
    "$PREPLAY" cc -g -shared -fPIC "$BATS_TEST_DIRNAME/../programs/libraries/plug_loaded.c" -o plug.so -pthread
    gcc "$BATS_TEST_DIRNAME/../programs/libraries/host_dlopen.c" -o host
}

@test "a library that Python loads: its locks are seen" {
    make_plug
    cat >load.py <<'END'
import ctypes, sys
words = [b"plug"] + [word.encode() for word in sys.argv[1:]]
sys.exit(ctypes.CDLL("./plug.so").plug(len(words), (ctypes.c_char_p * len(words))(*words)))
END
    run "$PREPLAY" run /usr/bin/python3 load.py locks
    [ "$status" -eq 0 ]
    [[ "$output" == *"nothing found"* ]]
    run "$PREPLAY" run /usr/bin/python3 load.py locks wrong
    [ "$status" -eq 66 ]
}

@test "a script on the way to such a program leaves no trace of its own" {
    make_plug
    printf '#!/bin/sh\necho on the way | cat\n./host locks\n' >script
    chmod +x script
    run "$PREPLAY" record -d trace ./script
    [ "$status" -eq 0 ]
    [ -d trace/streams ]
    [ ! -e trace/process-1 ]
}

@test "where the C library comes first nothing is recorded, and that is said" {
    make_plug
    run "$PREPLAY" record -d trace env -u LD_PRELOAD ./host locks
    [[ "$output" == *"not recording: the C library comes before preplay"* ]]
    [ ! -e trace/streams ]
}
