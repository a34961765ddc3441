#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pins that a bench or a network has recorded, played into a bench.

usage: play_test.py ROUTER_BENCH PLANTED_ROUTER NETWORK_BENCH
"""

import sys
import unittest

from benches import BenchTest, run, with_set

BENCH, PLANTED, NETWORK = sys.argv[1:4]
INPUTS = ["reset", "in_valid", "in_head", "in_tail", "in_vc", "in_destination", "in_data", "out_credit", "table_valid",
          "table_row",
          "table_entry"]


def read_record(path):
    """{pin: value of each cycle}."""
    head, rows = path.read_text(encoding="utf-8").split("cycles\n")
    values, places = {}, {"input": 0, "output": 0}
    rows = [tuple(int(word, 16) for word in row.split()) for row in rows.splitlines()]
    for direction, name, bits in (line.split() for line in head.splitlines()):
        low, mask = places[direction], (1 << int(bits)) - 1
        values[name] = [row[0 if direction == "input" else 1] >> low & mask for row in rows]
        places[direction] += int(bits)
    return values


class Played(BenchTest):
    def setUp(self):
        super().setUp()
        self.record = self.folder / "pins.txt"

    def test_routers_of_a_network_in_lock_step(self):
        self.ends(0, NETWORK, "--out", self.folder / "out",
                  "--rtl", "router=0+5", *with_set(("lookup.kind=local", "rtl.record=true", "traffic.last_cycle=1500",
                                                    "traffic.load_flits_per_node_cycle=0.6")))
        for router in (0, 5):
            record, again = self.folder / f"out/pins.r{router}.txt", self.folder / "again.txt"
            result = self.ends(0, BENCH, "--device", "router_5x4", "--play", record, "--record", again)
            self.assertRegex(result.stdout,
                             rf"^router_5x4: \d+ cycles, inputs of {record}: all outputs of model and twin equal, all "
                             rf"rules"
                             r" of the scoreboard kept, digest ")
            # Another Verilated class, in another simulation, has the outputs that the network's had.
            before, now = read_record(record), read_record(again)
            self.assertEqual(sorted(before), sorted(now))
            for name, values in before.items():
                self.assertEqual(values, now[name], name)
            self.assertGreater(len(before["reset"]), 1500)
            self.assertEqual(sum(before["table_valid"]), 16)
            self.assertGreater(sum(map(bool, before["out_valid"])), 1000)

    def test_a_bug_shows_as_with_the_benchs_own_stimulus(self):
        self.ends(0, BENCH, "--device", "router_matrix", "--seed", "3", "--cycles", "5000", "--record", self.record)
        for bug in ("any_credit", "held_by_two"):
            words = ("--device", bug, "--difference-wave", self.folder / "found.fst")
            own, played = run(PLANTED, *words, "--seed", "3"), run(PLANTED, *words, "--play", self.record)
            self.assertEqual((own.returncode, played.returncode), (1, 1), own.stdout + played.stdout)
            self.assertIn(f"{bug}: cycle ", own.stdout)
            self.assertEqual(played.stdout, own.stdout.replace("seed 3", f"inputs of {self.record}"))

    def test_a_long_record_need_not_move_every_output(self):
        self.ends(0, BENCH, "--device", "router_matrix", "--cycles", "10000", "--record", self.record)
        head, rows = self.record.read_text(encoding="utf-8").split("cycles\n")
        first = rows.splitlines(keepends=True)[0]  # a reset
        self.record.write_text(f"{head}cycles\n{first * 10_000}", encoding="utf-8")
        result = self.ends(0, BENCH, "--device", "router_matrix", "--play", self.record)
        self.assertIn("10000 cycles", result.stdout)

    def test_refusals(self):
        self.ends(0, BENCH, "--device", "router_matrix", "--cycles", "20", "--record", self.record)
        good = self.record.read_text(encoding="utf-8")
        wide = next(line for line in good.splitlines() if line.startswith("input in_data"))
        row = good.splitlines()[-1]
        last = len(good.splitlines())
        digits = " and ".join(str(len(word)) for word in row.split())
        for old, new, place, said in (
                ("input reset 1", "input rest 1", "1:7",
                 f"the device has no such input (got 'rest'); accepted: {', '.join(INPUTS)}"),
                ("input reset 1\n", "", f"{last - 21}:1", "the record ends without the input reset"),
                ("input reset 1\n", "input reset 1\ninput reset 1\n", "2:7",
                 "the same input as in a line above (got 'reset')"),
                (wide, wide.replace("48", "49"), "7:15", "the input has another width (got '49'); accepted: 48"),
                ("input reset 1", "input reset one", "1:1",
                 "not a pin (got 'input reset one'); accepted: input NAME BITS, output NAME BITS"),
                ("input reset 1", "inout reset 1", "1:1", "not a pin"),
                ("cycles\n", "", f"{last - 20}:1", "not a pin"),
                (row, row[1:], f"{last}:1",
                 f"not a cycle of these pins (got '{row[1:]}'); accepted: {digits} digits of base 16"),
                (row, row[:-1], f"{last}:1", "not a cycle of these pins"),
                (row, "g" + row[1:], f"{last}:1", "not a cycle of these pins"),
                (row, row[:-1] + "g", f"{last}:1", "not a cycle of these pins")):
            with self.subTest(new=new):
                at = good.rindex(old)
                self.record.write_text(good[:at] + new + good[at + len(old):], encoding="utf-8")
                self.refused(f"{self.record}:{place}: --play: {said}", BENCH, "--device", "router_matrix", "--play",
                             self.record)
        self.record.write_text(good.partition("cycles\n")[0] + "cycles\n", encoding="utf-8")
        for words, said in ((("--play", self.record), "--play: there is no cycle"),
                            (("--play", "/nowhere"), "--play: "),
                            (("--play", self.record, "--seed", "1"), "--seed"),
                            (("--play", self.record, "--cycles", "9"), "--cycles")):
            with self.subTest(words=words):
                self.refused(said, BENCH, "--device", "router_matrix", *words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
