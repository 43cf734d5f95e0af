#!/usr/bin/env python3
"""Breaks the refinement checker of csp on purpose, one guard at a time: every mutant must be
caught by a test.

    tests/mutants/refine.py [-k TEXT] [-w WORK-DIRECTORY]

Works on a copy of the sources. refine.txt lists the mutants: a place in a file, and what to put
there instead. -k runs those whose name contains TEXT. Prints each mutant with the test that caught it, or
SURVIVED; exit code 1 if any did. By hand: it takes some minutes."""
import argparse, os, shutil, subprocess, sys, tempfile

TESTS = ['tests/unit/test_refine', 'tests/unit/test_csp']


def read_mutants(path):
    """A list of (name, file, what stands there, what is put there)."""
    mutants, place = [], None
    with open(path) as file:
        for number, line in enumerate(file.read().split('\n'), 1):
            if line.startswith('file '):
                place = line[5:]
            elif line[:1] in ('-', '+'):
                mutants[-1][2 if line[0] == '-' else 3].append(line[1:])
            elif line and line[0] != '#':
                if not place:
                    sys.exit(f'{path}:{number}: no file')
                mutants.append((line, place, [], []))
    return [(name, place, '\n'.join(old), '\n'.join(new)) for name, place, old, new in mutants]


def copy(root, work):
    shutil.copytree(root, work, ignore=shutil.ignore_patterns('build*', '.git'), dirs_exist_ok=True,
                    copy_function=shutil.copy)  # newer than what an earlier run built
    subprocess.run(['meson', 'setup', 'build'], cwd=work, check=True, stdout=subprocess.DEVNULL)


def build(work):
    return subprocess.run(['nice', 'ninja', '-C', 'build'] + TESTS, cwd=work, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def caught_by(work):
    """The first test that fails, or None."""
    for test in TESTS:
        process = subprocess.Popen(['nice', 'timeout', '120', os.path.join(work, 'build', test)],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            if '[  FAILED' in line:
                process.kill()
                process.wait()
                return line.split(']')[1].strip()
        if process.wait():
            return f'{test} ends with {process.returncode}'
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-k', default='')
    parser.add_argument('-w')
    arguments = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    work = arguments.w or tempfile.mkdtemp()
    mutants = read_mutants(os.path.splitext(os.path.abspath(__file__))[0] + '.txt')
    for name, path, old, _ in mutants:
        with open(os.path.join(root, path)) as file:
            times = file.read().count(old)
        if times != 1:
            sys.exit(f'{name}: "{old}" stands {times} times in {path}')
    copy(root, work)
    if build(work).returncode or caught_by(work):
        sys.exit('the tests fail without any mutant')
    survived = 0
    for name, path, old, new in mutants:
        if arguments.k not in name:
            continue
        with open(os.path.join(root, path)) as file:
            text = file.read()
        with open(os.path.join(work, path), 'w') as file:
            file.write(text.replace(old, new))
        built = build(work)
        by = caught_by(work) if built.returncode == 0 else 'DOES NOT COMPILE\n' + built.stdout[-600:]
        survived += by is None
        print(f'{name:55} {by or "SURVIVED"}', flush=True)
        with open(os.path.join(work, path), 'w') as file:
            file.write(text)
    if not arguments.w:
        shutil.rmtree(work)
    return survived > 0


sys.exit(main())
