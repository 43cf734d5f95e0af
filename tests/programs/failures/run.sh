#!/bin/sh
# run.sh PREPLAY WORK PROGRAM.c...: each program, run once under Preplay, is reported with the
# failure that its first line names, confirmed, and the command behind "Again:" shows it again.
preplay=$1 work=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work" && cd "$work" || exit 1
wrong=0
for source; do
    name=$(basename "$source" .c)
    expected=$(sed -n '1s/.*expect: \([a-z-]*\).*/\1/p' "$here/$name.c")
    "$preplay" cc -g -O1 -pthread "$here/$name.c" -o "$name" || exit 1
    timeout 120 "$preplay" run -d "$name.data" --json "$name.json" "./$name" >"$name.log" 2>&1
    id=$(jq -r --arg rule "$expected" '[.findings[] | select(.verdict == "confirmed" and
        (.rule == $rule or .consequence.rule == $rule or ($rule == "hang" and .kind == "deadlock")))][0].id // empty' "$name.json")
    if [ -z "$id" ]; then
        echo "$name: no confirmed $expected"
        wrong=1
    elif ! timeout 60 "$preplay" replay "$name.data" "$id" >"$name.again" 2>&1; then
        echo "$name: $id is not shown again"
        wrong=1
    else
        echo "$name: $expected, $id"
    fi
done
exit $wrong
