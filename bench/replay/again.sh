#!/bin/bash
# Usage: bench/replay/again.sh BUILD TIMES PROGRAM.c...
# How often the command behind "Again:" shows its finding: each program is run once by `preplay run`,
# and what was confirmed is replayed TIMES times. A line for each finding that one of them did not
# show, with what they ended in, and the share of all.
set -uo pipefail
preplay=$(cd "$1" && pwd)/preplay
times=$2
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
all=0 good=0 findings=0
for source; do
    source=$(realpath "$source") name=$(basename "$source")
    compile=cc
    [ "${name##*.}" = cc ] && compile=c++
    (cd "$work" && "$preplay" $compile -g -O1 -pthread "$source" -o program 2>compile.log) || { echo "$name: does not compile"; continue; }
    rm -rf "$work/trace"
    (cd "$work" && timeout 120 "$preplay" run -d trace --json report.json ./program >run.log 2>&1 </dev/null)
    for id in $(jq -r '.findings[] | select(.verdict == "confirmed").id' "$work/report.json"); do
        findings=$((findings + 1)) shown=0
        : >"$work/others"
        for ((i = 0; i < times; i++)); do
            if (cd "$work" && timeout 60 "$preplay" replay trace "$id" >again.log 2>&1 </dev/null); then
                shown=$((shown + 1))
            else
                sed -n 1p "$work/again.log" >>"$work/others"
            fi
        done
        all=$((all + times)) good=$((good + shown))
        [ $shown -eq "$times" ] || { echo "$name $id: $shown of $times"; sort "$work/others" | uniq -c; }
    done
done
echo "$good of $all replays of $findings confirmed findings show it again"
