# Where no mounts can be made, replays run in a copy of the working directory: what preplay does not
# see of a program, as what its children write, is refused elsewhere.

bats_require_minimum_version 1.5.0
load users

setup() {
    room_for contained
    cat >unseen.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int hidden;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
    hidden = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void write_unseen(const char *path)
{
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    printf("%s %s\n", path, file < 0 ? "refused" : "written");
    if (file >= 0 && write((int)file, "once\n", 5) == 5)
        close((int)file);
}
int main(int count, char **words)
{
    pthread_t thread;
    char command[4096], temporary[4096];
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i < count; i++)
        write_unseen(words[i]);
    snprintf(command, sizeof command,
             "echo child; cd \"$(dirname '%s')\" && echo once >>by_child; mv moved renamed;"
             " mkdir made; rm -f removed; truncate -s 0 cut; echo x >/dev/null",
             words[count - 1]);
    if (system(command) < 0)
        return 2;
    snprintf(temporary, sizeof temporary, "%s/XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
    if (getenv("PREPLAY_REPLAY"))
        puts(mkstemp(temporary) >= 0 ? "temporary" : "nothing temporary");
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", hidden);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" unseen.c -o unseen -pthread
    mkdir work outside
    echo moved >outside/moved
    cd work
}

teardown() {
    cd /
    rm -rf "$room"
}

# As they were for the run.
again() {
    rm -rf ../outside
    mkdir ../outside
    for file in moved removed cut old; do echo old >../outside/$file; done
}

@test "what a replay writes elsewhere by its children and system calls is refused" {
    again
    run -66 as contained "$PREPLAY" run -d ../trace ../unseen inside "$room/outside/old"
    [[ "$output" == *"1 race confirmed"* ]] || { echo "$output"; false; }
    [[ "$output" == *"copy of its working directory, and could write nothing elsewhere"* ]]
    [ "$(wc -l <../outside/by_child)" -eq 1 ]
    again
    tree_of ../outside >"$BATS_TEST_TMPDIR/before"
    tree_of . >"$BATS_TEST_TMPDIR/work"
    run as contained "$PREPLAY" replay -n 3 -j 2 ../trace
    [[ "$output" == *"confirmed 3 of 3 times"* ]] || { echo "$output"; false; }
    tree_of ../outside | diff "$BATS_TEST_TMPDIR/before" -
    tree_of . | diff "$BATS_TEST_TMPDIR/work" -
}

@test "inside, and where it makes temporary files, it can write" {
    again
    as contained "$PREPLAY" run -d ../trace ../unseen inside "$room/outside/old" || [ $? -eq 66 ]
    PREPLAY_GDB="-batch -ex preplay" run as contained timeout 120 "$PREPLAY" replay --gdb ../trace </dev/null
    [[ "$output" == *"inside written"*"outside/old refused"*"child"*"temporary"*"stands at the error"* ]] || { echo "$output"; false; }
    [[ "$output" != *"nothing temporary"* ]]
    [ "$(wc -l <../outside/old)" -eq 2 ] # the run's own
}

@test "those of exploring, too" {
    again
    run as contained "$PREPLAY" explore -d ../explored ../unseen inside "$room/outside/old"
    echo "$output"
    [ "$(cat ../outside/old)" = old ]
    [ ! -e ../outside/by_child ]
    [ ! -e inside ]
    [[ "$output" == *"2 behaviours"* ]]
}

@test "in place everything can be written" {
    again
    as contained "$PREPLAY" run -d ../trace ../unseen inside "$room/outside/old" || [ $? -eq 66 ]
    run as contained "$PREPLAY" replay --in-place ../trace
    [ "$(wc -l <../outside/old)" -gt 2 ]
}
