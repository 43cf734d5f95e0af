#!/bin/bash
# The test programs of others, which were made to be hard: the POSIX test suite's of pthreads and
# semaphores, Helgrind's, DRD's and ThreadSanitizer's own. Each must end under `preplay record` as it
# ends without: the same exit code or signal. ./check does not need this: it fetches Debian's sources.
#
#     tests/harm/suites.sh [-d DIR] [SUITE...]     SUITE: posix helgrind drd tsan (all)
#
# PREPLAY is the tool (build/preplay). Sources and programs are kept in DIR (./suites), and so is the
# list of who was left out, with the reason: programs that neither gcc nor clang can build (made for
# another system, or of what only their own tool has), and those that do not end by themselves within
# LIMIT seconds (15). Those that end otherwise from run to run (plain five
# times, recorded three times) are told apart. ONLY is a pattern for the names of programs.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PREPLAY=${PREPLAY:-$here/../../build/preplay}
LIMIT=${LIMIT:-15}
ONLY=${ONLY:-*}
work=$PWD/suites
[ "${1:-}" != -d ] || { work=$2; shift 2; }
[ $# -gt 0 ] || set -- posix helgrind drd tsan
mkdir -p "$work" && cd "$work" || exit 2

# Debian's sources, whatever the machine's apt is set up for.
apt() {
    local release
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p apt/lists/partial
    echo "deb-src http://deb.debian.org/debian $release main" >apt/sources.list
    apt-get -q -o Dir::Etc::SourceList="$PWD/apt/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$PWD/apt/lists" "$@" >apt/log 2>&1
}

fetch() { # PACKAGE [PATTERN...]: Debian's source, without its patches, in ./PACKAGE
    local package=$1
    shift
    [ ! -d "$package" ] || return 0
    { [ -d apt ] || apt update; } && apt source --download-only "$package" ||
        { cat apt/log >&2; echo "suites: no source of $package" >&2; exit 2; }
    mkdir "$package.new"
    tar xf "$package"_*.orig.tar.* -C "$package.new" --strip-components=1 --wildcards "${@:-*}" &&
        mv "$package.new" "$package"
}

programs() { # SUITE: a program a line: file, compiler, flags
    local file compiler own
    case $1 in
    posix)
        fetch posixtestsuite
        for file in posixtestsuite/conformance/interfaces/{pthread,sem}_*/*.c; do
            # The last three are part of others, one is a script.
            case $file in *-buildonly.c | *-core.c | */testfrmw.c | */threads_scenarii.c | */coverage.c) continue ;; esac
            echo "$file gcc -Iposixtestsuite/include -I$(dirname "$file") -D_GNU_SOURCE -lrt"
        done ;;
    helgrind | drd)
        fetch valgrind
        for file in valgrind/"$1"/tests/*.{c,cpp}; do
            case $file in *.cpp) compiler=g++ ;; *) compiler=gcc ;; esac
            case $file in
            */dlopen_lib.c) continue ;; # part of dlopen_main
            */dlopen_main.c) own="-ldl -rdynamic" ;;
            */omp_*.c) own=-fopenmp ;;
            */boost_thread.cpp) own="-lboost_thread -lboost_system" ;;
            */unit_*.c) own="-DVGP_amd64_linux=1 -DENABLE_DRD_CONSISTENCY_CHECKS -Ivalgrind/VEX/pub -Ivalgrind/coregrind -Ivalgrind/drd" ;;
            *) own= ;;
            esac
            echo "$file $compiler -Ivalgrind -Ivalgrind/include -I/usr/include -D_GNU_SOURCE -DHAVE_GCC_ATOMIC_BUILTINS \
-DVGO_linux=1 -DVGA_amd64=1 -DVGP_amd64_linux=1 -include stdlib.h -lrt -lm $own"
        done ;;
    tsan)
        fetch llvm-toolchain-14 '*/compiler-rt/test/tsan/*' '*/compiler-rt/test/sanitizer_common/*' \
            '*/compiler-rt/include/sanitizer/*'
        gcc -O1 -c "$here/invisible_barrier.c" -o invisible_barrier.o || exit 2
        for file in llvm-toolchain-14/compiler-rt/test/tsan/*.{c,cpp,cc} \
            llvm-toolchain-14/compiler-rt/test/tsan/Linux/*.cpp; do
            [ -e "$file" ] || continue
            case $file in *.c) compiler=gcc ;; *) compiler=g++ ;; esac
            echo "$file $compiler -D_GNU_SOURCE -Illvm-toolchain-14/compiler-rt/test \
-Illvm-toolchain-14/compiler-rt/include -msse4.2 invisible_barrier.o -ldl -lrt"
        done ;;
    *) echo "suites: no suite $1" >&2; exit 2 ;;
    esac
}

build() { # plain|recorded FILE COMPILER FLAGS...: into ./program.plain or ./program.recorded
    local how=$1 file=$2 compiler=$3 tool family
    shift 3
    tool=$compiler
    [ "$how" = plain ] || case $compiler in *++) tool="$PREPLAY c++" ;; *) tool="$PREPLAY cc" ;; esac
    case $compiler in clang*) family=clang ;; *) family=gcc ;; esac
    # shellcheck disable=SC2086
    PREPLAY_CC=$family $tool -w -g -O1 -pthread "$file" -o "program.$how" "$@" >/dev/null 2>build.log
}

# What calls the tool's own functions is plain as long as nobody records it; what gcc does not
# understand is clang's.
build_both() { # FILE COMPILER FLAGS...
    local file=$1 compiler=$2 other=clang
    shift 2
    [ "$compiler" = gcc ] || other=clang++
    for compiler in "$compiler" "$other"; do
        build recorded "$file" "$compiler" "$@" || continue
        build plain "$file" "$compiler" "$@" || cp program.recorded program.plain
        return
    done
    return 1
}

code_of() { # SECONDS COMMAND...: the exit code; 124 or 137 if the time is up
    local limit=$1
    shift
    rm -rf run && mkdir run
    (cd run && without_the_clock timeout -k 1 "$limit" "$@" </dev/null >/dev/null 2>&1) 2>/dev/null
    echo $?
}

# Some of them set the machine's clock where they may.
without_the_clock() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --bounding-set=-sys_time,-sys_boot,-sys_module "$@"; else "$@"; fi
}

record() { # SECONDS
    code_of "$1" "$PREPLAY" record -d trace ../program.recorded
}

# What does not end must not end when it is recorded, either: preplay may see that it is stuck for
# good, and stops it then. Slower is no other end.
compare() { # FILE
    local plain recorded plains recordings word
    plain=$(code_of "$LIMIT" ../program.plain)
    case $plain in
    124 | 137)
        recorded=$(record "$LIMIT")
        case $recorded in
        124 | 137) same=$((same + 1)) ;;
        *) leave_out "$1" "does not end by itself in time" ;;
        esac
        return ;;
    esac
    recorded=$(record $((LIMIT * 8)))
    [ "$recorded" != "$plain" ] || { same=$((same + 1)); return; }
    recordings=" $(record $((LIMIT * 8))) $(record $((LIMIT * 8))) "
    plains=" "
    for _ in 1 2 3 4; do plains="$plains$(code_of "$LIMIT" ../program.plain) "; done
    if [[ "$plains" == *" $recorded "* || "$recordings" == *" $plain "* ]]; then
        unsteady=$((unsteady + 1))
        word=unsteady
    else
        other=$((other + 1))
        word=OTHERWISE
    fi
    echo "$word: $1: plain $plain, recorded $recorded; again plain$plains, recorded$recordings"
}

leave_out() { # FILE WHY
    left_out=$((left_out + 1))
    echo "$1: $2" >>left_out
}

total=0 left_out=0 same=0 unsteady=0 other=0
: >left_out
for suite; do
    while read -r file compiler flags; do
        # shellcheck disable=SC2254
        case $(basename "$(dirname "$file")")/$(basename "$file") in $ONLY) ;; *) continue ;; esac
        rm -f program.plain program.recorded
        total=$((total + 1))
        # shellcheck disable=SC2086
        if ! build_both "$file" "$compiler" $flags; then
            leave_out "$file" "$(grep -m1 -E 'error|undefined' build.log)"
            continue
        fi
        compare "$file"
    done < <(programs "$suite")
done
echo "$total programs: $same end alike, $other otherwise, $unsteady differ from run to run, $left_out left out (see $work/left_out)"
[ "$other" -eq 0 ]
