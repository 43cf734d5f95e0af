# Replays find the files that the recorded run found, and leave no trace in them.

bats_require_minimum_version 1.5.0
load users

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" "$BATS_TEST_DIRNAME/programs/changes_files.c" -o changes_files -pthread
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR"
}

teardown() {
    cd /
    rm -rf "$room"
    [ -z "$SHARED" ] || rm -f "/dev/shm/$SHARED" "/dev/shm/sem.$SHARED"
}

make_old() {
    as "$1" sh -c 'mkdir -p work/emptied work/moved/deep && cd work &&
        for file in overwritten appended renamed removed truncated mapped replaced emptied/file moved/deep/file; do
            echo "old $file" >$file; done; chmod 640 removed; ln -s removed linked
        echo "old mode" >mode; echo "old mode" >mode_open; chmod 640 mode mode_open
        echo "old time" >time; touch -d @1000 time; mkdir mode_inside; chmod 750 mode_inside'
    cp "$BATS_FILE_TMPDIR/changes_files" .
}

# What the run itself has changed stays, and is all that has.
confirm_as() {
    room_for "$1"
    make_old "$1"
    cd work
    as "$1" "$PREPLAY" record -d ../trace ../changes_files
    as "$1" "$PREPLAY" predict ../trace || [ $? -eq 66 ]
    tree_of . >../after
    run as "$1" "$PREPLAY" replay -n 3 -j 2 ../trace
    [[ "$output" == *"confirmed 3 of 3 times"* ]] || { echo "$output"; cat ../trace/replays/*.output; false; }
    tree_of . | diff ../after -
    grep -q new overwritten
}

# The same with names in /dev/shm, which only mounts keep apart.
confirm_shared_as() {
    export SHARED=preplay-harm-$BASHPID
    confirm_as "$1"
    [ "$(cat "/dev/shm/$SHARED")" = new ]
    rm "/dev/shm/$SHARED" "/dev/shm/sem.$SHARED"
    unset SHARED
}

@test "replays of root leave files alone, and find what was there before" {
    confirm_shared_as root
}

@test "those of an ordinary user, too" {
    confirm_shared_as user
}

@test "and those where no mount namespace can be made: in a copy of the working directory" {
    confirm_as contained
}

temporary() { ls -a /tmp /var/tmp /dev/shm "${TMPDIR:-/tmp}" | grep "preplay-[0-9]" | sort || true; }

@test "nothing is left in directories for temporary files either" {
    temporary >"$BATS_TEST_TMPDIR/before"
    confirm_as contained
    [ -z "$(temporary | comm -13 "$BATS_TEST_TMPDIR/before" -)" ] # older ones may have gone
}

@test "run replays apart, too: the result of the run is what remains" {
    room_for user
    make_old user
    cd work
    run as user "$PREPLAY" run -d ../trace ../changes_files
    [ "$status" -eq 66 ]
    [ "$(cat overwritten)" = new ]
    [ "$(cat appended)" = "$(printf 'old appended\nnew')" ]
    [ ! -e emptied ]
    [ "$(wc -l <by_child)" -eq 1 ]
    # What nothing of ours has seen changing is said: a child's file, and one by a system call.
    [[ "$output" == *"2 files changed during the run, and not by what preplay sees of it ("*"/work/"* ]]
}

# The shell's descriptor is not known to be written to before the file is removed.
@test "what is removed while an inherited descriptor writes to it is kept as it was" {
    room_for root
    mkdir work && cd work
    cat >../removes.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *write_later(void *unused) { return write(7, "later\n", 6) == 6 ? unused : NULL; }
int main(void)
{
    pthread_t thread;
    unlink("log");
    unlink("other");
    pthread_create(&thread, NULL, write_later, NULL);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -pthread ../removes.c -o ../removes
    echo before >log
    echo other >other
    "$PREPLAY" record -d ../trace ../removes 7>>log
    [ "$(grep -lx before ../trace/before/* | wc -l)" = 1 ]
    run ! grep -rqx later ../trace/before
    [ "$(grep -lx other ../trace/before/* | wc -l)" = 1 ]
}

@test "written outside of what can be kept apart: nothing is replayed, and --in-place is named" {
    room_for contained
    cat >elsewhere.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found;
static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int count, char **words)
{
    pthread_t thread;
    FILE *file = fopen(words[count - 1], "a");
    fputs("once\n", file);
    fclose(file);
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" elsewhere.c -o elsewhere -pthread
    mkdir work
    cd work
    run as contained "$PREPLAY" run -d ../trace ../elsewhere "$room/elsewhere.txt"
    [[ "$output" == *"Nothing was replayed: the program wrote to $room/elsewhere.txt"*"--in-place"* ]]
    [ "$(cat ../elsewhere.txt)" = once ]
    run as contained "$PREPLAY" replay ../trace
    [ "$status" -eq 2 ]
    [[ "$output" == *"--in-place"* ]]
    run as contained "$PREPLAY" replay --in-place ../trace
    [ "$status" -eq 0 ]
    [ "$(wc -l <../elsewhere.txt)" -gt 1 ]
    # With mounts it is no difficulty.
    cp ../elsewhere.txt "$BATS_TEST_TMPDIR"
    run as root "$PREPLAY" replay ../trace
    [ "$status" -eq 0 ]
    cmp ../elsewhere.txt "$BATS_TEST_TMPDIR/elsewhere.txt"
}

@test "a disk that was written to cannot be kept apart: nothing is replayed, and --in-place is named" {
    room_for root
    cat >disk_user.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found;
static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(int words, char **word)
{
    pthread_t thread;
    close(open(word[1], words > 2 ? O_RDONLY : O_RDWR));
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" disk_user.c -o disk_user -pthread
    mknod disk b 60 250 # there is none behind it
    ln -s disk named
    run "$PREPLAY" run -d trace ./disk_user named
    [[ "$output" == *"Nothing was replayed: the program opened the disk $room/disk for writing"*"--in-place"* ]]
    run -2 "$PREPLAY" replay trace
    [[ "$output" == *"$room/disk"*"--in-place"* ]]
    run -0 "$PREPLAY" replay --in-place trace
    # Who only reads one, or may not do more, is replayed.
    run -66 "$PREPLAY" run -d trace ./disk_user named reads
    [[ "$output" != *"Nothing was replayed"* ]]
    chmod 644 disk
    chmod 777 .
    run -66 as user "$PREPLAY" run -d trace2 ./disk_user named
    [[ "$output" != *"Nothing was replayed"* ]]
}

@test "what would not fit into memory is on a disk, and is removed there: an ordinary user" {
    room_for user
    cat >large.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found;
static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    FILE *file = fopen("large", "wx");
    if (!file || ftruncate(fileno(file), 1L << 39))
        return 9;
    fclose(file);
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" large.c -o large_program -pthread
    temporary >"$BATS_TEST_TMPDIR/before"
    as user "$PREPLAY" record -d trace ./large_program
    as user "$PREPLAY" predict trace || [ $? -eq 66 ]
    stat -c '%s %y %z' large >"$BATS_TEST_TMPDIR/large"
    run as user "$PREPLAY" replay -n 3 -j 2 trace
    [[ "$output" == *"confirmed 3 of 3 times"* ]] || { echo "$output"; false; }
    stat -c '%s %y %z' large | diff "$BATS_TEST_TMPDIR/large" -
    [ -z "$(temporary | comm -13 "$BATS_TEST_TMPDIR/before" -)" ] # older ones may have gone
}

@test "what is too large to be kept is said" {
    room_for user
    make_old user
    cd work
    run as user "$PREPLAY" run --keep-files 20 -d ../trace ../changes_files
    [[ "$output" == *"Replays found "*" as the run had left "*"--keep-files"* ]]
}

@test "doctor tells what this machine offers, and what is not to be had" {
    run "$PREPLAY" doctor
    [[ "$output" == *"ok   replays find their files in mounts of their own"* ]]
    [[ "$output" == *"ok   a replay in a copy of its directory is refused to write elsewhere"* ]]
    run as contained "$PREPLAY" doctor
    [[ "$output" == *"ok   a replay in a copy of its directory is refused to write elsewhere"* ]]
    [[ "$output" == *"NO   replays find their files in mounts of their own"*"copy of the working directory"* ]]
}
