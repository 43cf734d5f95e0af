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

@test "a join under a lock that the joined thread needs is a deadlock" {
    printf 'T1|fork(T2)|1\nT2|acq(m)|2\nT2|rel(m)|3\nT1|acq(m)|4\nT1|join(T2)|5\nT1|rel(m)|6\n' > join.std
    for engine in deadlock csp auto; do
        run "$PREPLAY" predict -e $engine join.std
        [ "$status" -eq 66 ]
        [[ "$output" == *"1 deadlock"* ]]
        [[ "$output" == *"T1"*"join"*"at 5"* ]]
    done
    # The joined thread needs no lock any more once it is joined.
    sed -i '/m)|[23]$/d' join.std
    run "$PREPLAY" predict -e deadlock,csp,auto join.std
    [ "$status" -eq 0 ]
}

@test "a signal outside the mutex can be lost, one inside it cannot" {
    { printf 'M|fork(W)|1\nM|fork(S)|2\nW|acq(m)|3\nW|r(ready)|4\nW|wait(c,m)|5\n'
      printf 'S|w(ready)|6\nS|notify(c)|7\nW|woken(c,m)|8\nW|r(ready)|9\nW|rel(m)|10\n'; } > outside.std
    for engine in deadlock auto; do
        run "$PREPLAY" predict -e $engine outside.std
        [ "$status" -eq 66 ]
        [[ "$output" == *"lost wake-up"* ]]
    done
    awk '/notify/ { print; print "S|rel(m)|7a"; next } /S.w/ { print "S|acq(m)|5a" } { print }' outside.std > inside.std
    run "$PREPLAY" predict -e deadlock inside.std
    [ "$status" -eq 0 ]
    run "$PREPLAY" predict -e auto inside.std
    [[ "$output" != *"lost wake-up"* ]]
    # Without values nobody knows why the thread waited: a candidate.
    run "$PREPLAY" predict -e deadlock -m sync inside.std
    [ "$status" -eq 66 ]
}

@test "a model in CSPM, the same bytes every time" {
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" -o one.csp
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" > two.csp
    cmp one.csp two.csp
    grep -qx 'MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)' one.csp
    [ "$(grep -c '^assert' one.csp)" -eq 3 ]
}
