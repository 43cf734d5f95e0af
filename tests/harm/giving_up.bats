# What a program gives up (user, root, descriptors, system calls) takes nothing from its recording.
# Needs root, as the programs do that have something to give up.

bats_require_minimum_version 1.5.0
load as_plain.bash

setup() {
    cd "$BATS_TEST_TMPDIR"
    chmod 755 .
    build gives_up
}

whole() { # TRACE: every round of both threads is there, up to their ends, and nothing stopped
    [ ! -e "$1/stopped" ]
    [ ! -e trace/space ]
    "$PREPLAY" info "$1" >info
    [ "$("$PREPLAY" dump "$1" | grep -c '|acq(mutex)\|acq(mutex)')" -eq 40000 ]
    run -66 "$PREPLAY" predict -e hb "$1"
    [[ "$output" == *"on racy"* ]]
}

@test "the user, the root, descriptors, their limit, system calls: recorded to the end" {
    [ "$(id -u)" -eq 0 ]
    for what in nothing user root descriptors limit calls; do
        same_as_plain gives_up $what
        [ "$status" -eq 3 ]
        [ -z "$said" ]
        whole trace
    done
}

@test "children of one that gave up its user or its root record, too" {
    [ "$(id -u)" -eq 0 ]
    for what in user root; do
        same_as_plain gives_up $what fork
        [ "$status" -eq 3 ]
        whole trace/process-*
    done
}

@test "a program that gave up its user is found racing" {
    [ "$(id -u)" -eq 0 ]
    run -66 "$PREPLAY" run -d trace ./gives_up.recorded user
    [[ "$output" == *"on racy"* ]]
    [[ "$output" != *incomplete* ]]
}
