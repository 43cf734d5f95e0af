"""What each tool reported, as a set of (kind, place, place): places are FILE:LINE, in order."""
import glob, json, os, re

OURS_SHOWN = ('observed', 'confirmed', 'seen-once')


def pair(kind, places):
    places = sorted(places)
    if kind == 'race':
        places = (places + ['?', '?'])[:2]
    return (kind, *places)


def short(location):
    """PATH:LINE[:COLUMN] as FILE:LINE."""
    parts = location.split(':')
    return os.path.basename(parts[0]) + ':' + parts[1] if len(parts) > 1 else location or '?'


def of_preplay(path):
    """Shown findings, predicted ones, and those held back (listed with --all only)."""
    if not os.path.exists(path):
        return set(), set(), set(), {}
    with open(path) as file:
        document = json.load(file)
    sets = {'shown': set(), 'predicted': set(), 'held': set()}
    for finding in document['findings']:
        verdict = finding['verdict']
        where = 'shown' if verdict in OURS_SHOWN else 'predicted' if verdict == 'predicted' else 'held'
        sets[where].add(pair(finding['kind'], [short(event.get('location', '')) for event in finding['events']]))
    return sets['shown'], sets['predicted'] - sets['shown'], sets['held'] - sets['shown'], document


TSAN_FRAME = re.compile(r'#\d+ \S.*? (/?[^\s:]+):(\d+)(?::\d+)? \(')
TSAN_OWN = re.compile(r'sanitizer|libtsan|/tsan/|<null>')
TSAN_BLOCK = re.compile(r'^  (?:Previous )?(?:atomic )?(?:[Rr]ead|[Ww]rite) of size|^  (?:Previous )?(?:atomic )?(?:read|write)', re.M)


def of_tsan(pattern):
    found = set()
    for path in glob.glob(pattern):
        with open(path, errors='replace') as file:
            for report in file.read().split('=================='):
                head = re.search(r'WARNING: ThreadSanitizer: (.*?) \(pid', report)
                if not head:
                    continue
                if 'lock-order-inversion' in head[1]:
                    places = [frame(block) for block in re.split(r'\n\n', report) if ' acquired here' in block]
                    found.add(pair('deadlock', [place for place in places if place]))
                elif 'race' in head[1] or 'use-after-free' in head[1]:
                    blocks = [block for block in re.split(r'\n\n|(?======)', report) if TSAN_BLOCK.search(block)]
                    places = [frame(part) or '?' for block in blocks
                              for part in re.split(r'\n(?=  (?:Previous|Location))', block) if TSAN_BLOCK.search(part)]
                    found.add(pair('race', places[:2]))
                else:
                    found.add(pair(head[1], []))
    return found


def frame(block):
    for line in block.split('\n'):
        match = TSAN_FRAME.search(line)
        if match and not TSAN_OWN.search(line):
            return os.path.basename(match[1]) + ':' + match[2]
    return None


HELGRIND_FRAME = re.compile(r'(?:at|by) 0x[0-9A-F]+: .*\(([^()\s]+):(\d+)\)')


def of_helgrind(pattern):
    found = set()
    for path in glob.glob(pattern):
        with open(path, errors='replace') as file:
            text = re.sub(r'^==\d+== ?', '', file.read(), flags=re.M)
        for report in re.split(r'(?=Possible data race during|lock order ".*" violated)', text):
            if report.startswith('Possible data race'):
                first, _, second = report.partition('This conflicts with a previous')
                places = [helgrind_frame(part.split('\n\n')[0]) or '?' for part in (first, second) if part]
                found.add(pair('race', places))
            elif report.startswith('lock order'):
                found.add(pair('deadlock', [place for place in [helgrind_frame(report)] if place]))
    return found


def helgrind_frame(block):
    for line in block.split('\n'):
        match = HELGRIND_FRAME.search(line)
        if match and not match[1].startswith(('vg_', 'hg_')):
            return match[1] + ':' + match[2]
    return None
