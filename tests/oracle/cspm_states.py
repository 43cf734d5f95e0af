"""The operational semantics of CSP: what a process can do, and what it is then (Roscoe, The Theory
and Practice of Concurrency, chapter 7). Parallel processes end when all have ended."""
import itertools

TAU, TICK = 'tau', 'tick'
STOP, SKIP, OMEGA = 0, 1, 2  # states; OMEGA has ended


class Model:
    """The states of a script's processes. A state is the number of a term; equal terms are one state."""

    def __init__(self, script):
        self.script = script
        self.terms, self.known = [('stop',), ('skip',), ('stop',)], {}
        self.moves = {}  # state -> [(event, state)]
        self.nodes, self.numbers = [], {}
        self.free = {}
        self.sets = {}
        self.fields = {name: [self.value(field, {}) for field in fields]
                       for name, fields in script.channels.items()}

    def term(self, *parts):
        if parts not in self.known:
            self.known[parts] = len(self.terms)
            self.terms.append(parts)
        return self.known[parts]

    def events_of(self, channel):
        return frozenset((channel, *values) for values in itertools.product(*self.fields[channel]))

    def value(self, node, env):
        kind = node[0]
        if kind == 'number':
            return node[1]
        if kind == 'name':
            return self.named(node[1], env)
        if kind in '+-':
            left, right = self.value(node[1], env), self.value(node[2], env)
            return left + right if kind == '+' else left - right
        if kind == 'set':
            return frozenset(self.value(item, env) for item in node[1])
        if kind == 'range':
            return frozenset(range(self.value(node[1], env), self.value(node[2], env) + 1))
        if kind == 'events':
            return frozenset().union(*map(self.events_of, node[1]))
        left, right = self.value(node[1], env), self.value(node[2], env)
        return left | right if kind == 'union' else left - right

    def named(self, name, env):
        script = self.script
        if name in env:
            return env[name]
        if name in script.constants:
            return name
        if name in script.types:
            return script.types[name]
        if name in script.channels:
            return (name,)
        if name not in self.sets:
            if name == 'Events':
                self.sets[name] = frozenset().union(*map(self.events_of, script.channels))
            else:
                self.sets[name] = self.value(script.definitions[name][1], {})
        return self.sets[name]

    def holds(self, test, env):
        left, right = self.value(test[1], env), self.value(test[2], env)
        return {'==': left == right, '<': left < right, '>': left > right}[test[0]]

    def state(self, node, env):
        """The state in which a process begins."""
        kind = node[0]
        if kind == 'call':
            if node[1] in ('STOP', 'SKIP'):
                return STOP if node[1] == 'STOP' else SKIP
            parameters, body = self.script.definitions[node[1]]
            values = [self.value(argument, env) for argument in node[2]]
            if len(values) != len(parameters):
                raise SyntaxError(f'{node[1]} with {len(values)} arguments')
            return self.state(body, dict(zip(parameters, values)))
        if kind == 'prefix':
            return self.term('prefix', self.number(node), self.closed(node, env))
        if kind == 'if':
            return self.state(node[2] if self.holds(node[1], env) else node[3], env)
        if kind == 'hide':
            return self.term('hide', self.state(node[1], env), self.value(node[2], env))
        if kind == ';':
            return self.term(';', self.state(node[1], env), self.number(node[2]), self.closed(node[2], env))
        if kind.startswith('each'):
            parts = [self.state(node[3], {**env, node[1]: value})
                     for value in sorted(self.value(node[2], env), key=repr)]
            return self.combine(kind[4:], parts, frozenset())
        shared = self.value(node[3], env) if node[3] else frozenset()
        return self.combine(kind, [self.state(node[1], env), self.state(node[2], env)], shared)

    def combine(self, operator, parts, shared):
        if operator in ('[]', '|~|'):
            return self.term(operator, tuple(parts)) if parts else STOP
        if operator == '/\\':
            return self.term(operator, *parts)
        if not parts:
            return SKIP  # ||| of nothing
        state = parts[-1]
        for part in reversed(parts[:-1]):
            state = self.term('par', part, state, shared)
        return state

    def number(self, node):
        if id(node) not in self.numbers:
            self.numbers[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[id(node)]

    def closed(self, node, env):
        """Of the environment, what the node speaks of."""
        if id(node) not in self.free:
            words = set()
            pending = [node]
            while pending:
                part = pending.pop()
                if isinstance(part, str):
                    words.add(part)
                elif isinstance(part, (tuple, list)):
                    pending.extend(part)
            self.free[id(node)] = words
        return tuple(sorted((name, value) for name, value in env.items() if name in self.free[id(node)]))

    def after(self, state):
        """What the state can do: pairs of an event and the state that follows."""
        if state not in self.moves:
            self.moves[state] = self.work_out(self.terms[state])
        return self.moves[state]

    def work_out(self, term):
        return getattr(self, 'do_' + NAMES[term[0]])(term)

    def do_stop(self, state):
        return []

    def do_skip(self, state):
        return [(TICK, OMEGA)]

    def do_prefix(self, state):
        node, found = self.nodes[state[1]], []
        types = self.fields[node[1]] if node[1] in self.fields else None
        if types is None:  # a variable that is an event
            return [(dict(state[2])[node[1]], self.state(node[3], dict(state[2])))]
        if len(types) != len(node[2]):
            raise SyntaxError(f'{node[1]} with {len(node[2])} fields')

        def fill(values, env):
            if len(values) == len(types):
                found.append(((node[1], *values), self.state(node[3], env)))
                return
            field, type_ = node[2][len(values)], types[len(values)]
            if field[0] == 'out':
                value = self.value(field[1], env)
                if value not in type_:
                    raise ValueError(f'{value!r} does not belong into {node[1]}')
                fill(values + [value], env)
                return
            chosen = self.value(field[2], env) if field[2] else type_
            for value in sorted(chosen & type_, key=repr):
                fill(values + [value], {**env, field[1]: value})

        fill([], dict(state[2]))
        return found

    def do_external(self, state):
        found = []
        for i, part in enumerate(state[1]):
            for event, following in self.after(part):
                if event == TAU:
                    following = self.term('[]', state[1][:i] + (following,) + state[1][i + 1:])
                found.append((event, following))
        return found

    def do_internal(self, state):
        return [(TAU, part) for part in state[1]]

    def do_sequence(self, state):
        found = []
        for event, following in self.after(state[1]):
            if event == TICK:
                found.append((TAU, self.state(self.nodes[state[2]], dict(state[3]))))
            else:
                found.append((event, self.term(';', following, *state[2:])))
        return found

    def do_interrupt(self, state):
        found = [(event, OMEGA if event == TICK else self.term('/\\', following, state[2]))
                 for event, following in self.after(state[1])]
        for event, following in self.after(state[2]):
            found.append((event, self.term('/\\', state[1], following) if event == TAU else following))
        return found

    def do_hide(self, state):
        return [(TAU if event in state[2] else event,
                 OMEGA if event == TICK else self.term('hide', following, state[2]))
                for event, following in self.after(state[1])]

    def do_parallel(self, state):
        _, left, right, shared = state
        if left == OMEGA and right == OMEGA:
            return [(TICK, OMEGA)]
        found, together = [], {}
        for event, following in self.after(right):
            if event in shared:
                together.setdefault(event, []).append(following)
            else:
                found.append((TAU if event == TICK else event, self.term('par', left, following, shared)))
        for event, following in self.after(left):
            if event in shared:
                found.extend((event, self.term('par', following, other, shared))
                             for other in together.get(event, ()))
            else:
                found.append((TAU if event == TICK else event, self.term('par', following, right, shared)))
        return found


NAMES = {'stop': 'stop', 'skip': 'skip', 'prefix': 'prefix', '[]': 'external', '|~|': 'internal',
         ';': 'sequence', '/\\': 'interrupt', 'hide': 'hide', 'par': 'parallel'}
