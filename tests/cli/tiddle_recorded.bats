# Tiddle end to end: a trace becomes a program, the program is recorded, and the
# recording is the trace. TIDDLE_PROGRAMS says how many random ones (default 40).

setup() {
    here="$BATS_TEST_DIRNAME"
    cd "$BATS_TEST_TMPDIR"
    echo 'int main(void) { return 0; }' >probe.c
    "$PREPLAY" cc -o probe probe.c || skip "nothing can be recorded here"
}

record() { # TIDDLE : makes ./program and its recording in ./data
    "$PREPLAY" tiddle "$1" --lines -o program.c
    "$PREPLAY" cc -g -O1 -w -pthread -o program program.c
    rm -rf data
    timeout 60 "$PREPLAY" record -d data ./program
}

findings() { # TRACE : of all engines, by line
    "$PREPLAY" predict --all --json - -e "$engines" "$1" |
        python3 "$here/findings_by_line.py"
}

@test "random programs, recorded, give back the traces they came from" {
    refused=0
    for shape in basic locks all; do
        for seed in $(seq $((${TIDDLE_PROGRAMS:-42} / 3))); do
            "$PREPLAY" tiddle --random --shape $shape --events 25 --seed $seed -o trace.tiddle
            if "$PREPLAY" tiddle trace.tiddle 2>&1 | grep 'glibc'; then
                refused=$((refused + 1))
                continue
            fi
            record trace.tiddle
            "$PREPLAY" tiddle --complete trace.tiddle -o whole.tiddle
            "$PREPLAY" convert --to std whole.tiddle | awk -f "$here/same_trace.awk" >wanted
            "$PREPLAY" convert --to std data | awk -f "$here/same_trace.awk" >found
            diff found wanted || { echo "$shape $seed"; false; }
        done
    done
    [ "$refused" -le $((${TIDDLE_PROGRAMS:-42} / 20)) ]
}

@test "a program performs the same order fifty times" {
    for seed in 1 2 3 4; do
        "$PREPLAY" tiddle --random --shape all --events 40 --seed $seed -o trace.tiddle
        "$PREPLAY" tiddle trace.tiddle -o program.c
        cc -w -pthread -DPRINT -o program program.c
        "$PREPLAY" tiddle --complete trace.tiddle | sed 's/ @.*//' >wanted
        for i in $(seq 50); do
            timeout 20 ./program >found
            cmp found wanted
        done
    done
}

@test "every figure, recorded, has the findings of the figure with every engine" {
    # The message about an engine that is not there lists those that are.
    engines=$("$PREPLAY" predict -e ? /dev/null 2>&1 | sed 's/.*there are: //; s/, /,/g')
    for trace in "$here"/../traces/*.std; do
        # In C a wait and its return, as a barrier's two sides, are one statement.
        "$PREPLAY" convert --to tiddle "$trace" | sed 's/ @.*//' | awk '
            $1 == "wait" || $1 == "enter" { begun[$2] = NR }
            { print $0 ($1 ~ /^(woken!?|exit)$/ ? " @" begun[$2] : "") }' >figure.tiddle
        record figure.tiddle
        findings figure.tiddle >wanted
        findings data >found
        diff found wanted || { echo "$trace"; false; }
    done
}

@test "predicted races, deadlocks and atomicity violations are confirmed by replay" {
    for figure in 002-fig1.9-hidden-race 002-sec4.3-deadlock 002-fig1.10-observed-serial; do
        "$PREPLAY" convert --to tiddle "$here/../traces/$figure.std" | sed 's/ @.*//' >figure.tiddle
        "$PREPLAY" tiddle figure.tiddle --lines -o program.c
        "$PREPLAY" cc -g -O1 -w -pthread -o program program.c
        rm -rf data
        run timeout 60 "$PREPLAY" run -d data ./program
        [ "$status" -eq 66 ]
        [[ "$output" == *"1 confirmed"* ]]
    done
}
