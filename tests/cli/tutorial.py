#!/usr/bin/env python3
"""Runs the commands of a tutorial and compares what they print with what it says.

tutorial.py FILE.md EXAMPLES [--update]

Every block marked ```console holds lines that begin with "$ " (a command) and, below
each, what the command prints. All commands run in one shell session in an empty
directory that holds a copy of EXAMPLES. Times are not compared, and the examples' sleeps are as
long as it takes (tests/programs/patience.h). --update puts the real output in."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

MARK = "=== end of command ==="


def run_all(commands, examples):
    work = tempfile.mkdtemp()
    shutil.copytree(examples, os.path.join(work, "examples"))
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(os.environ["PREPLAY"])) + ":" + os.environ["PATH"])
    environment.pop("PREPLAY_OPTIONS", None)
    patience = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "patience.h")
    os.mkdir(os.path.join(work, "headers"))
    with open(os.path.join(work, "headers", "unistd.h"), "w") as header:
        header.write(f'#include_next <unistd.h>\n#include "{patience}"\n')
    environment["CPATH"] = os.path.join(work, "headers")
    script = "exec 2>&1\n" + "".join(f"{command}\nstatus=$?; echo '{MARK}'; (exit $status)\n" for command in commands)
    answer = subprocess.run(["bash", "-c", script], cwd=work, env=environment, stdout=subprocess.PIPE, text=True, timeout=600)
    shutil.rmtree(work)
    return [part.lstrip("\n") if i else part for i, part in enumerate(answer.stdout.split(MARK + "\n"))]


def normal(text):
    return re.sub(r"\d+\.\d+ s", "N s", text)


def main():
    path, examples = sys.argv[1:3]
    text = open(path).read()
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    commands = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    outputs = iter(run_all(commands, examples))
    bad = 0
    for block in blocks:
        real = ""
        for line in block.splitlines():
            if line.startswith("$ "):
                real += line + "\n" + next(outputs)
        if normal(real) != normal(block):
            bad += 1
            if "--update" not in sys.argv:
                print(f"--- {path} says\n{block}--- but it is\n{real}")
        text = text.replace("```console\n" + block, "```console\n" + real)
    if "--update" in sys.argv:
        open(path, "w").write(text)
        return 0
    print(f"{len(commands)} commands, {bad} blocks differ")
    return 1 if bad or not commands else 0


sys.exit(main())
