# Tiddle end to end: a trace becomes a program, the program is recorded, and the
# recording is the trace.

load tiddle_record.bash

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
        timeout 600 "$PREPLAY" record --values -d data ./program
        "$PREPLAY" convert --to std data -o straight.std
        [ "$("$PREPLAY" dump data | wc -l)" -eq "$(wc -l <straight.std)" ]
        "$PREPLAY" convert --to tiddle data -o straight.tiddle
        "$PREPLAY" convert --to tiddle straight.std | cmp - straight.tiddle
        "$PREPLAY" convert --to std straight.tiddle | cmp - straight.std
        "$PREPLAY" tiddle --format straight.tiddle | cmp - straight.tiddle
    done
}

# Two accesses; two acquires a thread, closed; a block with two sections, and the culprit's. (That
# the read in one may come late is another matter, and shorter.)
@test "findings of recorded programs are cut down to the least" {
    for wanted in truth/race_behind_trylock:2 truth/race_nested_locks:2 truth/deadlock_two:8 \
        truth/deadlock_three:12 atomicity/check_then_act:8 atomicity/upgrade:8; do
        "$PREPLAY" cc -g -O1 -w -pthread -I"$here/../../include" -o program "$here/../programs/${wanted%:*}.c"
        rm -rf data
        timeout 600 "$PREPLAY" record --blocks -d data ./program
        least=1000
        for id in $("$PREPLAY" predict --json - data | jq -r '.findings[] | select(.kind != "order") | .id'); do
            "$PREPLAY" tiddle --from data "$id" -o cut.tiddle
            lines=$(grep -vc '^#' cut.tiddle)
            [ "$lines" -ge "$least" ] || least=$lines
            "$PREPLAY" tiddle cut.tiddle -o cut.c
            cc -w -pthread -o cut cut.c
            timeout 200 ./cut
        done
        [ "$least" -eq "${wanted#*:}" ] || { echo "$wanted $least"; false; }
    done
}

@test "predicted races, deadlocks and atomicity violations are confirmed by replay" {
    for figure in 002-fig1.9-hidden-race 002-sec4.3-deadlock 002-fig1.10-observed-serial; do
        "$PREPLAY" tiddle "$here/../traces/$figure.tiddle" --lines -o program.c
        "$PREPLAY" cc -g -O1 -w -pthread -o program program.c
        rm -rf data
        run timeout 600 "$PREPLAY" run -d data ./program
        [ "$status" -eq 66 ]
        [[ "$output" == *"1 confirmed"* ]]
    done
}
