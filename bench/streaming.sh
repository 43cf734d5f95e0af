#!/bin/bash
# Usage: bench/streaming.sh [BUILD] [EVENTS] [LARGER]
# The streaming engines on generated traces: million events a second end to end, time
# as a multiple of only reading the same file, and peak memory; then memory of hb on a
# LARGER trace with the same live state, as a multiple.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build} events=${2:-10000000} larger=${3:-0}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# measure COMMAND... : seconds of user and system time, the least of three runs (other users
# of the machine only ever add to it), and peak KiB
measure() {
    seconds=
    for _ in 1 2 3; do
        /usr/bin/env bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' _ \
            "$build/bench/peak" "$work/peak" "$@" 2>"$work/time" || true
        seconds=$(awk -v least="$seconds" '{ s = $1 + $2; print least == "" || s < least ? s : least }' \
            "$work/time")
    done
    peak=$(cat "$work/peak")
}

printf '%-8s %-9s %-9s %10s %8s %9s\n' shape variables engine "Mevents/s" "x read" MiB
for shape in low middle high; do
    for variables in 1000 100000 1000000; do
        "$build/bench/generate" --events "$events" --contention $shape --variables $variables >"$work/trace.std"
        measure "$build/preplay" info "$work/trace.std"
        read_seconds=$seconds
        for engine in read hb shb lockset; do
            [ $engine = read ] || measure "$build/preplay" predict -e $engine "$work/trace.std"
            awk -v shape=$shape -v variables=$variables -v engine=$engine -v n="$events" -v s="$seconds" \
                -v r="$read_seconds" -v k="$peak" 'BEGIN {
                printf "%-8s %-9d %-9s %10.2f %8.2f %9.0f\n", shape, variables, engine, n / s / 1e6, s / r, k / 1024 }'
            [ $engine != hb ] || hb_peak=$peak
        done
    done
done
[ "$larger" -gt 0 ] || exit 0
"$build/bench/generate" --events "$larger" --contention high --variables 1000000 >"$work/trace.std"
measure "$build/preplay" predict -e hb "$work/trace.std"
awk -v a="$hb_peak" -v b="$peak" -v n="$larger" -v s="$seconds" 'BEGIN {
    printf "hb on the larger trace: %.2f million events/s, %.2f times the memory\n", n / s / 1e6, b / a }'
