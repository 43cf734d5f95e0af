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

@test "figures 12.1 to 12.5 have the dissertation's verdicts" {
    for figure in 12.1-rule-b 12.2-rule-c 12.3-interconnected; do
        [ -z "$(races cp "$traces/002-fig$figure.std")" ]
    done
    [ -n "$(races mb "$traces/002-fig12.2-rule-c.std")" ]
    [ -n "$(races cp "$traces/002-fig12.4-complex-reordering.std")" ]
    [ -n "$(races cp "$traces/002-fig12.5-race-or-deadlock.std")" ]
    [ -z "$(races syncp "$traces/002-fig12.5-race-or-deadlock.std")" ]
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
