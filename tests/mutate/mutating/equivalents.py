# SPDX-License-Identifier: Apache-2.0
"""Mutants that are proved to change nothing that a test could see: tests/mutate/equivalent.txt, by file and text of the line."""

import collections
import pathlib

LIST = pathlib.Path(__file__).resolve().parents[1] / "equivalent.txt"
Equivalent = collections.namedtuple("Equivalent", "path before after reason")


def read(path=LIST):
    """Each entry is four lines: the file, `-` with the line, `+` with the mutated line, `=` with the reason."""
    entries, block = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() + [""], 1):
        line = line.strip()
        if line.startswith("#"):
            continue
        if line:
            block.append(line)
        elif block:
            marks = [one[:2] for one in block[1:]]
            if len(block) != 4 or marks != ["- ", "+ ", "= "]:
                raise SystemExit(f"{path}, line {number}: an entry is a file and lines that begin with -, + and =")
            entries.append(Equivalent(block[0], *(one[2:].strip() for one in block[1:])))
            block = []
    return entries


class Equivalents:
    def __init__(self, entries):
        self.reasons = {(one.path, one.before, one.after): one.reason for one in entries}

    def reason(self, mutant):
        return self.reasons.get((mutant.path, mutant.before, mutant.after), "")
