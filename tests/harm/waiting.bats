# Nobody waits for a thread that cannot run.

bats_require_minimum_version 1.5.0
load as_plain.bash

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "a handler's atomics on the object of the interrupted code" {
    build handler_atomics
    same_as_plain handler_atomics
    [ "$actual" = right ]
    same_as_plain handler_atomics theirs
    [ "$actual" = right ]
    "$PREPLAY" info trace >/dev/null
}

@test "threads of real-time priority and others at one atomic" {
    build real_time
    same_as_plain real_time
    [ "$actual" = 2000 ]
}
