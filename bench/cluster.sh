#!/bin/bash
# Ranks against one process: bench/cluster.sh [BUILD] [ROUNDS (1)] [TRACES (1000)]
# One trace whose search dominates, and many small traces. Told are the clock, and the processor seconds
# of the busiest rank, which another load on the machine does not change: with processors of their
# own, ranks take as long as the busiest one. The results are compared byte for byte.
set -e
build=$(cd "${1:-build}" && pwd)
rounds=${2:-1} traces=${3:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PREPLAY_MPI_TELL=1
TIMEFORMAT='%R %U %S'

one() { # ARGUMENTS: wall and processor seconds of one process
    { time "$build/preplay" predict --no-times --json one.json "$@" >one.out 2>/dev/null || true; } 2>&1 |
        awk '{ print $1, $2 + $3 }'
}

two() { # ARGUMENTS: wall seconds, then those of the busiest rank, and its parts
    { time mpirun -q --oversubscribe -n 2 "$build/preplay" predict --no-times --json two.json "$@" >two.out 2>tell || true; } 2>&1 |
        awk '{ printf "%s ", $1 }'
    cmp -s one.json two.json || { echo "the results differ" >&2; exit 1; }
    awk '/preplay: rank/ { all += $5; if ($5 > most) most = $5; if ($7 > busy) busy = $7 }
         { for (i = 1; i < NF; i++) if ($i == "peak" && $(i + 3) + 0 > kib) kib = $(i + 3) }
         END { printf "%s %.0f %.1f\n", busy, 100 * most / all, kib / 1024 }' tell
}

measure() { # NAME ARGUMENTS
    local name=$1
    shift
    for _ in $(seq "$rounds"); do
        one "$@" >>"one.$name"
        two "$@" >>"two.$name"
    done
    paste -d' ' "one.$name" "two.$name" | sort -n -k 3 | head -1 |
        awk -v name="$name" '{ printf "%-12s clock %.2f s / %.2f s = %.2f   processor %.2f s / %.2f s = %.2f   busiest rank %s %% of the questions, %s MiB\n",
            name, $1, $3, $1 / $3, $2, $4, $2 / $4, $5, $6 }'
}

"$build/preplay" tiddle --random --shape semaphores:events=1500,threads=4 --seed 1 --format -o hard.tiddle
measure one-trace -m rf --pairs hard.tiddle
mkdir small
for seed in $(seq "$traces"); do
    "$build/preplay" tiddle --random --shape locks --seed "$seed" --format -o "small/$seed.tiddle"
done
measure many-traces small/*
