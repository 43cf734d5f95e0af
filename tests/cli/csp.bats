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

@test "a window of 0 is the whole trace, without the option there are windows" {
    { echo "T0|fork(T1)|1"; echo "T1|w(x)|2"; echo "T1|acq(l)|3"; echo "T1|rel(l)|4"
      for ((i = 0; i < 6000; i++)); do echo "T0|acq(l)|5"; echo "T0|rel(l)|6"; done
      echo "T0|w(x)|7"; } > far.std
    run "$PREPLAY" predict -e csp far.std
    [ "$status" -eq 0 ]
    run "$PREPLAY" predict -e csp --window 0 far.std
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 race"* ]]
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

deadlocks() { # ENGINE TRACE : the locations of each, one a line
    "$PREPLAY" predict -e "$1" --all --exit-code 0 --json - "$2" |
        jq -r '.findings[] | select(.kind == "deadlock") | .events | map(.location) | sort | join(" ")' | sort
}

@test "a wait whose every signaller needs a lock that the waiter keeps" {
    { printf 'S|acq(k)|1\nS|rel(k)|2\nW|acq(k)|3\nW|acq(m)|4\nW|r(x)|5\nW|wait(c,m)|6\n'
      printf 'S|acq(m)|7\nS|w(x)|8\nS|notify(c)|9\nS|rel(m)|10\nW|woken(c,m)|11\nW|rel(m)|12\nW|rel(k)|13\n'; } >wait.std
    for engine in deadlock csp auto; do
        deadlocks $engine wait.std | grep -qx "1 11"
    done
    "$PREPLAY" predict -e deadlock --exit-code 0 wait.std | grep -q "all who could signal the condition"
    # The signaller needs another lock: nobody is stuck, and under rf no signal is lost.
    sed 's/^S|\(.*\)(k)/S|\1(q)/' wait.std >other.std
    [ -z "$(deadlocks deadlock other.std)" ]
    [ -z "$(deadlocks auto other.std)" ]
}

@test "barriers, semaphores and once-blocks under a lock that others need" {
    printf 'B|acq(k)|1\nB|rel(k)|2\nA|acq(k)|3\nB|enter(b)|4\nA|enter(b)|5\nA|exit(b)|6\nB|exit(b)|7\nA|rel(k)|8\n' >barrier.std
    printf 'B|acq(k)|1\nB|post(s)|2\nB|rel(k)|3\nA|acq(k)|4\nA|semwait(s)|5\nA|rel(k)|6\n' >post.std
    printf 'B|oncebegin(o)|1\nB|acq(k)|2\nB|rel(k)|3\nB|onceend(o)|4\nA|acq(k)|5\nA|oncepass(o)|6\nA|rel(k)|7\n' >once.std
    for engine in deadlock csp auto; do
        [ "$(deadlocks $engine barrier.std)" = "1 6" ]
        [ "$(deadlocks $engine post.std)" = "1 5" ]
        [ "$(deadlocks $engine once.std)" = "2 6" ]
    done
}

@test "lost wake-ups: several signallers, and a signal that another waiter gets" {
    { printf 'W|acq(m)|1\nW|wait(c,m)|2\nS|notify(c)|3\nW|woken(c,m)|4\nW|rel(m)|5\nR|notify(c)|6\n'; } >several.std
    { printf 'W|acq(m)|1\nW|wait(c,m)|2\nV|acq(m)|3\nV|wait(c,m)|4\nS|notify(c)|5\nW|woken(c,m)|6\nW|rel(m)|7\n'
      printf 'V|trywoken!(c,m)|8\nV|rel(m)|9\n'; } >another.std
    for engine in deadlock csp auto; do
        [ "$(deadlocks $engine several.std)" = "4" ]
        [ "$(deadlocks $engine another.std)" = "6" ]
    done
    # A timed wait is never lost.
    sed -i 's/W|woken/W|trywoken/' several.std
    [ -z "$(deadlocks deadlock several.std)" ]
}

@test "a model in CSPM, the same bytes every time" {
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" -o one.csp
    "$PREPLAY" convert --to cspm "$traces/000-fig1-csp-model.std" > two.csp
    cmp one.csp two.csp
    grep -qx 'MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)' one.csp
    [ "$(grep -c '^assert' one.csp)" -eq 3 ]
    # The other paper's assertions, for two threads each.
    "$PREPLAY" convert --to cspm --per-pair "$traces/001-listing1.1-captured.std" -o pairs.csp
    [ "$(grep -o 'PATTERN(t1, t2, [xy]))' pairs.csp | sort | tr '\n' ' ')" = \
        'PATTERN(t1, t2, x)) PATTERN(t1, t2, y)) ' ]
}
