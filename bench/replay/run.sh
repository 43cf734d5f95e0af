#!/bin/bash
# Usage: bench/replay/run.sh [BUILD [TIMES]]
# Replaying against recording the same program, both as wall time (the replay is
# recorded, too), in turns TIMES times (5): the medians, and the median of the ratios, for
# several shapes of synchronisation (rounds.c), numbers of threads and amounts of work.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
preplay=$(cd "${1:-$here/../../build}" && pwd)/preplay
times=${2:-5}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
"$preplay" cc -g -O1 "$here/rounds.c" -o rounds -pthread
printf '%-8s %-8s %-8s %9s %10s %10s %8s  %s\n' shape threads work steps "record s" "replay s" ratio verdict
for shape in lock locks turns posts barrier; do
    for threads in 2 4 16; do
        for amount in 0 1000; do
            "$preplay" record -d trace ./rounds $shape $threads $amount >/dev/null </dev/null
            "$preplay" predict trace >/dev/null || [ $? -eq 66 ]
            id=$(jq -r 'first(.findings[] | select(.object == "last")).id' trace/findings.json)
            for ((i = 0; i < times; i++)); do
                "$preplay" record -d again ./rounds $shape $threads $amount >/dev/null </dev/null
                "$preplay" replay trace "$id" >result
                echo "$(jq .seconds again/manifest.json) $(jq .seconds "trace/replays/$id/manifest.json")"
            done >seconds
            steps=$(grep -c '^step' "trace/replays/$id.schedule")
            awk -v s=$shape -v t=$threads -v w=$amount -v n="$steps" -v v="$(head -1 result | cut -d' ' -f2)" \
                -v a="$(cut -d' ' -f1 seconds | median)" -v b="$(cut -d' ' -f2 seconds | median)" \
                -v r="$(awk '{ print $2 / $1 }' seconds | median)" \
                'BEGIN { printf "%-8s %-8d %-8d %9d %10.3f %10.3f %8.2f  %s\n", s, t, w, n, a, b, r, v }'
        done
    done
done
