#!/bin/bash
# What tlh costs against recording: bench/tlh.sh [BUILD] [NAME...]
# Records programs of bench/record, and of bench/record/real (built from Debian's source
# packages), and compares processor times, the best of ROUNDS (7; of long ones as many as
# take SECONDS_MOST (100) together, but two): recording; reading with hb and lockset; and what
# tlh adds to lockset, batch by batch in one process (bench/tlh.c), as the difference of two
# runs is far below what the machine makes of them: all of it, and how much of that comes
# at the end, for searching, checking and writing.
# `of-record` is all of it against recording alone, `of-all` the overhead as Ganai counts
# it (its Table V): over running under a race detector by happens-before and locksets.
# Either should be 4 % at the most.
set -e
build=$(cd "${1:-build}" && pwd)
sources=$(cd "$(dirname "$0")/record" && pwd)
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'
rounds=${ROUNDS:-7}
most=${SECONDS_MOST:-100}

cpu() { # FILE COMMAND... : adds the processor time of one run to FILE
    file=$1
    shift
    { time "$@" >out 2>err || true; } 2>&1 | awk '{ print $1 + $2 }' >>"$file"
}

spent() { # FILE : processor time of all runs so far
    awk '{ s += $1 } END { printf "%d", s }' "$1" 2>/dev/null || echo 0
}

best() { # FILE
    sort -g "$1" | head -1
}

row() { # NAME COMMAND...
    name=$1
    shift
    rm -f recording base
    for _ in $(seq "$rounds"); do
        cpu recording "$build/preplay" record -d data "$@"
    done
    for i in $(seq "$rounds"); do
        [ "$i" -le 2 ] || [ "$(spent base)" -lt "$most" ] || break
        cpu base "$build/preplay" predict -e hb,lockset data
    done
    echo "$(best recording) $(best base) $("$build/bench/bench_tlh" data "$rounds" "$most")" |
        awk -v n="$name" '{
            added = $6 > 0 ? $6 + $7 : $7
            printf "%-10s %10d %9.3f %9.3f %9.4f %9.4f %8.1f %% %8.1f %%\n", n, $3, $1, $2,
                added, $7, 100 * added / $1, 100 * added / ($1 + $2) }'
}

printf '%-10s %10s %9s %9s %9s %9s %10s %10s\n' \
    program events recorded hb+ls tlh at-end of-record of-all
[ $# -gt 0 ] || set -- matrix sort queue pipeline atomics pbzip2 lbzip2 xz zstd
for name in "$@"; do
    if [ -f "$sources/$name.c" ]; then
        "$build/preplay" cc -O2 -g -w "$sources/$name.c" -o "$name" -pthread -lm
        row "$name" "./$name"
    elif command=$("$sources/real/$name" ours "$work/$name" "$build" gcc 2>log); then
        row "$name" $command
    else
        echo "$name: left out, as it cannot be built (bench/record/real/$name)"
    fi
done
