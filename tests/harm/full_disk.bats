# A full disk while replaying: the report comes all the same, and no signal ends preplay.
load users

@test "the disk is full when replays begin" {
    cd "$BATS_TEST_TMPDIR"
    cat >racy.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found, passed;
static void *other(void *unused)
{
    found = 1;
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    usleep(100000);
    pthread_mutex_lock(&lock);
    passed++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", found);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" racy.c -o racy -pthread
    # A small file system of its own, which is filled as soon as there are findings to replay.
    cat >inside.sh <<'S'
mkdir disk && mount -t tmpfs -o size=2m,mode=777 tmpfs disk && cd disk || exit 99
fill() { dd if=/dev/zero of=fill bs=4k 2>/dev/null; dd if=/dev/zero of=fill2 bs=512 2>/dev/null; true; }
"$PREPLAY" record -d trace ../racy || exit 98
"$PREPLAY" predict trace
fill
"$PREPLAY" replay trace
echo "replay: $?"
rm -f fill fill2
(while ! ls other/streams/*.pps >/dev/null 2>&1; do sleep 0.01; done; fill) &
"$PREPLAY" run -d other ../racy
echo "run: $?"
wait
S
    run unshare -rm sh inside.sh
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"No space left"* || "$output" == *"cannot be written"* ]] # whichever is first
    [[ "$output" =~ "replay: "([1-4])$'\n' ]]
    [[ "$output" =~ "run: "(0|4|66|67) ]]
    [[ "$output" == *"preplay: "*"race"* || "$output" == *"nothing found"* ]]
}
