# The engine smt and the queries it asks.

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
    "$PREPLAY" predict -e smt "$traces/003-fig3-value-order.std" || skip "built without Z3"
}

races() { # MODEL TRACE : the pairs of locations that race, one a line
    "$PREPLAY" predict -e smt -m "$1" --all --json - "$2" |
        jq -r '.findings[].events | map(.location) | join("~")' | sort
}

@test "figure 1 has a witness on b.x, figure 3 has none" {
    races value "$traces/003-fig1-listed-order.std" | grep -qx "6:t2~3:t3w"
    [ -z "$(races value "$traces/003-fig3-value-order.std")" ]
    [ -z "$(races rf "$traces/003-fig3-value-order.std")" ]
}

@test "every figure has the races its verdict says, model by model" {
    for trace in "$traces"/*.std; do
        for model in rf value sync; do
            wanted=$(sed -n "s/^oracle-$model: //p" "${trace%.std}.verdict" | sed 's/ derived$//')
            [ -n "$wanted" ] || continue
            [ "$wanted" != none ] || wanted=
            diff <(tr ',' '\n' <<<"$wanted" | sort) <(races "$model" "$trace" | sed '$a\' ; [ -n "$wanted" ] || echo)
        done
    done
}

@test "z3 and cvc5 answer the written queries as the engine does" {
    command -v z3 && command -v cvc5 || skip "needs z3 and cvc5"
    for trace in "$traces"/*.std; do
        for model in rf value sync; do
            "$PREPLAY" convert --to smt2 -m "$model" "$trace" -o query.smt2 || continue
            pair=$(sed -n '1s/; Can events \([0-9]*\) and \([0-9]*\) race.*/\1 \2/p' query.smt2)
            z3=$(z3 query.smt2)
            [ "$z3" = "$(cvc5 query.smt2)" ]
            ours=$("$PREPLAY" predict -e smt -m "$model" --all --pairs --json - "$trace" |
                jq -r ".findings[].events | map(.pos) | join(\" \")" | grep -cx "$pair") || true
            [ "$z3" = "$([ "$ours" -eq 1 ] && echo sat || echo unsat)" ]
        done
    done
}

conflicts() { # TRACE : pairs of conflicting plain accesses, as "A,B"
    "$PREPLAY" convert --to csv "$1" | awk -F, '$3 == "r" || $3 == "w" {
        for (i in pos) if (object[i] == $7 && thread[i] != $2 && (op[i] == "w" || $3 == "w")) print pos[i] "," $1
        pos[NR] = $1; thread[NR] = $2; op[NR] = $3; object[NR] = $7 }' | sort -t, -k1n -k2n
}

@test "under every model z3, cvc5 and the engine tell the same pairs from each other" {
    command -v z3 && command -v cvc5 || skip "needs z3 and cvc5"
    for seed in 4 6; do # few pairs, and under every model some of them race
        "$PREPLAY" tiddle --random --shape all:values,branches,events=30,threads=3,variables=2 --seed $seed -o all.tiddle
        for model in rf value branch sync; do
            "$PREPLAY" predict -e smt -m "$model" --all --pairs --json - all.tiddle |
                jq -r '.findings[].events | map(.pos) | join(",")' >races || true
            for pair in $(conflicts all.tiddle | head -12); do
                "$PREPLAY" convert --to smt2 -m "$model" --pair "$pair" all.tiddle -o query.smt2
                z3=$(z3 query.smt2)
                [ "$z3" = "$(cvc5 query.smt2)" ]
                [ "$z3" = "$(grep -qx "$pair" races && echo sat || echo unsat)" ]
                echo "$model $z3" >>answers
            done
        done
    done
    for model in rf value branch sync; do
        grep -qx "$model sat" answers
        grep -qx "$model unsat" answers
    done
}

@test "a query can be had by positions or by a finding's id" {
    trace="$traces/003-fig1-java-order.std"
    id=$("$PREPLAY" predict -e smt --json - "$trace" | jq -r '.findings[0].id')
    "$PREPLAY" convert --to smt2 --pair "$id" "$trace" -o by-id.smt2
    "$PREPLAY" convert --to smt2 --pair 7,11 "$trace" -o by-pair.smt2
    cmp by-id.smt2 by-pair.smt2
    run "$PREPLAY" convert --to smt2 --pair 7,99 "$trace"
    [ "$status" -eq 2 ]
    run "$PREPLAY" convert --to smt2 --pair 4,9 "$trace"
    [ "$status" -eq 2 ]
    [[ "$output" == *"do not conflict"* ]]
}

@test "pairs that the solver leaves open are counted, and given enough it leaves none" {
    "$PREPLAY" tiddle --random --shape large:events=300,variables=10,values --seed 1 -o hard.tiddle
    run "$PREPLAY" predict -e smt -m value --pairs hard.tiddle
    [ "$status" -eq 66 ]
    [[ "$output" != *undecided* ]]
    for limit in --steps=1 --pair-timeout=0.000000001; do
        run "$PREPLAY" predict -e smt -m value --pairs "$limit" hard.tiddle
        [ "$status" -eq 66 ]
        [[ "$output" =~ \([0-9]+" of "[0-9]+" candidates undecided)" ]]
    done
}
