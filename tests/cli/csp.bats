# The engines csp and deadlock, and the CSPM model.

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
}

philosophers() { # N : each takes the fork on its left, then the one on its right
    for ((i = 0; i < $1; i++)); do echo "T0|fork(P$i)|fork"; done
    for ((i = 0; i < $1; i++)); do
        printf 'P%d|acq(f%d)|left%d\n' $i $i $i
        printf 'P%d|acq(f%d)|right%d\n' $i $(((i + 1) % $1)) $i
        printf 'P%d|rel(f%d)|put%d\n' $i $(((i + 1) % $1)) $i
        printf 'P%d|rel(f%d)|put%d\n' $i $i $i
    done
}

@test "csp shows the papers' counterexamples" {
    run "$PREPLAY" predict -e csp "$traces/000-listing1-racy-program.std"
    [ "$status" -eq 66 ]
    [[ "$output" == *"fork.t1.t2, start.t2, lock.t2.m, unlock.t2.m"* ]]
    run "$PREPLAY" predict -e csp --per-pair "$traces/001-listing1.1-captured.std"
    [ "$status" -eq 66 ]
    [[ "$output" == *"lock.t2.m, unlock.t2.m"* ]]
}

@test "dining philosophers, 2 to 50: one deadlock of them all, by both engines" {
    for n in 2 5 17 50; do
        philosophers $n > dinner.std
        for engine in deadlock csp; do
            "$PREPLAY" predict -e $engine --json found.json dinner.std > /dev/null || [ $? -eq 66 ]
            [ "$(jq '.findings | length' found.json)" -eq 1 ]
            [ "$(jq '.findings[0].events | length' found.json)" -eq $n ]
            [ "$(jq '.findings[0].witness | length' found.json)" -ge $((2 * n)) ]
        done
    done
}

@test "a philosopher who takes the right fork first saves them" {
    philosophers 5 | awk -F'|' '$1 == "P0" && /acq/ { held[++n] = $0; if (n == 2) { print held[2]; print held[1] } next } { print }' > dinner.std
    for engine in deadlock csp; do
        run "$PREPLAY" predict -e $engine -m sync dinner.std
        [ "$status" -eq 0 ]
    done
}

@test "a model in CSPM, the same bytes every time" {
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" -o one.csp
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" > two.csp
    cmp one.csp two.csp
    grep -qx 'MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)' one.csp
    [ "$(grep -c '^assert' one.csp)" -eq 3 ]
}
