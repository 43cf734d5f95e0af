#!/bin/sh
# Usage: misuse.sh [--sync-only] PREPLAY PROGRAM.c...
# Runs each case of programs that misuse locks and threads, or nearly do, and holds what preplay run
# reports of kind misuse against the program's head:
#   // case NAME: RULE VERDICT LABEL...   run with the argument NAME; the lines of its events end in //@LABEL
#   // case NAME: nothing
#   // options NAME: --OPTION...          that preplay run is given
# Exactly that must be reported, with exit code 66 if there is anything. With --sync-only programs are
# compiled plainly, and what is confirmed otherwise may as well be. Prints a line for each case that
# fails, then a count.
how=
case $1 in
--*)
    how=$1
    shift
    ;;
esac
preplay=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

# "RULE VERDICT LINE ...", sorted
wanted() { # CASE
    sed -n "s,^// case $1: ,,p" "$source" | grep -v '^nothing$' | while read -r rule verdict labels; do
        lines=
        for label in $labels; do
            lines="$lines $(grep -n "//@$label\$" "$source" | cut -d: -f1)"
        done
        # shellcheck disable=SC2086
        echo "$rule $verdict $(printf '%s\n' $lines | sort -n | tr '\n' ' ')"
    done | sort
}

found() {
    jq -r '.findings[] | select(.kind == "misuse" and .verdict != "candidate") | "\(.rule) \(.verdict) \([.events[].location | select(contains(":")) | split(":")[1] | tonumber] | sort | map("\(.) ") | add // "")"' \
        "$1" | sort
}

for source; do
    program=$(basename "${source%.c*}")
    case $how$source in
    --*.cc) compiler=g++ ;;
    --*.c) compiler=gcc ;;
    *.cc) compiler="$preplay c++" ;;
    *.c) compiler="$preplay cc" ;;
    esac
    $compiler -g -pthread "$source" -o "$work/$program" || exit 1
    for name in $(sed -n 's,^// case \([a-z_]*\):.*,\1,p' "$source"); do
        options=$(sed -n "s,^// options $name: ,,p" "$source")
        # shellcheck disable=SC2086
        (cd "$work" && timeout 250 "$preplay" run $how $options -d "$program-$name" --json report.json "./$program" "$name") >"$work/out" 2>&1
        code=$?
        expected=$(wanted "$name") report=$(found "$work/report.json")
        if [ "$expected" = "$report" ] && { [ -z "$(echo "$expected" | grep -v ' advice ')" ] || [ $code = 66 ]; }; then
            passed=$((passed + 1))
        else
            echo "FAILED $program $name: '$report' with exit code $code, instead of '$expected'"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
