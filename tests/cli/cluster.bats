# Several ranks of an MPI job as one tool, and many traces in one call.

bats_require_minimum_version 1.5.0

setup_file() {
    export BIN="$BATS_FILE_TMPDIR"
    # Ranks take turns on few processors, perhaps as root; leaks are MPI's own.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader
    cd "$BIN" || exit 1
    "$PREPLAY" tiddle --random --shape semaphores:events=220,threads=4 --seed 1 --format -o hard.tiddle
    "$PREPLAY" tiddle hard.tiddle -o hard.c
    "$PREPLAY" cc -g -pthread hard.c -o hard.out
    "$PREPLAY" record -d hard ./hard.out
    cat >program.c <<'C'
#include <pthread.h>
int shared, field[200];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    for (int i = 0; i < 200; i++) {
        if (i == 100)
            shared++;
        pthread_mutex_lock(&lock);
        field[i]++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
C
    # Preloaded, lets the rank that writes a checkpoint come no further than its first 2000 bytes.
    cat >stay.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int file, const void *data, size_t size)
{
    char link[64], path[4096] = "";
    struct stat status;
    ssize_t wrote = syscall(SYS_write, file, data, size);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/checkpoint") && fstat(file, &status) == 0)
        while (status.st_size >= 2000)
            pause();
    return wrote;
}
C
    cc -shared -fPIC stay.c -o stay.so
    sed 's/if (i == 100)/if (0)/' program.c >right.c
    for name in program right; do
        "$PREPLAY" cc -g -pthread $name.c -o $name
    done
    mkdir many
    for i in 1 2 3; do
        "$PREPLAY" record -d many/program-$i ./program
        "$PREPLAY" record -d many/right-$i ./right
    done
}

setup() {
    cd "$BIN" || exit 1
}

needs_mpi() {
    [ -e "$(dirname "$PREPLAY")/src/cluster/libpreplay_mpi.so" ] && command -v mpirun >/dev/null ||
        { [ -z "$PREPLAY_TEST_ALL" ] && skip "no MPI"; }
}

# Its own messages are of no interest, unless a test fails.
ranks() { # N COMMAND...
    mpirun -q -n "$@"
}

@test "many traces in one call: one report, each finding with its traces" {
    run -66 "$PREPLAY" predict --no-times --json one.json many/*
    [[ "$output" == *"in 3 of 6 runs"* && "$output" == *"in 6 runs"* ]]
    jq -e '.traces | map(.path) == ["many/program-1", "many/program-2", "many/program-3",
        "many/right-1", "many/right-2", "many/right-3"]' one.json
    jq -e '[.findings[] | select(.kind == "race") | [.object, .traces]] | unique == [["shared", [0, 1, 2]]]' one.json
    jq -e '.findings | all(.trace | startswith("many/program-"))' one.json
    jq -e '[.. | objects | has("seconds")] | any | not' one.json
    run -0 "$PREPLAY" predict many/right-*
    [ ! -e many/program-1/checkpoint ] && [ ! -e many/right-1/checkpoint ]
}

@test "a list of traces, and a trace that is none" {
    printf 'many/program-1\nmany/right-2\n' >list
    "$PREPLAY" predict --no-times --json a.json --list list || [ $? -eq 66 ]
    "$PREPLAY" predict --no-times --json b.json many/program-1 many/right-2 || [ $? -eq 66 ]
    cmp a.json b.json
    "$PREPLAY" predict --no-times --json c.json --list - <list || [ $? -eq 66 ]
    cmp a.json c.json
    run -3 --separate-stderr "$PREPLAY" predict many/right-1 nothing.std many/right-2
    [[ "$stderr" == *"nothing.std"* && "$output" == *"in 2 runs"* ]]
    run -3 "$PREPLAY" predict --list nowhere
}

@test "three ranks find what one finds, byte for byte" {
    needs_mpi
    run -66 "$PREPLAY" predict --pairs --no-times --json one.json hard.tiddle
    run -66 ranks 3 "$PREPLAY" predict --pairs --no-times --json three.json hard.tiddle
    cmp one.json three.json
    run -66 "$PREPLAY" predict --no-times --json one.json many/*
    run -66 ranks 3 "$PREPLAY" predict --no-times --json three.json many/*
    cmp one.json three.json
    [ "$(grep -c 'found or predicted in 6 runs' <<<"$output")" -eq 1 ] # said by one of them
}

@test "what is wrong is said once, and ends all ranks" {
    needs_mpi
    run ranks 3 "$PREPLAY" predict nothing.std
    [ "$status" -ne 0 ]
    [ "$(grep -c 'nothing.std' <<<"$output")" -eq 1 ]
}

# Ends the job of 3 ranks over a trace by a SIGKILL of one of them, when something is kept and not all. What
# they say goes past mpirun, which may kill the others before it has passed it on.
cut_off() { # TRACE
    : >killed
    # shellcheck disable=SC2016
    ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 mpirun -q -n 3 --mca odls_base_sigkill_timeout 5 \
        bash -c 'LD_PRELOAD=$PWD/stay.so exec "$PREPLAY" predict --pairs "$0" 2>>killed' "$1" >said 2>&1 &
    local job=$!
    until [ "$(stat -c %s "$1/checkpoint" 2>/dev/null || echo 0)" -ge 2000 ]; do
        kill -0 $job # or it would never be kept
        sleep 0.05
    done
    kill -KILL "$(pgrep -P $job -x preplay | tail -1)"
    wait $job || true
    [ -e "$1/checkpoint" ]
}

@test "a rank that is killed: --resume does the rest, with another number of ranks" {
    needs_mpi
    run -66 "$PREPLAY" predict --pairs --no-times --json whole.json hard
    run -2 "$PREPLAY" predict --pairs --resume hard
    [[ "$output" == *"nothing to resume"* ]]
    cut_off hard
    grep -q "resume goes on" killed
    cp hard/checkpoint kept
    run -2 "$PREPLAY" predict --pairs -m sync --resume hard
    [[ "$output" == *"other options"* ]]
    run -66 ranks 2 "$PREPLAY" predict --pairs --no-times --json resumed.json --resume hard
    cmp whole.json resumed.json
    [ ! -e hard/checkpoint ]
    # Torn, and by one process.
    head -c -3 kept >hard/checkpoint
    run -66 "$PREPLAY" predict --pairs --no-times --json resumed.json --resume hard
    cmp whole.json resumed.json
    # Of another trace; of another build.
    cp kept many/program-3/checkpoint
    run -2 "$PREPLAY" predict --pairs --resume many/program-3
    [[ "$output" == *"of another trace"* ]]
    { printf 'PPDEAL1\n12345678' && tail -c +17 kept; } >hard/checkpoint
    run -2 "$PREPLAY" predict --pairs --resume hard
    [[ "$output" == *"another build"* ]]
}

@test "below a launcher without MPI the tool says what it lacks" {
    mkdir -p bare/src
    cp "$PREPLAY" bare/preplay
    cp -r "$(dirname "$PREPLAY")/src/runtime" bare/src/runtime 2>/dev/null || skip "installed"
    rm -f bare/src/runtime/libpreplay_mpi.so
    OMPI_COMM_WORLD_SIZE=2 run -2 bare/preplay predict hard.tiddle
    [[ "$output" == *"has no MPI"* ]]
    PREPLAY_MPI=0 OMPI_COMM_WORLD_SIZE=2 run -66 bare/preplay predict hard.tiddle
}

# Messages between the ranks, and threads that call MPI at the same time. The wrong twin writes to what
# its thread fills and sends, before any message could order the two.
hybrid() { # NAME SED-SCRIPT
    cat >"$1.c" <<'C'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
int buffer[64], rank, ranks;
static void *send_it(void *unused)
{
    MPI_Request request;
    for (int i = 0; i < 64; i++)
        buffer[i] = rank + i;
    MPI_Isend(buffer, 64, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return unused;
}
int main(int count, char **words)
{
    int level, received[64], sum = 0, all[2];
    pthread_t thread;
    MPI_Request requests[2];
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pthread_create(&thread, NULL, send_it, NULL);
    MPI_Irecv(received, 64, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(all, 2, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&level, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    pthread_join(thread, NULL);
    buffer[3] = received[3];
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("level %d sum %d\n", level == MPI_THREAD_MULTIPLE, sum);
    MPI_Finalize();
    return 0;
}
C
    sed -i "$2" "$1.c"
    # shellcheck disable=SC2046
    "$PREPLAY" cc -g -pthread "$1.c" -o "$1" $(pkg-config --cflags --libs ompi-c)
}

@test "a program of MPI with threads: a recording for each rank, one report, no false alarm" {
    needs_mpi
    hybrid calm ''
    run -0 --separate-stderr ranks 2 "$PREPLAY" run -d calm.data --json calm.json ./calm
    [[ "$output" == *"level 1 sum 1"* ]]
    [[ "$stderr" == *"0 found or predicted in 2 runs"* ]]
    jq -e '(.traces | map(.path) == ["calm.data/rank-0", "calm.data/rank-1"]) and .findings == []' calm.json
    [ -d calm.data/rank-1/streams ]
    hybrid hasty 's/    MPI_Irecv(received.*/    buffer[3] = 1;\n&/'
    run -66 ranks 2 "$PREPLAY" run --json hasty.json ./hasty
    jq -e '[.findings[] | select(.kind == "race") | .object] | unique == ["buffer[3]"]' hasty.json
    jq -e '.findings | all(.runs == 2)' hasty.json
    [ "$(find preplay.data -name 'rank-*' -path '*hasty-mpi-*' | wc -l)" -eq 2 ]
    run -2 ranks 2 "$PREPLAY" run --html page.html ./calm
}
