# A report quotes the program's own sources, and no other file that the user can read.

bats_require_minimum_version 1.5.0

setup() {
    export HOME="$BATS_TEST_TMPDIR/home"
    mkdir -p "$HOME/.ssh" "$HOME/project/src" "$HOME/project/build" "$HOME/elsewhere"
    cd "$HOME/project"
    printf 'one\nPRIVATE KEY\nthree\n' | tee "$HOME/.ssh/id" "$HOME/notes.txt" .env >/dev/null
}

# program PLACE : a race whose second line is said to be at PLACE, in src/racy.c.
program() {
    cat >src/racy.c <<C
#include <pthread.h>
static int racy;
static void *run(void *unused)
{
#line 2 "$1"
    racy++;
    return unused;
}
#line 11 "$PWD/src/racy.c"
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL); /* CREATES */
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
C
}

# all_reports OPTIONS... : text, HTML and the text of a replay in `all`.
all_reports() {
    "$PREPLAY" run "$@" --html page.html --json out.json --sarif out.sarif ./racy >all 2>&1 || [ $? -eq 66 ]
    "$PREPLAY" report "$@" >>all || [ $? -eq 66 ]
    "$PREPLAY" replay "$@" >>all
    cat page.html out.json out.sarif >>all
    grep -q "on racy" all
}

@test "#line to a file of the user's: its name is shown, its text is not" {
    for place in "$HOME/.ssh/id" "$HOME/notes.txt" "$HOME/project/.env" ../notes.txt .env /etc/passwd /etc/shadow; do
        program "$place"
        "$PREPLAY" cc -g -pthread src/racy.c -o racy
        rm -f secret-link
        all_reports
        run -1 grep -q "PRIVATE KEY" all
        run -1 grep -q "^ *2 | \(bin\|daemon\):" all
        grep -q "$(basename "$place")" all
        grep -q CREATES all # its own source is quoted
    done
}

@test "a symbolic link in the project vouches for nothing outside it" {
    ln -s "$HOME/notes.txt" src/harmless.c
    program "$PWD/src/harmless.c"
    "$PREPLAY" cc -g -pthread src/racy.c -o racy
    all_reports
    run -1 grep -q "PRIVATE KEY" all
}

@test "a build directory that is the home directory, or the system's, vouches for nothing" {
    program "$HOME/notes.txt"
    "$PREPLAY" cc -g -pthread "-ffile-prefix-map=$HOME/project=$HOME" src/racy.c -o racy
    all_reports
    run -1 grep -q "PRIVATE KEY" all
}

@test "sources of one project are quoted: below the build, beside it, and where the user says" {
    cd build
    printf 'one\n/* HERE */ two\nthree\n' | tee ../src/other.c "$HOME/elsewhere/other.c" >/dev/null
    touch ../meson.build
    cd ..
    program "$PWD/src/other.c"
    cd build
    "$PREPLAY" cc -g -pthread ../src/racy.c -o racy
    all_reports
    grep -q "2 | /\* HERE \*/ two" all
    grep -q CREATES all
    cd ..
    program "$HOME/elsewhere/other.c"
    cd build
    "$PREPLAY" cc -g -pthread ../src/racy.c -o racy
    all_reports
    run -1 grep -q "HERE" all
    all_reports --source-root "/nowhere:$HOME/elsewhere"
    grep -q "2 | /\* HERE \*/ two" all
}

@test "a text trace vouches for no file" {
    printf 'T0|w(x)|%s:2\nT0|fork(T1)|3\nT1|w(x)|%s:2\nT0|w(x)|%s:2\n' "$HOME/notes.txt" "$HOME/notes.txt" "$HOME/notes.txt" >trace.std
    run -66 "$PREPLAY" report trace.std
    [[ "$output" == *"notes.txt:2"* && "$output" != *"PRIVATE KEY"* ]]
    run -66 "$PREPLAY" report --source-root "$HOME" trace.std
    [[ "$output" == *"PRIVATE KEY"* ]]
}

@test "a file whose checksum the debug information has is a source of the program, wherever it lies" {
    cd "$HOME" # which vouches for nothing by itself
    mkdir src
    program "$HOME/notes.txt"
    grep -v '^#line' src/racy.c >racy.c
    export PREPLAY_CC=clang
    "$PREPLAY" cc -gdwarf-5 -pthread racy.c -o racy
    readelf --debug-dump=line racy 2>/dev/null | grep -q MD5
    all_reports
    grep -q CREATES all
    # Changed since: it is another file, of which nothing is known.
    cp racy.c good.c
    echo "/* another one */" >>racy.c
    "$PREPLAY" report >all || [ $? -eq 66 ]
    run -1 grep -q CREATES all
    cp good.c racy.c
    "$PREPLAY" report >all || [ $? -eq 66 ]
    grep -q CREATES all
    # And a line that names another file has nothing of it.
    cp src/racy.c racy.c
    "$PREPLAY" cc -gdwarf-5 -pthread racy.c -o racy
    all_reports
    run -1 grep -q "PRIVATE KEY" all
}
