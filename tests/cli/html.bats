# The HTML report in a real browser. Needs chromium, node, playwright-core and axe-core; ./check installs
# them (the last two with npm, into build/npm) and skips nothing. With PREPLAY_TEST_BROWSER=no pages are made
# and no browser looks at them, which shows what a tool that was built with sanitizers does.

bats_require_minimum_version 1.5.0

browsing() { [ "${PREPLAY_TEST_BROWSER:-}" != no ]; }

# browse PAGE : as a reader would; leaves what the browser's driver says in `output`.
browse() {
    browsing || return 0
    run -0 node "$ROOT/tests/html/page.js" "$1"
}

setup() {
    ROOT="$BATS_TEST_DIRNAME/../.."
    # shellcheck disable=SC2034
    BATS_TEST_TIMEOUT=1000
    export NODE_PATH="${NODE_PATH:-$ROOT/build/npm/node_modules}"
    [ -n "${PREPLAY_TEST_ALL:-}" ] || ! browsing ||
        { command -v node && command -v chromium && node -e 'require("playwright-core"); require("axe-core")' 2>/dev/null; } ||
        skip "no chromium, node, playwright-core or axe-core"
}

@test "a reader steps through a recorded deadlock" {
    cd "$ROOT"
    "$PREPLAY" cc -g -pthread -include tests/programs/patience.h examples/lock_order.c -o "$BATS_TEST_TMPDIR/lock_order"
    "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --html "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/lock_order" ||
        [ $? -eq 66 ]
    browse "$BATS_TEST_TMPDIR/page.html"
}

@test "a deadlock that happened: nothing comes of what threads only want" {
    cd "$ROOT"
    "$PREPLAY" cc -g -pthread tests/programs/hangs/two_locks.c -o "$BATS_TEST_TMPDIR/two_locks"
    "$PREPLAY" run -d "$BATS_TEST_TMPDIR/data" --html "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/two_locks" ||
        [ $? -eq 66 ]
    ARROWS=1 browse "$BATS_TEST_TMPDIR/page.html"
    browsing || return 0
    [[ "$output" == *"recorded: T0 (main) creates T0.1 -> T0.1 (one) starts"* ]]
    [[ "$output" != *"wants"* && "$output" != *"waits for"* ]]
}

@test "semaphores that hid a race, in lines longer than the page is wide" {
    cd "$BATS_TEST_TMPDIR"
    # The second consumer comes late, and what it takes came after the first one's last access.
    cat >program.c <<END
#include "$BATS_TEST_DIRNAME/../programs/patience.h"
#include <pthread.h>
#include <semaphore.h>
static int out; static sem_t empty, full;
static void *produce(void *unused) { for (int i = 0; i < 3; i++) { sem_wait(&empty); sem_post(&full); } return unused; }
static void *consume(void *late) { if (late) usleep(300000); sem_wait(&full); /* $(printf 'é%.0s' {1..150}) */ out++; sem_post(&empty); return late; }
int main(void)
{
    pthread_t threads[3];
    sem_init(&empty, 0, 2);
    sem_init(&full, 0, 0);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, i ? consume : produce, i == 2 ? &out : NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return out == 7;
}
END
    "$PREPLAY" cc -g -pthread program.c -o program
    "$PREPLAY" run --html page.html ./program || [ $? -eq 66 ]
    MARKED=++ STORY="T0.2 .consume. posts empty.*T0.1 .produce. takes empty" browse "$PWD/page.html"
}

@test "why nobody saw it: a lost wake-up, a lock cycle, steps that were not parted" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'T1|fork(T2)|0' 'T1|acq(m)|1' 'T1|wait(c,m)|w.c:2' 'T2|acq(m)|3' 'T2|notify(c)|s.c:4' 'T2|rel(m)|5' \
        'T1|woken(c,m)|w.c:2' 'T1|rel(m)|7' >signal.std
    printf '%s\n' 'T1|fork(T2)|0' 'T1|acq(a)|1' 'T1|acq(b)|2' 'T1|rel(b)|3' 'T1|rel(a)|g.c:4' 'T2|acq(b)|5' 'T2|acq(a)|t.c:6' \
        'T2|rel(a)|7' 'T2|rel(b)|8' >cycle.std
    printf '%s\n' 'T1|fork(T2)|0' 'T1|begin(f)|1' 'T1|acq(m)|2' 'T1|r(x)|r.c:3' 'T1|rel(m)|4' 'T1|acq(m)|5' 'T1|w(x)|w.c:6' \
        'T1|rel(m)|7' 'T1|end(f)|8' 'T2|acq(m)|o.c:9' 'T2|w(x)|10' 'T2|rel(m)|11' >parted.std
    for trace in signal cycle parted; do
        "$PREPLAY" report --html -o $trace.html $trace.std || [ $? -eq 66 ]
    done
    STORY='A signal wakes who waits.*T2 signals c \(s.c:4\) → T1 woken by c' \
        browse "$PWD/signal.html"
    STORY='Each thread holds a lock.*T1 unlocks a \(g.c:4\) → T2 locks a \(t.c:6\)' \
        browse "$PWD/cycle.html"
    STORY='Steps that belong together.*T2 locks m \(o.c:9\) came after all of these' \
        browse "$PWD/parted.html"
}

@test "why nobody saw it: a lock that is destroyed too early, a failure that was explored" {
    cd "$BATS_TEST_TMPDIR"
    cat >early.c <<C
#include "$BATS_TEST_DIRNAME/../programs/patience.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *drain(void *unused) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, drain, NULL);
    usleep(100000);
    pthread_mutex_destroy(&lock);
    return pthread_join(thread, NULL);
}
C
    cat >fails.c <<'C'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, value;
static void put(int *where) { pthread_mutex_lock(&lock); *where = 42; pthread_mutex_unlock(&lock); }
static void *produce(void *unused) { put(&ready); put(&value); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, produce, 0);
    pthread_mutex_lock(&lock);
    int is_ready = ready, got = value;
    pthread_mutex_unlock(&lock);
    assert(!is_ready || got == 42);
    return pthread_join(thread, 0);
}
C
    "$PREPLAY" cc -g -pthread early.c -o early
    "$PREPLAY" run --html early.html ./early || [ $? -eq 66 ]
    STORY='Destroy of held lock on lock.*destroy-held: a lock is destroyed while.*given back in time.*T0.1 .drain. unlocks lock' \
        browse "$PWD/early.html"
    "$PREPLAY" cc -g -pthread fails.c -o fails
    "$PREPLAY" explore --html fails.html ./fails || [ $? -eq 66 ]
    HEAD='1 failure confirmed . [0-9]+ runs . [0-9]+ behaviours . complete . sources in' \
        STORY='Assertion failed.*Last step: T0 .*orders of its threads that it chose.*Why it was not seen before.*The nearest run.*preplay explore ./fails' \
        browse "$PWD/fails.html"
}

@test "what was explored stands beside the run that it comes of, or alone" {
    cd "$BATS_TEST_TMPDIR"
    cat >turned.c <<'C'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *turn(void *second)
{
    pthread_mutex_lock(second ? &b : &a);
    pthread_mutex_lock(second ? &a : &b);
    pthread_mutex_unlock(second ? &a : &b);
    pthread_mutex_unlock(second ? &b : &a);
    x = 1;
    return second;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, turn, i ? &x : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
    "$PREPLAY" cc -g -pthread turned.c -o turned
    "$PREPLAY" explore --html turned.html ./turned || [ $? -eq 66 ]
    grep -q 'Each run that is told of, as a whole' turned.html
    grep -q '"kind":"race"' turned.html
    HEAD='1 deadlock confirmed, 1 race observed . [0-9]+ runs . [0-9]+ behaviours . complete . sources in' \
        STORY='Lock-order inversion.*Why it was not seen before.*The nearest run that went well does the same.*explore anew' \
        browse "$PWD/turned.html"
}

@test "the run as a whole: who waited for whom, and which locks" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'T1|fork(T2)|0' 'T1|acq(m)|1' 'T1|w(a)|2' 'T1|w(a)|3' 'T1|rel(m)|4' 'T2|acq(m)|l.c:5' 'T2|wait(c,m)|w.c:6' \
        'T1|w(a)|7' 'T1|notify(c)|8' 'T2|woken(c,m)|w.c:6' 'T2|rel(m)|9' 'T2|semwait(s)|q.c:10' 'T1|w(x)|11' 'T2|w(x)|12' \
        'T1|join(T2)|j.c:13' >waits.std
    "$PREPLAY" report --html -o page.html waits.std || [ $? -eq 66 ]
    grep -qF 'T2</td><td>m</td><td>T1</td><td>3</td><td class="mono">l.c:5<' page.html
    grep -qF 'T2</td><td>c</td><td>T1</td><td>2</td><td class="mono">w.c:6<' page.html
    grep -qF 'T1</td><td>the end of T2</td><td>T2</td><td>1</td><td class="mono">j.c:13<' page.html
    grep -qF '<tr><td>m</td><td>3</td><td>1</td><td>3</td><td>3</td>' page.html
    run ! grep -qF 'q.c:10</td>' page.html # its count was there before
    # The twin in which nobody waits: what came was there already.
    printf '%s\n' 'T1|fork(T2)|0' 'T1|acq(m)|1' 'T1|rel(m)|2' 'T2|w(y)|3' 'T2|acq(m)|4' 'T2|rel(m)|5' 'T1|w(x)|6' 'T2|w(x)|7' \
        'T1|w(z)|8' 'T1|join(T2)|9' >none.std
    "$PREPLAY" report --html -o none.html none.std || [ $? -eq 66 ]
    run ! grep -qF 'The longest waits' none.html
}

@test "the run as a whole stays small: 5,000 threads, each of which waits" {
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "T0|fork(U%d)|0\n", i
        for (i = 1; i <= 5000; i++) printf "U%d|acq(m%d)|1\nU%d|w(a%d)|2\nU%d|rel(m%d)|3\n", i, i % 50, i, i, i, i % 50
        print "U4000|w(x)|4\nU4001|w(x)|5" }' >many.std
    "$PREPLAY" report --html -o page.html many.std || [ $? -eq 66 ]
    grep -q '>4969 more threads<' page.html
    grep -qF '>U4000<tspan' page.html # whoever has a finding has a lane
    sed -n '/<details id="run"/,/<\/details>/p' page.html >run
    [ "$(stat -c %s run)" -lt 100000 ]
}

@test "names full of markup do nothing" {
    cd "$BATS_TEST_TMPDIR"
    evil='</script><img/src=x/onerror=alert(1)>&"x'
    printf 'T1|fork(T2)|0\nT1|w(%s)|%s\nT2|r(%s)|2\n' "$evil" "$evil" "$evil" >evil.std
    "$PREPLAY" report --html -o page.html evil.std || [ $? -eq 66 ]
    browse "$BATS_TEST_TMPDIR/page.html"
    # Escape sequences and bytes that are no UTF-8, in names of threads and locks that the overview has too.
    thread=$'T\e[31m<b>\xff' lock=$'l<s>\e]0;x\a\xff'
    printf '%s\n' "T1|fork($thread)|0" "T1|acq($lock)|1" 'T1|w(x)|2' "T1|rel($lock)|3" "$thread|acq($lock)|4" \
        "$thread|rel($lock)|5" "$thread|w(y)|6" 'T1|w(y)|7' >bytes.std
    "$PREPLAY" report --html -o page.html bytes.std || [ $? -eq 66 ]
    grep -q '&lt;s&gt;' page.html
    run ! grep -q '<b>.*31m\|31m<b>\|<s>' page.html
    run ! grep -qP '[\x00-\x08\x0b-\x1f]' page.html
    iconv -f utf-8 -t utf-8 page.html >copy
    browse "$BATS_TEST_TMPDIR/page.html"
}

@test "a program whose files, functions, threads and source are full of markup" {
    cd "$BATS_TEST_TMPDIR"
    # No compiler takes such names; the linker's and the debugger's tables hold any text.
    variable='<img/src=x/onerror=alert(1)>' function='</script><script>alert(2)</script>'
    plain_variable=$(tr -c a-z v <<<"$variable" | head -c ${#variable})
    plain_function=$(tr -c a-z f <<<"$function" | head -c ${#function})
    cat >evil.c <<END
#include <pthread.h>
static int $plain_variable;
#line 1 "<b onclick=alert(3)>&amp;.c"
static void *$plain_function(void *unused)
{
    $plain_variable++; /* </script><script>alert(4)</script> */
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, $plain_function, 0);
    $plain_variable++;
    pthread_join(thread, 0);
    return 0;
}
END
    "$PREPLAY" cc -g -pthread evil.c -o program
    LC_ALL=C sed -i "s,$plain_variable,$variable,g; s,$plain_function,${function//&/\\&},g" program
    cp evil.c '<b onclick=alert(3)>&amp;.c'
    "$PREPLAY" run --html page.html ./program || [ $? -eq 66 ]
    for word in onerror=alert 'alert(2)' onclick 'alert(4)'; do
        grep -qF "$word" page.html # it did get there
    done
    run ! grep -q '<img\|<b ' page.html
    [ "$(grep -o '</script>' page.html | wc -l)" -eq 2 ]
    browse "$PWD/page.html"
}

@test "a thousand findings with long schedules" {
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN { print "T1|fork(T2)|0"
        for (i = 0; i < 3000; i++) printf "T1|acq(l%d)|a\nT1|rel(l%d)|b\nT2|acq(m%d)|c\nT2|rel(m%d)|d\n", i%7, i%7, i%7, i%7
        for (i = 0; i < 1000; i++) printf "T1|w(x%d)|f%d.c:1\nT2|w(x%d)|f%d.c:2\n", i, i, i, i }' >many.std
    "$PREPLAY" report --html -o page.html many.std || [ $? -eq 66 ]
    browse "$BATS_TEST_TMPDIR/page.html"
    ! browsing || [[ "$output" == *"1000 findings, ready after "* ]]
}

@test "arrows show what must come before what" {
    cd "$BATS_TEST_TMPDIR"
    cat >sync.std <<'END'
T1|fork(T2)|0
T2|acq(m)|1
T2|wait(c,m)|2
T1|acq(m)|3
T1|notify(c)|4
T1|rel(m)|5
T2|woken(c,m)|6
T2|rel(m)|7
T1|enter(b)|8
T2|enter(b)|9
T1|exit(b)|10
T2|exit(b)|11
T1|post(s)|12
T2|semwait(s)|13
T1|w(x)|14
T2|w(x)|15
T1|join(T2)|16
END
    "$PREPLAY" report --html -o page.html sync.std || [ $? -eq 66 ]
    ARROWS=1 browse "$PWD/page.html"
    browsing || return 0
    for order in schedule recorded; do
        for arrow in "T1 creates T2 -> T2 locks m" "T2 waits for c -> T1 locks m" "T1 signals c -> T2 woken by c" \
            "T1 unlocks m -> T2 woken by c" "T2 enters b -> T1 leaves b" "T1 enters b -> T2 leaves b" "T1 posts s -> T2 takes s"; do
            [[ "$output" == *"$order: $arrow"* ]]
        done
        [ "$(grep -c "^$order:" <<<"$output")" -eq 7 ]
    done
}

@test "a schedule of 100,000 events is collapsed by segments" {
    cd "$BATS_TEST_TMPDIR"
    awk 'BEGIN { print "T1|fork(T2)|0\nT1|acq(k)|k"
        for (i = 0; i < 20000; i++) printf "T1|acq(l)|a\nT1|w(a)|b\nT1|rel(l)|c\nT2|acq(m)|d\nT2|rel(m)|e\n"
        print "T1|w(x)|f\nT2|w(x)|g" }' >long.std
    "$PREPLAY" report --html -o page.html long.std || [ $? -eq 66 ]
    [ "$(stat -c %s page.html)" -lt 1000000 ]
    browse "$PWD/page.html"
    ! browsing || [[ "$output" == *"1 findings, ready after "* ]]
    # What one thread does in a row is one step, and the lock it keeps is still seen.
    sed -n 's,.*<script type="application/json" id="data">\(.*\)</script>.*,\1,p' page.html >data
    jq -e '.findings[0] | .length > 90000 and (.steps | length <= 600)' data
    jq -e '.texts as $texts | [.findings[0].steps[] | select(length > 10)] | length > 0 and
        any(.[]; [.[10][] | $texts[.]] | index("k"))' data
}
