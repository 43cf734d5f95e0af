#!/usr/bin/env python3
"""Holds `preplay predict -e hb` against ThreadSanitizer, program by program.

    against_tsan.py PREPLAY [-n RUNS] PROGRAM...
    against_tsan.py PREPLAY --random COUNT [--seed N] [--shape SHAPE]

Each program is built once with gcc -fsanitize=thread. The same binary then runs RUNS times
under libtsan and RUNS times under `preplay record` (which needs no rebuild), in turns; what is
compared are the sets of pairs of source lines that race. A schedule is never the same twice, so
each side's pairs are those of all its runs, and a difference is looked into by ROUNDS more of
them before it counts. What must differ is said in the program's head:

Random programs are Tiddle's: they perform one order, whoever watches, so there the two see the
very same schedule, once. ThreadSanitizer remembers only a thread's last accesses to a variable and
tells fewer pairs: it must tell none that we do not, and both must name the same variables. What
differs by design:
  - a try that failed means to us that the holder's acquire came first, and a signal is before the
    return of the wait that it ended; to ThreadSanitizer both mean nothing: no such traces here

    // tsan only: WHY      pairs that ThreadSanitizer alone reports
    // preplay only: WHY   pairs that we alone report

A program of the zoo (libraries/) has cases. Only their wrong twins are compared, each with the
argument "wrong", and what we alone report is right there: the zoo says so. What ThreadSanitizer
alone reports must be excused, by case ("// tsan only CASE...: WHY") or by place (a line that ends in
//@given): it knows less of what the kernel orders, and reports what is right.

Prints a line for each difference, then "N passed, N failed"."""
import argparse, json, os, re, subprocess, sys, tempfile

ROUNDS = 4
here = os.path.dirname(os.path.abspath(__file__))
# Everything that keeps ThreadSanitizer from reporting the same twice, or from remembering.
options = 'suppress_equal_addresses=0:suppress_equal_stacks=0:history_size=7:exitcode=0:report_thread_leaks=0:' \
          'report_signal_unsafe=0:report_destroy_locked=0:report_mutex_bugs=0:detect_deadlocks=0:' \
          'report_atomic_races=1:atexit_sleep_ms=0:halt_on_error=0'


def place(text):
    match = re.search(r'([^/\s]+\.(?:c|cc|h)):(\d+)', text)
    return match.group(1) + ':' + match.group(2) if match else None


def own_place(stack, name):
    """The innermost frame in the program itself: a memcpy's caller, not memcpy."""
    for frame in stack:
        at = place(frame)
        if at and at.startswith((name, 'steps.h', 'kernel.h', 'zoo.h')):
            return at
    return None


def tsan_pairs(output, name):
    pairs = set()
    for report in output.split('==================\n'):
        if 'data race' not in report and 'heap-use-after-free' not in report:
            continue
        stacks, current = [], None
        for line in report.split('\n'):
            if re.match(r'  (Previous )?(atomic )?(Read|Write|read|write|Atomic|[Aa]tomic) ?(read|write)? ?of size', line) or \
               re.match(r'  Previous (atomic )?(read|write) of size', line):
                current = []
                stacks.append(current)
            elif current is not None and line.startswith('    #'):
                current.append(line)
            elif not line.strip():
                current = None
        if len(stacks) >= 2:
            found = [own_place(stack, name) for stack in stacks[:2]]
            if None in found: # no stack: ThreadSanitizer forgot it
                continue
            pairs.add(tuple(sorted(found)))
    return pairs


def run(command, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120, **more).stdout.decode(errors='replace')
    except subprocess.TimeoutExpired:
        return ''


def our_races(preplay, trace):
    run([preplay, 'predict', '-e', 'hb', '--json', trace + '.json', trace])
    with open(trace + '.json') as file:
        return [finding for finding in json.load(file)['findings'] if finding['kind'] == 'race']


def our_pairs(preplay, trace):
    return {tuple(sorted(place(event['location']) or event['location'] for event in finding['events']))
            for finding in our_races(preplay, trace)}


def rounds(preplay, program, name, work, times):
    theirs, ours = set(), set()
    for _ in range(times):
        theirs |= tsan_pairs(run(program, env=dict(os.environ, TSAN_OPTIONS=options), cwd=work), name)
        run([preplay, 'record', '-d', work + '/trace'] + program, cwd=work)
        ours |= our_pairs(preplay, work + '/trace')
    return theirs, ours


def compare(preplay, source, times, work):
    head = [line[3:].strip() for line in open(source) if line.startswith('// ')]
    excused = {side for side in ('tsan', 'preplay') for line in head if line.startswith(f'{side} only:')}
    compiler = ['g++', '-std=c++17'] if source.endswith('.cc') else ['gcc']
    program = work + '/program'
    more = [word for line in head if line.startswith('build: ') for word in line.split()[1:]]
    subprocess.run(compiler + ['-g', '-O1', '-w', '-fsanitize=thread', '-I' + here + '/../../include',
                               source, '-o', program, '-pthread'] + more, check=True)
    cases = [line[5:line.index(':')] for line in head if line.startswith('case ')]
    if not cases:
        return compare_runs(preplay, [program], source, '', excused, times, work)
    known = {case for line in head if line.startswith('tsan only ') for case in line[10:line.index(':')].split()}
    answers = [compare_runs(preplay, [program, case, 'wrong'], source, ' ' + case,
                            {'preplay'} | ({'tsan'} if case in known else set()), times, work) for case in cases]
    return all(answer[0] for answer in answers), sum(answer[1] for answer in answers)


def given(folder):
    """Places that the zoo says are in order, also in a wrong twin: ThreadSanitizer knows no better."""
    return {f'{file}:{number}' for file in os.listdir(folder) if file.endswith(('.c', '.h'))
            for number, line in enumerate(open(os.path.join(folder, file)), 1) if line.rstrip().endswith('//@given')}


def compare_runs(preplay, program, source, case, excused, times, work):
    name = os.path.basename(source)
    in_order = given(os.path.dirname(source)) if case else set()
    theirs, ours = set(), set()
    for attempt in range(1 + ROUNDS):
        more = rounds(preplay, program, name, work, times)
        theirs |= more[0]
        ours |= more[1]
        left = {'tsan': {pair for pair in theirs - ours if not case or not in_order.intersection(pair)}, 'preplay': ours - theirs}
        if not any(left[side] and side not in excused for side in left):
            break
    for side in left:
        if left[side] and side not in excused:
            print(f'FAILED {name}{case}: by {side} only: ' + ', '.join('-'.join(pair) for pair in sorted(left[side])))
        if not left[side] and side in excused and not case:
            print(f'note: {name} has nothing by {side} only this time')
    return not any(left[side] and side not in excused for side in left), len(ours | theirs)


def compare_random(preplay, seed, shape, work):
    """None if the trace cannot be performed; else good, pairs."""
    trace, name, program = work + '/trace.tiddle', f'random_{seed}.c', work + '/program'
    subprocess.run([preplay, 'tiddle', '--random', '--shape', shape, '--events', '40', '--seed', str(seed),
                    '-o', trace], check=True)
    if subprocess.run([preplay, 'tiddle', trace, '-o', work + '/' + name], stderr=subprocess.DEVNULL).returncode:
        return None
    subprocess.run(['gcc', '-g', '-O1', '-w', '-fsanitize=thread', work + '/' + name, '-o', program, '-pthread'],
                   check=True)
    run([preplay, 'record', '-d', work + '/trace', program], cwd=work)
    output = run([program], env=dict(os.environ, TSAN_OPTIONS=options), cwd=work)
    theirs, ours = tsan_pairs(output, name), our_pairs(preplay, work + '/trace')
    variables = set(re.findall(r"Location is global '(\w+)'", output))
    our_variables = {re.sub(r'[+#].*', '', finding['object']) for finding in our_races(preplay, work + '/trace')}
    if theirs - ours:
        print(f'FAILED {name}: by tsan only: ' + ', '.join('-'.join(pair) for pair in sorted(theirs - ours)))
    if variables != our_variables:
        print(f'FAILED {name}: variables: tsan {sorted(variables)}, preplay {sorted(our_variables)}')
    return theirs <= ours and variables == our_variables, len(ours | theirs)


def random_results(preplay, count, seed, shape):
    while count:
        with tempfile.TemporaryDirectory() as work:
            result = compare_random(preplay, seed, shape, work)
        seed += 1
        if result:
            count -= 1
            yield result


def results(preplay, programs, times):
    for source in programs:
        with tempfile.TemporaryDirectory() as work:
            yield compare(preplay, os.path.abspath(source), times, work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('preplay')
    parser.add_argument('programs', nargs='*')
    parser.add_argument('-n', type=int, default=1)
    parser.add_argument('--random', type=int, default=0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--shape', default='all:-tries,-conditions')
    arguments = parser.parse_args()
    preplay = os.path.abspath(arguments.preplay)
    answers = random_results(preplay, arguments.random, arguments.seed, arguments.shape) if arguments.random \
        else results(preplay, arguments.programs, arguments.n)
    passed = failed = pairs = 0
    for good, seen in answers:
        passed, failed, pairs = passed + good, failed + (not good), pairs + seen
    print(f'{pairs} racing pairs of lines in all')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


main()
