#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every key has its turn in the fuzzer's cases.

usage: turns_test.py [TEST] FOLDER_OF_THIS_FILE BUILD_FOLDER"""

import pathlib
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(pathlib.Path(sys.argv.pop()).resolve()))

from fuzzing import wanted  # noqa: E402
from fuzzing.cases import MOST_REPAIRS, Case, Machine  # noqa: E402
from fuzzing.profiles import PROFILES  # noqa: E402

# A run that only has to be accepted.
QUICK = {"measure.cycles": "1", "measure.warmup_cycles": "0", "measure.drain_cycles": "0"}


class Turns(unittest.TestCase):
    """Every key has its turn, and gets into configurations that are accepted."""

    def machine(self, name):
        place = tempfile.TemporaryDirectory(prefix="tsuji-fuzz-test-")
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        return Machine(PROFILES[name], BUILD, self.place / "machine")

    def case(self, machine, number):
        return Case(machine, 7, number, self.place / f"case{number}")

    def never_drawn(self, name):
        """The keys that no case of three rounds draws away from their default; none is run."""
        machine, drawn = self.machine(name), set()
        for number in range(3 * wanted.ROUND):
            case = self.case(machine, number)
            case.draw()
            drawn |= {key for key, value in case.settings.items() if value != machine.keys[key].default.strip('"')}
        self.assertGreater(len(machine.keys), 20)
        # Every case runs with all values of those that are covered.
        return {key for key in machine.keys if key not in machine.profile.covered} - drawn

    def test_network(self):
        self.assertEqual(self.never_drawn("network"), set())

    def test_cenju4(self):
        self.assertEqual(self.never_drawn("cenju4"), set())

    def test_soc(self):
        left_out = {key for key in self.machine("soc").keys if key.split(".")[0] in PROFILES["soc"].left_out}
        self.assertEqual(self.never_drawn("soc") - left_out, set())

    def test_lookup_study(self):
        self.assertEqual(self.never_drawn("lookup_study"), set())

    def test_compact_study(self):
        self.assertEqual(self.never_drawn("compact_study"), set(PROFILES["compact_study"].always_default))

    def test_what_has_its_turn_is_accepted(self):
        """In a sample, by the executable alone: its repairs leave many of the keys whose turn it is."""
        machine, asked, kept = self.machine("network"), 0, 0
        for number in range(12):
            case = self.case(machine, number)
            case.draw()
            asked += len(case.wanted)
            for _ in range(MOST_REPAIRS):
                case.attempts += 1
                quick = {key: value for key, value in QUICK.items() if key in case.settings and key not in case.wanted}
                ended = case.runner.run({**case.settings, **quick})
                if ended.code != 2:
                    kept += sum(case.settings.get(key, machine.keys[key].default) != machine.keys[key].default
                                for key in case.wanted)
                    break
                case.repair(ended.text)
        self.assertGreater(asked, 12)
        self.assertGreater(kept, 0.7 * asked)

    def test_the_words_that_a_key_needs(self):
        text = ("network: --set a.b=3: a.b: has no effect with x.kind no (got '3'); accepted: x.kind yes, maybe, "
                "y.kind \"\", z.file set, "
                "or the key left out\n")
        self.assertEqual(wanted.needs_in(text, {"a.b": None, "x.kind": None}),
                         [("a.b", [("x.kind", ["yes", "maybe"]), ("y.kind", [""]), ("z.file", [])])])
        self.assertEqual(wanted.needs_in("network: a.b: out of range (got '3'); accepted: 1..2\n", {"a.b": None}), [])

    def test_turns(self):
        names = [f"section.key{i}" for i in range(200)]
        for first in (0, wanted.ROUND, 5 * wanted.ROUND):
            for name in names:
                self.assertEqual(sum(wanted.turn_of(name, first + i) for i in range(wanted.ROUND)), 1)


if __name__ == "__main__":
    unittest.main()
