#!/bin/sh
# Usage: explore.sh PREPLAY SHAPES.tsv
# Explores the programs beside the table. Each must fail within as many runs as the table says (the
# first run counts), and again by preplay replay; its right twin must be explored to the end
# without a failure. Everything is deterministic: the same runs each time.
preplay=$1 table=$2
here=$(cd "$(dirname "$table")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

complain() {
    echo "FAILED $program $argument: $*"
    failed=$((failed + 1))
}

# number KEY: of the exploration in out.json
number() {
    sed -n "s/^.*\"$1\": \([a-z0-9]*\).*/\1/p" out.json | head -1
}

build() {
    [ -x "$1" ] || "$preplay" cc -g $2 "$here/$program.c" -o "$1" -lpthread || exit 1
}

check_wrong() {
    "$preplay" explore --time 0 --until-failure -d data --json out.json "./$program" $argument >out.txt 2>&1 </dev/null
    code=$?
    runs=$(number to_first_failure)
    [ $code = 66 ] || { complain "exit code $code"; return; }
    [ "$runs" -le "$most" ] || complain "$runs runs to the failure, not $most"
    grep -q "\"rule\": \"$rule\"" out.json || complain "another failure: $(grep '"rule"' out.json)"
    "$preplay" replay data >again.txt 2>&1 </dev/null || complain "did not fail again: $(cat again.txt)"
}

check_right() {
    "$preplay" explore --time 0 -d data --json out.json "./$program-right" $argument >out.txt 2>&1 </dev/null
    code=$?
    [ $code = 0 ] || { complain "right: exit code $code: $(cat out.txt)"; return; }
    [ "$(number complete)" = true ] || complain "right: not explored to the end: $(cat out.txt)"
}

# With too few preemptions the wrong one is explored to the end as if it were right.
check_few() {
    "$preplay" explore --time 0 --preemptions "$few" -d data --json out.json "./$program" $argument >out.txt 2>&1 </dev/null
    code=$?
    [ $code = 0 ] || { complain "$few preemptions: exit code $code: $(cat out.txt)"; return; }
    [ "$(number complete)" = true ] || complain "$few preemptions: not explored to the end: $(cat out.txt)"
}

while read -r program argument rule most right few; do
    case $program in '' | '#'*) continue ;; esac
    [ "$argument" = - ] && argument=
    before=$failed
    build "$program" ""
    check_wrong
    [ -z "$few" ] || check_few
    if [ "$right" = complete ]; then
        build "$program-right" -DRIGHT
        check_right
    fi
    [ $failed = $before ] && passed=$((passed + 1))
done <"$here/$(basename "$table")"
echo "$passed shapes passed, $failed complaints"
[ $failed = 0 ]
