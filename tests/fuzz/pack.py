#!/usr/bin/env python3
"""pack.py directory|binary|run RECORDING FILE : a real recording (for run, an exploration) as an input of its fuzzer."""
import pathlib
import sys

NAMES = ["manifest.json", "findings.json", "modules", "stopped", "process", "cmdline", "environ", "cwd", "lock",
         "streams/000000000.pps", "streams/000000001.pps", "streams/000000002.pps", "process-1/process",
         "process-1/cmdline", "process-1/environ", "process-1/cwd", "process-1/modules",
         "process-1/streams/000000000.pps", "before/list", "before/network", "users", "cut_off", "stdin",
         "process-1/before/list", "exploration.json"]
HEADER = 112


def directory(recording):
    packed = b""
    for number, name in enumerate(NAMES):
        path = recording / name
        if path.exists():
            content = path.read_bytes().rstrip(b"\0") if name.endswith(".pps") else path.read_bytes()
            content = content[:65535]
            packed += bytes([number]) + len(content).to_bytes(2, "little") + content
    return packed


def binary(recording):
    """Up to four streams, each but the last behind a byte: which 256th of the rest is its own."""
    streams = [path.read_bytes()[HEADER:].rstrip(b"\0") + b"\0" for path in sorted((recording / "streams").glob("*.pps"))[:4]]
    streams += [b"\0"] * (4 - len(streams))
    packed = streams[3]
    for stream in reversed(streams[:3]):
        part, length, packed = share(len(stream), packed)
        packed = bytes([part]) + stream.ljust(length, b"\0") + packed
    return packed


def share(least, rest):
    """The byte that gives a stream at least so much before the rest, and how much; zeros, which end a stream, fill up."""
    while True:
        for part in range(1, 256):
            near = part * (1 + len(rest)) // (256 - part)
            for length in range(max(least, near - 2), near + 3):
                if part * (1 + length + len(rest)) // 256 == length:
                    return part, length, rest
        rest += b"\0" * (1 + len(rest) // 8)


def run(exploration):
    packed = b""
    for name in ("runs/1.run", "runs/1.json"):
        content = (exploration / name).read_bytes()
        packed += len(content).to_bytes(2, "little") + content
    return packed + (exploration / "modules").read_bytes()


kind, recording, target = sys.argv[1:4]
pathlib.Path(target).write_bytes({"directory": directory, "binary": binary, "run": run}[kind](pathlib.Path(recording)))
