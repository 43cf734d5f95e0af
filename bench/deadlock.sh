#!/bin/bash
# deadlock against hb on the same file, philosophers, and a dense lock graph; csp on a
# trace of the size of seed 000's lu. CPU seconds, so that a busy machine does not matter.
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

for n in 5 20 50; do
    awk -v n=$n 'BEGIN {
        for (i = 0; i < n; i++) print "T0|fork(P" i ")|fork"
        for (i = 0; i < n; i++) {
            print "P" i "|acq(f" i ")|left" i; print "P" i "|acq(f" (i + 1) % n ")|right" i
            print "P" i "|rel(f" (i + 1) % n ")|put" i; print "P" i "|rel(f" i ")|put" i
        } }' > "$work/dinner.std"
    row "deadlock, $n philosophers" "$(cpu -e deadlock "$work/dinner.std")" "$(head -1 "$work/last")"
    row "csp, $n philosophers" "$(cpu -e csp "$work/dinner.std")" "$(head -1 "$work/last")"
done

"$build/bench/lu" 2> /dev/null > "$work/lu.std"
row "csp, 59.9 million events of lu" "$(cpu -e csp "$work/lu.std")" "$(head -1 "$work/last")"
