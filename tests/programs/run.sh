#!/bin/sh
# Usage: run.sh [--valgrind] PREPLAY PROGRAM.c...
# Compiles each program with gcc, clang and, where installed, clang 19, records it, and holds what preplay dump
# and preplay predict -e hb say against the comments in its head:
#   // expect: TEXT     some event's line contains TEXT
#   // never: TEXT      no event's line does
#   // count N: TEXT    exactly N lines do;  // most N: TEXT   at most N do
#   // odd              some events have no place in a trace (default: all have)
#   // hb: none         no race of the observed order
#   // hb: race NAME    one, on NAME
#   // auto: none       no race at all (and ThreadSanitizer is not asked)
#   // atomicity: none  no broken block, under any model
#   // atomicity: NAME  one, NAME; // sound: NAME  one that a sound model predicts
#   // note: TEXT       ... with this line
#   // replay: NAME     every broken block predicted is NAME and confirmed by replay (none: there is none)
#   // sync: none       no candidate of the sync model either
#   // record: OPTIONS  for preplay record
# LEVEL is the level of optimisation (-O1).
# Prints a line for each that fails, then "N passed, N failed".
# With --valgrind: compiled plainly, by gcc, and recorded inside Valgrind.
how=
if [ "$1" = --valgrind ]; then
    how=--valgrind
    shift
fi
preplay=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

complain() {
    echo "FAILED $name ($compiler): $*"
    bad=1
}

check() { # KIND COUNT TEXT
    found=$(grep -c -F -e "$3" "$work/dump")
    case $1 in
    expect) [ "$found" -gt 0 ] || complain "no event has '$3'" ;;
    never) [ "$found" -eq 0 ] || complain "$found events have '$3'" ;;
    count) [ "$found" -eq "$2" ] || complain "$found events have '$3', not $2" ;;
    most) [ "$found" -le "$2" ] || complain "$found events have '$3', more than $2" ;;
    esac
}

check_races() { # "none" or "race NAME"
    "$preplay" predict -e hb "$work/trace" >"$work/races" 2>&1
    case $1 in
    none) ! grep -q '^race ' "$work/races" || complain "$(grep -m1 '^race ' "$work/races")" ;;
    race*) grep -q "^race .* on${1#race}" "$work/races" || complain "no $1" ;;
    esac
}

check_blocks() { # "none" or the block; options of predict
    wanted=$1
    shift
    "$preplay" predict -e atomicity "$@" "$work/trace" >"$work/blocks" 2>&1
    case $wanted in
    none) ! grep -q '^atomicity ' "$work/blocks" || complain "$(grep -m1 '^atomicity ' "$work/blocks")" ;;
    *) grep -q "^atomicity .* in block $wanted," "$work/blocks" || complain "$wanted is not broken ($*)" ;;
    esac
}

check_replay() { # "none" or the block
    "$preplay" predict -e auto "$work/trace" >/dev/null 2>&1
    jq -r '.findings[] | select(.kind == "atomicity") | "\(.id) \(.block)"' \
        "$work/trace/findings.json" | sort -u >"$work/ids"
    [ "$1" = none ] || [ -s "$work/ids" ] || complain "nothing to replay"
    while read -r id block; do
        [ "$block" = "$1" ] || complain "$id is on $block"
        "$preplay" replay "$work/trace" "$id" >"$work/replayed" 2>&1 </dev/null
        grep -q "^$id confirmed: " "$work/replayed" || complain "$(cat "$work/replayed")"
    done <"$work/ids"
}

# ThreadSanitizer must see a race where we do, and none where we see none. (It hangs for good where
# call_once throws.)
check_peer() { # "none" or "race NAME"
    peer=gcc
    case $source in *.cc) peer=g++ ;; esac
    $peer -fsanitize=thread -O1 -g -I"$here/../../include" $standard "$source" -Wno-tsan \
        -o "$work/peer" -pthread 2>/dev/null || return
    if [ "$1" = none ]; then limit=15; else limit=600; fi
    timeout $limit "$work/peer" >"$work/peer-output" 2>&1
    races=$(grep -c 'data race\|heap-use-after-free' "$work/peer-output")
    case $1 in
    none) [ "$races" -eq 0 ] || complain "ThreadSanitizer reports a race" ;;
    race*) [ "$races" -gt 0 ] || complain "ThreadSanitizer reports no race" ;;
    esac
}

one() {
    bad=0
    command=cc
    standard=
    case $source in *.cc) command=c++ standard=-std=c++17 ;; esac
    if [ "$how" ]; then compile=$command; else compile="$preplay $command"; fi
    PREPLAY_CC=$compiler $compile -g ${LEVEL:--O1} $standard -I"$here/../../include" "$source" -o "$work/program" \
        -pthread || complain "does not compile"
    record_options=$(sed -n 's|^// record: ||p' "$source")
    timeout 600 "$preplay" record $how $record_options -d "$work/trace" "$work/program" >"$work/output" 2>&1
    code=$?
    [ $code -eq 0 ] || complain "exit code $code: $(head -3 "$work/output")"
    "$preplay" dump "$work/trace" >"$work/dump" 2>"$work/errors" || complain "$(cat "$work/errors")"
    "$preplay" info "$work/trace" | grep -q 'left out' && ! grep -q '^// odd' "$source" &&
        complain "$("$preplay" info "$work/trace" | grep 'left out')"
    grep '^// ' "$source" >"$work/rules"
    while read -r slashes rule; do
        text=${rule#*: }
        case $rule in
        expect:*) check expect 0 "$text" ;;
        never:*) check never 0 "$text" ;;
        count*:* | most*:*)
            kind=${rule%% *} rest=${rule#* }
            check "$kind" "${rest%%:*}" "$text" ;;
        atomicity:*) check_blocks "$text" --all ;;
        sound:*) check_blocks "$text" ;;
        note:*) grep -q -F -e "$text" "$work/blocks" || complain "no note '$text'" ;;
        replay:*) check_replay "$text" ;;
        sync:*)
            "$preplay" predict --all -e lockset,tlh,csp "$work/trace" >"$work/races" 2>&1
            ! grep -q '^race ' "$work/races" || complain "$(grep -m1 '^race ' "$work/races")" ;;
        auto:*)
            "$preplay" predict "$work/trace" >"$work/races" 2>&1
            ! grep -q '^race ' "$work/races" || complain "$(grep -m1 '^race ' "$work/races")" ;;
        hb:*)
            check_races "$text"
            [ $compiler != gcc ] || [ "$how" ] || check_peer "$text" ;;
        esac
    done <"$work/rules"
    if [ $bad -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for source; do
    name=$(basename "$source")
    for compiler in gcc clang clang-19; do
        [ "$how" ] && [ $compiler != gcc ] && continue
        command -v $compiler >/dev/null && one
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
