#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Crosspoint switches and parts of network interfaces of a Cenju-4 machine in RTL: packets, cycles, waveforms and
results are those of models.

usage: cenju4_rtl_test.py CENJU4_BENCH PLANTED_CENJU4 short|long
"""

import json
import sys
import unittest

from benches import BenchTest, with_set

GOOD, PLANTED, LENGTH = sys.argv[1:4]
SMALL = "network.nodes=16"
DEMO = (SMALL, "workload.npb=is.S.16", "workload.npb_steps=1")
CG = (SMALL, "workload.kind=trace", "workload.npb=cg.S.16")
ALONE = (SMALL, "workload.kind=synthetic", "traffic.multicast_share=0.3", "traffic.load_flits_per_node_cycle=0.6",
         "measure.cycles=4000")


def told_by(folder):
    """Results of a run without times of the host and without the key that places RTL."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    del result["config"]["rtl"]
    result["metrics"] = {name: metric["value"] for name, metric in result["metrics"].items()
                         if name != "wall_seconds"}
    return {part: result[part] for part in ("config", "metrics", "tables")}


class Machine(BenchTest):
    def ends_alike(self, places, *words):
        """Runs with models and with RTL, whose files are equal."""
        folders = [self.folder / name for name in ("models", "rtl")]
        for folder, rtl in zip(folders, ((), ("--rtl", places))):
            self.ends(0, GOOD, *with_set(words), *rtl, "--quiet", "--out", folder)
        files, others = ({path.name for path in folder.iterdir()} - {"result.json", "resolved.yaml", ".tsuji_files"}
                         for folder in folders)
        self.assertEqual(files, others)
        for name in sorted(files):
            self.assertEqual(*((folder / name).read_bytes() for folder in folders), name)
        before, after = map(told_by, folders)
        self.assertEqual(before, after)
        return files, before


class Short(Machine):
    def test_demo_is_the_same_with_rtl_in_all_switches_and_in_one(self):
        # The waveform has the flits of all channels shown, and the entries of all synchronization tables.
        for places in ("switch=all", "switch=5"):
            with self.subTest(places=places):
                files, result = self.ends_alike(places, *DEMO)
                self.assertIn("barrier_multicast.fst", files)
                self.assertGreater(result["metrics"]["packets_sent"], 1000)

    def test_a_barrier_is_the_same(self):
        self.ends_alike("switch=0+3+6", SMALL, "workload.kind=barrier")

    def test_packets_of_the_network_alone_are_the_same(self):
        for more in ("network.room_signal=credits", "network.room_signal=wire"):
            self.ends_alike("switch=all", *ALONE, more, "network.cable_cycles=3")
        for rtl in ((), ("--rtl", "switch=all")):
            self.ends(0, GOOD, *with_set(ALONE), *rtl, "--records", "--quiet", "--out", self.folder / f"run{len(rtl)}")
        rows = [(self.folder / f"run{count}" / "packets.csv").read_text(encoding="utf-8") for count in (0, 2)]
        self.assertEqual(*rows)
        self.assertGreater(len(rows[0].splitlines()), 300)

    def test_a_bug_in_the_rtl_is_told_with_switch_cycle_and_packet(self):
        result = self.ends(1, PLANTED, *with_set(DEMO), "--rtl", "switch=5", "--quiet", "--out", self.folder / "bug")
        self.assertRegex(result.stderr, r"model failure: .*switch1_1, cycle \d+, packet \d+\.\d+: its RTL sends flit "
                                        r"\d+ at output \d as another flit")
        self.ends(0, PLANTED, *with_set(DEMO), "--quiet", "--out", self.folder / "no_rtl")

    def test_places_are_refused_with_what_there_is(self):
        for places, part in (("switch=8", "switch=all, or switch= with switches 0..7"), ("switch=1+1", "a place twice"),
                             ("nic=16", "nic=all, or nic= with nodes 0..15"), ("nic=2,nic=3", "twice"),
                             ("cam=1", "there is no RTL of 'cam' here"), ("switch=", "no place of this network"),
                             ("switch=1.2", "no place of this network"), ("5", "'5' is no DEVICE=PLACE")):
            self.refused(part, GOOD, "--set", SMALL, "--rtl", places, "--out", self.folder / "x")

    def test_a_bug_in_an_interface_is_told_with_node_and_packet(self):
        for word, part in (("workload.kind=multicast", r"its RTL makes another header"),
                           ("workload.kind=ping_pong", r"its RTL shows word \d+ as another word")):
            result = self.ends(1, PLANTED, "--set", SMALL, "--set", word, "--rtl", "nic=all", "--quiet", "--out",
                               self.folder / "bug")
            self.assertRegex(result.stderr, r"model failure: node\d+\.nic: \d+\.\d+: " + part)

    def test_machines_that_the_interface_s_rtl_does_not_fit_are_refused(self):
        other = "the RTL was made with another value"
        for word, accepted in (("sender.fifo_packets=3", 2), ("receiver.fifo_packets=1", 2),
                               ("sizes.header_flits=6", 18),
                               ("sizes.multicast_header_flits=9", 18), ("sizes.synchronization_header_flits=10", 9),
                               ("sizes.flits_per_word=4", 3), ("sender.choose_cycles=2", 1),
                               ("sender.build_header_cycles=2", 1)):
            with self.subTest(word=word):
                key, value = word.split("=")
                self.refused(f"{key}: {other} (got '{value}'); accepted: {accepted}\n", GOOD, *with_set([SMALL, word]),
                             "--rtl", "nic=1", "--out", self.folder / "x")
        self.refused("pass no interface", GOOD, *with_set([SMALL, "workload.kind=synthetic"]), "--rtl", "nic=1",
                     "--out", self.folder / "x")

    def test_odd_words_and_lines_that_are_read_again_are_the_same(self):
        for offset in (8, 36):
            self.ends_alike("nic=all", SMALL, "workload.kind=dma", f"workload.dma_source_offset={offset}")

    def test_demo_is_the_same_with_rtl_in_interfaces(self):
        for places in ("nic=all", "nic=3,switch=2"):
            with self.subTest(places=places):
                self.ends_alike(places, *DEMO)

    def test_corrected_packets_are_the_same(self):
        _, result = self.ends_alike("nic=all", SMALL, "workload.kind=ping_pong", "seed=5",
                                    "faults.single_bit_per_flit=5e-3")
        self.assertEqual(result["metrics"]["packets_corrected"], 5)

    def test_dropped_packets_are_the_same(self):
        """The programs find that they are missing."""
        for fault, rate in (("single_bit", 1e-4), ("double_bit", 1e-5), ("lost", 1e-5)):
            runs = [self.ends(1, GOOD, *with_set([*DEMO, f"faults.{fault}_per_flit={rate}"]), *rtl, "--quiet", "--out",
                              self.folder / "dropped").stderr for rtl in ((), ("--rtl", "nic=all"))]
            self.assertRegex(runs[0], r"warning: \d+ packets were dropped")
            self.assertEqual(*runs)

    def test_machines_that_the_rtl_does_not_fit_are_refused(self):
        other = "the RTL was made with another value"
        for word, part in (("switch.fifo_packets=1", f"switch.fifo_packets: {other} (got '1'); accepted: 2"),
                           ("switch.single_cast_cycles=11", "accepted: 10"),
                           ("switch.multicast_cycles=10", "accepted: 15"),
                           ("switch.synchronization_cycles=20", "accepted: 16"),
                           ("switch.table_access_cycles=3", "accepted: 2"), ("switch.reserve_after=5", "accepted: 4"),
                           ("network.radix=2", "accepted: 4"), ("sizes.flits_per_word=5", "of 179 flits, is too long"),
                           ("faults.single_bit_per_flit=0.1", "does not check packets for errors"),
                           ("faults.double_bit_per_flit=0.1", "does not check packets for errors"),
                           ("faults.lost_per_flit=0.1", "does not check packets for errors"),
                           ("library.all_reduce=in_network", "does not combine the operands")):
            with self.subTest(word=word):
                words = with_set([SMALL, word])
                self.refused(part, GOOD, *words, "--rtl", "switch=1", "--out", self.folder / "x")
        self.refused("of 1 flits is not for the RTL", GOOD, *with_set([SMALL, "workload.kind=synthetic",
                                                                      "traffic.packet_flits=1"]),
                     "--rtl", "switch=1", "--quiet", "--out", self.folder / "x")


class Long(Machine):
    def test_cg_on_16_nodes_is_the_same(self):
        for places in ("switch=all", "switch=5", "nic=all", "switch=all,nic=all"):
            _, result = self.ends_alike(places, *CG)
            self.assertGreater(result["metrics"]["packets_sent"], 10_000)

    def test_demo_and_barrier_on_64_nodes_are_the_same(self):
        for kind in ("demo", "barrier"):
            self.ends_alike("switch=all,nic=all", f"workload.kind={kind}")

    def test_groups_of_a_network_of_200_nodes_are_the_same(self):
        self.ends_alike("switch=all", "network.nodes=200", *ALONE[1:-2], "traffic.load_flits_per_node_cycle=0.2",
                        "measure.cycles=1000")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "Short" if LENGTH == "short" else "Long"])
