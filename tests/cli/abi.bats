# What programs that are built for ThreadSanitizer may ask of its runtime, and so of ours.

setup() {
    library=$(dirname "$PREPLAY")/src/runtime/libpreplay.so
    [ -e "$library" ] || skip "not a build directory"
    cd "$BATS_TEST_TMPDIR"
    names "$library" >ours
}

names() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u; }

# The runtimes of all compilers that are installed.
peers() {
    for version in "" -12 -13 -14; do
        ! command -v "gcc$version" >/dev/null || readlink -e "$(gcc$version -print-file-name=libtsan.so)"
    done | sort -u
    ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.tsan-x86_64.so 2>/dev/null
}

@test "every call of the compilers and every annotation is there" {
    seen=0
    for peer in $(peers); do
        names "$peer" | grep -E '^(__tsan_|Annotate|WTFAnnotate|RunningOnValgrind|ThreadSanitizerQuery|Valgrind)' >theirs
        [ "$(wc -l <theirs)" -gt 200 ]
        missing=$(comm -23 theirs ours)
        [ -z "$missing" ] || { echo "$peer has, and we have not: $missing"; false; }
        seen=$((seen + 1))
    done
    [ "$seen" -gt 0 ] || skip "no ThreadSanitizer here"
}

@test "every function of the sanitizers' headers is there" {
    for headers in /usr/lib/gcc/x86_64-linux-gnu/*/include/sanitizer /usr/lib/llvm-*/lib/clang/*/include/sanitizer; do
        for header in common_interface_defs tsan_interface tsan_interface_atomic allocator_interface coverage_interface; do
            [ ! -e "$headers/$header.h" ] || cat "$headers/$header.h"
        done | grep -oE '\b__(sanitizer|tsan)_[a-z_0-9]+\(' | tr -d '(' | sort -u >theirs
        missing=$(comm -23 theirs ours)
        [ -z "$missing" ] || { echo "$headers: $missing"; false; }
    done
}

@test "a program that mentions all of it starts, recorded or not" {
    grep -E '^(__tsan_|Annotate|__sanitizer_(cov|get|weak))' ours |
        grep -vE '_chk$' >mentioned
    {
        sed 's/.*/extern char &[];/' mentioned
        echo 'char *volatile all[] = {'
        sed 's/.*/    &,/' mentioned
        echo '}; int main(void) { for (unsigned i = 0; i < sizeof all / sizeof *all; i++) if (!all[i]) return 1; return 0; }'
    } >mention.c
    "$PREPLAY" cc mention.c -o mention
    ./mention
    "$PREPLAY" record ./mention
}

@test "the runtime exports nothing but interposers, the interface and our own annotations" {
    # A name that is neither the C library's nor a sanitizer's would collide with a program's.
    names "$(gcc -print-file-name=libc.so.6)" >libc
    names "$(gcc -print-file-name=libstdc++.so.6)" >>libc
    names "$(gcc -print-file-name=libgomp.so.1)" >>libc
    for library in libc++.so.1 libc++abi.so.1 libglib-2.0.so.0 libgobject-2.0.so.0 libtbb.so.12 libomp.so.5 libboost_fiber.so.1.74.0 libmpi.so.40; do
        [ ! -e "/usr/lib/x86_64-linux-gnu/$library" ] || names "/usr/lib/x86_64-linux-gnu/$library" >>libc
    done
    printf '%s\n' atexit PREPLAY_STARTED >>libc # from the C library's static part (exports.map)
    sort -u libc -o libc
    own=$(comm -23 ours libc | grep -vE '^(__tsan_|__sanitizer_|__preplay_|Annotate|WTFAnnotate|RunningOnValgrind|ThreadSanitizerQuery|ValgrindSlowdown)' || true)
    [ -z "$own" ] || { echo "$own"; false; }
}

@test "a program that was linked with ThreadSanitizer finds atexit(), and others keep their own" {
    cat >late.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static void late(void) { (void)!write(1, "late\n", 5); }
int main(void) { return atexit(late); }
END
    gcc -fsanitize=thread late.c -o late || skip "no ThreadSanitizer here"
    run "$PREPLAY" record ./late
    [ "$status" -eq 0 ]
    [[ "$output" == *late* ]]
    "$PREPLAY" cc late.c -o late
    ! nm -D late | grep -w atexit
    run "$PREPLAY" record ./late
    [[ "$output" == *late* ]]
}
