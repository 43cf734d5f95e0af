# Tiddle end to end: a trace becomes a program, the program is recorded, and the
# recording is the trace. TIDDLE_PROGRAMS says how many random ones (default 200).

setup() {
    here="$BATS_TEST_DIRNAME"
    cd "$BATS_TEST_TMPDIR"
    echo 'int main(void) { return 0; }' >probe.c
    "$PREPLAY" cc -o probe probe.c || skip "nothing can be recorded here"
}

record() { # TIDDLE [COMPILER OPTION...] : makes ./program and its recording in ./data
    "$PREPLAY" tiddle "$1" --lines -o program.c
    "$PREPLAY" cc -g -O1 -w -pthread "${@:2}" -o program program.c
    rm -rf data
    timeout 60 "$PREPLAY" record --values -d data ./program
}

# Each program once for both: recorded it gives the trace back, and fifty runs print it.
@test "random programs give back the traces they came from, and keep their order" {
    fifty=$(seq -s ' ' 50)
    for shape in basic locks all; do
        performed=0 refused=0
        for ((seed = 1; performed * 3 < ${TIDDLE_PROGRAMS:-200}; seed++)); do
            "$PREPLAY" tiddle --random --shape $shape --events 25 --seed $seed -o trace.tiddle
            if "$PREPLAY" tiddle trace.tiddle 2>&1 | grep 'glibc'; then
                refused=$((refused + 1))
                continue
            fi
            record trace.tiddle -DPRINT -O0 -g0 >/dev/null
            "$PREPLAY" tiddle --complete trace.tiddle -o whole.tiddle
            "$PREPLAY" convert --to std whole.tiddle | awk -f "$here/same_trace.awk" >wanted
            "$PREPLAY" convert --to std data | awk -f "$here/same_trace.awk" >found
            diff found wanted || { echo "$shape $seed"; false; }
            timeout 60 sh -c "for run in $fifty; do ./program; done" >found
            once=$(sed 's/ @.*//' whole.tiddle)
            for run in $fifty; do echo "$once"; done | cmp found - || { echo "$shape $seed"; false; }
            performed=$((performed + 1))
        done
        [ "$refused" -le $((seed / 10)) ]
    done
}

@test "every figure, recorded, has the paper's verdicts with every engine" {
    for figure in "$here"/../traces/*.tiddle; do
        name=$(basename "$figure" .tiddle)
        mkdir -p "recordings/$name"
        cd "recordings/$name"
        # Places are lines here, not what @ says.
        sed 's/ @.*//' "$figure" >figure.tiddle
        record figure.tiddle
        cd ../..
    done
    "$FIGURES" recordings
}

@test "recordings go to std, to tiddle and back without losing an event" {
    for program in atomics barriers blocks conditions mutexes once rwlocks semaphores; do
        "$PREPLAY" cc -g -O1 -w -pthread -I"$here/../../include" -o program "$here/../programs/$program.c"
        rm -rf data
        timeout 60 "$PREPLAY" record --values -d data ./program
        "$PREPLAY" convert --to std data -o straight.std
        [ "$("$PREPLAY" dump data | wc -l)" -eq "$(wc -l <straight.std)" ]
        "$PREPLAY" convert --to tiddle data -o straight.tiddle
        "$PREPLAY" convert --to tiddle straight.std | cmp - straight.tiddle
        "$PREPLAY" convert --to std straight.tiddle | cmp - straight.std
        "$PREPLAY" tiddle --format straight.tiddle | cmp - straight.tiddle
    done
}

# Two accesses; two acquires a thread, closed; a block with two sections, and the culprit's.
@test "findings of recorded programs are cut down to the least" {
    for wanted in truth/race_behind_trylock:2 truth/race_nested_locks:2 truth/deadlock_two:8 \
        truth/deadlock_three:12 atomicity/check_then_act:8 atomicity/upgrade:8; do
        "$PREPLAY" cc -g -O1 -w -pthread -I"$here/../../include" -o program "$here/../programs/${wanted%:*}.c"
        rm -rf data
        timeout 60 "$PREPLAY" record --blocks -d data ./program
        least=1000
        for id in $("$PREPLAY" predict --json - data | jq -r '.findings[].id'); do
            "$PREPLAY" tiddle --from data "$id" -o cut.tiddle
            lines=$(grep -vc '^#' cut.tiddle)
            [ "$lines" -ge "$least" ] || least=$lines
            "$PREPLAY" tiddle cut.tiddle -o cut.c
            cc -w -pthread -o cut cut.c
            timeout 20 ./cut
        done
        [ "$least" -eq "${wanted#*:}" ] || { echo "$wanted $least"; false; }
    done
}

@test "predicted races, deadlocks and atomicity violations are confirmed by replay" {
    for figure in 002-fig1.9-hidden-race 002-sec4.3-deadlock 002-fig1.10-observed-serial; do
        "$PREPLAY" tiddle "$here/../traces/$figure.tiddle" --lines -o program.c
        "$PREPLAY" cc -g -O1 -w -pthread -o program program.c
        rm -rf data
        run timeout 60 "$PREPLAY" run -d data ./program
        [ "$status" -eq 66 ]
        [[ "$output" == *"1 confirmed"* ]]
    done
}
