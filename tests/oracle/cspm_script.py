"""Parses CSPM: the subset that cspm_refine.py names."""
import re

TOKEN = re.compile(r"\s+|--[^\n]*|([A-Za-z][A-Za-z0-9_']*|[0-9]+|\|\|\||\|~\||\[\||\|\]|\[\]|\{\||\|\}|"
                   r"\[T=|\[F=|->|/\\|==|\.\.|[;\\(){},:@?!.&=|<>+-])")
# From tight to loose; hiding is looser than all of them.
BINARY = [';', '/\\', '[]', '|~|', '[|', '|||']


class Script:
    """A script's declarations, parsed."""

    def __init__(self, text):
        self.tokens, self.at = [], 0
        place = 0
        while place < len(text):
            match = TOKEN.match(text, place)
            if not match:
                raise SyntaxError(f'no part of CSPM: {text[place:place + 20]!r}')
            if match.group(1):
                self.tokens.append((match.group(1), text.count('\n', 0, place) + 1))
            place = match.end()
        self.tokens.append(('', 0))
        self.constants, self.types, self.channels, self.definitions = set(), {}, {}, {}
        self.assertions = []  # (line, specification, kind, implementation)
        while self.peek():
            self.declaration()

    def peek(self):
        return self.tokens[self.at][0]

    def take(self, wanted=None):
        token, line = self.tokens[self.at]
        if wanted is not None and token != wanted:
            raise SyntaxError(f'line {line}: expected {wanted}, not {token!r}')
        self.at += 1
        return token

    def accept(self, wanted):
        if self.peek() == wanted:
            self.at += 1
            return True
        return False

    def list(self, separator, item):
        items = [item()]
        while self.accept(separator):
            items.append(item())
        return items

    def declaration(self):
        line = self.tokens[self.at][1]
        word = self.take()
        if word == 'datatype':
            name = self.take()
            self.take('=')
            self.types[name] = frozenset(self.list('|', self.take))
            self.constants |= self.types[name]
        elif word == 'channel':
            names = self.list(',', self.take)
            fields = self.list('.', self.value) if self.accept(':') else []
            for name in names:
                self.channels[name] = fields
        elif word == 'assert':
            left = self.process()
            kind = self.take()
            self.assertions.append((line, left, kind, self.process()))
        else:
            parameters = []
            if self.accept('('):
                parameters = self.list(',', self.take)
                self.take(')')
            self.take('=')
            is_set = self.peek() in ('{', '{|')
            self.definitions[word] = (parameters, self.value() if is_set else self.process())

    def value(self):
        left = self.plain_value()
        while self.peek() in ('+', '-'):
            left = (self.take(), left, self.plain_value())
        return left

    def plain_value(self):
        if self.accept('{|'):
            names = self.list(',', self.take)
            self.take('|}')
            return ('events', names)
        if self.accept('{'):
            if self.accept('}'):
                return ('set', [])
            items = self.list(',', self.value)
            if self.accept('..'):
                items = ('range', items[0], self.value())
            else:
                items = ('set', items)
            self.take('}')
            return items
        word = self.take()
        if word in ('union', 'diff'):
            self.take('(')
            left = self.value()
            self.take(',')
            right = self.value()
            self.take(')')
            return (word, left, right)
        return ('number', int(word)) if word.isdigit() else ('name', word)

    def condition(self):
        if self.accept('empty'):
            self.take('(')
            items = self.value()
            self.take(')')
            return ('==', items, ('set', []))
        left = self.value()
        operator = self.take()
        return (operator, left, self.value())

    def process(self):
        left = self.binary(len(BINARY))
        while self.accept('\\'):
            left = ('hide', left, self.value())
        return left

    def binary(self, level):
        if level == 0:
            return self.prefix()
        left = self.binary(level - 1)
        while self.peek() == BINARY[level - 1]:
            operator = self.take()
            shared = None
            if operator == '[|':
                shared = self.value()
                self.take('|]')
            left = (operator, left, self.binary(level - 1), shared)
        return left

    def prefix(self):
        if self.accept('('):
            inner = self.process()
            self.take(')')
            return inner
        if self.peek() in ('[]', '|~|', '|||'):
            operator, name = self.take(), self.take()
            self.take(':')
            items = self.value()
            self.take('@')
            return ('each' + operator, name, items, self.process())
        if self.accept('if'):
            test = self.condition()
            self.take('then')
            yes = self.process()
            self.take('else')
            return ('if', test, yes, self.process())
        following = self.tokens[self.at + 1][0]
        if self.peek() in self.channels or following == '->':
            return self.event()
        if following in ('==', '<', '>') or self.peek() == 'empty':
            test = self.condition()
            self.take('&')
            return ('if', test, self.prefix(), ('call', 'STOP', []))
        name, arguments = self.take(), []
        if self.accept('('):
            arguments = self.list(',', self.value)
            self.take(')')
        return ('call', name, arguments)

    def event(self):
        channel, fields = self.take(), []
        while self.peek() in ('.', '!', '?'):
            if self.take() != '?':
                fields.append(('out', self.value()))
                continue
            name = self.take()
            fields.append(('in', name, self.value() if self.accept(':') else None))
        self.take('->')
        return ('prefix', channel, fields, self.prefix())
