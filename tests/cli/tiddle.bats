# Tiddle: files as traces, as C programs, formatted and completed.

setup() {
    traces="$BATS_TEST_DIRNAME/../traces"
    cd "$BATS_TEST_TMPDIR"
    printf 'rd 1 x\nwr 2 x 1\n' >race.tiddle
}

program() { # TRACE [OPTION...] : makes ./program, which prints what it performs
    "$PREPLAY" tiddle "$@" -o program.c
    ${CC:-cc} -Wall -Wextra -Werror -O1 -pthread -DPRINT -o program program.c
}

wanted() { # TRACE : what the program should print
    "$PREPLAY" tiddle --complete "$1" | sed 's/ @.*//'
}

@test "a Tiddle file is a trace like any other" {
    run "$PREPLAY" predict -e hb race.tiddle
    [ "$status" -eq 66 ]
    [[ "$output" == *"1 race"* ]]
}

@test "every figure is stored twice, goes to tiddle and back to std without a change" {
    for trace in "$traces"/*.verdict; do
        trace=${trace%.verdict}
        "$PREPLAY" convert --to tiddle "$trace.std" | cmp - "$trace.tiddle"
        "$PREPLAY" convert --to std "$trace.std" -o straight.std
        "$PREPLAY" convert --to std "$trace.tiddle" | cmp - straight.std
        "$PREPLAY" tiddle --format "$trace.tiddle" | cmp - "$trace.tiddle"
    done
}

@test "an error names file, line, column, what was found and what was expected" {
    printf 'rd 1 x\nacq 1\n' >bad.tiddle
    for command in "predict -e hb" "tiddle" "tiddle --format" "info"; do
        run "$PREPLAY" $command bad.tiddle
        [ "$status" -eq 3 ]
        [ "$output" = "preplay: bad.tiddle:2:6: found the end of the line, expected a lock" ]
    done
}

@test "formatting keeps comments and lines, and is idempotent" {
    printf '# race\n\n  rd   1 x#why\nwr 2 "x" 0x1' >ugly.tiddle
    "$PREPLAY" tiddle --format ugly.tiddle -o once.tiddle
    [ "$(cat once.tiddle)" = "$(printf '# race\n\nrd 1 x #why\nwr 2 x 1')" ]
    "$PREPLAY" tiddle --format once.tiddle | cmp - once.tiddle
}

@test "missing forks and joins are added, and none to a trace that has them" {
    run "$PREPLAY" tiddle --complete race.tiddle
    [ "${lines[0]}" = "fork 0 1 @added" ]
    [ "${lines[1]}" = "fork 0 2 @added" ]
    [ "${lines[4]}" = "join 0 1 @added" ]
    [ "${#lines[@]}" -eq 6 ]
    printf 'fork main a\nwr a x\nrd main x\njoin main a\n' >whole.tiddle
    "$PREPLAY" tiddle --complete whole.tiddle | cmp - whole.tiddle
}

@test "the race of section 24.2 becomes a program that does it in order" {
    program race.tiddle
    for i in $(seq 50); do
        ./program >out
        wanted race.tiddle | cmp - out
    done
}

@test "every figure's program performs the figure" {
    for trace in "$traces"/*.tiddle; do
        program "$trace"
        for i in 1 2 3; do
            timeout 200 ./program >out
            wanted "$trace" | cmp - out
        done
    done
}

@test "all kinds of synchronisation, in an order that needs every thread held" {
    cat >sync.tiddle <<'END'
fork 0 1
fork 0 2
acq 1 m
tryacq! 0 m
wait 1 c m
acq 2 m
wait 2 c m
notifyall 0 c
acq 0 m
wr 0 x 5
rel 0 m
tryacq 0 m
rel 0 m
woken 2 c m
rd 2 x 5
rel 2 m
woken 1 c m
wait 1 c m
woken! 1 c m
rel 1 m
rdacq 1 w
rdacq 2 w
rdrel 1 w
rdrel 2 w
wracq 0 w
wrrel 0 w
enter 1 b
enter 2 b
enter 0 b
exit 1 b
exit 0 b
exit 2 b
post 0 s
semwait 2 s
semwait 1 s
trysemwait! 2 s
oncebegin 1 o
atomicw.release 1 a 3
onceend 1 o
oncepass 2 o
atomicr.acquire 2 a 3
atomicrmw 0 a 4
alloc 0 h
wr 0 h 7
rd 1 h 7
free 0 h
beg 1 block
beg 1 block
rd 1 x
end 1 block
branch 1
end 1 block
beg 2 other
fence.release 2
end 2 other
join 0 1
join 0 2
END
    program sync.tiddle
    for i in $(seq 30); do
        timeout 200 ./program >out
        cmp sync.tiddle out
    done
}

@test "a thread that never wakes does not keep the program from ending" {
    printf 'acq 1 m\nwait 1 c m\nwr 2 x\nacq 2 m\n' >asleep.tiddle
    program asleep.tiddle
    timeout 200 ./program >out
    wanted asleep.tiddle | cmp - out
}

@test "a read whose value is not there fails the program's assertion" {
    printf 'wr 1 x 1\nrd 2 x 2\n' >wrong.tiddle
    run "$PREPLAY" tiddle --run wrong.tiddle
    [ "$status" -eq 134 ]
    [[ "$output" == *"Assertion"* ]]
}

@test "names that C does not know become ones it does" {
    printf 'wr 1 int\nwr 1 V1.f[0]\nacq 1 int\nrel 1 int\nbeg 1 int\nend 1 int\nrd 2 main\nrd 2 "a b"\n' >odd.tiddle
    program odd.tiddle
    ./program >out
    wanted odd.tiddle | cmp - out
}

@test "loose orders compile and end" {
    for order in none sleep yield; do
        program race.tiddle --order $order
        timeout 200 ./program | sort >out
        wanted race.tiddle | sort | cmp - out
    done
    run "$PREPLAY" tiddle race.tiddle --order no
    [ "$status" -eq 2 ]
}

@test "ThreadSanitizer and Helgrind see the program's own synchronisation alone" {
    echo 'int main(void) { return 0; }' >probe.c
    cc -fsanitize=thread -o probe probe.c && ./probe || skip "no ThreadSanitizer"
    "$PREPLAY" tiddle race.tiddle -o program.c
    cc -g -pthread -fsanitize=thread -o program program.c
    run ./program
    [ "$status" -eq 66 ]
    [[ "$output" == *"data race"* ]]
    printf 'acq 1 m\nwr 1 x 1\nrel 1 m\nacq 2 m\nrd 2 x 1\nrel 2 m\n' >calm.tiddle
    "$PREPLAY" tiddle calm.tiddle -o program.c
    cc -g -pthread -fsanitize=thread -o program program.c
    ./program
    command -v valgrind >/dev/null || skip "no Valgrind"
    cc -g -pthread -o program program.c
    valgrind -q --tool=helgrind --error-exitcode=9 ./program
    printf 'wr 1 x 1\nwr 2 x 2\n' >writes.tiddle
    "$PREPLAY" tiddle writes.tiddle -o program.c
    cc -g -pthread -o program program.c
    run valgrind -q --tool=helgrind --error-exitcode=9 ./program
    [ "$status" -eq 9 ]
}

@test "equivalent traces: all, counted, drawn with a seed" {
    printf 'wr 1 a\nwr 2 b\nwr 3 c\nwr 1 d\n' >free.tiddle
    [ "$("$PREPLAY" tiddle --count free.tiddle)" = 12 ]
    [ "$("$PREPLAY" tiddle --equivalent free.tiddle | grep -c '^# trace')" = 12 ]
    "$PREPLAY" tiddle --equivalent 5 --seed 4 free.tiddle >one
    "$PREPLAY" tiddle --equivalent 5 --seed 4 free.tiddle | cmp - one
    [ "$(grep -c '^# trace' one)" = 5 ]
    [ "$("$PREPLAY" tiddle --count race.tiddle)" = 1 ]
}

@test "one program performs all equivalent traces, one after another" {
    printf 'acq 1 m\nwr 1 x 1\nrel 1 m\nwr 2 y\nwr 2 z\n' >free.tiddle
    program free.tiddle --equivalent
    timeout 200 ./program | grep -v -e fork -e join | sed 's/order/trace/' >out
    "$PREPLAY" tiddle free.tiddle --equivalent | sed 's/ @.*//' | cmp - out
    printf 'acq 1 m\nwr 2 x\n' >held.tiddle
    run "$PREPLAY" tiddle held.tiddle --equivalent -o held.c
    [ "$status" -eq 3 ]
    [[ "$output" == *"lock held"* ]]
}

@test "random traces: the seed decides, and all of them are well-formed" {
    "$PREPLAY" tiddle --random --shape all --threads 3 --events 40 --seed 9 -o one.tiddle
    "$PREPLAY" tiddle --random --shape all --threads 3 --events 40 --seed 9 | cmp - one.tiddle
    [ "$(wc -l <one.tiddle)" -ge 30 ]
    "$PREPLAY" info one.tiddle
    run "$PREPLAY" tiddle --random --shape nothing
    [ "$status" -eq 2 ]
}

@test "a finding becomes the smallest trace that shows it" {
    "$PREPLAY" tiddle --from "$traces/002-fig1.9-hidden-race.std" -o small.tiddle
    run cat small.tiddle
    [[ "${lines[0]}" == "# race r-"* ]]
    [ "${lines[1]}" = "wr T1 x @1" ]
    [ "${lines[2]}" = "wr T2 x @6" ]
    [ "${#lines[@]}" -eq 3 ]
    run "$PREPLAY" tiddle --from "$traces/002-sec4.3-deadlock.std"
    [ "${#lines[@]}" -eq 9 ]
    run "$PREPLAY" tiddle --from "$traces/002-fig1.9-hidden-race.std" r-000000
    [ "$status" -eq 2 ]
    [[ "$output" == *"there are: r-"* ]]
}

findings() { # TRACE : id, kind and places of each
    "$PREPLAY" predict --all --json - "$1" |
        jq -r '.findings[] | [.id, .kind, ([.events[].location] | sort | join(" "))] | join("/")'
}

@test "every finding of every figure is still found in what is cut out" {
    for trace in "$traces"/*.tiddle; do
        findings "$trace" >all
        while IFS=/ read -r id kind places; do
            "$PREPLAY" tiddle --from "$trace" "$id" -o cut.tiddle
            findings cut.tiddle | grep -q -F "/$kind/$places"
        done <all
    done
}

@test "a predicted violation is observed in what is cut out" {
    for figure in 002-fig18.1-observed-serial 002-fig18.4-a-before 002-fig20.4-analysis-state; do
        "$PREPLAY" tiddle --from "$traces/$figure.tiddle" -o cut.tiddle
        run "$PREPLAY" predict -e serial cut.tiddle
        [ "$status" -eq 66 ]
        [[ "$output" == *"1 atomicity violation"* ]]
    done
}

@test "a finding of a recorded program becomes a trace and a program" {
    cat >bank.c <<'END'
#include <pthread.h>
static pthread_mutex_t audit = PTHREAD_MUTEX_INITIALIZER;
static long balance, log_entries;
static void *deposit(void *unused)
{
    balance += 10;
    pthread_mutex_lock(&audit);
    log_entries++;
    pthread_mutex_unlock(&audit);
    return unused;
}
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, deposit, NULL);
    pthread_create(&second, NULL, deposit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
END
    "$PREPLAY" cc -g -pthread -o bank bank.c
    "$PREPLAY" record -d data ./bank
    id=$("$PREPLAY" predict --json - data | grep '"id"' | head -1 | cut -d'"' -f4)
    "$PREPLAY" tiddle --from data "$id" -o cut.tiddle
    [ "$(grep -c balance cut.tiddle)" -ge 2 ]
    [ "$(grep -c -e log_entries -e audit cut.tiddle)" -eq 0 ]
    grep -q '@.*bank.c:6' cut.tiddle
    "$PREPLAY" tiddle --from data "$id" -o cut.c
    cc -pthread -o cut cut.c
    ./cut
}

@test "a file that is a program becomes C that ends in what its threads do" {
    printf 'program\nlike 2 1\nacq 1 m\nrd 1 x\nwr 1 x x + 3\nrel 1 m\nif 1 x == 3 {\natomicadd 1 y 1\n}\n' >code.tiddle
    program code.tiddle
    [ "$(./program)" = "x=6 y=1" ]
    [ "$("$PREPLAY" tiddle --run code.tiddle)" = "x=6 y=1" ]
    "$PREPLAY" tiddle --lines code.tiddle | grep -q '#line 8 "code.tiddle"'
    "$PREPLAY" tiddle --format code.tiddle -o code.tiddle
    grep -qx '    atomicadd 1 y 1' code.tiddle
    printf 'program\nrd 1 x\nassert 1 x == 1\n' >fails.tiddle
    program fails.tiddle
    run ./program
    [ "$status" -eq 134 ]
    [[ "$output" == *"fails.tiddle:3: assertion failed: x == 1"* ]]
}

@test "a file that is a program is no trace" {
    printf 'program\nrd 1 x\n' >code.tiddle
    run "$PREPLAY" predict code.tiddle
    [ "$status" -eq 3 ]
    [ "$output" = "preplay: code.tiddle: this is a program, not a trace: preplay tiddle makes C of it" ]
    run "$PREPLAY" tiddle --count code.tiddle
    [ "$status" -eq 2 ]
}
