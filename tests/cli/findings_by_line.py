"""Prints the findings of a JSON file, one a line: engine, kind and lines of the trace,
so that a text trace and a recording of its program (--lines) can be compared."""
import json
import sys


def line_of(event):
    location = event["location"].rsplit("/", 1)[-1]
    parts = location.split(":")
    return int(parts[1] if len(parts) > 1 else parts[0])


findings = json.load(sys.stdin)["findings"]
rows = {
    (f["engine"], f["kind"]) + tuple(sorted(line_of(e) for e in f["events"])) for f in findings
}
for row in sorted(rows):
    print(*row)
