#!/usr/bin/env python3
"""Breaks the refinement checker of csp on purpose, one guard at a time: every mutant must be
caught by a test.

    tests/mutants/refine.py [-k TEXT] [-w WORK-DIRECTORY]

Works on a copy of the sources. A mutant is a place in a file and what to put there instead;
-k runs those whose name contains TEXT. Prints each mutant with the test that caught it, or
SURVIVED; exit code 1 if any did. By hand: it takes some minutes."""
import argparse, os, shutil, subprocess, sys, tempfile

SEARCH, ENGINE = 'src/search/', 'src/engine/'
# name, file, what stands there, what is put there
MUTANTS = [
    # Symmetry: who may change places with whom.
    ('symmetry: every process is nameless', SEARCH + 'symmetry.c',
     'symmetry->nameless[p] = is_nameless(processes, process);', 'symmetry->nameless[p] = true;'),
    ('symmetry: steps may fork', SEARCH + 'symmetry.c', 'step->op == EVENT_FORK || step->op == EVENT_JOIN',
     'step->op == EVENT_JOIN'),
    ('symmetry: steps may join', SEARCH + 'symmetry.c', 'step->op == EVENT_FORK || step->op == EVENT_JOIN',
     'step->op == EVENT_FORK'),
    ('symmetry: steps may write what atomics read', SEARCH + 'symmetry.c', '.class == CLASS_VARIABLE))',
     '.class == CLASS_NONE))'),
    ('symmetry: joined twice', SEARCH + 'symmetry.c',
     'symmetry->nameless[step->other] = false; /* joined twice: rare enough */', ';'),
    ('symmetry: joined ones change places', SEARCH + 'symmetry.c',
     '(joiner == NO_PROCESS || slice->limit[joiner] <= symmetry->join_step[p])', 'joiner != p'),
    ('symmetry: different limits', SEARCH + 'symmetry.c', 'slice->limit[other] != slice->limit[p] || ', ''),
    ('symmetry: different must-steps', SEARCH + 'symmetry.c', ' || slice->must[other] != slice->must[p]', ''),
    ('symmetry: flags do not matter', SEARCH + 'symmetry.c', ' && a->flags == b->flags', ''),
    ('symmetry: all take the same steps', SEARCH + 'symmetry.c',
     'if (same_steps(&processes->items[symmetry->shape[p]], process))', 'if ((symmetry->shape[p] = 0) == 0)'),
    ('symmetry: not forked yet', SEARCH + 'symmetry.c',
     'product_forked(symmetry->product, members[k]) &&', ''),
    ('symmetry: conditions stay behind', SEARCH + 'symmetry.c', '!= CLASS_CONDITION)', '!= CLASS_NONE)'),
    ('symmetry: steps keep their names', SEARCH + 'refine.c', 'sorted_state(refiner, names);',
     'sorted_state(refiner, NULL);'),
    ('symmetry: no reduction', SEARCH + 'refine.c', 'if (!limits.no_symmetry)', 'if (false)'),
    # Stubborn sets: who joins a step that is possible ...
    ('stubborn: who wants the lock', SEARCH + 'stubborn.c',
     'break;\n        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);', 'break;'),
    ('stubborn: who reads under the lock', SEARCH + 'stubborn.c',
     'if (step->op != EVENT_ACQUIRE_READ)\n            join_users(stubborn, product, step->lock, USE_SHARED);', ''),
    ('stubborn: who fails while it is held', SEARCH + 'stubborn.c',
     'case EVENT_RELEASE_WRITE:\n        join_users(stubborn, product, step->lock, USE_FAILED_TRY);',
     'case EVENT_RELEASE_WRITE:'),
    ('stubborn: who fails before the wait', SEARCH + 'stubborn.c',
     'case EVENT_WAIT_BEGIN:\n        join_users(stubborn, product, step->lock, USE_FAILED_TRY);',
     'case EVENT_WAIT_BEGIN:'),
    ('stubborn: who wants the lock of the one who returns', SEARCH + 'stubborn.c',
     'case EVENT_WAIT_END:\n        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);',
     'case EVENT_WAIT_END:'),
    ('stubborn: who else would return', SEARCH + 'stubborn.c',
     'join_users(stubborn, product, step->lock, USE_SHARED);\n'
     '        join_users(stubborn, product, step->object, USE_CONDITION);',
     'join_users(stubborn, product, step->lock, USE_SHARED);'),
    ('stubborn: who waits for the signal', SEARCH + 'stubborn.c',
     'case EVENT_BROADCAST:\n        join_users(stubborn, product, step->object, USE_CONDITION);',
     'case EVENT_BROADCAST:'),
    ('stubborn: who fails to take', SEARCH + 'stubborn.c',
     'join_users(stubborn, product, step->object, USE_FAILED_TAKE);', ''),
    ('stubborn: who takes', SEARCH + 'stubborn.c',
     'if (!failed)\n            join_users(stubborn, product, step->object, USE_TAKE);', ''),
    ('stubborn: who writes', SEARCH + 'stubborn.c',
     'join_users(stubborn, product, step->object, USE_WRITE);', ''),
    ('stubborn: who reads', SEARCH + 'stubborn.c', 'join_users(stubborn, product, step->object, USE_READ);', ''),
    # ... and one that is not.
    ('stubborn: the forker', SEARCH + 'stubborn.c',
     'case RULE_FORK:\n        join_set(stubborn, product, processes->items[process].forker);', 'case RULE_FORK:'),
    ('stubborn: the forker of the joined', SEARCH + 'stubborn.c',
     'join_set(stubborn, product, processes->items[step->other].forker);', ';'),
    ('stubborn: the joined', SEARCH + 'stubborn.c', 'join_set(stubborn, product, step->other);', ';'),
    ('stubborn: the owner', SEARCH + 'stubborn.c',
     'join_set(stubborn, product, product_lock_owner(product, process));', ''),
    ('stubborn: who makes a try fail', SEARCH + 'stubborn.c',
     'case RULE_LOCK_FREE:\n        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);',
     'case RULE_LOCK_FREE:'),
    ('stubborn: which reader makes a try fail', SEARCH + 'stubborn.c',
     'join_users(stubborn, product, step->lock, USE_SHARED);\n        break;\n    case RULE_SIGNAL:',
     'break;\n    case RULE_SIGNAL:'),
    ('stubborn: who signals', SEARCH + 'stubborn.c',
     'case RULE_SIGNAL:\n        join_users(stubborn, product, step->object, USE_SIGNAL);', 'case RULE_SIGNAL:'),
    ('stubborn: who is missing at the barrier', SEARCH + 'stubborn.c',
     'case RULE_BARRIER:\n        join_set(stubborn, product,', 'case RULE_BARRIER:\n        (void)('),
    ('stubborn: who posts or takes', SEARCH + 'stubborn.c', 'step->flags & EVENT_FAILED ? USE_TAKE : USE_POST',
     'step->flags & EVENT_FAILED ? USE_POST : USE_TAKE'),
    ('stubborn: who runs the block', SEARCH + 'stubborn.c',
     'if (objects[step->object].users[USE_RUN].count)', 'if (false)'),
    ('stubborn: who writes what is read', SEARCH + 'stubborn.c',
     'add_writer(stubborn, product, step);\n        break;', 'break;'),
    ('stubborn: who signals a target', SEARCH + 'stubborn.c', 'join_users(stubborn, product, signalled, USE_SIGNAL);', ''),
    ('stubborn: steps that are not must', SEARCH + 'stubborn.c', 'if (product->state[slot] >= slice->must[process])',
     'if (product->state[slot] > slice->must[process])'),
    # Slices: how far each process may go.
    ('slice: nothing is given back', SEARCH + 'slice.c',
     'while (steps < process->length && process->steps[steps].held_count)\n            steps++;', ''),
    ('slice: forks that may be', SEARCH + 'slice.c', 'ask_fork(slice, p, false);', ''),
    ('slice: forks that must be', SEARCH + 'slice.c',
     'if (slice->must[p] && !slice->must_scanned[p])\n            ask_fork(slice, p, true);', ''),
    ('slice: the forks of targets', SEARCH + 'slice.c', 'ask_fork(slice, p, true);\n        raise_must', 'raise_must'),
    ('slice: joins of targets', SEARCH + 'slice.c',
     'slice->impossible = true; /* it stands before an event of its own */', ';'),
    ('slice: the forks of the joined', SEARCH + 'slice.c', 'ask_fork(slice, step->other, surely);', ''),
    ('slice: ends that are joined', SEARCH + 'slice.c', 'ask(slice, step->other, slice->processes->items[step->other].length, surely);', ''),
    ('slice: who makes a try fail', SEARCH + 'slice.c',
     'ask_users(slice, p, &objects[step->lock], USE_EXCLUSIVE);', ''),
    ('slice: which reader makes a try fail', SEARCH + 'slice.c',
     'ask_users(slice, p, &objects[step->lock], USE_SHARED);', ''),
    ('slice: who holds the lock at the start', SEARCH + 'slice.c',
     'ask(slice, holder->process, holder->release + 1, surely);', ';'),
    ('slice: who signals', SEARCH + 'slice.c',
     'if (!failed)\n            ask_users(slice, p, &objects[step->object], USE_SIGNAL);', ''),
    ('slice: who signals a target', SEARCH + 'slice.c',
     'ask_users(slice, p, &processes->objects.items[step->object], USE_SIGNAL);', ';'),
    ('slice: who entered before', SEARCH + 'slice.c',
     'need_barrier(slice, objects[step->object].previous, surely);', ''),
    ('slice: who enters', SEARCH + 'slice.c', 'need_barrier(slice, step->object, surely);', ''),
    ('slice: who posts', SEARCH + 'slice.c', 'failed ? USE_TAKE : USE_POST', 'failed ? USE_TAKE : USE_FAILED_TAKE'),
    ('slice: who takes', SEARCH + 'slice.c', 'failed ? USE_TAKE : USE_POST', 'USE_POST'),
    ('slice: who runs the block', SEARCH + 'slice.c', 'need_once(slice, &objects[step->object], surely);', ''),
    ('slice: who writes', SEARCH + 'slice.c', 'need_write(slice, p, step, surely);', ''),
    ('slice: beyond the target', SEARCH + 'slice.c', 'steps = slice->target[p];\n', ';\n'),
    # The search itself.
    ('refine: other steps depth first, too', SEARCH + 'refine.c', 'if (must)\n        array_push', 'if (true)\n        array_push'),
    ('refine: returns without a signal', SEARCH + 'refine.c',
     'condition = signalled ? unsignalled(refiner, goal->targets, goal->count) : NO_OBJECT;', ''),
    ('refine: no bound on states', SEARCH + 'refine.c', 'refiner->links.count >= refiner->limits.states || ', ''),
    ('refine: no bound on memory', SEARCH + 'refine.c', 'bytes > refiner->limits.bytes ||', ''),
    ('refine: no bound on work', SEARCH + 'refine.c', '||\n           refiner_work(refiner) > most_work', ''),
    ('refine: full means none', SEARCH + 'refine.c', 'return REFINE_INCOMPLETE;', 'return REFINE_HOLDS;'),
    ('refine: memory of earlier checks counts', SEARCH + 'refine.c', '2 * refiner->words.count', '2 * refiner->words.capacity'),
    # Windows: what lies before is executed as observed.
    ('window: locks are free', SEARCH + 'window_start.c', 'held_locks_step(&start->held[event->thread], event);', ';'),
    ('window: nobody waits', SEARCH + 'window_start.c', 'condition_wait(condition, event->thread);', ''),
    ('window: nobody has returned', SEARCH + 'window_start.c',
     'condition_wake(condition, event->thread, !(event->flags & EVENT_FAILED));', ''),
    ('window: no signals', SEARCH + 'window_start.c', 'condition_signal(condition);', ''),
    ('window: no broadcasts', SEARCH + 'window_start.c', 'condition_broadcast(condition);', ''),
    ('window: nobody has entered', SEARCH + 'window_start.c', 'start->entered[event->other]++;', ''),
    ('window: no posts', SEARCH + 'window_start.c', 'start->counts[event->object]++;', ''),
    ('window: nothing taken', SEARCH + 'window_start.c', 'start->counts[event->object]--;', ';'),
    ('window: no block was run', SEARCH + 'window_start.c', 'start->onces[event->object] = 2;', ''),
    ('window: nothing written', SEARCH + 'window_start.c', 'start->last_write[event->object] = pos;', ';'),
    ('window: signals that came before a wait', SEARCH + 'product.c',
     'while (before < start->token_count && start->tokens[before] < start->waiters[i].since)\n            before++;', ''),
    ('window: chosen ones are not', SEARCH + 'product.c', 'start->waiters[i].woken ? WOKEN : WAITING + before', 'WAITING + before'),
    ('window: the prefix is not shown', SEARCH + 'refine_witness.c', 'array_push(&expansion.witness, pos);', ';'),
    ('window: holders of the start let go at once', SEARCH + 'product.c',
     'for (uint32_t p = 0; p < processes->count; p++)\n        hold(product, p, 0, true);', ''),
    # Candidates.
    ('clocks: a join tells nothing', SEARCH + 'must_clocks.c',
     'learn(learning, step->other, processes->items[step->other].length + 1);', ';'),
    ('clocks: a fork tells nothing', SEARCH + 'must_clocks.c', 'learn(&forked, place.process, place.at + 1);', ''),
    ('clocks: locks tell nothing', SEARCH + 'must_clocks.c', 'learn_lock(learning, step);', ''),
    ('clocks: failed tries tell something', SEARCH + 'must_clocks.c',
     'if (step->flags & EVENT_FAILED && step->op != EVENT_WAIT_END)\n        return;', ''),
    ('clocks: readers wait for readers', SEARCH + 'must_clocks.c',
     ' &&\n            !(holders->items[i].shared && step->op == EVENT_ACQUIRE_READ)', ''),
    ('clocks: leaving a barrier tells nothing', SEARCH + 'must_clocks.c', 'learn_barrier(learning, step->object);', ''),
    ('clocks: entering one tells nothing', SEARCH + 'must_clocks.c',
     'learn_barrier(learning, objects[step->object].previous);', ''),
    ('clocks: a passed block tells nothing', SEARCH + 'must_clocks.c', 'if (objects[step->object].initial != 2 &&', 'if (false &&'),
    ('clocks: a load tells nothing', SEARCH + 'must_clocks.c', 'learn_write(learning, step);', ''),
    ('pairs: rows begin too late', ENGINE + 'csp_pairs.c', 'place.at < must)', 'place.at <= must)'),
    ('pairs: rows end too early', ENGINE + 'csp_pairs.c', '> a->place.at)\n        return false;', '>= a->place.at)\n        return false;'),
    ('pairs: one row', ENGINE + 'csp_pairs.c', 'if (entry.first)\n        add_row', 'if (false)\n        add_row'),
    ('pairs: one column', ENGINE + 'csp_pairs.c', 'if (entry.column + 1 <', 'if (entry.column + 1 < 0 *'),
    ('pairs: in any order', ENGINE + 'csp_pairs.c', 'return a->bound < b->bound;', 'return a->bound > b->bound;'),
    ('races: the first counterexample will do', ENGINE + 'csp_races.c', 'pair.bound < best_length)', 'best_length == SIZE_MAX)'),
    ('races: guards are kept for good', ENGINE + 'csp_candidates.c',
     'variable->guards[i] = variable->guards[--variable->guard_count];', 'i++;'),
    ('races: undecided means refuted', ENGINE + 'csp_races.c', 'return incomplete ? REFINE_INCOMPLETE : REFINE_HOLDS;', 'return REFINE_HOLDS;'),
    ('races: what is known of a pair of places is mixed up', ENGINE + 'csp_races.c', 'map_mix(places[1] ^ 0x5bd1e995u)', '0'),
    # Sets of waits.
    ('stuck: signals choose whom they need not', ENGINE + 'stuck_bounds.c', 'return signals > takers;',
     'return signals && signals >= takers;'),
    ('stuck: nobody else takes signals', ENGINE + 'stuck_bounds.c', 'takers += waits -', 'takers += 0 * waits -'),
    ('stuck: posts that are owed do not count', ENGINE + 'stuck_bounds.c', 'if (owes < left)', 'if (owes <= left)'),
    ('stuck: the same of one tuple', ENGINE + 'stuck_bounds.c',
     'if (owes < bounds->counts->left[all.items[s]])', 'if (owes <= bounds->counts->left[all.items[s]])'),
    ('stuck: signals come after any wait', ENGINE + 'monitor_order.c',
     'if (acquire != POS_NONE && history->index[acquire] < least)\n            least = history->index[acquire];',
     'least = 0 * acquire;'),
    ('stuck: nothing is known of monitors', ENGINE + 'stuck_bounds.c', 'if (bounds->monitors && low)', 'if (false)'),
    ('stuck: helps may lie behind the set', ENGINE + 'stuck_bounds.c',
     'bounds->must[thread] = must > bounds->must[thread] ? must : bounds->must[thread];', '(void)must;'),
]
TESTS = ['tests/unit/test_refine', 'tests/unit/test_csp']


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
    copy(root, work)
    if build(work).returncode or caught_by(work):
        sys.exit('the tests fail without any mutant')
    survived = 0
    for name, path, old, new in MUTANTS:
        if arguments.k not in name:
            continue
        with open(os.path.join(root, path)) as file:
            text = file.read()
        if text.count(old) != 1:
            sys.exit(f'{name}: "{old}" stands {text.count(old)} times in {path}')
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
