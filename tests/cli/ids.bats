# Ids of findings: the same after an edit elsewhere, different for what is different.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# program [-a] [-i] : two unlocked writes and a locked one of `shared` in one function, read by main.
# -a: more lines and a function above; -i: more lines between them.
program() {
    local above="" between=""
    while [ $# -gt 0 ]; do
        case $1 in
        -a) above=$'/* A comment\n   of lines. */\nint unrelated(int n);\nint unrelated(int n)\n{\n    return n + 1;\n}\n' ;;
        -i) between=$'    /* A comment. */\n    local++;\n\n' ;;
        esac
        shift
    done
    cat <<C
#include <pthread.h>
#include <stdio.h>
$above
int shared, other;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
    int local = 0;
    (void)unused;
    shared = 1;
$between    other = local + 1;
    pthread_mutex_lock(&lock);
    shared = 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = shared;
    printf("%d %d\n", seen, other);
    pthread_join(thread, NULL);
    return 0;
}
C
}

# ids FLAGS : of all races of program.c, with what they are about.
ids() {
    # shellcheck disable=SC2086
    "$PREPLAY" cc -g $1 -pthread program.c -o program
    rm -rf data
    "$PREPLAY" record -d data ./program >/dev/null 2>&1
    "$PREPLAY" predict --pairs --json out.json data >/dev/null 2>&1 || [ $? -eq 66 ]
    jq -r '.findings[] | "\(.id) \(.object) \([.events[].op] | sort | join(","))"' out.json | sort -u
}

@test "lines above and between change no id" {
    for flags in -O0 -O2; do
        program >program.c
        ids "$flags" >plain
        [ "$(wc -l <plain)" -eq 3 ] # two places of shared, one of other
        [ "$(cut -d' ' -f1 plain | sort -u | wc -l)" -eq 3 ]
        program -a >program.c
        ids "$flags" >above
        diff plain above
        program -i >program.c
        ids "$flags" >between
        diff plain between
    done
}

@test "the source is not asked" {
    program >program.c
    ids -O0 >with
    "$PREPLAY" predict --pairs --json out.json data >/dev/null 2>&1 || [ $? -eq 66 ]
    mv program.c elsewhere.c
    "$PREPLAY" predict --pairs --json without.json data >/dev/null 2>&1 || [ $? -eq 66 ]
    diff <(jq -r '.findings[].id' out.json) <(jq -r '.findings[].id' without.json)
}

@test "the beginning of an id is enough" {
    program >program.c
    ids -O0 >plain
    id=$(head -1 plain | cut -d' ' -f1)
    "$PREPLAY" predict data >/dev/null 2>&1 || [ $? -eq 66 ]
    run "$PREPLAY" replay data "${id:0:7}"
    [[ "$output" == *"$id"* ]]
    run -2 "$PREPLAY" replay data "${id:0:4}" # two digits are too few
    echo "id:${id:0:8}" >list
    "$PREPLAY" report --all --json --suppressions list data >left.json || [ $? -eq 66 ]
    run jq -e --arg id "$id" '[.findings[].id] | index($id)' left.json
    [ "$status" -ne 0 ]
}

@test "a baseline of version 1 is known by its lines" {
    local root="$BATS_TEST_DIRNAME/../.." old="$BATS_TEST_DIRNAME/baseline-version-1.json"
    jq -e '.version == 1 and (.findings | length) == 1' "$old"
    run -0 "$PREPLAY" report --baseline "$old" "$root/examples/hidden-race.std"
    [[ "$output" == *"1 known from the baseline"* ]]
    sed 's/"r-....../"r-000000/' "$old" >other.json
    run -66 "$PREPLAY" report --baseline other.json "$root/examples/hidden-race.std"
}
