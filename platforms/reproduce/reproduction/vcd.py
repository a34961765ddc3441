# SPDX-License-Identifier: Apache-2.0
"""Reads a VCD as the waveform writer makes it: every signal's changes, by its dotted path."""

import re


def unescape(text):
    return re.sub(r"\\([0-7]{3}|.)", lambda m: chr(int(m[1], 8)) if len(m[1]) == 3 else m[1], text)


class Vcd:
    def __init__(self, path):
        self.changes = {}  # path -> [(time in ps, value)], numbers as int
        self.first = self.last = None
        paths, scopes, time = {}, [], None
        lines = iter(path.read_text().splitlines())
        for line in lines:
            words = line.split()
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                name = ".".join([*scopes, words[4]])
                paths[words[3]] = name
                self.changes[name] = []
            elif words[0] == "$enddefinitions":
                break
        for line in lines:
            if line.startswith("#"):
                time = int(line[1:])
                self.first = time if self.first is None else self.first
                self.last = time
            elif not line.startswith("$"):
                value, code = line.split() if line[0] in "bs" else (line[0], line[1:])
                value = unescape(value[1:]) if line[0] == "s" else int(value.lstrip("b"), 2)
                self.changes[paths[code]].append((time, value))

    def at(self, name, time):
        """The value that holds at a time; None before the file's beginning."""
        value = None
        for when, new in self.changes[name]:
            if when > time:
                break
            value = new
        return value

    def row(self, name, times):
        return [self.at(name, time) for time in times]

    def spans(self, name):
        """(begin, value) of everything but the idle level."""
        return [(time, value) for time, value in self.changes[name] if value not in ("", 0)]
