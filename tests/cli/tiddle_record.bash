# What tests share that make programs from Tiddle files and record them.

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
    timeout 600 "$PREPLAY" record --values -d data ./program
}
