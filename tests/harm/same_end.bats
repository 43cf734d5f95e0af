# Programs that lived on the edge and died when they were recorded.

bats_require_minimum_version 1.5.0
load as_plain.bash

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "handles that are no thread's" {
    build handles
    same_as_plain handles
}

@test "the smallest stacks" {
    build small_stacks
    for what in 0 1 2 3 4 5 6 7 8; do
        same_as_plain small_stacks $what
        [ -z "$said" ]
    done
}

@test "what lies below a small stack is not written to" {
    build below_the_stack
    for kind in '' signal; do
        same_as_plain below_the_stack $kind
        run -0 "$PREPLAY" record -d sync --sync-only ./below_the_stack.plain $kind
    done
}

@test "an allocator that locks: the program's own, linked, preloaded" {
    build locking_allocator
    same_as_plain locking_allocator
    gcc -shared -fPIC -DLIBRARY "$BATS_TEST_DIRNAME/programs/locking_allocator.c" -o liballocator.so
    build allocating -L. -lallocator -Wl,-rpath,"$PWD"
    same_as_plain allocating
    build allocating
    # AddressSanitizer, if preplay was built with it, takes no allocator before its own.
    ldd "$PREPLAY" | grep -q libasan || LD_PRELOAD="$PWD/liballocator.so" same_as_plain allocating
    run -0 "$PREPLAY" record -d preloaded env LD_PRELOAD="$PWD/liballocator.so" ./allocating.recorded
    [ "$output" = allocated ]
    run -0 "$PREPLAY" record -d sync --sync-only env LD_PRELOAD="$PWD/liballocator.so" ./allocating.plain
    [ "$output" = allocated ]
}

@test "the text of dlerror is the program's" {
    build dlerror_text
    same_as_plain dlerror_text
    [[ "$actual" == *no-such-library* ]]
}

@test "bad pointers are the kernel's to refuse" {
    build bad_pointers
    same_as_plain bad_pointers
    [[ "$actual" == *"Bad address"* ]]
    [[ "$actual" != *signal* ]]
}

@test "descriptors: stray writes meet no file of ours, and the table stays short" {
    build stray_writes
    same_as_plain stray_writes
    [ -z "$said" ]
    run -0 "$PREPLAY" info trace
    [ "$("$PREPLAY" dump trace | grep -c 'threadend()')" -eq 401 ]
}

@test "a thread's name may have lines" {
    cat >lines.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *run(void *name)
{
    pthread_setname_np(pthread_self(), name);
    both(&a, &b);
    return NULL;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, run, "a\n) R b");
        if (i)
            both(&b, &a);
        pthread_join(thread, NULL);
    }
    return 0;
}
C
    "$PREPLAY" cc -g -pthread lines.c -o lines
    run -66 "$PREPLAY" run ./lines
    [[ "$output" == *"confirmed"* ]]
}

@test "a signal is the first thing that a thread sees" {
    build born_in_a_storm
    same_as_plain born_in_a_storm
    # No handler was taken for a thread of its own.
    [ "$(ls trace/streams | wc -l)" -eq 1501 ]
}

@test "every key that POSIX promises is the program's" {
    build all_keys
    same_as_plain all_keys
    run -0 "$PREPLAY" record -d sync --sync-only ./all_keys.plain
    [ "$output" = "$actual" ]
    # Threads are seen to end all the same.
    [ "$("$PREPLAY" dump trace | grep -c 'threadend()')" -eq 2 ]
    run -0 "$PREPLAY" predict -e hb trace
}
