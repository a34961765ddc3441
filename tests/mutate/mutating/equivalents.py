# SPDX-License-Identifier: Apache-2.0
"""Mutants that are proved to change nothing that a test could see: tests/mutate/equivalent.txt, by function and
expression."""

import collections
import pathlib

LIST = pathlib.Path(__file__).resolve().parents[1] / "equivalent.txt"
Equivalent = collections.namedtuple("Equivalent", "scope before after reason")


def read(path=LIST):
    """Each entry is four lines: the function, `-` with the expression, `+` with the mutated one, `=` with the
    reason."""
    entries, block = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() + [""], 1):
        line = line.strip()
        if line.startswith("#"):
            continue
        if line:
            block.append(line)
        elif block:
            marks = [f"{one} "[:2] for one in block[1:]]
            if len(block) != 4 or marks != ["- ", "+ ", "= "]:
                raise SystemExit(f"{path}, line {number}: an entry is a function and lines that begin with -, + and =")
            entries.append(Equivalent(block[0], *(one[2:].strip() for one in block[1:])))
            block = []
    return entries


class Equivalents:
    def __init__(self, entries):
        self.reasons = {(one.scope, one.before, one.after): one.reason for one in entries}

    def reason(self, mutant):
        return self.reasons.get((mutant.scope, mutant.before, mutant.after), "")
