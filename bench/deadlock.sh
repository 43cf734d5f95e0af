#!/bin/bash
# deadlock against hb on the same file, and a dense lock graph. Philosophers and waits are in
# csp.sh. CPU seconds, so that a busy machine does not matter.
#     bench/deadlock.sh [BUILD] [EVENTS]
set -e
build=${1:-build}
events=${2:-10000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpu() { # ARGS : CPU seconds of preplay predict ARGS; its last lines in $work/last
    TIMEFORMAT='%U %S'
    { time "$build/preplay" predict "$@" > "$work/out" || [ $? -eq 66 ]; } 2> "$work/time"
    tail -2 "$work/out" > "$work/last"
    awk '{ print $1 + $2 }' <(tail -1 "$work/time")
}

row() { printf '%-34s %8s s   %s\n' "$1" "$2" "$3"; }

"$build/bench/generate" --events "$events" --threads 16 --locks 1000 --races 10 --deadlocks 10 \
    --decoys 10 > "$work/large.std"
hb=$(cpu -e hb "$work/large.std")
row "hb, $events events" "$hb" ""
deadlock=$(cpu -e deadlock "$work/large.std")
row "deadlock, the same file" "$deadlock" "$(head -1 "$work/last"); $(awk "BEGIN { printf \"%.2f\", $deadlock / $hb }") times hb (at most 4)"

"$build/bench/generate" --events "$events" --threads 16 --locks 100 --inverted 50 --races 0 \
    --deadlocks 0 --decoys 0 > "$work/dense.std"
row "deadlock, 0.5 % inverted pairs" "$(cpu -e deadlock "$work/dense.std")" "$(tail -1 "$work/last")"
