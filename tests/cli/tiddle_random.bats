# Tiddle end to end on random traces. TIDDLE_PROGRAMS says how many (default 200, of all shapes).

load tiddle_record.bash

# Each program once for both: recorded it gives the trace back, and fifty runs print it.
give_back() { # SHAPE
    shape=$1 fifty=$(seq -s ' ' 50)
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
        timeout 600 sh -c "for run in $fifty; do ./program; done" >found
        once=$(sed 's/ @.*//' whole.tiddle)
        for run in $fifty; do echo "$once"; done | cmp found - || { echo "$shape $seed"; false; }
        performed=$((performed + 1))
    done
    [ "$refused" -le $((seed / 10)) ]
}

@test "random programs of shape basic give back the traces they came from, and keep their order" {
    give_back basic
}

@test "random programs of shape locks give back the traces they came from, and keep their order" {
    give_back locks
}

@test "random programs of shape all give back the traces they came from, and keep their order" {
    give_back all
}
