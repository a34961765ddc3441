#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every line of the table of the machine with every mechanism is printed by its run, digit for digit."""

import pathlib
import re
import shlex
import subprocess

import machine
from machine import MachineTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "platforms" / "network" / "README.md").read_text(encoding="utf-8")


def block_with(line):
    """The indented block of the page that has this line, without its indentation."""
    blocks = [block for block in re.findall(r"(?:^(?:    .*)?\n)+", README, re.M) if f"    {line}\n" in block]
    if len(blocks) != 1:
        raise AssertionError(f"{len(blocks)} blocks of the page have the line {line!r}")
    return [text[4:] for text in blocks[0].strip("\n").split("\n")]


class Tables(MachineTest):
    def printed(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=machine.TIMEOUT_S, check=True)
        return [line.rstrip() for line in done.stdout.split("\n")]

    def check(self, table, printed):
        """The table's lines follow each other in `printed`; a last line "..." stands for the rest."""
        if table[-1] == "...":
            table = table[:-1]
        first = printed.index(table[0]) if table[0] in printed else 0
        self.assertEqual([line.rstrip() for line in table], printed[first:first + len(table)])

    def test_the_machine_with_every_mechanism(self):
        table = block_with("cycles of heads that each mechanism cost (-: saved)")
        command = next(block for block in re.findall(r"(?:^    .*\\\n)+    .*\n", README, re.M) if "machine16.yaml" in block)
        words = shlex.split(command.replace("\\\n", " "))
        self.assertEqual(words[0], "build/platforms/network")
        self.assertEqual(words[-2], "--out")
        printed = self.printed(machine.EXECUTABLE, *words[1:-1], self.folder / "machine16")
        self.check(table, printed)
        self.assertEqual([line for line in printed if line.startswith("warning: ")], [], "the waveform shows its packet")


if __name__ == "__main__":
    machine.main()
