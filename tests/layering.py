#!/usr/bin/env python3
"""Holds every #include of src/ to the table "Who may use whom" of docs/architecture.md, and each
room to having no cycle among its own modules. Usage: layering.py PROJECT"""
import collections
import pathlib
import re
import sys

INTERFACE = {"engine/engine.h", "engine/found.h", "engine/whole.h"}
# Modules that include each other in a circle and are still to be parted. None may join them.
KNOWN_CYCLES = {
    "base/intern", "base/intern_ahead",
    "constraints/smt_propagate", "constraints/smt_truth",
    "csp/product", "csp/product_layout",
    "deadlock/stuck_decide", "deadlock/stuck_sets",
    "replay/access_order", "replay/schedule_writer",
    "report/details", "report/json", "report/report", "report/words",
    "runtime/command", "runtime/enforce", "runtime/enforce_steps", "runtime/host", "runtime/process",
    "runtime/recorder", "runtime/schedule", "runtime/stamps", "runtime/standing", "runtime/sync",
    "runtime/thread", "runtime/turns", "runtime/wish",
    "search/by_plans", "search/clocks", "search/exposed", "search/index", "search/relevant_variables",
    "search/search", "search/state", "search/suspects", "search/uses", "search/visit",
    "smt/smt_hunt", "smt/smt_pairs", "smt/smt_search",
    "target/ending", "target/hung", "target/recording", "target/trace_directory", "target/waiting",
    "tiddle/generator", "tiddle/generator_actions", "tiddle/program", "tiddle/program_parts",
    "trace/formats", "trace/trace", "trace/wellformed",
    "trace/recorded/binary_records", "trace/recorded/binary_stream",
    "trace/recorded/skipped", "trace/recorded/skipped_waits",
}


def table(page):
    """Room -> what its row names, in the order of the page."""
    rows = {}
    for line in page.split("## Who may use whom")[1].split("\n## ")[0].splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
        if len(cells) == 2 and cells[0]:
            rows[cells[0][0]] = cells[1]
    return rows


def closure(rows, room):
    """All rooms and headers that `room` may use: its row, and the rows of the rooms named there."""
    found, todo = set(), [room]
    while todo:
        for name in rows[todo.pop()]:
            if name not in found:
                found.add(name)
                if name in rows:
                    todo.append(name)
    return found


def module(room, path):
    """NAME.c and NAME.h are one, and NAME_state.h is the private part of both."""
    return re.sub("_state$", "", f"{room}/{pathlib.PurePath(path).stem}")


def cycles(edges):
    """Strongly connected components of more than one module (Tarjan)."""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                result.append(sorted(component))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return result


def main(project):
    sys.setrecursionlimit(10000)
    source = pathlib.Path(project) / "src"
    rows = table((pathlib.Path(project) / "docs/architecture.md").read_text())
    allowed = {room: closure(rows, room) for room in rows}
    complaints, modules, seen = [], collections.defaultdict(set), 0
    for path in sorted(source.rglob("*.[ch]")):
        name = path.relative_to(source)
        room = str(name.parent)
        if room.split("/")[-1] in ("templates", "page", "tsan"):
            continue
        if room not in rows:
            complaints.append(f"{name}: the table has no row for {room}")
            continue
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            other = str(pathlib.PurePath(included).parent)
            if not (source / included).exists():
                continue  # generated, or beside it
            seen += 1
            if other == room:
                modules[module(room, name)].add(module(room, included))
                continue
            if other in allowed[room] or included in allowed[room]:
                continue
            if "engine.h" in allowed[room] and included in INTERFACE:
                continue
            complaints.append(f"{name} includes {included}: {room} may not use {other}")
    for target in [t for targets in modules.values() for t in targets]:
        modules.setdefault(target, set())
    for component in cycles(modules):
        if not set(component) <= KNOWN_CYCLES:
            complaints.append("modules that include each other in a circle: " + " ".join(component))
    print("\n".join(complaints) or f"{seen} includes between modules, all as the table says")
    return 1 if complaints or seen < 1000 else 0


sys.exit(main(sys.argv[1]))
