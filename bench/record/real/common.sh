# Shared by the scripts of this directory: NAME KIND TARGET BUILD COMPILER builds
# a real program in one of three ways and prints the command to measure.
# Sources come from Debian (apt-get source, from a private list with deb-src, so
# that the machine's own configuration stays as it is) into PREPLAY_BENCH_SOURCES.
set -e
kind=$1 target=$2 build=$3 compiler=$4
sources=${PREPLAY_BENCH_SOURCES:-/tmp/preplay-bench-sources}
mkdir -p "$sources"

fetch() { # SOURCE-PACKAGE PATTERN: sets $archive
    archive=$(ls "$sources"/$2 2>/dev/null | head -1)
    [ -z "$archive" ] || return 0
    mkdir -p "$sources/lists/partial"
    sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$sources/src.sources"
    options="-o Dir::Etc::sourcelist=$sources/src.sources -o Dir::Etc::sourceparts=/dev/null
        -o Dir::State::lists=$sources/lists"
    (cd "$sources" && apt-get $options update && apt-get $options --download-only source "$1") >&2 || true
    archive=$(ls "$sources"/$2 | head -1)
}

unpack() { # sets $tree, a fresh copy
    tree=$target.tree
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -xf "$archive" -C "$tree" --strip-components=1
}

case $kind-$compiler in
plain-gcc) CC=gcc CXX=g++ ;;
plain-*) CC=clang CXX=clang++ ;;
tsan-gcc) CC='gcc -fsanitize=thread -Wno-tsan' CXX='g++ -fsanitize=thread' ;;
tsan-*) CC='clang -fsanitize=thread' CXX='clang++ -fsanitize=thread' ;;
*) CC=$build/preplay-cc CXX=$build/preplay-c++ ;;
esac
export PREPLAY_CC=$compiler

# Something to compress: the same bytes on every machine, neither random nor dull.
input=$sources/input
[ -s "$input" ] || awk 'BEGIN { for (i = 0; i < 260000; i++) { s = (s * 1103515245 + 12345) % 2147483648
    printf "%d line %x of %d\n", i, s, s % 97 } }' >"$input"
