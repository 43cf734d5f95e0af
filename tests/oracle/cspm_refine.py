#!/usr/bin/env python3
"""Refinement checks of small CSPM scripts, by being in every state: what FDR would say of them.

    tests/oracle/cspm_refine.py FILE...           prints each assertion and whether it holds
    tests/oracle/cspm_refine.py --expect FILE...  compares with comments `-- holds`, `-- fails`
                                                  in the line before each assertion

The subset: datatypes of constants, channels, STOP, SKIP, prefixes with . ! ? and sets, guards, if,
; /\\ [] |~| [| |] ||| \\ and the replicated [] |~| |||, sets of values and of events, numbers,
assert P [T= Q and P [F= Q. Written from the semantics of CSP and the manual of FDR alone; it knows
nothing of traces."""
import sys

sys.dont_write_bytecode = True
from cspm_script import Script
from cspm_states import TAU, TICK, Model

sys.setrecursionlimit(100000)


def settle(model, states):
    """All that can be reached from them by TAU alone."""
    closed, pending = set(states), list(states)
    while pending:
        for event, following in model.after(pending.pop()):
            if event == TAU and following not in closed:
                closed.add(following)
                pending.append(following)
    return frozenset(closed)


def offers(model, state):
    """What a stable state accepts, or None if it is not stable. Who may terminate offers only that."""
    events = {event for event, _ in model.after(state)}
    if TAU in events:
        return None
    return {TICK} if TICK in events else events


def refines(model, specification, kind, implementation):
    """None if the refinement holds, or a list of events that shows that it does not."""
    begin = (settle(model, [model.state(specification, {})]), model.state(implementation, {}))
    came, pending = {begin: None}, [begin]
    accepted = {}
    for place in pending:  # grows: breadth first
        allowed, state = place
        offered = offers(model, state) if kind == '[F=' else None
        if offered is not None:
            if allowed not in accepted:
                accepted[allowed] = [set_ for set_ in (offers(model, s) for s in allowed) if set_ is not None]
            if not any(set_ <= offered for set_ in accepted[allowed]):
                return path(came, place)
        for event, following in model.after(state):
            after = allowed
            if event != TAU:
                after = settle(model, [then for s in allowed for what, then in model.after(s) if what == event])
                if not after:
                    return path(came, place) + [event]
            following = (after, following)
            if following not in came:
                came[following] = (place, event)
                pending.append(following)
    return None


def path(came, place):
    events = []
    while came[place]:
        place, event = came[place]
        events.append(event)
    return events[::-1]


def check(text):
    """For each assertion: its line, and None or a counterexample."""
    script = Script(text)
    model = Model(script)
    return [(line, refines(model, left, kind, right)) for line, left, kind, right in script.assertions]


def main(arguments):
    expected = arguments[:1] == ['--expect']
    wrong = 0
    for name in arguments[expected:]:
        with open(name) as file:
            text = file.read()
        lines = text.split('\n')
        for line, found in check(text):
            verdict = '-- holds' if found is None else '-- fails'
            if not expected:
                print(f'{name}:{line}: {verdict[3:]}')
            elif lines[line - 2].strip() != verdict:
                print(f'{name}:{line}: {verdict[3:]}, expected {lines[line - 2].strip()[3:]}; {found}')
                wrong += 1
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main(sys.argv[1:])
