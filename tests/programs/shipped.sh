#!/bin/sh
# Usage: shipped.sh [--all] PREPLAY PROGRAM.c...
# Compiles each program as it is and with -DRIGHT, gives each to preplay run with default options,
# and wants: of the first, atomicity violations, all confirmed and of the function that its head names
# (// breaks: NAME), or order violations of the variable or rule that it names (// untimely: NAME), and
# nothing else; of the second, nothing.
# With --all by gcc and clang at -O0 to -O3, otherwise by gcc at -O2.
compilers=gcc levels=-O2
if [ "$1" = --all ]; then
    compilers='gcc clang' levels='-O0 -O1 -O2 -O3'
    shift
fi
preplay=$1
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
passed=0 failed=0

complain() {
    echo "FAILED $name ($compiler $level $twin): $*"
    sed 's/^/    /' "$work/output"
    bad=1
}

# "atomicity confirmed NAME", a line a finding.
found() {
    jq -r '.findings[] | "\(.kind) \(.verdict) \(.block // .rule // .object)"' "$work/trace/findings.json" |
        grep -E ' (confirmed|observed|predicted|seen-once) ' | sort -u
}

run() { # WRONG or RIGHT, what must be found
    twin=$1 bad=
    rm -rf "$work/trace"
    PREPLAY_CC=$compiler "$preplay" cc -g "$level" "-D$twin" "$source" -o "$work/program" -pthread \
        2>"$work/output" || complain "it does not compile"
    [ "$bad" ] || "$preplay" run -d "$work/trace" "$work/program" >"$work/output" 2>&1
    [ "$bad" ] || [ "$(found)" = "$2" ] || complain "found '$(found)', not '$2'"
    [ "$bad" ] && failed=$((failed + 1)) || passed=$((passed + 1))
}

for source; do
    name=$(basename "$source")
    wanted=$(sed -n 's,^// breaks: ,atomicity confirmed ,p; s,^// untimely: ,order confirmed ,p' "$source")
    for compiler in $compilers; do
        for level in $levels; do
            run WRONG "$wanted"
            run RIGHT ""
        done
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
