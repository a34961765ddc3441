#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scoreboards from outside: the devices keep all rules, and each planted error is named, in its first cycle, and drawn.

usage: scoreboard_test.py BENCH PLANTED_BENCH
"""

import re
import sys
import unittest

from benches import BenchTest, devices, run

GOOD, PLANTED = sys.argv[1:3]

DETOUR = {
    "torus_bit": r"a wrong table bit: the torus word of router \(5, \d\) for \(3, 2\) has .*, and "
                 r"the correct word is .*",
    "up_down_bit": r"a wrong table bit: the up/down word of router \(5, \d\) for \(3, 2\) has .*, and "
                 r"the correct word is .*",
    "up_after_down": r"a head in recovery goes up after down by [EWSN]",
    "ud_to_fa": r"a head in recovery gets FA channels as candidates: ports .*",
    "fa_to_ud": r"a head that is not in recovery gets UD channels as candidates: ports .*",
    "way_back": r"a head gets the port that it came from, [EWSN], and has other candidates",
    "no_region": r"a head does not read the table",
    "no_recovery": r"a head in recovery gets FA channels as candidates: ports .*",
    "stored_bit": r"read port [01] answers line \d+ with a wrong table bit: word 0x\w+, and row 5 has 0x\w+",
    "other_group": r"read port 0 (?:is idle, and line 1 has a request|is granted to line 1, which has no request)",
    "busy_port": r"read port [01] is granted to line \d+ while it is busy",
    "short_decode": r"read port [01] is granted to line \d+, whose address decode is not over",
    "slow_table": r"read port [01] does not answer line \d+ 5 cycles after its grant",
    "timed_ejection": r"input \d+ expires, whose head waits for its node",
    "timed_ud": r"input \d+ expires, whose head is in recovery",
    "left_head": r"input \d+ expires without a head",
    "late_timer": r"input \d+ does not expire 128 cycles after its head came",
}
CROSSPOINT = {
    "flit_bit": r"output 0 sends flit \d+ as 0x\w+, not 0x\w+",
    "port_bits": r"output 0 sends flit 0 as 0x\w+, not 0x\w+",
    "lost_flit": r"output 0 has a gap in a packet",
    "kept_slot": r"FIFO \(0, 1\) keeps a slot whose packet has left",
    "room_wire": r"FIFO \(0, 1\) has 1 packets, and its room wire is 1",
    "other_room": r"output 0 (?:sends a packet into a FIFO without room|is idle, and requester \d can leave)",
    "hidden_round": r"synchronization \d+ is complete",
    "early_single_cast": r"output \d sends a packet too early",
    "late_multicast": r"output \d is idle, and requester \d can leave",
    "early_table": r"the table absorbs a packet too early",
    "slow_table": r"the synchronization table is idle, and a packet waits for it",
    "deep_fifo": r"FIFO \(\d, \d\) has 2 packets, and its room wire is 1",
}
NIC = {
    "long_packet": r"cuts a packet with (?:bytes|last|lines) \d+, not \d+|builds another header",
    "never_again": r"cuts a packet with line read again 0, not 1",
    "hidden_cut": r"does not show the cut of the chosen parcel",
    "no_log": r"builds another header",
    "wrong_parity": r"sends flit \d+ with wrong parity",
    "wrong_position": r"sends flit \d+ with the position of another flit",
    "wrong_check": r"sends (?:header|payload) word \d+ with wrong check bits|sends a wrong port flit",
    "other_data": r"sends payload word \d+ as another word",
    "lost_flit": r"has a gap in a packet",
    "lost_accepted": r"(?:judges .*, and the flits say wrong positions|shows a word that has not come)",
    "any_position": r"(?:judges .*, and the flits say wrong positions|shows a word .*)",
    "any_node": r"judges .*, and the flits say .*",
    "all_accepted": r"judges accepted, and the flits say .*",
    "no_count": r"has corrected 0 words, not \d+",
    "no_verdict": r"does not judge a packet with its last flit",
    "word_bit": r"shows (?:another word|a word without its correction)",
}
NAMED = max((DETOUR, CROSSPOINT, NIC), key=lambda named: len(set(named) & set(devices(PLANTED))))


class Planted(BenchTest):
    def setUp(self):
        super().setUp()
        self.wave = self.folder / "found.vcd"

    def test_every_planted_error_is_named(self):
        self.assertEqual(sorted(devices(PLANTED)), sorted(NAMED))
        for device, sentence in NAMED.items():
            for seed in (1, 2, 3):
                with self.subTest(device=device, seed=seed):
                    result = self.ends(1, PLANTED, "--device", device, "--seed", seed, "--difference-wave", self.wave)
                    found = re.findall(rf"^{device}: cycle (\d+): model: (?:{sentence})$", result.stdout, re.MULTILINE)
                    self.assertTrue(found, result.stdout)
                    self.assertEqual(set(re.findall(r"cycle (\d+): ", result.stdout)), {found[0]})
                    # The waveform has the cycle, and some after it.
                    times = [int(line[1:]) for line in self.wave.read_text().splitlines() if line.startswith("#")]
                    self.assertGreater(max(times), 1000 * int(found[0]))

    def test_a_sentence_is_the_same_in_every_run(self):
        first, second = (run(PLANTED, "--device", min(NAMED), "--difference-wave", self.wave).stdout for _ in range(2))
        self.assertEqual(first, second)


class Good(BenchTest):
    def test_all_rules_are_kept_and_seeds_differ(self):
        for device in devices(GOOD):
            with self.subTest(device=device):
                digests = set()
                for seed in (1, 2, 3, 2):
                    result = self.ends(0, GOOD, "--device", device, "--cycles", "10000", "--seed", seed)
                    self.assertIn("all rules of the scoreboard kept", result.stdout)
                    digests.add(re.search("digest (0x[0-9a-f]+)", result.stdout).group(1))
                self.assertEqual(len(digests), 3)

    def test_a_side_that_is_not_there_is_refused(self):
        for side in ("twin", "both"):
            first = min(NAMED)
        self.refused(f"{first} has no twin", PLANTED, "--device", first, "--dut", side)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
