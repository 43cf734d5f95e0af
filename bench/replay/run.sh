#!/bin/bash
# Usage: bench/replay/run.sh [BUILD]
# Replaying against recording the same program, both as wall time (the replay is
# recorded, too): the ratio, for several numbers of threads and amounts of work.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
preplay=$(cd "${1:-$here/../../build}" && pwd)/preplay
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
"$preplay" cc -g -O1 "$here/rounds.c" -o rounds -pthread
printf '%-8s %-8s %10s %10s %8s  %s\n' threads work "record s" "replay s" ratio verdict
for threads in 2 4 16; do
    for amount in 0 100 1000; do
        "$preplay" record -d trace ./rounds $threads $amount >/dev/null </dev/null
        "$preplay" predict trace >/dev/null || [ $? -eq 66 ]
        id=$(jq -r '.findings[0].id' trace/findings.json)
        recorded=$(jq .seconds trace/manifest.json)
        result=$("$preplay" replay trace "$id" | head -1)
        replayed=$(sed 's/.*(\([0-9.]*\) s)$/\1/' <<<"$result")
        awk -v t=$threads -v w=$amount -v a="$recorded" -v b="$replayed" -v v="$(cut -d' ' -f2 <<<"$result")" \
            'BEGIN { printf "%-8d %-8d %10.3f %10.3f %8.2f  %s\n", t, w, a, b, b / a, v }'
    done
done
