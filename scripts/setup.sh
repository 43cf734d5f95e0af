# Sourced by ./quickstart and ./check: installs what is missing, with apt.

# cmocka and bats decide which tests there are, and valgrind whether there is --valgrind: they must
# be there when meson first looks; so must MPI, for the module that ranks of a job need. capstone reads machine code: which reads decide about a wait.
build_packages="gcc libc6-dev meson ninja-build pkg-config libxxhash-dev libjansson-dev libdw-dev \
libcapstone-dev libz3-dev re2c lemon libcmocka-dev bats valgrind \
libopenmpi-dev openmpi-bin"
# What the zoo of libraries (tests/programs/libraries) is about.
library_packages="libc++-dev libc++abi-dev libglib2.0-dev libtbb-dev libomp-dev libuv1-dev libssl-dev \
libboost-thread-dev libboost-fiber-dev libboost-context-dev libboost-system-dev \
libabsl-dev qtbase5-dev"
test_packages="g++ clang clang-format libclang-rt-14-dev jq z3 cvc5 gdb \
make cmake binutils scdoc zsh fish python3 python3-jsonschema libdebuginfod1 \
$library_packages"

# The HTML report is tested in a browser. Some machines have node and npm from elsewhere, and
# Debian's packages conflict with those: the commands count.
test_commands="chromium:chromium node:nodejs npm:npm"
# What Debian does not have: the browser's driver, the judge of accessibility, and the official schema
# of SARIF.
test_modules="playwright-core@1.56.1 axe-core@4.10.3 @microsoft/sarif-multitool-linux@5.7.0"

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install PACKAGE... : those that are not there yet.
install() {
    local missing=""
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "Installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get -o Acquire::Retries=5 update -qq
    # shellcheck disable=SC2086
    as_root apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends $missing >/dev/null
}

# install_commands COMMAND:PACKAGE... : packages whose command is not there yet.
install_commands() {
    local packages="" pair
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || packages="$packages ${pair#*:}"
    done
    # shellcheck disable=SC2086
    install $packages
}

# install_modules DIRECTORY MODULE@VERSION... : npm modules, for tests alone.
install_modules() {
    local directory=$1 module missing=""
    shift
    for module in "$@"; do
        grep -qs "\"version\": \"${module##*@}\"" "$directory/node_modules/${module%@*}/package.json" ||
            missing="$missing $module"
    done
    [ -n "$missing" ] || return 0
    # Patience is for a slow registry; one that cannot be reached at all is told within a minute.
    timeout 50 npm view --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 \
        --fetch-timeout=20000 "$1" name >/dev/null || {
        echo "The npm registry cannot be reached; missing for the tests of the page and of SARIF:$missing" >&2
        return 1
    }
    mkdir -p "$directory"
    # All of them: npm takes out what it is not told about.
    npm install --fetch-retries=5 --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
        --prefix "$directory" "$@" >/dev/null
}

# configure DIRECTORY [MESON OPTIONS...] : also what was configured before, for it may
# lack what has been installed since.
configure() {
    local directory=$1
    [ ! -f "$directory/build.ninja" ] || set -- --reconfigure "$@"
    meson setup "$@" >/dev/null || {
        tail -n 30 "$directory/meson-logs/meson-log.txt" >&2
        return 1
    }
}

# compile DIRECTORY [MESON OPTIONS...] : configures once, then compiles.
compile() {
    [ -f "$1/build.ninja" ] || configure "$@" || return 1
    ninja -C "$1" --quiet
}
