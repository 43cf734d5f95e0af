#!/bin/sh
# Usage: hangs.sh [--valgrind|--sync-only] PREPLAY PROGRAM.c...
# Runs programs that hang, stops them, and holds the deadlocks that preplay run reports as
# observed against the head of the program:
#   // deadlock: A B    observed; A and B are the lines that end in //@A and //@B
#   // not replayed: WHY
#   // flags: FLAGS     of the compiler, beside -g and -pthread
#   // ends: CODE       it ends by itself, with this exit code; all others have to be stopped
# Nothing else may be observed. What is in a deadlock is stopped without being asked to, however long it
# takes to get there. Inside Valgrind, where a signal might yet help whoever waits for one, it is after
# SECONDS_TO_HANG, or four times that if not all of its threads had come to wait by then. Each deadlock is replayed, too, and must happen again. With an
# option the programs are compiled plainly (and with --valgrind not replayed: the spinning that
# brings them together is no secret there). Prints a line for each that fails, then a count.
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

complain() {
    echo "FAILED $name: $*"
    bad=1
}

# Sorted line numbers, a deadlock a line.
expected() {
    sed -n 's,^// deadlock: ,,p' "$source" | while read -r labels; do
        for label in $labels; do
            grep -n "//@$label\$" "$source" | cut -d: -f1
        done | sort -n | tr '\n' ' '
        echo
    done | sort
}

observed() {
    jq -r '.findings[] | select(.verdict == "observed" and .kind == "deadlock") |
        [.events[].location | split(":")[1] | tonumber] | sort | map("\(.) ") | add' "$work/$name.json" 2>/dev/null | sort
}

labels() {
    sed -n 's,^// deadlock: ,,p' "$source" | wc -w
}

waiting() {
    "$preplay" info "$work/$name.data" 2>/dev/null | awk '/threads? that waited to the end/ { sum += $1 } END { print sum + 0 }'
}

run() { # OPTIONS...
    # shellcheck disable=SC2086
    (cd "$work" && timeout 250 "$preplay" run $how "$@" -d "$name.data" --json "$name.json" "./$name") >"$work/$name.out" 2>&1
    echo $? >"$work/$name.code"
}

run_until_hung() {
    if [ "$how" = --valgrind ] || ! grep -q '^// deadlock: \|^// ends: ' "$source"; then
        for seconds in "${SECONDS_TO_HANG:-2}" $((4 * ${SECONDS_TO_HANG:-2})) $((16 * ${SECONDS_TO_HANG:-2})); do
            run --stop-after "$seconds"
            [ "$(waiting)" -lt "$(labels)" ] || break
        done
    else
        run
    fi
}

# They sleep, so they can do it together.
for source; do
    name=$(basename "${source%.c*}")
    case $how$source in
    --*.cc) compiler=g++ ;;
    --*.c) compiler=gcc ;;
    *.cc) compiler="$preplay c++" ;;
    *.c) compiler="$preplay cc" ;;
    esac
    $compiler -g -pthread $(sed -n 's,^// flags: ,,p' "$source") "$source" -o "$work/$name" || exit 1
    run_until_hung &
done
wait

for source; do
    name=$(basename "${source%.c*}")
    bad=
    code=$(cat "$work/$name.code")
    ends=$(sed -n 's,^// ends: ,,p' "$source")
    wanted=$(expected)
    [ "$(observed)" = "$wanted" ] || complain "observed '$(observed)' instead of '$wanted'"
    case $wanted in
    '') [ "$code" = "${ends:-124}" ] || complain "exit code $code" ;;
    *) [ "$code" = 66 ] || complain "exit code $code" ;;
    esac
    [ "$ends" ] || grep -q '^preplay: .* stopped after' "$work/$name.out" ||
        complain "it is not said that the program was stopped"
    [ "$how" = --valgrind ] || grep -q '^// not replayed' "$source" || for id in $(jq -r '.findings[] | select(.verdict == "observed" and .kind == "deadlock") | .id' "$work/$name.json" 2>/dev/null); do
        timeout 250 "$preplay" replay "$work/$name.data" "$id" >"$work/replayed" 2>&1 ||
            complain "not replayed: $(head -1 "$work/replayed")"
    done
    if [ "$bad" ]; then
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
