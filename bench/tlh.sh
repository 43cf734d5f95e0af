#!/bin/bash
# What tlh costs against recording: bench/tlh.sh [BUILD] [NAME...]
# Records programs of bench/record, and of bench/record/real (built from Debian's source
# packages), and compares processor times, the best of ROUNDS (7; of long ones as many as
# take SECONDS_MOST (100) together, but two): recording; reading with hb and lockset; and
# what tlh adds to that, as the difference, and by its own clock, which leaves out what
# lockset does for it. The last column is the overhead as seed 004 counts it (its Table V):
# over running under a race detector by happens-before and locksets; it should be 4 % at the
# most.
set -e
build=$(cd "${1:-build}" && pwd)
sources=$(cd "$(dirname "$0")/record" && pwd)
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'

cpu() { # FILE COMMAND... : adds the processor time of one run to FILE
    file=$1
    shift
    { time "$@" >out 2>err || true; } 2>&1 | awk '{ print $1 + $2 }' >>"$file"
}

spent() { # FILE... : processor time of all runs so far
    cat "$@" 2>/dev/null | awk '{ s += $1 } END { printf "%d", s }'
}

row() { # NAME COMMAND...
    name=$1
    shift
    rm -f recording base both own
    for _ in $(seq "${ROUNDS:-7}"); do
        cpu recording "$build/preplay" record -d data "$@"
    done
    # Turn by turn, so that both see the machine in the same state.
    for i in $(seq "${ROUNDS:-7}"); do
        [ "$i" -le 2 ] || [ "$(spent base both)" -lt "${SECONDS_MOST:-100}" ] || break
        cpu base "$build/preplay" predict -e hb,lockset data
        cpu both "$build/preplay" predict -e hb,lockset,tlh data
        tail -1 out | sed 's/.*; tlh \([0-9.]*\) s.*/\1/' >>own
    done
    events=$(tail -1 out | sed 's/ .*//')
    for file in recording base both own; do
        sort -g $file | head -1
    done | tr '\n' ' ' | awk -v n="$name" -v e="$events" '{
        d = $3 > $2 ? $3 - $2 : 0
        printf "%-10s %10d %9.3f %9.3f %9.3f %9.3f %8.1f %% %8.1f %%\n", n, e, $1, $2, d, $4,
            100 * d / $1, 100 * d / ($1 + $2) }'
}

printf '%-10s %10s %9s %9s %9s %9s %10s %10s\n' program events recorded hb+ls tlh own of-record of-all
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
