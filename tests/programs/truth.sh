#!/bin/sh
# Usage: truth.sh [--valgrind] PREPLAY TIMES|run PROGRAM.c...
# Compiles, records and predicts each program, replays every prediction TIMES times (or
# does it all by the one command preplay run), and holds what was confirmed against the
# head of the program:
#   // race: A B        confirmed; A and B are the lines that end in //@A and //@B
#   // deadlock: A B C  confirmed, a line for each thread of the cycle
#   // also race: A B   true as well, but only where another error has happened before
#   // replay: NAME     an atomicity violation of block NAME (none: of no block)
#   // record: OPTIONS  for recording
# Nothing else may be confirmed, nor seen on the way by happens-before. With TIMES above 1,
# JOBS (1) replays run side by side and 99 of 100 must confirm. Prints a line for each
# program that fails, then a count.
# With --valgrind the program is compiled plainly and recorded inside Valgrind; where that
# differs (docs/valgrind.md says why) lines "// valgrind race: A B" stand for the others.
how=
if [ "$1" = --valgrind ]; then
    how=--valgrind
    shift
fi
preplay=$1 times=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

complain() {
    echo "FAILED $name: $*"
    bad=1
}

# "race 7 15": kind and sorted line numbers.
expected() {
    pattern='s,^// \(race\|deadlock\): ,\1 ,p'
    if [ "$how" ] && grep -q '^// valgrind ' "$source"; then
        pattern='s,^// valgrind \(race\|deadlock\): ,\1 ,p'
    fi
    lines_of "$pattern"
    sed -n 's,^// replay: ,atomicity ,p' "$source" | grep -v ' none$' | sort
}

lines_of() { # PATTERN
    sed -n "$1" "$source" | while read -r kind labels; do
        for label in $labels; do
            grep -n "//@$label\$" "$source" | cut -d: -f1
        done | sort -n | tr '\n' ' ' | sed "s/^/$kind /; s/ \$//"
        echo
    done | sort
}

# The same of a finding in findings.json.
describe='if .kind == "atomicity" then "atomicity \(.block)" else "\(.kind) " +
    ([.events[].location | split(":")[1] | tonumber] | sort | map(tostring) | join(" ")) end'
places() { # ID
    jq -r --arg id "$1" "first(.findings[] | select(.id == \$id)) | $describe" \
        "$work/trace/findings.json"
}

run() {
    rm -rf "$work/trace"
    # shellcheck disable=SC2046,SC2086
    timeout 1000 "$preplay" run $how $(sed -n 's,^// record: ,,p' "$source") -d "$work/trace" "$work/program" \
        >"$work/output" 2>&1 </dev/null
    code=$?
    jq -r ".findings[] | select(.verdict == \"confirmed\" or .verdict == \"observed\") | $describe" \
        "$work/trace/findings.json" >"$work/confirmed"
    if [ -s "$work/confirmed" ]; then wanted=66; else wanted=0; fi
    [ $code -eq $wanted ] || complain "exit code $code: $(tail -3 "$work/output")"
}

# Races that happens-before saw in a replay besides: the lines of each.
also_seen() {
    awk '/^  also seen: race/ { left = 2; at = "" }
        left && match($0, /:[0-9]+:[0-9]+  \(event/) {
            split(substr($0, RSTART + 1), part, ":")
            if (--left) at = part[1]
            else print "race", (at < part[1] ? at " " part[1] : part[1] " " at)
        }' "$work/replayed"
}

record_and_replay() {
    # shellcheck disable=SC2046,SC2086
    timeout 600 "$preplay" record $how $(sed -n 's,^// record: ,,p' "$source") -d "$work/trace" "$work/program" >"$work/output" 2>&1 ||
        complain "exit code $?: $(head -3 "$work/output")"
    "$preplay" predict "$work/trace" >"$work/predicted" 2>&1
    [ $? -ne 4 ] || complain "$(cat "$work/predicted")"
    : >"$work/confirmed"
    for id in $(jq -r '.findings[] | select(.witness) | .id' "$work/trace/findings.json" | sort -u); do
        "$preplay" replay -n "$times" -j "${JOBS:-1}" "$work/trace" "$id" >"$work/replayed" 2>&1
        code=$?
        [ $code -lt 2 ] || complain "replay of $id: $(tail -1 "$work/replayed")"
        if [ "$times" -eq 1 ]; then
            grep -q "^$id confirmed" "$work/replayed" && places "$id" >>"$work/confirmed"
            also_seen >>"$work/confirmed"
        elif ! grep -q "^$id confirmed 0 of" "$work/replayed"; then
            places "$id" >>"$work/confirmed"
            grep "^$id confirmed" "$work/replayed" | sed "s/^/  $name: /"
            [ "$(sed -n "s/^$id confirmed \([0-9]*\) of .*/\1/p" "$work/replayed")" -ge $((times * 99 / 100)) ] ||
                complain "$(grep "^$id" "$work/replayed" | tail -3)"
        fi
    done
}

one() {
    bad=0
    if [ "$how" ]; then set -- cc; else set -- "$preplay" cc; fi
    "$@" -g -O1 -I"$here/../../include" "$source" -o "$work/program" -pthread ||
        complain "does not compile"
    if [ "$times" = run ]; then run; else record_and_replay; fi
    sort -u "$work/confirmed" -o "$work/confirmed"
    expected >"$work/expected"
    lines_of 's,^// also \(race\): ,\1 ,p' >"$work/also"
    grep -vxFf "$work/also" "$work/confirmed" >"$work/kept"
    mv "$work/kept" "$work/confirmed"
    cmp -s "$work/expected" "$work/confirmed" ||
        complain "expected '$(tr '\n' ';' <"$work/expected")', confirmed '$(tr '\n' ';' <"$work/confirmed")'"
    if [ $bad -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for source; do
    name=$(basename "$source")
    one
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
