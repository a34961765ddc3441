# SPDX-License-Identifier: Apache-2.0
"""YAML whose every value knows its place."""

import difflib

import yaml


class Refused(Exception):
    """Bad input: place in a file, key, problem, the value, and what would fit."""

    def __init__(self, place, key, problem, value, accepted):
        super().__init__(f"{place}: {key + ': ' if key else ''}{problem} (got '{value}'); accepted: {accepted}")


class Value:
    """A node of a YAML file: a scalar, a list or a section."""

    def __init__(self, node, key, file):
        self.node, self.key, self.file = node, key, file

    @property
    def place(self):
        return f"{self.file}:{self.node.start_mark.line + 1}:{self.node.start_mark.column + 1}"

    def refuse(self, problem, accepted, value=None):
        raise Refused(self.place, self.key, problem, self.shown() if value is None else value, accepted)

    def shown(self):
        return self.node.value if isinstance(self.node, yaml.ScalarNode) else \
            "a list" if isinstance(self.node, yaml.SequenceNode) else "a section"

    def text(self):
        """Of a scalar, or of a list with one scalar, as [7:0] is one."""
        if isinstance(self.node, yaml.SequenceNode) and len(self.node.value) == 1 and self.node.flow_style:
            inner = self.node.value[0]
            if isinstance(inner, yaml.ScalarNode):
                return f"[{inner.value}]"
        if not isinstance(self.node, yaml.ScalarNode) or not self.node.value:
            self.refuse("not a word", "one word")
        return self.node.value

    def word(self, words):
        if self.text() not in words:
            self.refuse("no such word", " or ".join(words))
        return self.text()

    def number(self, least, most):
        try:
            value = int(self.text(), 0)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            self.refuse("out of range", f"an integer {least}..{most}")
        return value

    def flag(self):
        return self.word(["true", "false"]) == "true"

    def items(self):
        """Of a list, or one scalar."""
        if isinstance(self.node, yaml.ScalarNode) and self.node.value:
            return [self]
        if not isinstance(self.node, yaml.SequenceNode):
            self.refuse("not a list", "a list")
        return [Value(node, self.key, self.file) for node in self.node.value]


class Section(Value):
    """A section whose keys are known: all are read once, and the others are refused by done()."""

    def __init__(self, node, key, file):
        super().__init__(node, key, file)
        self.values, self.asked = {}, []
        if not isinstance(node, yaml.MappingNode):
            self.refuse("not a section", "keys with values")
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                Value(name, key, file).refuse("not a key", "a word")
            full = f"{key}.{name.value}" if key else name.value
            if name.value in self.values:
                first = self.values[name.value].node.start_mark
                Value(name, full, file).refuse("the key is there twice", f"once; the first is in line {first.line + 1}")
            self.values[name.value] = Value(value, full, file)

    def full(self, name):
        return f"{self.key}.{name}" if self.key else name

    def get(self, name):
        """A Value, or None."""
        self.asked.append(name)
        return self.values.get(name)

    def need(self, name, accepted):
        value = self.get(name)
        if value is None:
            raise Refused(self.place, self.full(name), "the key is missing", "", accepted)
        return value

    def section(self, name):
        """A Section, or None."""
        value = self.get(name)
        return None if value is None else Section(value.node, value.key, self.file)

    def done(self):
        self.only(self.asked)

    def only(self, names):
        for name, value in self.values.items():
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                hint = f", did you mean '{self.full(near[0])}'?" if near else ""
                value.refuse("unknown key" + hint, ", ".join(sorted(set(names))), name)


def read(path):
    """The file's top Section."""
    try:
        with open(path, encoding="utf-8") as file:
            node = yaml.compose(file, Loader=yaml.SafeLoader)
    except OSError as error:
        raise Refused(path, "", "cannot be read", error.strerror, "a description in YAML") from error
    except UnicodeDecodeError as error:
        raise Refused(path, "", "not text", error.reason, "a description in YAML") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Refused(f"{path}:{mark.line + 1}:{mark.column + 1}", "", error.problem, "no YAML",
                      "a description in YAML; words with ': ' or leading brackets in quotes") from error
    if node is None:
        raise Refused(path, "", "empty", "", "a description in YAML")
    return Section(node, "", path)
