# One finding per root cause, with its other places; two defects stay two.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# compile_and_run : program.c, to out.text and out.json.
compile_and_run() {
    "$PREPLAY" cc -g -pthread program.c -o program
    "$PREPLAY" run -d data --json out.json "$@" ./program >/dev/null 2>out.text || [ $? -eq 66 ]
}

causes() {
    jq '[.findings[].group] | unique | length' out.json
}

# reader WRITES... : a thread that makes the writes, and main that reads the whole structure.
one_cause() {
    cat <<'C'
#include <pthread.h>
static struct { int field[30]; } data;
static void *fill(void *unused)
{
C
    for i in $(seq 0 29); do echo "    data.field[$i] = $i;"; done
    cat <<'C'
    return unused;
}
int main(void)
{
    pthread_t thread;
    int sum = 0;
    pthread_create(&thread, NULL, fill, NULL);
    for (int i = 0; i < 30; i++)
        sum += data.field[i];
    pthread_join(thread, NULL);
    return sum == -1;
}
C
}

@test "thirty places of one structure are one cause" {
    one_cause >program.c
    compile_and_run
    [ "$(jq '.findings | length' out.json)" -eq 30 ]
    [ "$(causes)" -eq 1 ]
    [ "$(grep -c '^DATA RACE' out.text)" -eq 1 ]
    grep -q 'The same cause shows in 29 more places' out.text
    grep -q 'and 24 more (--max-findings 0 lists all)' out.text
    grep -q '^preplay: 1 race .*, and 29 more places of the same' out.text
    [ "$(wc -l <out.text)" -lt 60 ]
    "$PREPLAY" report --max-findings 0 data >all.text || [ $? -eq 66 ]
    [ "$(grep -c 'writes at program.c' all.text)" -eq 29 ]
    "$PREPLAY" report --sarif -o out.sarif data || [ $? -eq 66 ]
    [ "$(jq '[.runs[0].results[].properties.group] | unique | length' out.sarif)" -eq 1 ]
    [ "$(jq '.runs[0].results | length' out.sarif)" -eq 30 ]
}

@test "two defects of one variable in different functions stay two" {
    cat >program.c <<'C'
#include <pthread.h>
static int shared;
static void *early_writer(void *unused) { shared = 1; return unused; }
static void *late_writer(void *unused) { shared = 2; return unused; }
static int early_reader(void) { return shared; }
static int late_reader(void) { return shared; }
static int phase(void *(*writer)(void *), int (*reader)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = reader();
    pthread_join(thread, NULL);
    return seen;
}
int main(void) { return phase(early_writer, early_reader) + phase(late_writer, late_reader) == -1; }
C
    compile_and_run
    [ "$(jq '.findings | length' out.json)" -eq 2 ]
    [ "$(causes)" -eq 2 ]
    [ "$(grep -c '^DATA RACE' out.text)" -eq 2 ]
}

@test "two critical sections of one variable under the wrong lock stay two" {
    cat >program.c <<'C'
#include <pthread.h>
static int shared;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static void under(pthread_mutex_t *lock, int value)
{
    pthread_mutex_lock(lock);
    shared = value;
    pthread_mutex_unlock(lock);
}
static void *first(void *unused) { under(&wrong, 1); return unused; }
static void *second(void *unused)
{
    pthread_mutex_lock(&wrong);
    shared++;
    pthread_mutex_unlock(&wrong);
    return unused;
}
static void in_main_early(void) { pthread_mutex_lock(&right); shared = 5; pthread_mutex_unlock(&right); }
static void in_main_late(void) { pthread_mutex_lock(&right); shared = 6; pthread_mutex_unlock(&right); }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    in_main_early();
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, second, NULL);
    in_main_late();
    pthread_join(thread, NULL);
    return 0;
}
C
    compile_and_run
    [ "$(causes)" -eq 2 ]
}

@test "one lock order at four places is one deadlock" {
    {
        echo '#include <pthread.h>'
        echo '#include <unistd.h>'
        echo 'static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;'
        for name in one two; do
            echo "static void forward_$name(void)"
            echo '{'
            echo '    pthread_mutex_lock(&a);'
            echo '    pthread_mutex_lock(&b);'
            echo '    pthread_mutex_unlock(&b);'
            echo '    pthread_mutex_unlock(&a);'
            echo '}'
        done
        cat <<'C'
static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}
static void *forward(void *unused) { forward_one(); forward_two(); return unused; }
int main(void)
{
    pthread_t thread, other;
    pthread_create(&thread, NULL, forward, NULL);
    usleep(500000); /* this run goes well, and nothing says that it must */
    pthread_create(&other, NULL, backward, NULL);
    pthread_join(thread, NULL);
    pthread_join(other, NULL);
    return 0;
}
C
    } >program.c
    compile_and_run --stop-after 20
    [ "$(jq '[.findings[] | select(.kind == "deadlock")] | length' out.json)" -eq 2 ]
    [ "$(causes)" -eq 1 ]
    grep -q '^preplay: 1 deadlock .*1 more place of the same' out.text
}

@test "races that one missing lock lets follow are one cause" {
    echo "#include \"$BATS_TEST_DIRNAME/../programs/patience.h\"" >program.c
    cat >>program.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static int slots[4], in, out, sum;
static sem_t empty, full;
static void *produce(void *unused)
{
    for (int i = 0; i < 8; i++) {
        sem_wait(&empty);
        slots[in] = i;
        in = (in + 1) % 4;
        sem_post(&full);
    }
    return unused;
}
static void *consume(void *late) /* two do, and share `out` */
{
    if (late)
        usleep(300000); /* this run goes well */
    for (int i = 0; i < 4; i++) {
        sem_wait(&full);
        sum += slots[out];
        out = (out + 1) % 4;
        sem_post(&empty);
    }
    return late;
}
int main(void)
{
    pthread_t threads[3];
    sem_init(&empty, 0, 4);
    sem_init(&full, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i ? consume : produce, i == 2 ? &in : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return printf("%d\n", sum) < 0;
}
C
    compile_and_run
    [ "$(jq '[.findings[].object] | unique | length' out.json)" -ge 2 ]
    [ "$(causes)" -eq 1 ]
}

@test "no more than --max-findings causes, and the rest counted" {
    {
        echo '#include <pthread.h>'
        for i in $(seq 25); do echo "static int v$i; static void w$i(void) { v$i = 1; } static int r$i(void) { return v$i; }"; done
        echo 'static void *writer(void *unused) {'
        for i in $(seq 25); do echo "    w$i();"; done
        echo '    return unused; }'
        echo 'int main(void) { pthread_t t; int s = 0; pthread_create(&t, NULL, writer, NULL);'
        for i in $(seq 25); do echo "    s += r$i();"; done
        echo '    pthread_join(t, NULL); return s == -1; }'
    } >program.c
    compile_and_run
    [ "$(causes)" -eq 25 ]
    [ "$(grep -c '^DATA RACE' out.text)" -eq 20 ]
    grep -q '^\.\.\. and 5 more (--max-findings 0 shows all)' out.text
    grep -q '^preplay: 25 races' out.text
    "$PREPLAY" report --max-findings 3 data >few.text || [ $? -eq 66 ]
    [ "$(grep -c '^DATA RACE' few.text)" -eq 3 ]
}
