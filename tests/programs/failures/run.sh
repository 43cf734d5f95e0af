#!/bin/sh
# run.sh PREPLAY WORK PROGRAM.c...: each program, run once under Preplay, is reported with the
# failure that its first line names, confirmed, and the command behind "Again:" shows it again. Of its
# correct twin (-DRIGHT) nothing is reported.
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
    "$preplay" cc -g -O1 -pthread -DRIGHT "$here/$name.c" -o "$name-right" || exit 1
    timeout 120 "$preplay" run -d "$name-right.data" "./$name-right" >"$name-right.log" 2>&1
    code=$?
    if [ $code -eq 66 ] || [ $code -ne "$(timeout 60 "./$name-right" >/dev/null 2>&1; echo $?)" ]; then
        echo "$name: its correct twin ends with $code, see $name-right.log"
        wrong=1
    fi
done
exit $wrong
