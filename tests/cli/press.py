"""Usage: press.py TIMES WAITING COMMAND...
Runs a command in a terminal of its own, presses Ctrl-C there TIMES times once WAITING threads
recorded into preplay.data wait for something, shows what it printed and ends with its exit code.
On a busy machine that may be too slow to count as in a row: then it does so again."""
import glob
import os
import pty
import select
import signal
import struct
import sys
import time

times, waiting, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
signal.alarm(500)


def wishes():
    """How many streams have one in their header (src/trace/encoding.h)."""
    count = 0
    for path in glob.glob("preplay.data/latest/streams/*.pps"):
        with open(path, "rb") as stream:
            header = stream.read(80)
        count += len(header) == 80 and struct.unpack_from("<I", header, 76)[0] != 0
    return count


def lives():
    """Whether the recorded program does."""
    try:
        with open("preplay.data/latest/process") as file, open(f"/proc/{int(file.read())}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, ValueError):
        return False


process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
output, pressed, next_press = b"", 0, 0.0
while True:
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        output += read
    elif time.monotonic() > next_press and wishes() >= waiting and lives():
        os.write(terminal, b"\x03")
        pressed += 1
        next_press = time.monotonic() + (0.2 if pressed % times else 10)
status = os.waitpid(process, 0)[1]
sys.stdout.write(output.decode(errors="replace").replace("\r", ""))
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
