# The relations that predict without a search, from the command line.

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
}

races() { # ENGINE TRACE : the pairs of locations that race, one a line
    "$PREPLAY" predict -e "$1" --all --exit-code 0 --json - "$2" |
        jq -r '.findings[] | select(.kind == "race") | .events | map(.location) | join("~")' | sort
}

@test "the race that happens-before hides is found by all of them" {
    trace="$traces/002-fig10.2-polar-coord-a.std"
    [ -z "$(races hb "$trace")" ]
    for engine in cp mb wcp syncp; do
        [ -n "$(races $engine "$trace")" ]
    done
}

@test "figures 12.1 to 12.5 have Sadowski's verdicts" {
    for figure in 12.1-rule-b 12.2-rule-c 12.3-interconnected; do
        [ -z "$(races cp "$traces/002-fig$figure.std")" ]
    done
    [ -n "$(races mb "$traces/002-fig12.2-rule-c.std")" ]
    [ -n "$(races cp "$traces/002-fig12.4-complex-reordering.std")" ]
    [ -n "$(races cp "$traces/002-fig12.5-race-or-deadlock.std")" ]
    [ -z "$(races syncp "$traces/002-fig12.5-race-or-deadlock.std")" ]
}

@test "compare: the truth of a small trace, who missed what, and who is wrong" {
    "$PREPLAY" compare --exit-code 0 --json all.json "$traces/002-fig12.5-race-or-deadlock.std" >table
    jq -e '.comparison.truth == "complete"' all.json
    jq -e '.comparison.rows[] | select(.kind == "race") |
        .truth == "false" and .wrong == ["cp", "wcp"] and .found == []' all.json
    jq -e '.comparison.rows[] | select(.kind == "deadlock") |
        .truth == "rf" and .missed == [] and (.found | index("csp") and index("auto"))' all.json
    jq -e '[.comparison.engines[] | select(.wrong > 0) | .name] == ["cp", "wcp"]' all.json
    for engine in hb cp wcp mb syncp tlh csp auto truth; do grep -qw "$engine" <(head -1 table); done
    grep -q "false  race x: 4 ~ 9" table

    # Fig. 12.4: a race that keeping the order of sections cannot show.
    run "$PREPLAY" compare --exit-code 0 --json - -e hb,syncp,cp,auto "$traces/002-fig12.4-complex-reordering.std"
    jq -e '[.comparison.rows[] | select(.truth == "rf" and (.missed | index("syncp")) and
        (.found | index("cp")) and (.found | index("auto")))] | length > 0' <<<"$output"
}

@test "compare: what nobody found is a row, too, and no finding" {
    run "$PREPLAY" compare --json - -e hb "$traces/002-fig1.9-hidden-race.std"
    [ "$status" -eq 0 ]
    jq -e '.comparison.rows | length == 1 and .[0].missed == ["hb"] and .[0].truth == "rf"' <<<"$output"
    jq -e '.findings == []' <<<"$output"
}

@test "compare: without the oracle, missed is what the others have" {
    { for i in $(seq 70); do printf 'A|acq(l)|1\nA|rel(l)|2\nB|acq(l)|3\nB|rel(l)|4\n'; done
      printf 'A|w(x)|5\nA|acq(l)|6\nA|rel(l)|7\nB|acq(l)|8\nB|rel(l)|9\nB|w(x)|10\n'; } >long.std
    run "$PREPLAY" compare --exit-code 0 --json - -e hb,syncp long.std
    jq -e '.comparison.truth == "none" and (.comparison.rows | length == 1)' <<<"$output"
    jq -e '.comparison.rows[0] | .found == ["syncp"] and .missed == ["hb"] and .truth == null' <<<"$output"
    run "$PREPLAY" compare --exit-code 0 -e hb,syncp long.std
    ! grep -q truth <<<"${lines[0]}"
}

@test "windows: open sections go on, races across windows are missed" {
    printf 'A|acq(l)|1\nA|r(y)|2\nA|r(y)|3\nA|r(y)|4\nA|w(x)|5\nA|rel(l)|6\nB|acq(l)|7\nB|w(x)|8\n' >open.std
    printf 'A|w(x)|1\nA|r(y)|2\nA|r(y)|3\nA|r(y)|4\nB|w(x)|5\nA|w(z)|6\nB|w(z)|7\n' >across.std
    for engine in cp wcp mb; do
        for window in 0 4 5; do
            run "$PREPLAY" predict -e $engine --all --window $window open.std
            [ "$status" -eq 0 ]
        done
        [ "$("$PREPLAY" predict -e $engine --all --exit-code 0 --json - across.std | jq '.findings | length')" -eq 2 ]
        "$PREPLAY" predict -e $engine --all --exit-code 0 --window 4 --json - across.std |
            jq -e '.findings | length == 1 and .[0].object == "z" and .[0].events[1].pos == 6'
    done
}

@test "a cp race that happens-before orders says so, an observed one does not" {
    run "$PREPLAY" predict -e cp --all "$traces/002-fig10.2-polar-coord-a.std"
    [ "$status" -eq 66 ]
    grep -q "candidate by cp" <<<"$output"
    grep -q "happens-before orders the two" <<<"$output"
    run "$PREPLAY" predict -e cp --all "$traces/002-fig10.2-polar-coord-b.std"
    grep -q "observed by cp" <<<"$output"
    ! grep -q "happens-before orders the two" <<<"$output"
}

@test "a witness of syncp passes the checker, and fails it when its order is broken" {
    trace="$traces/002-fig10.2-polar-coord-a.std"
    "$PREPLAY" predict -e syncp --exit-code 0 --json found.json "$trace"
    [ "$(jq '[.findings[] | select(.witness)] | length' found.json)" -gt 0 ]
    [ "$(jq '[.findings[] | select(.witness == null)] | length' found.json)" -eq 0 ]
    "$PREPLAY" check "$trace" found.json
    jq '.findings[].witness |= [.[0], .[2], .[1]] + .[3:]' found.json >broken.json
    run "$PREPLAY" check "$trace" broken.json
    [ "$status" -eq 1 ]
}

@test "the same trace gives the same bytes, and all at once the same as one by one" {
    trace="$traces/002-fig12.4-complex-reordering.std"
    "$PREPLAY" predict -e cp,mb,wcp,syncp --all --exit-code 0 "$trace" | sed '$d' >first
    "$PREPLAY" predict -e cp,mb,wcp,syncp --all --exit-code 0 "$trace" | sed '$d' >second
    cmp first second
    for engine in cp mb wcp syncp; do
        "$PREPLAY" predict -e "$engine" --all --exit-code 0 "$trace" | grep "by $engine" |
            while read -r line; do grep -qF "$line" first; done
    done
}
