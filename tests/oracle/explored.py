#!/usr/bin/env python3
"""Random small Tiddle programs, compiled and run under `preplay explore`, against all schedules of them (code_truth): both
know the same final states, failed assertions and deadlocks. Usage: explored.py BUILD [-n PROGRAMS] [-s SEED]"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOO_MANY_STATES = 2
CHECK = 9  # the descriptor to which runs that ended by themselves tell their output


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)


def true_ends(tool, source):
    """All ways to end, or None if there are too many states. Main, which waits for who is stuck, is no part of it."""
    result = run(tool, source)
    if result.returncode == TOO_MANY_STATES:
        return None
    result.check_returncode()
    return {line.removesuffix(" join") for line in result.stdout.splitlines()}


def line_of(location):
    return int(location.split(":")[-2])


def shown_ends(report, printed):
    ends = {f"end {line}".rstrip() for line in printed.splitlines()}
    for finding in report["findings"]:
        lines = sorted(line_of(event["location"]) for event in finding["events"])
        if finding["engine"] != "explore" or finding["kind"] == "race":
            continue
        if finding["kind"] == "deadlock":
            ends.add("stuck " + " ".join(map(str, lines)))
        elif finding["kind"] == "failure":
            ends.add("fails " + finding["text"].split(":")[1])
    return ends


def explore(preplay, where):
    """What preplay explore says, and how its runs ended."""
    run(preplay, "tiddle", "--lines", "p.tiddle", "-o", "p.c", cwd=where).check_returncode()
    run(preplay, "cc", "-g", "p.c", "-o", "p", cwd=where).check_returncode()
    printed = where / "printed"
    descriptor = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, CHECK)
    os.close(descriptor)
    result = run(preplay, "explore", "--json", "p.json", "--check", f"cat >&{CHECK}", "./p", cwd=where,
                 pass_fds=(CHECK,))
    os.close(CHECK)
    try:
        return json.loads((where / "p.json").read_text()), printed.read_text()
    except (OSError, ValueError):
        sys.exit(f"preplay explore: {result.returncode}\n{result.stdout}{result.stderr}")


def compare(build, seed):
    """0 or 1 compared; ends the script at a difference."""
    tool = build / "tests/oracle/code_truth"
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory)
        source = where / "p.tiddle"
        source.write_text(run(tool, "--random", seed).stdout)
        truth = true_ends(tool, source)
        if truth is None:
            return 0, 0
        report, printed = explore(build / "preplay", where)
        exploration, shown = report["exploration"], shown_ends(report, printed)
        if exploration["complete"] and shown == truth:
            return 1, exploration["runs"]
        sys.exit(f"program {seed}: complete {exploration['complete']} {exploration['doubts']}\n"
                 f"only in truth: {sorted(truth - shown)}\nonly explored: {sorted(shown - truth)}\n{source.read_text()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("-n", "--programs", type=int, default=10)
    parser.add_argument("-s", "--seed", type=int, default=1)
    options = parser.parse_args()
    compared = runs = 0
    for seed in range(options.seed, options.seed + options.programs):
        one, its_runs = compare(options.build.resolve(), seed)
        compared += one
        runs += its_runs
    print(f"{compared} programs, the same ends in {runs} runs; {options.programs - compared} have too many states")
    return 0 if compared else 1


sys.exit(main())
