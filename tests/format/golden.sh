#!/bin/sh
# golden.sh PREPLAY : records all_ops.c as this version of the format has it, into golden/vN-NAME. For whoever has
# raised ENCODING_VERSION; recordings of earlier versions stay as they are.
# Whatever depends on the machine is left out: where programs lay, what the environment was.
set -eu
preplay=$(realpath "$1")
cd "$(dirname "$0")"
version=$(sed -n 's/#define ENCODING_VERSION \([0-9]*\)/\1/p' ../../src/trace/encoding.h)
work=$(mktemp -d)
"$preplay" cc --branches -g -pthread -I../../include all_ops.c -o "$work/all_ops"
for name in plain everything; do
    options=
    [ $name = plain ] || options="--values --branches --blocks"
    target=golden/v$version-$name
    # shellcheck disable=SC2086
    (cd "$work" && env -i PATH=/usr/bin "$preplay" record -d recorded $options ./all_ops)
    rm -rf "$target"
    mkdir -p "$target/streams"
    cp "$work"/recorded/streams/*.pps "$target/streams/"
    sed 's, [0-9a-f]* [^ ]*/\([^/ ]*\)$, 00000000000000000000000000000000000000ff /preplay-golden/\1,' "$work/recorded/modules" >"$target/modules"
    jq '.environment = [] | .directory = "/preplay-golden" | .release = "" | .processors = 2 | .command = ["./all_ops"] | .seconds = 0.01 | del(.limit)' \
        "$work/recorded/manifest.json" >"$target/manifest.json"
    chmod -R go=rX "$target"
    "$preplay" dump "$target" >"$target/dump.txt"
    "$preplay" predict -e hb --json - "$target" >"$work/json" || [ $? -eq 66 ]
    rm -f "$target/findings.json" "$target/lock"
    jq -c '.findings[] | [.kind, .engine, [.events[].pos]]' "$work/json" >"$target/findings.txt"
done
rm -r "$work"
