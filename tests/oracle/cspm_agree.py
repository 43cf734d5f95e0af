#!/usr/bin/env python3
"""What `convert --to cspm` asserts, against the oracle.

    tests/oracle/cspm_agree.py BUILD-DIRECTORY [-n TRACES] [-s SEED] [--per-pair] [FILE.tiddle | SHAPE]...

The files, and random traces of each SHAPE, with the seeds SEED, SEED + 1, ...: the assertion of an
object fails if and only if it has a race (by the two threads, with --per-pair), that of the program
if and only if there is a deadlock (model `sync`). Assertions are checked by cspm_refine.py. Prints
each difference with the seed; exit code 1 if there is any."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import cspm_refine

SMALL = 'events=6..11,threads=2..3'
SHAPES = [f'{shape}:{SMALL}' for shape in ('basic', 'locks', 'crossed', 'tries', 'rwlocks', 'conditions', 'barriers',
                                           'semaphores', 'once', 'atomics', 'all')]
SHAPES += ['deadlock:threads=2..3', 'deadlock-rw:threads=2..3', 'stuck:events=12..16,threads=2..3']


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def thread_name(name):
    """As the model writes it."""
    return 't' + name[1:] if name[0] == 'T' else 't' + name


def truth(build, trace, per_pair):
    """The variables with a race (with the threads, if asked for), and whether there is a deadlock."""
    with open(trace) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith('#')]
    racing, stuck = set(), False
    for line in output(os.path.join(build, 'tests/oracle/truth'), '-m', 'sync', trace).split('\n'):
        stuck |= line.startswith('  deadlock')
        if not line.startswith('  race'):
            continue
        events = [lines[int(pos)] for pos in re.findall(r' (\d+)\(', line)]
        threads = frozenset(thread_name(event[1]) for event in events)
        racing.add((events[0][2], threads if per_pair else frozenset()))
    return racing, stuck


def asserted(build, trace, per_pair):
    """The same by the assertions that fail, and how many there are."""
    model = output(os.path.join(build, 'preplay'), 'convert', '--to', 'cspm', *['--per-pair'] * per_pair, trace)
    lines = model.split('\n')
    racing, stuck, count = set(), False, 0
    for line, counterexample in cspm_refine.check(model):
        count += 1
        race = re.search(r'(?:RACE|PATTERN)\((?:(\w+), (\w+), )?(\w+)\)\)', lines[line - 1])
        if counterexample is not None and race:
            racing.add((race.group(3), frozenset(filter(None, race.group(1, 2)))))
        elif counterexample is not None:
            stuck = True
    return racing, stuck, count


def compare(options, trace, name, totals):
    """1 if they differ; adds what fails to the totals."""
    racing, stuck, count = asserted(options.build, trace, options.per_pair)
    true_racing, true_stuck = truth(options.build, trace, options.per_pair)
    for i, number in enumerate((count, len(racing), stuck)):
        totals[i] += number
    if racing == true_racing and stuck == true_stuck:
        return 0
    print(f'{name}: races {races_text(racing)}, deadlock {stuck}; the oracle: {races_text(true_racing)}, {true_stuck}')
    return 1


def races_text(racing):
    return sorted((variable, *sorted(threads)) for variable, threads in racing)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('what', nargs='*')
    parser.add_argument('-n', type=int, default=5)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('--per-pair', action='store_true')
    options = parser.parse_intermixed_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        trace = os.path.join(work, 'trace.tiddle')
        for shape in options.what or SHAPES:
            totals = [0, 0, 0]
            if os.path.exists(shape):
                bad += compare(options, shape, shape, totals)
            for seed in [] if os.path.exists(shape) else range(options.s, options.s + options.n):
                with open(trace, 'w') as file:
                    file.write(output(os.path.join(options.build, 'preplay'), 'tiddle', '--random', '--shape', shape,
                                      '--seed', str(seed)))
                bad += compare(options, trace, f'{shape}, seed {seed}', totals)
            print(f'{shape}: {totals[0]} assertions, {totals[1]} fail for a race, {totals[2]} for a deadlock',
                  flush=True)
    sys.exit(bad > 0)


main()
