#!/bin/bash
# Usage: libraries.sh [--all] PREPLAY RUNS PROGRAM...
# The zoo: what libraries and the kernel do to order threads. Each program holds cases; a case must
# be silent (nothing observed, confirmed or predicted) in RUNS of RUNS runs, and its wrong twin (the
# same case with the argument "wrong") must be found: observed or confirmed, of the kind and on the
# object that the program's head names, and nothing else. The head of a program:
#   // case NAME: race OBJECT     the twin's error; OBJECT is found anywhere in the object's name
#                                 (deadlock, atomicity: likewise)
#   // build: OPTIONS             of the compiler
#   // package: NAME...           of pkg-config; without it the program is left out
#   // compilers: gcc clang libc++  those that it is for (default: gcc clang); libc++ is
#                                 clang with that library
#   // host: FILE                 built by the compiler alone and started in place of the program,
#                                 which is then a shared object in its directory: ./plug.so
#   // run: OPTIONS               of preplay run
# Built with gcc -O0 and clang -O2, with --all by every compiler at -O0, -O1 and -O2.
all=
if [ "$1" = --all ]; then
    all=yes
    shift
fi
preplay=$1 runs=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

complain() {
    echo "FAILED $name, $how: $*"
    bad=1
}

head_of() { # WORD
    sed -n "s,^// $1: ,,p" "$source"
}

# What a user is shown first, one line each: kind and object.
shown='.findings[] | select(.verdict | IN("observed", "confirmed", "predicted", "seen-once")) |
    "\(.kind) \(.object // "-") \(.verdict)"'

# run CASE [wrong] : leaves what was found in `found`.
run() {
    rm -rf "$work/trace" "$work/findings.json"
    # shellcheck disable=SC2046
    (cd "$work/program" && timeout 300 "$preplay" run $(head_of run) -d "$work/trace" \
        --json "$work/findings.json" ./program "$@") \
        >"$work/output" 2>&1 </dev/null
    code=$?
    found=$(jq -r "$shown" "$work/findings.json" 2>/dev/null) ||
        complain "$*: no findings ($code): $(tail -3 "$work/output")"
}

right() { # CASE
    for _ in $(seq "$runs"); do
        run "$1"
        [ $code -eq 0 ] && [ -z "$found" ] || {
            complain "$1 is right: $code, $(echo "$found" | sort | uniq -c | sort -rn | head -3 | tr '\n' ';')"
            [ -z "$KEEP" ] || cp "$work/output" "$KEEP"
            return
        }
    done
}

twin() { # CASE KIND OBJECT
    run "$1" wrong
    echo "$found" | grep -qE "^$2 [^ ]*($3)[^ ]* (observed|confirmed)\$" ||
        complain "$1 is wrong: no $2 on $3 found ($code): $found"
    # How the program fails after it may be told as well: which replays reach it is a matter of time.
    others=$(echo "$found" | grep -vE "^($2|failure) [^ ]*($3)[^ ]* |^\$")
    [ -z "$others" ] || complain "$1 is wrong, but not in this: $others"
}

# The library, for a host that names a function of it.
linked() {
    grep -q dlopen "$here/libraries/$(head_of host)" || echo "-Wl,--no-as-needed $work/program/plug.so"
}

# build COMPILER LEVEL
build() {
    local compiler=$1 packages options word=cc
    options="$(head_of build) -O$2"
    packages=$(head_of package)
    [ -z "$packages" ] || options="$options $(pkg-config --cflags --libs "$packages")"
    case $source in *.cpp) word=c++ ;; esac
    [ "$compiler" != libc++ ] || compiler=clang options="$options -stdlib=libc++"
    rm -rf "$work/program"
    mkdir "$work/program"
    # shellcheck disable=SC2086
    if [ -n "$(head_of host)" ]; then
        PREPLAY_CC=$compiler "$preplay" $word -g -shared -fPIC "$source" -o "$work/program/plug.so" -pthread $options &&
            "$compiler" "$here/libraries/$(head_of host)" -o "$work/program/program" \
                $(linked) -Wl,-rpath,"$work/program"
    else
        PREPLAY_CC=$compiler "$preplay" $word -g "$source" -o "$work/program/program" -pthread $options
    fi >"$work/output" 2>&1
}

one() { # COMPILER LEVEL
    case " ${compilers:-gcc clang} " in *" $1 "*) ;; *) return ;; esac
    bad=0
    how="$1 -O$2"
    if build "$@"; then
        while read -r case kind object; do
            right "${case%:}"
            twin "${case%:}" "$kind" "$object"
        done < <(sed -n 's,^// case ,,p' "$source" | grep -E "^(${CASES:-.*}):")
    else
        complain "does not compile: $(head -3 "$work/output")"
    fi
    if [ $bad -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for source; do
    name=$(basename "$source")
    compilers=$(head_of compilers)
    packages=$(head_of package)
    # shellcheck disable=SC2086
    if [ -n "$packages" ] && ! pkg-config --exists $packages; then
        echo "left out: $name ($packages)"
        [ -z "$PREPLAY_TEST_ALL" ] || failed=$((failed + 1))
        continue
    fi
    for compiler in gcc clang libc++; do
        for level in 0 1 2; do
            case "$all$compiler$level" in yes* | gcc0 | clang2 | libc++2) one $compiler $level ;; esac
        done
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
