#!/bin/sh
# rarely.sh RUNS [PROGRAM.c...]: how often each program fails when it is run as it is, without
# Preplay. The recorded run of a test is one of the good ones: fewer than one in 1,000 may fail.
runs=${1:-1000}
[ $# -gt 0 ] && shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
often=0
for source in ${*:-"$here"/*.c}; do
    name=$(basename "$source" .c) failed=0
    cc -g -O1 -pthread "$here/$name.c" -o "$work/$name" || exit 1
    usual=$(timeout 10 "$work/$name" 2>/dev/null; echo "code $?")
    for _ in $(seq "$runs"); do
        [ "$(timeout 10 "$work/$name" 2>/dev/null; echo "code $?")" = "$usual" ] || failed=$((failed + 1))
    done
    echo "$name: $failed of $runs runs differ from the first"
    [ $((failed * 1000)) -lt "$runs" ] || [ "$failed" -eq 0 ] || often=1
done
rm -r "$work"
exit $often
