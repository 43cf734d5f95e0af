#!/bin/sh
# Usage: explore_table.sh BUILD [TRIALS [JOBS]]
# Runs of each shape until its first failure, beside the best published tool's figure: the mean and the most of
# TRIALS (20) explorations, JOBS (1) runs at a time. Each shape is to fail in every trial in no more runs than
# the larger of RFF's figure and 2, and the sum over those where RFF needs more than 4 is to be at most half of RFF's.
# The exit code says whether it is so.
build=$(cd "$1" && pwd) trials=${2:-20} jobs=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work" || exit 1

# One exploration: the runs up to the failure, "-" if there was none.
trial() {
    "$build/preplay" explore --time 600 -j "$jobs" --until-failure -d data --json out.json "./$1" $2 >/dev/null 2>&1 </dev/null
    sed -n 's/.*"to_first_failure": \([0-9]*\).*/\1/p' out.json | sed 's/^0$/-/'
    rm -r data out.json
}

while read -r program argument figure; do
    case $program in '' | '#'*) continue ;; esac
    [ "$argument" = - ] && argument=
    [ -x "$program" ] ||
        "$build/preplay" cc -g "$here/../tests/programs/explore/$program.c" -o "$program" -lpthread || exit 1
    for n in $(seq "$trials"); do
        trial "$program" "$argument"
    done >counts
    echo "$program $argument	$figure	$(tr '\n' ' ' <counts)"
done <"$here/explore_table.tsv" | awk -F '\t' -v trials="$trials" '
BEGIN { printf "%-18s %8s %8s %8s %8s\n", "shape", "failed", "mean", "most", "RFF" }
{
    count = split($3, runs, " "); failed = sum = most = 0
    for (i = 1; i <= count; i++)
        if (runs[i] != "-") { failed++; sum += runs[i]; if (runs[i] > most) most = runs[i] }
    mean = failed ? sum / failed : 0
    bar = $2 == "never" ? 1e9 : $2 > 2 ? $2 : 2
    good = failed == count && count == trials && most <= bar
    bad += !good
    if ($2 != "never" && $2 > 4) { ours += mean; theirs += $2 }
    printf "%-18s %5d/%-2d %8.1f %8d %8s%s\n", $1, failed, count, mean, most, $2, good ? "" : "  over"
}
END {
    printf "where RFF needs more than 4: %.1f runs, RFF %.1f: %.2f of it\n", ours, theirs, ours / theirs
    exit (bad > 0 || ours > theirs / 2)
}'
