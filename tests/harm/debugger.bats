# A replay under gdb stops at the error, also where the error is a use after free: it must not wait
# for ever for a thread that stands before free().

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >reaped.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void say(const char *text)
{
    pthread_mutex_lock(&log_lock);
    puts(text);
    pthread_mutex_unlock(&log_lock);
}
static struct connection { int bytes; } *connection;
static void *worker(void *unused)
{
    connection->bytes += 10;
    say("used");
    return unused;
}
int main(void)
{
    pthread_t thread;
    connection = calloc(1, sizeof *connection);
    pthread_create(&thread, NULL, worker, NULL);
    usleep(200000); /* the worker has long been there, but nothing says so */
    say("reaping");
    free(connection);
    return pthread_join(thread, NULL);
}
C
    "$PREPLAY" cc -g -pthread -include "$BATS_TEST_DIRNAME/../programs/patience.h" reaped.c -o reaped
    "$PREPLAY" run -d data --json out.json ./reaped >text 2>&1 || [ $? -eq 66 ]
}

@test "gdb stands at a use after free" {
    grep -q '^USE AFTER FREE r-.*: confirmed' text
    id=$(jq -r '[.findings[] | select(.rule == "use-after-free")][0].id' out.json)
    PREPLAY_GDB="-batch -ex preplay -ex bt" run -0 timeout 120 "$PREPLAY" replay --gdb data "$id" </dev/null
    [[ "$output" == *"the program stands at the error"* ]]
    [[ "$output" == *"reaped.c"* ]]
}
