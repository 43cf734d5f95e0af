# meson install: everything a user needs is below the prefix, and works from there.

bats_require_minimum_version 1.5.0

setup_file() {
    export ROOT="$BATS_TEST_DIRNAME/../.."
    export DEST="$BATS_FILE_TMPDIR/dest"
    DESTDIR="$DEST" meson install -C "$(dirname "$PREPLAY")" --no-rebuild >/dev/null
    prefix=$(find "$DEST" -path '*/bin/preplay' | sed 's,/bin/preplay$,,')
    export PREFIX="$prefix"
    export PATH="$PREFIX/bin:$PATH"
    unset PREPLAY_LIBRARY LD_LIBRARY_PATH # meson's, for the build tree
}

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    # Its one error is predicted and confirmed.
    sed "s,<unistd.h>,\"$ROOT/tests/programs/patience.h\"," "$ROOT/examples/hidden_race.c" >race.c
}

@test "the installed tool compiles, records, predicts and replays" {
    preplay-cc -g -pthread race.c -o race
    run -66 preplay run ./race
    [[ "$output" == *"DATA RACE"*": confirmed"* ]]
    [ "$(command -v preplay)" = "$PREFIX/bin/preplay" ]
    run ! grep -aq "$(dirname "$PREPLAY")" race # nothing of the build tree is in the program
}

@test "header, pkg-config file, man pages, completions" {
    [ -f "$PREFIX/include/preplay/preplay.h" ]
    PKG_CONFIG_PATH="$PREFIX/share/pkgconfig" pkg-config --exists preplay
    echo '#include <preplay/preplay.h>' >user.c
    cc -fsyntax-only -I"$PREFIX/include" user.c
    for shell in bash-completion/completions/preplay.bash zsh/site-functions/_preplay fish/vendor_completions.d/preplay.fish; do
        [ -s "$PREFIX/share/$shell" ]
    done
    command -v scdoc || return 0
    grep -q 'max-replays' "$PREFIX/share/man/man1/preplay-run.1"
    for command in $(preplay --help | sed -n 's/^  \([a-z+]*\)  *.*/\1/p'); do
        grep -q EXAMPLES "$PREFIX/share/man/man1/preplay-$command.1"
    done
}

@test "the CMake helper: a test that fails because of what preplay confirms" {
    command -v cmake || [ -n "${PREPLAY_TEST_ALL:-}" ] || skip "no cmake"
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(Threads REQUIRED)
enable_testing()
include($PREFIX/share/preplay/preplay.cmake)
add_executable(race race.c)
target_compile_options(race PRIVATE -g)
target_link_libraries(race PRIVATE Threads::Threads)
preplay_test(NAME race COMMAND race)
preplay_test(NAME again COMMAND race once more)
END
    cmake -S . -B build -DCMAKE_C_COMPILER=preplay-cc >/dev/null
    cmake --build build >/dev/null
    run -8 ctest -j2 --test-dir build --output-on-failure
    [[ "$output" == *"DATA RACE"*": confirmed"* ]]
    [[ "$output" == *"0% tests passed, 2 tests failed out of 2"* ]]
    jq -e '.runs[0].results | length == 1' build/race.sarif
    run -66 preplay merge build/race.preplay build/again.preplay
    [[ "$output" == *"1 found in 2 runs"* ]]
}

@test "the CMake presets: configured, built and tested by name" {
    command -v cmake || [ -n "${PREPLAY_TEST_ALL:-}" ] || skip "no cmake"
    cp "$PREFIX/share/preplay/CMakePresets.json" .
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(user C)
find_package(Threads REQUIRED)
enable_testing()
include($PREFIX/share/preplay/preplay.cmake)
add_executable(race race.c)
target_link_libraries(race PRIVATE Threads::Threads)
preplay_test(NAME race COMMAND race)
END
    cmake -DCMAKE_CXX_COMPILER= --preset preplay >/dev/null
    cmake --build --preset preplay >/dev/null
    run -8 ctest --preset preplay
    [[ "$output" == *"DATA RACE"*": confirmed"* ]]
}

@test "the Meson helper: a test setup" {
    {
        echo "project('user', 'c')"
        cat "$ROOT/integration/meson.build.example"
        echo "race = executable('race', 'race.c', c_args: '-g', dependencies: dependency('threads'))"
        echo "test('race', race)"
        echo "test('again', race, args: 'once more')"
    } >meson.build
    CC=preplay-cc meson setup build >/dev/null
    ninja -C build >/dev/null
    meson test -C build
    run ! meson test -C build --setup preplay
    grep -q "DATA RACE.*: confirmed" build/meson-logs/testlog-preplay.txt
    run -66 preplay merge build/preplay.data
    [[ "$output" == *"1 found in 2 runs"* ]]
}

@test "autotools: configured for preplay, each test with a recording of its own, merged at the end" {
    command -v automake && command -v autoconf || skip "no autotools"
    printf '%s\n' 'AC_INIT([user], [1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' 'AC_SEARCH_LIBS([pthread_create], [pthread])' \
        'AC_CONFIG_FILES([Makefile])' 'AC_OUTPUT' >configure.ac
    printf '%s\n' 'check_PROGRAMS = first second' 'first_SOURCES = race.c' 'second_SOURCES = race.c' 'TESTS = $(check_PROGRAMS)' >Makefile.am
    autoreconf -i >/dev/null 2>&1
    mkdir tree
    cd tree
    ../configure CC=preplay-cc CFLAGS=-g >/dev/null
    run -2 make -j2 check LOG_COMPILER='preplay run --'
    [[ "$output" == *"FAIL: first"* && "$output" == *"FAIL: second"* ]]
    grep -q "DATA RACE.*: confirmed" first.log
    run -66 preplay merge preplay.data
    [[ "$output" == *"1 found in 2 runs"* ]]
    # Without it they pass.
    make check >/dev/null
}

@test "make check under preplay: what its programs have in common is reported once" {
    printf 'check:\n\t./race\n\t./race\n' >Makefile
    preplay-cc -g -pthread race.c -o race
    run -66 preplay run --json found.json -- make check
    [ "$(jq '.findings | length' found.json)" -eq 1 ]
    [[ "$output" == *"1 race confirmed; 1 more of the same in other processes"* ]]
}

@test "make -j2 check, each test with a recording of its own, merged at the end" {
    printf 'check: first second\nfirst second:\n\tpreplay run -q -d data.$@ ./race; [ $$? -eq 66 ]\n' >Makefile
    preplay-cc -g -pthread race.c -o race
    make -j2 check
    run -66 preplay merge --junit -o report.xml data.first data.second
    [ "$(grep -c '<testcase .*name="data\.' report.xml)" -eq 2 ]
    run -66 preplay merge data.first data.second
    [[ "$output" == *"1 found in 2 runs"* ]]
}

@test "problem matchers find the places that the report prints" {
    preplay-cc -g -pthread race.c -o race
    preplay run ./race >text 2>&1 || [ $? -eq 66 ]
    for file in github/preplay-matcher.json vscode/tasks.json; do
        jq -r '.. | objects | select(.regexp) | .regexp' "$ROOT/integration/$file" >regexp
        [ "$(wc -l <regexp)" -eq 1 ]
        python3 -c '
import re
pattern = re.compile(open("regexp").read().strip())
for match in filter(None, (pattern.match(line.rstrip("\n")) for line in open("text"))):
    print(match.group(1), match.group(2), match.group(3))' >places
        grep -q '^worker .*/race.c 21$' places
        grep -q '^main .*/race.c 32$' places
    done
}
