#!/bin/bash
# auto -j 1 against -j 2 by the clock, end to end: bench/jobs.sh [BUILD] [ROUNDS (5)]
# Random traces with every pair asked for, so that search dominates: locks alone; tries;
# condition variables; semaphores. Runs take turns, and the best of each counts. The serial part
# is what one thread does while the other has nothing to do, by processor time (bench_jobs): with
# it, two free processors would be (1 + 1) / (1 + serial part) times as fast. By the clock that
# shows only on an idle machine; -j 2 should be at least 1.6 times as fast.
set -e
build=$(cd "${1:-build}" && pwd)
rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT=%R

seconds() { # JOBS: one run
    { time "$build/preplay" predict -e auto -m "$model" --pairs -j "$1" "$work/trace.std" >"$work/out.$1" 2>&1 || true; } 2>&1
}

best() { sort -n "$1" | head -1; }

echo "shape                                    model      -j 1     -j 2  ratio  serial part"
while read -r model shape; do
    "$build/preplay" tiddle --random --shape "$shape" --seed 1 --format -o "$work/trace.tiddle"
    "$build/preplay" convert --to std "$work/trace.tiddle" -o "$work/trace.std"
    rm -f "$work"/times.*
    for _ in $(seq "$rounds"); do
        seconds 1 >>"$work/times.1"
        seconds 2 >>"$work/times.2"
    done
    cmp -s <(sed 's/auto [0-9.]* s//' "$work/out.1") <(sed 's/auto [0-9.]* s//' "$work/out.2") ||
        { echo "$shape: the outputs differ"; exit 1; }
    serial=$("$build/bench/bench_jobs" "$work/trace.std" --pairs "$model" |
        awk '/^2:/ { all = $6; one = $(NF - 1); printf "%.1f %%", 100 * (2 * one - all) / all }')
    awk -v shape="$shape" -v model="$model" -v one="$(best "$work/times.1")" -v two="$(best "$work/times.2")" \
        -v serial="$serial" \
        'BEGIN { printf "%-40s %-6s %6.2f s %6.2f s %6.2f  %s\n", shape, model, one, two, one / two, serial }'
done <<'SHAPES'
rf large:events=4000
rf tries:events=1500,threads=4
sync tries:events=1000,threads=4
rf conditions:events=1500,threads=4
rf semaphores:events=1500,threads=4
SHAPES
