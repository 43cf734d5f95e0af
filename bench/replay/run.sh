#!/bin/bash
# Usage: bench/replay/run.sh [BUILD [TIMES]]
# Replaying against recording the same program, both as wall time (the replay is
# recorded, too): the ratio of the medians of TIMES runs (5), for several shapes of
# synchronisation (rounds.c), numbers of threads and amounts of work.
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
            recorded=$(for ((i = 0; i < times; i++)); do
                "$preplay" record -d trace ./rounds $shape $threads $amount >/dev/null </dev/null
                jq .seconds trace/manifest.json
            done | median)
            "$preplay" predict trace >/dev/null || [ $? -eq 66 ]
            id=$(jq -r 'first(.findings[] | select(.object == "last")).id' trace/findings.json)
            replayed=$(for ((i = 0; i < times; i++)); do
                "$preplay" replay trace "$id" >result
                jq .seconds "trace/replays/$id/manifest.json"
            done | median)
            steps=$(grep -c '^step' "trace/replays/$id.schedule")
            awk -v s=$shape -v t=$threads -v w=$amount -v n="$steps" -v a="$recorded" -v b="$replayed" \
                -v v="$(head -1 result | cut -d' ' -f2)" \
                'BEGIN { printf "%-8s %-8d %-8d %9d %10.3f %10.3f %8.2f  %s\n", s, t, w, n, a, b, b / a, v }'
        done
    done
done
