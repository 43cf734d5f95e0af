"""The truth about a program: which reports of any tool are errors, and why.

truth/NAME has a line for each:  true|false KIND PLACE PLACE | REASON
"false" names the edge that orders the two by file and line, "true" the one that is missing. A place
is FILE:LINE or a pattern of the shell. A report without a line is unargued, and counts as false. A line
"as NAME" stands for the truth about another program."""
import fnmatch, os

here = os.path.dirname(os.path.abspath(__file__))


class Truth:
    def __init__(self, name):
        self.lines = []
        path = os.path.join(here, 'truth', name)
        if not os.path.exists(path):
            return
        with open(path) as file:
            for number, line in enumerate(file, 1):
                line = line.strip()
                if not line or line.startswith('#'):
                    continue
                if line.startswith('as '):
                    self.lines += Truth(line[3:]).lines
                    continue
                head, _, reason = line.partition('|')
                words = head.split()
                if len(words) < 3 or words[0] not in ('true', 'false') or not reason.strip():
                    raise SystemExit(f'{path}:{number}: want "true|false KIND PLACE PLACE | REASON"')
                self.lines.append((words[0] == 'true', words[1], words[2:], number))

    def line_of(self, finding):
        """The line that argues this finding, or None."""
        kind, *places = finding
        for entry in self.lines:
            if entry[1] == kind and match(places, entry[2]):
                return entry
        return None

    def judge(self, findings):
        """How many are true, false and unargued; and which true lines nobody of them matches."""
        entries = [self.line_of(finding) for finding in findings]
        true = sum(1 for entry in entries if entry and entry[0])
        false = sum(1 for entry in entries if entry and not entry[0])
        missed = [entry for entry in self.lines if entry[0] and entry not in entries]
        return true, false, len(entries) - true - false, missed


def fits(place, pattern):
    """"?" is a place that the tool had forgotten, or never knew."""
    return place == '?' or fnmatch.fnmatchcase(place, pattern)


def match(places, patterns):
    """Every place has a pattern of its own, in either order; one pattern may stand for all."""
    if len(patterns) == 1:
        return all(fits(place, patterns[0]) for place in places)
    if len(places) != len(patterns):
        return False
    return any(all(fits(place, pattern) for place, pattern in zip(order, patterns))
               for order in (places, places[::-1]))
