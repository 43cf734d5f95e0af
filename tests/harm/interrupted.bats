# Ctrl-C and SIGTERM in every phase of `run`: what is known is told, with where the recording is and how to go on;
# the second ends it at once.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    cd "$BIN"
    cat >stuck.c <<'C' # two threads in a deadlock, a third that sleeps: nobody can tell that it hangs
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *one(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (;;)
        pause();
}
C
    cat >pairs.c <<'C' # with --pairs there is much to predict
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int numbers[64];
static void *run(void *mutex)
{
    for (int i = 0; i < 900; i++) {
        pthread_mutex_lock(mutex);
        numbers[i % 64]++;
        pthread_mutex_unlock(mutex);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run, &a);
    pthread_create(&threads[1], NULL, run, &b);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
    cat >slow.c <<'C' # a race that did not happen, in a program whose replays take long
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int result;
static void *run(void *unused)
{
    result = 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    if (getenv("PREPLAY_REPLAY"))
        sleep(100);
    pthread_create(&thread, NULL, run, NULL);
    usleep(200000);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    int seen = result;
    pthread_join(thread, NULL);
    return seen - 1;
}
C
    for program in stuck pairs slow; do
        "$PREPLAY" cc -g -pthread -include "$BATS_TEST_DIRNAME/../programs/patience.h" $program.c -o $program
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# until_true COMMAND... : waits for it, not for ever.
until_true() {
    for _ in $(seq 6000); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.01
    done
    return 1
}

# begin OPTIONS... : `preplay run` in the background, what it says in `said`; signals are not ignored there.
begin() {
    env --default-signal=INT "$PREPLAY" run "$@" >said 2>&1 &
    tool=$!
}

# ended : its exit code in $code.
ended() {
    code=0
    wait "$tool" || code=$?
}

has_ended() { jq -e 'has("exit_code") or has("signal")' preplay.data/latest/manifest.json; }
said() { grep -q "$1" said; }

@test "while recording: the program gets it, and what it did is reported" {
    for signal in TERM INT; do
        rm -rf preplay.data
        begin --stop-after 500 "$BIN/stuck"
        until_true bash -c '"$PREPLAY" info 2>/dev/null | grep -q "2  threads that waited"'
        kill -$signal "$tool"
        [ "$signal" = TERM ] || kill -INT "$(cat preplay.data/latest/process)" # a terminal signals both
        ended
        [ "$code" -eq 66 ]
        said "LOCK-ORDER INVERSION.*observed"
        said "1 deadlock observed"
    done
}

@test "while predicting: what is known is told, and how to go on" {
    for signal in TERM INT; do
        rm -rf preplay.data
        begin --pairs --max-replays 0 --json out.json "$BIN/pairs"
        until_true has_ended
        kill -$signal "$tool"
        ended
        # Races that happened are told; without one it ends by the signal.
        [ "$code" -eq 66 ] || [ "$code" -eq 143 ] || [ "$code" -eq 130 ]
        said "predicting was interrupted"
        said "The recording is in preplay.data/pairs-.*report preplay.data/pairs-"
        jq -e '.incomplete == "predicting was interrupted"' out.json
        # What it left is not taken for all there is.
        run "$PREPLAY" report --json
        [ "$(echo "$output" | jq 'has("incomplete")')" = false ]
    done
}

@test "while replaying: SIGTERM, too, ends it, and nothing is left behind" {
    for signal in TERM INT; do
        rm -rf preplay.data
        begin "$BIN/slow"
        until_true bash -c 'ls preplay.data/latest/replays/*.control'
        until_true pgrep -f "^$BIN/slow"
        kill -$signal "$tool"
        ended
        [ "$code" -eq $((128 + $(kill -l $signal))) ]
        said "not replayed, it was interrupted"
        said "The recording is in preplay.data/slow-"
        until_true bash -c "! pgrep -f '^$BIN/slow'"
        run "$PREPLAY" predict # its own lock is gone
        [ "$status" -eq 66 ]
    done
}

@test "while reporting: the first lets it finish, the second ends it at once" {
    mkfifo page
    begin --stop-after 1 --html page "$BIN/stuck" # nobody reads the page
    until_true said "1 deadlock observed"
    kill -TERM "$tool"
    until_true said "interrupted: what is known so far follows"
    kill -TERM "$tool"
    ended
    [ "$code" -eq 143 ]
    said "ended. The recording is in preplay.data/stuck-"
}

@test "a second signal while predicting ends it at once, with a word of where the recording is" {
    begin --pairs --max-replays 0 "$BIN/pairs"
    until_true has_ended
    kill -TERM "$tool"
    kill -TERM "$tool" || true
    kill -TERM "$tool" || true
    ended
    [ "$code" -eq 143 ] || [ "$code" -eq 66 ]
    "$PREPLAY" info >/dev/null
}
