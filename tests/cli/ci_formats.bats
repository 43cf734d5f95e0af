# Reports for CI servers: JUnit and GitLab's code quality.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT="$BATS_TEST_DIRNAME/../.."
    export BIN="$BATS_FILE_TMPDIR"
    cd "$ROOT" || exit 1
    "$PREPLAY" cc -g -pthread -include tests/programs/patience.h examples/hidden_race.c -o "$BIN/racy"
    cat >"$BIN/right.c" <<'C'
#include <pthread.h>
static void *nothing(void *unused) { return unused; }
int main(void) { pthread_t thread; pthread_create(&thread, NULL, nothing, NULL); return pthread_join(thread, NULL); }
C
    "$PREPLAY" cc -g -pthread "$BIN/right.c" -o "$BIN/right"
}

setup() {
    cd "$ROOT" || exit 1
}

# counts FILE : "tests failures errors", of elements and of attributes, which must agree.
counts() {
    python3 - "$1" <<'P'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
elements = [len(suite.findall(".//" + name)) for name in ("testcase", "failure", "error")]
attributes = [int(suite.get(name)) for name in ("tests", "failures", "errors")]
assert elements == attributes, (elements, attributes)
print(*elements)
P
}

@test "junit: a failed test for what happened, with its story" {
    run -66 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --junit "$BATS_TEST_TMPDIR/out.xml" "$BIN/racy"
    [ "$(counts "$BATS_TEST_TMPDIR/out.xml")" = "1 1 0" ]
    grep -q 'message="data race on result' "$BATS_TEST_TMPDIR/out.xml"
    grep -q 'Again: ' "$BATS_TEST_TMPDIR/out.xml"
    "$PREPLAY" report --junit "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/again.xml" || [ $? -eq 66 ]
    [ "$(counts "$BATS_TEST_TMPDIR/again.xml")" = "1 1 0" ]
}

@test "junit: one that passed if nothing is wrong" {
    run -0 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --junit "$BATS_TEST_TMPDIR/out.xml" "$BIN/right"
    [ "$(counts "$BATS_TEST_TMPDIR/out.xml")" = "1 0 0" ]
}

@test "junit: names from a program are text, whatever they are" {
    mkdir "$BATS_TEST_TMPDIR/odd"
    printf '#include <pthread.h>\n#line 1 "a<b>&\\"c\\377.c"\nint x; static void *w(void *p) { x = 1; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); int s = x; pthread_join(t, 0); return s == 3; }\n' \
        >"$BATS_TEST_TMPDIR/odd/odd.c"
    "$PREPLAY" cc -g -pthread "$BATS_TEST_TMPDIR/odd/odd.c" -o "$BATS_TEST_TMPDIR/odd/odd"
    run -66 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --junit "$BATS_TEST_TMPDIR/out.xml" \
        --code-quality "$BATS_TEST_TMPDIR/out.json" "$BATS_TEST_TMPDIR/odd/odd"
    [ "$(counts "$BATS_TEST_TMPDIR/out.xml")" = "1 1 0" ]
    jq -e '.[0].location.path | startswith("a<b>&\"c")' "$BATS_TEST_TMPDIR/out.json"
}

@test "code quality: path, line, fingerprint" {
    run -66 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --code-quality "$BATS_TEST_TMPDIR/out.json" "$BIN/racy"
    id=$(jq -r '.findings[0].id' "$BATS_TEST_TMPDIR/data/findings.json")
    jq -e --arg id "$id" 'length == 1 and .[0].fingerprint == $id and .[0].severity == "critical" and
        .[0].location.path == "examples/hidden_race.c" and (.[0].location.lines.begin | . == 21 or . == 32)' \
        "$BATS_TEST_TMPDIR/out.json"
    run -0 "$PREPLAY" run -d "$BATS_TEST_TMPDIR/none" --code-quality "$BATS_TEST_TMPDIR/none.json" "$BIN/right"
    [ "$(jq length "$BATS_TEST_TMPDIR/none.json")" -eq 0 ]
}

@test "engines: each with what it finds, promises and comes from" {
    run -0 "$PREPLAY" engines
    [ "$(grep -c '^[a-z]' <<<"$output")" -eq "$(grep -c ' from: ' <<<"$output")" ]
    [ "$(grep -c ' promises: ' <<<"$output")" -ge 16 ]
    [[ "$output" == *"from: Sadowski"* ]]
}
