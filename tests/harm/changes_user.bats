# A program that changes its user is not replayed in a user namespace, where it could not.

bats_require_minimum_version 1.5.0
load users

setup() {
    [ "$(id -u)" -eq 0 ]
    room_for root
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" "$BATS_TEST_DIRNAME/programs/changes_user.c" -o changes_user -pthread
    mkdir work
    chmod 755 work
    cd work
}

teardown() {
    cd /
    rm -rf "$room"
}

# Who may change users and nothing else: other namespaces come only with one of users.
narrow() { setpriv --bounding-set=-sys_admin,-net_admin "$@"; }

@test "with all rights in mounts of its own, without them in a copy" {
    for how in '' narrow; do
        run -66 $how "$PREPLAY" run -d "../trace$how" ../changes_user
        [[ "$output" == *"1 race confirmed"* ]] || { echo "$output"; false; } # and no failure of its own
    done
}

@test "and refused, with the reason, if what it wrote cannot be kept apart otherwise" {
    run narrow "$PREPLAY" run -d ../trace ../changes_user "$room/result"
    [[ "$output" == *"Nothing was replayed: the program wrote to $room/result, and it became user 65534 of group 65534"*"user namespace"*"--in-place"* ]] || { echo "$output"; false; }
    run -2 narrow "$PREPLAY" replay ../trace
    [[ "$output" == *"it became user 65534"* ]]
    # As root it is no difficulty.
    run -0 "$PREPLAY" replay ../trace
}

@test "an ordinary change to the same user is none" {
    cat >../same.c <<'C'
#include <unistd.h>
int main(void) { return setuid(geteuid()) || setgid(getegid()); }
C
    "$PREPLAY" cc -g ../same.c -o ../same
    run -0 "$PREPLAY" record -d ../trace ../same
    [ ! -e ../trace/users ]
    run -0 "$PREPLAY" record -d ../trace ../changes_user
    [ -e ../trace/users ]
    # And a recording with such a note is replaced like any other.
    run -0 "$PREPLAY" record -d ../trace ../same
}
