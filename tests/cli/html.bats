# The HTML report in a real browser. Needs chromium, node and playwright-core; ./check installs
# them (the last with npm, into build/npm) and skips nothing.

bats_require_minimum_version 1.5.0

setup() {
    ROOT="$BATS_TEST_DIRNAME/../.."
    export NODE_PATH="${NODE_PATH:-$ROOT/build/npm/node_modules}"
    [ -n "${PREPLAY_TEST_ALL:-}" ] ||
        { command -v node && command -v chromium && node -e 'require("playwright-core")' 2>/dev/null; } ||
        skip "no chromium, node or playwright-core"
}

@test "a reader steps through a recorded deadlock" {
    cd "$ROOT"
    "$PREPLAY" cc -g -pthread examples/lock_order.c -o "$BATS_TEST_TMPDIR/lock_order"
    "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --html "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/lock_order" ||
        [ $? -eq 66 ]
    run -0 node tests/html/page.js "$BATS_TEST_TMPDIR/page.html"
}

@test "names full of markup do nothing" {
    cd "$BATS_TEST_TMPDIR"
    evil='</script><img/src=x/onerror=alert(1)>&"x'
    printf 'T1|fork(T2)|0\nT1|w(%s)|%s\nT2|r(%s)|2\n' "$evil" "$evil" "$evil" >evil.std
    "$PREPLAY" report --html -o page.html evil.std || [ $? -eq 66 ]
    run -0 node "$ROOT/tests/html/page.js" "$BATS_TEST_TMPDIR/page.html"
}

@test "a thousand findings with long schedules" {
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN { print "T1|fork(T2)|0"
        for (i = 0; i < 3000; i++) printf "T1|acq(l%d)|a\nT1|rel(l%d)|b\nT2|acq(m%d)|c\nT2|rel(m%d)|d\n", i%7, i%7, i%7, i%7
        for (i = 0; i < 1000; i++) printf "T1|w(x%d)|f%d.c:1\nT2|w(x%d)|f%d.c:2\n", i, i, i, i }' >many.std
    "$PREPLAY" report --html -o page.html many.std || [ $? -eq 66 ]
    run -0 node "$ROOT/tests/html/page.js" "$BATS_TEST_TMPDIR/page.html"
    [[ "$output" == *"1000 findings, ready after "* ]]
}
