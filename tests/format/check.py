#!/usr/bin/env python3
"""Holds docs/format.md, the format's version and the golden recordings to src/trace/wire.h.

check.py DESCRIBE PREPLAY [--update] [--reread]

DESCRIBE prints the tables. --update puts them into the page and notes their fingerprint for this version. --reread
takes what the reader makes of the golden recordings now, for whoever meant to change that (the bytes stay)."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "../../docs/format.md"
VERSIONS = HERE / "versions.txt"


def run(*words, good=(0,)):
    answer = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)
    if answer.returncode not in good:
        sys.exit(f"{' '.join(map(str, words))}: exit code {answer.returncode}\n{answer.stderr}")
    return answer.stdout


def check_page(tables, update):
    page = PAGE.read_text()
    wanted = re.sub(r"(<!-- tables -->\n).*(<!-- end of tables -->)", lambda m: m[1] + "\n" + tables + "\n" + m[2], page, flags=re.S)
    if update:
        PAGE.write_text(wanted)
    elif page != wanted:
        sys.exit("docs/format.md differs from src/trace/wire.h: check.py --update")


def check_version(tables, version, update):
    """The fingerprint of what the bytes mean may be another only if the version is."""
    known = dict(line.split() for line in VERSIONS.read_text().splitlines()) if VERSIONS.exists() else {}
    found = hashlib.sha256(tables.encode()).hexdigest()[:16]
    if update and version not in known:
        known[version] = found
        VERSIONS.write_text("".join(f"{key} {known[key]}\n" for key in sorted(known, key=int)))
    if known.get(version) != found:
        sys.exit(f"the bytes are not those of version {version} any more: raise ENCODING_VERSION, record "
                 "(golden.sh), note it (check.py --update)")
    if not list((HERE / "golden").glob(f"v{version}-*")):
        sys.exit(f"no golden recording of version {version}: golden.sh")
    return known


def read_golden(preplay, golden, current):
    """As it was read when it was made; one of a version that is not read any more is refused."""
    with tempfile.TemporaryDirectory() as work:
        copy = pathlib.Path(work) / golden.name
        shutil.copytree(golden, copy)
        if golden.name.split("-")[0] != f"v{current}":
            run(preplay, "dump", copy, good=(3,))
            return
        dump = run(preplay, "dump", copy)
        if "--reread" in sys.argv:
            (golden / "dump.txt").write_text(dump)
        if dump != (golden / "dump.txt").read_text():
            sys.exit(f"{golden}: read otherwise than it was (if that is meant: check.py --reread)")
        found = json.loads(run(preplay, "predict", "-e", "hb", "--json", "-", copy, good=(0, 66)))
        races = [[f["kind"], f["engine"], [e["pos"] for e in f["events"]]] for f in found["findings"]]
        if "--reread" in sys.argv:
            (golden / "findings.txt").write_text("".join(json.dumps(race, separators=(",", ":")) + "\n" for race in races))
        wanted = [json.loads(line) for line in (golden / "findings.txt").read_text().splitlines()]
        if sorted(races) != sorted(wanted):
            sys.exit(f"{golden}: other races than there were: {races}, not {wanted}")


def main():
    describe, preplay = sys.argv[1:3]
    update = "--update" in sys.argv
    tables, version = run(describe), run(describe, "version").strip()
    check_page(tables, update)
    check_version(tables, version, update)
    recordings = sorted(path for path in (HERE / "golden").iterdir() if path.is_dir())
    for golden in recordings:
        read_golden(preplay, golden, version)
    print(f"version {version}, {len(recordings)} golden recordings")


main()
