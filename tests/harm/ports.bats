# Replays do not fight with the living over ports, and do not talk to strangers unless the run did.
load users

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$PREPLAY" cc -g -include "$BATS_TEST_DIRNAME/../programs/patience.h" "$BATS_TEST_DIRNAME/programs/talks.c" -o talks -pthread
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR"
}

teardown() {
    [ -z "$living" ] || kill "$living" || true
    cd /
    rm -rf "$room"
}

# Somebody who listens on a port, $port, and counts those who call in the file `calls`.
live_on() {
    python3 -c '
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(64)
open("port", "w").write(str(listener.getsockname()[1]))
while True:
    line, _ = listener.accept()
    open("calls", "a").write("call\n")
    line.close()
' "$1" 3>&- &
    living=$!
    for i in $(seq 100); do [ ! -s port ] || break; sleep 0.05; done
    port=$(cat port)
}

listening_as() {
    room_for "$1"
    chmod 777 .
    live_on 0
    kill $living
    wait $living || true
    as "$1" "$PREPLAY" record -d trace "$BATS_FILE_TMPDIR/talks" "$port" listen
    as "$1" "$PREPLAY" predict trace || [ $? -eq 66 ]
    live_on "$port"
    run as "$1" "$PREPLAY" replay -n 3 -j 2 trace
    [[ "$output" == *"confirmed 3 of 3 times"* ]] || { echo "$output"; cat trace/replays/*.output; false; }
    [[ "$output" != *"machine's network"* ]]
    [ ! -e calls ]
}

@test "a port that the program listened on may be taken by now: root" {
    listening_as root
}

@test "a port that the program listened on may be taken by now: an ordinary user" {
    listening_as user
}

@test "a run that talked with somebody else keeps the machine's network, and the report says so" {
    room_for user
    chmod 777 .
    live_on 0
    run as user "$PREPLAY" run -d trace --json report.json "$BATS_FILE_TMPDIR/talks" "$port"
    [ "$status" -eq 66 ]
    [[ "$output" == *"Replays used the machine's network, for the run talked with 127.0.0.1 port $port."* ]]
    [ "$(wc -l <calls)" -gt 1 ]
    [[ "$(jq -r .run.note report.json)" == *"machine's network"* ]]
    run as user "$PREPLAY" report trace
    [[ "$output" == *"machine's network"* ]]
}
