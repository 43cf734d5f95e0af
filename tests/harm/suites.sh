#!/bin/bash
# The test programs of others, which were made to be hard: the POSIX test suite's of pthreads and
# semaphores, Helgrind's, DRD's and ThreadSanitizer's own. Each must end under `preplay record` as it
# ends without: the same exit code or signal. ./check does not need this: it fetches Debian's sources.
#
#     tests/harm/suites.sh [-d DIR] [SUITE...]     SUITE: posix helgrind drd tsan (all)
#
# PREPLAY is the tool (build/preplay). Sources and programs are kept in DIR (./suites). Programs that
# do not build with gcc, or do not end by themselves within LIMIT seconds (15), are counted and left
# out; those that end otherwise from run to run (plain, three times) are told apart.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PREPLAY=${PREPLAY:-$here/../../build/preplay}
LIMIT=${LIMIT:-15}
work=$PWD/suites
[ "${1:-}" != -d ] || { work=$2; shift 2; }
[ $# -gt 0 ] || set -- posix helgrind drd tsan
mkdir -p "$work" && cd "$work" || exit 2

# source PACKAGE [PATTERN]: Debian's source, without its patches, in ./PACKAGE
fetch() {
    [ ! -d "$1" ] || return 0
    apt-get source -q --download-only "$1" >/dev/null 2>&1 ||
        { echo "suites: no source of $1 (deb-src in the sources of apt?)" >&2; exit 2; }
    mkdir "$1" && tar xf "$1"_*.orig.tar.* -C "$1" --strip-components=1 --wildcards "${2:-*}"
}

programs() { # SUITE: its directory, flags and files, a program a line
    case $1 in
    posix)
        fetch posixtestsuite
        for file in posixtestsuite/conformance/interfaces/{pthread,sem}_*/*.c; do
            case $(basename "$file") in *-buildonly.c | *-core.c | testfrmw.c) continue ;; esac
            echo "$file gcc -Iposixtestsuite/include -I$(dirname "$file") -D_GNU_SOURCE -lrt"
        done ;;
    helgrind | drd)
        fetch valgrind
        for file in valgrind/"$1"/tests/*.{c,cpp}; do
            case $file in *.cpp) compiler=g++ ;; *) compiler=gcc ;; esac
            echo "$file $compiler -Ivalgrind -Ivalgrind/include -I/usr/include -D_GNU_SOURCE -DHAVE_GCC_ATOMIC_BUILTINS -include stdlib.h -lrt"
        done ;;
    tsan)
        fetch llvm-toolchain-14 '*/compiler-rt/test/tsan/*'
        for file in llvm-toolchain-14/compiler-rt/test/tsan/*.{c,cpp,cc} \
            llvm-toolchain-14/compiler-rt/test/tsan/Linux/*.cpp; do
            case $file in *.c) compiler=gcc ;; *) compiler=g++ ;; esac
            echo "$file $compiler -D_GNU_SOURCE -ldl"
        done ;;
    *) echo "suites: no suite $1" >&2; exit 2 ;;
    esac
}

build() { # plain|recorded FILE COMPILER FLAGS...: into ./program.plain or ./program.recorded
    local how=$1 file=$2 compiler=$3 tool
    shift 3
    tool=$compiler
    [ "$how" = plain ] || case $compiler in g++) tool="$PREPLAY c++" ;; *) tool="$PREPLAY cc" ;; esac
    # shellcheck disable=SC2086
    $tool -w -g -O1 -pthread "$file" -o "program.$how" "$@" >/dev/null 2>&1
}

code_of() { # the exit code; 124 if the time is up
    (cd run && timeout -k 1 "$LIMIT" "$@" </dev/null >/dev/null 2>&1)
    echo $?
}

total=0 left_out=0 same=0 unsteady=0 other=0
for suite; do
    while read -r file compiler flags; do
        rm -rf run program.plain program.recorded && mkdir run
        total=$((total + 1))
        # shellcheck disable=SC2086
        if ! build plain "$file" "$compiler" $flags || ! build recorded "$file" "$compiler" $flags; then
            left_out=$((left_out + 1))
            continue
        fi
        plain=$(code_of ../program.plain)
        if [ "$plain" = 124 ] || [ "$plain" = 137 ]; then
            left_out=$((left_out + 1))
            continue
        fi
        recorded=$(code_of "$PREPLAY" record -d trace ../program.recorded)
        if [ "$recorded" = "$plain" ]; then
            same=$((same + 1))
            continue
        fi
        again="$(code_of ../program.plain) $(code_of ../program.plain)"
        case " $again " in
        *" $recorded "*) unsteady=$((unsteady + 1)); word=unsteady ;;
        *) other=$((other + 1)); word=OTHERWISE ;;
        esac
        echo "$word: $file: plain $plain ($again), recorded $recorded"
    done < <(programs "$suite")
done
echo "$total programs: $same end alike, $other otherwise, $unsteady differ without us too, $left_out left out"
[ "$other" -eq 0 ]
