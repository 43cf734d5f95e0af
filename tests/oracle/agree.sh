#!/bin/bash
# agree.sh PREPLAY SEED COUNT [SHAPE MODEL]... : on COUNT random traces of each shape, from SEED on,
# too large for the oracle, the engines smt and auto must report the same races, pair by pair. A pair
# that one of them leaves undecided is no difference. Exit status 1: they differ somewhere.
set -eu
preplay=$1 seed=$2 count=$3
shift 3
[ $# -gt 0 ] || set -- \
    large:events=1000..3000,threads=5,variables=60,locks=8 rf \
    large:events=1000..3000,threads=5,variables=60,locks=8 sync \
    large:events=1000..2000,threads=4,variables=80,locks=3,values value \
    large:events=8000..10000,threads=6,variables=400,locks=20 rf \
    large-all:events=200..400,threads=4,variables=30 rf
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

races() { # ENGINE MODEL : the races, one a line; what is undecided is added to $undecided
    "$preplay" predict -e "$1" -m "$2" --all --pairs --json "$scratch/json" "$scratch/trace.tiddle" >"$scratch/text" ||
        [ $? -eq 66 ] || { cat "$scratch/text"; exit 1; }
    # A race that happened, though no other order leads to it, has the whole run as its witness.
    jq -r '.findings[] | select(.kind == "race") | (.events | map(.pos) | sort) as $pair |
           select((.witness[-2:] | sort) == $pair) | $pair | join(",")' "$scratch/json" |
        sort >"$scratch/$1"
    jq '[.engines[].exhausted // 0] | add' "$scratch/json" >"$scratch/$1.open"
}

failed=0
while [ $# -gt 1 ]; do
    shape=$1 model=$2 races=0 open=0
    shift 2
    for number in $(seq "$seed" $((seed + count - 1))); do
        "$preplay" tiddle --random --shape "$shape" --seed "$number" -o "$scratch/trace.tiddle"
        races smt "$model"
        races auto "$model"
        races=$((races + $(wc -l <"$scratch/smt")))
        open=$((open + $(cat "$scratch/smt.open") + $(cat "$scratch/auto.open")))
        only_smt=$(comm -23 "$scratch/smt" "$scratch/auto" | wc -l)
        only_auto=$(comm -13 "$scratch/smt" "$scratch/auto" | wc -l)
        if [ "$only_smt" -gt "$(cat "$scratch/auto.open")" ] || [ "$only_auto" -gt "$(cat "$scratch/smt.open")" ]; then
            echo "$shape seed $number, $model: $only_smt races only by smt, $only_auto only by auto"
            failed=1
        fi
    done
    echo "$shape $model: $count traces, $races races, $open undecided by either"
done
exit $failed
