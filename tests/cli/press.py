"""Usage: press.py TIMES WAITING COMMAND...
Runs a command in a terminal of its own, presses Ctrl-C there TIMES times once WAITING threads
recorded into preplay.data wait for something, shows what it printed and ends with its exit code."""
import glob
import os
import pty
import select
import signal
import struct
import sys
import time

times, waiting, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
signal.alarm(60)


def wishes():
    """How many streams have one in their header (src/trace/encoding.h)."""
    count = 0
    for path in glob.glob("preplay.data/streams/*.pps"):
        with open(path, "rb") as stream:
            header = stream.read(80)
        count += len(header) == 80 and struct.unpack_from("<I", header, 76)[0] != 0
    return count


process, terminal = pty.fork()
if process == 0:
    os.execvp(command[0], command)
output, pressed = b"", 0
while True:
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        output += read
    elif pressed < times and wishes() >= waiting:
        time.sleep(0.2)
        os.write(terminal, b"\x03")
        pressed += 1
status = os.waitpid(process, 0)[1]
sys.stdout.write(output.decode(errors="replace").replace("\r", ""))
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
