#!/usr/bin/env python3
"""auto against every other sound engine on traces that are too large for the oracle.

    tests/oracle/at_least.py BUILD-DIRECTORY [-n TRACES] [-s SEED] [-e EVENTS,...] [-l LOCATIONS] [SHAPE...]

Random traces of each SHAPE and size, with the seeds SEED, SEED + 1, ..., their events spread
over LOCATIONS source locations: whatever another
engine proves, auto must find, under a model that is as strong. `tlh` counts where it gives
a schedule. `cp` and `wcp` promise that there is a race or a deadlock if they find anything,
not which: auto must find one. Solvers run on the small ones only. Prints each difference
with the command that repeats it; exit code 1 if there is any."""
import argparse, json, os, random, subprocess, sys, tempfile

STRONG = {'rf', 'value', 'branch'}
ENGINES = ['shb', 'syncp', 'deadlock', 'tlh', 'cp', 'wcp']
SLOW = {'smt': 300, 'csp': 300}  # engine -> events at most
SHAPES = ['large', 'large-all', 'large:locks=12,threads=8', 'large-all:-conditions']


def make(preplay, work, shape, seed, locations):
    """A random trace as .std, its locations drawn anew: several events at each."""
    tiddle, path = os.path.join(work, 'trace.tiddle'), os.path.join(work, 'trace.std')
    subprocess.run([preplay, 'tiddle', '--random', '--shape', shape, '--seed', str(seed), '--format',
                    '-o', tiddle], check=True)
    subprocess.run([preplay, 'convert', '--to', 'std', tiddle, '-o', path], check=True)
    draw = random.Random(seed)
    with open(path) as file:
        lines = [line.rstrip('\n').rsplit('|', 1)[0] for line in file]
    with open(path, 'w') as file:
        for line in lines:
            print(f'{line}|{draw.randrange(locations)}', file=file)
    return path


def findings(preplay, trace, engines):
    command = [preplay, 'predict', '--all', '-e', ','.join(engines), '--json', '-', trace]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 66):
        sys.exit(f'{" ".join(command)}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def proved(finding):
    if finding['kind'] == 'atomicity' or finding['engine'] in ('auto', 'cp', 'wcp'):
        return False
    return finding['engine'] not in ('tlh', 'csp') or 'witness' in finding


def place(finding):
    return finding['kind'], tuple(sorted(event['location'] for event in finding['events']))


def compare(preplay, trace, events):
    engines = ['auto'] + ENGINES + [name for name, most in SLOW.items() if events <= most]
    found = findings(preplay, trace, engines)
    own = {}
    for finding in found['findings']:
        if finding['engine'] == 'auto':
            own[place(finding)] = finding['model']
    missing = []
    for finding in found['findings']:
        model = own.get(place(finding))
        if proved(finding) and (model is None or finding['model'] in STRONG and model not in STRONG):
            missing.append(f'{finding["engine"]} ({finding["model"]}) {finding["kind"]} {finding["id"]}'
                           f' at {[event["pos"] for event in finding["events"]]}: auto {model}')
    for name in ('cp', 'wcp'):
        any_other = any(f['engine'] == name and f['kind'] == 'race' for f in found['findings'])
        if any_other and not any(model in STRONG for model in own.values()):
            missing.append(f'{name} finds something, auto nothing')
    undecided = next(e.get('exhausted', 0) for e in found['engines'] if e['name'] == 'auto')
    candidates = next(e.get('candidates', 0) for e in found['engines'] if e['name'] == 'auto')
    return missing, sum(map(proved, found['findings'])), len(own), undecided, candidates


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('shapes', nargs='*')
    parser.add_argument('-n', type=int, default=20)
    parser.add_argument('-s', type=int, default=1)
    parser.add_argument('-l', type=int, default=60)
    parser.add_argument('-e', default='1000,10000,100000')
    options = parser.parse_intermixed_args()
    preplay = os.path.join(options.build, 'preplay')
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        for shape in options.shapes or SHAPES:
            for events in map(int, options.e.split(',')):
                totals = [0, 0, 0, 0, 0]
                full = f'{shape}{"," if ":" in shape else ":"}events={events}'
                for seed in range(options.s, options.s + options.n):
                    trace = make(preplay, work, full, seed, options.l)
                    missing, *numbers = compare(preplay, trace, events)
                    totals = [sum(pair) for pair in zip(totals, [len(missing)] + numbers)]
                    for line in missing:
                        print(f'seed {seed}: {line}')
                bad += totals[0]
                print(f'{full}, {options.n} traces: others prove {totals[1]}, auto finds '
                      f'{totals[2]}, misses {totals[0]}; undecided {totals[3]} of {totals[4]}',
                      flush=True)
    sys.exit(bad > 0)


main()
