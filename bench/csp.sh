#!/bin/bash
# csp (and deadlock) against hb on the same file, each with what it found and left undecided:
# a trace of the size of Carril & Tichy's lu, dining philosophers, the generated traces of
# streaming.sh, dense random ones, and programs that wait for more than locks. CPU seconds
# with reading the text, so that a busy machine does not matter.
#     bench/csp.sh [BUILD] [lu|philosophers|generated|random|waits...]
set -e
build=${1:-build}
shift || true
parts=${*:-lu philosophers generated random waits}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cpu() { # ARGS : CPU seconds of preplay predict ARGS; its last lines in $work/last
    TIMEFORMAT='%U %S'
    { time "$build/preplay" predict "$@" > "$work/out" || [ $? -eq 66 ]; } 2> "$work/time"
    tail -2 "$work/out" > "$work/last"
    awk '{ print $1 + $2 }' <(tail -1 "$work/time")
}

# row NAME ENGINE... : hb and the engines on $work/trace.std
row() {
    local name=$1 hb seconds
    shift
    hb=$(cpu -e hb "$work/trace.std")
    printf '%-30s %-9s %8s s\n' "$name" hb "$hb"
    for engine in "$@"; do
        seconds=$(cpu -e "$engine" "$work/trace.std")
        printf '%-30s %-9s %8s s  %7.1f times hb; %s; %s\n' "$name" "$engine" "$seconds" \
            "$(awk "BEGIN { print $seconds / ($hb > 0 ? $hb : 0.001) }")" \
            "$(head -1 "$work/last" | sed 's/, 0 atomicity violations//')" \
            "$(tail -1 "$work/last" | grep -o '[0-9]* of [0-9]* candidates undecided' || echo 'all decided')"
    done
}

for part in $parts; do
    case $part in
    lu)
        "$build/bench/lu" > "$work/trace.std" 2> /dev/null
        row "lu, 59.9 million events" csp
        ;;
    philosophers)
        for n in 5 10 20 30 40 50; do
            awk -v n=$n 'BEGIN {
                for (i = 0; i < n; i++) print "T0|fork(P" i ")|fork"
                for (i = 0; i < n; i++) {
                    print "P" i "|acq(f" i ")|left" i; print "P" i "|acq(f" (i + 1) % n ")|right" i
                    print "P" i "|rel(f" (i + 1) % n ")|put" i; print "P" i "|rel(f" i ")|put" i
                } }' > "$work/trace.std"
            row "$n philosophers" deadlock csp
        done
        ;;
    generated)
        for events in 100000 1000000; do
            for contention in low middle high; do
                "$build/bench/generate" --events $events --contention $contention > "$work/trace.std" 2> /dev/null
                row "$contention contention, $events" csp
            done
        done
        ;;
    random)
        for shape in large large-all; do
            for events in 10000 100000; do
                "$build/preplay" tiddle --random --shape "$shape:events=$events" --seed 1 --format -o "$work/trace.tiddle"
                "$build/preplay" convert --to std "$work/trace.tiddle" -o "$work/lines.std"
                awk -F'|' '{ print $1 "|" $2 "|" (NR * 2654435761) % 61 }' "$work/lines.std" > "$work/trace.std"
                row "random, $shape, $events" csp
            done
        done
        ;;
    waits)
        for kind in buffer semaphores barriers; do
            for events in 10000 100000 1000000; do
                "$build/bench/waits" $kind $events > "$work/trace.std"
                row "$kind, $events" deadlock csp
            done
        done
        ;;
    *)
        echo "bench/csp.sh: no such part: $part" >&2
        exit 2
        ;;
    esac
done
