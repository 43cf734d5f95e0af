#!/bin/bash
# What tlh costs against recording: bench/tlh.sh [BUILD] [PROGRAM [ARG...]]
# Records the programs of bench/record (or PROGRAM, built with preplay cc) and compares
# processor times, the best of three: recording; reading with hb and lockset; and what tlh
# adds to that. The last column is the overhead as seed 004 counts it (its Table V): over
# running under a race detector by happens-before and locksets.
set -e
build=$(cd "${1:-build}" && pwd)
sources=$(cd "$(dirname "$0")/record" && pwd)
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'

cpu() { # COMMAND... : the least processor time of three runs
    for _ in 1 2 3; do
        { time "$@" >out 2>err || true; } 2>&1 | awk '{ print $1 + $2 }'
    done | sort -g | head -1
}

row() { # NAME COMMAND...
    name=$1
    shift
    recording=$(cpu "$build/preplay" record -d data "$@")
    base=$(cpu "$build/preplay" predict -e hb,lockset data)
    both=$(cpu "$build/preplay" predict -e hb,lockset,tlh data)
    events=$(tail -1 out | sed 's/ .*//')
    awk -v n="$name" -v e="$events" -v r="$recording" -v b="$base" -v t="$both" 'BEGIN {
        d = t > b ? t - b : 0
        printf "%-12s %10d %9.3f %9.3f %9.3f %9.1f %% %9.1f %%\n", n, e, r, b, d, 100 * d / r, 100 * d / (r + b) }'
}

printf '%-12s %10s %9s %9s %9s %11s %11s\n' program events recorded hb+ls tlh of-record of-all
if [ $# -gt 0 ]; then
    row "$(basename "$1")" "$@"
    exit
fi
for program in matrix sort queue pipeline atomics; do
    "$build/preplay" cc -O2 -g -w "$sources/$program.c" -o "$program" -pthread -lm
    row "$program" "./$program"
done
