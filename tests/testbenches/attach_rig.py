# SPDX-License-Identifier: Apache-2.0
"""Routers in RTL, attached to a network by scripts/attach_rtl as a user does it: what the tests of them share.

usage of a test: PROJECT BUILD FOLDER CASE
BUILD holds the built libraries of PROJECT, FOLDER is a scratch folder of the test's own.
"""

import pathlib
import subprocess
import sys
import unittest

from benches import FolderTest, counted_in, metrics_of, with_set

PROJECT, BUILD, FOLDER = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
EXAMPLES = PROJECT / "testbenches/router/examples"
SOON_COMPILED = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")

sys.path.insert(0, str(PROJECT / "tests/installation"))
from installation_test import as_the_libraries  # noqa: E402


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1200, check=False,
                          cwd=FOLDER)


def play(executable, *words):
    """A run of a network, whose results are in FOLDER/out unless the words say so."""
    out = () if "--out" in words else ("--out", FOLDER / "out")
    return run(executable, *out, *with_set(words))


def attach(description, name, *settings):
    """The executable of a description."""
    done = run("env", f"PYTHONPATH={PROJECT / 'testbenches/router/attach'}", sys.executable, "-m", "main", PROJECT,
               BUILD, description,
               "--out", FOLDER / name, *as_the_libraries(BUILD), *settings)
    if done.returncode != 0:
        raise AssertionError(f"{name}: {done.stdout}{done.stderr}")
    return FOLDER / name / "build" / description.stem


def own_signals(router):
    """The waveform of a router's own signals as VCD."""
    run("fst2vcd", FOLDER / f"out/rtl.r{router}.fst", "-o", FOLDER / "own.vcd")
    return (FOLDER / "own.vcd").read_text(encoding="utf-8")


HEAVY = ("traffic.load_flits_per_node_cycle=0.7",)
LENGTHS = ("traffic.length=range", "traffic.packet_flits=2", "traffic.largest_packet_flits=9")
FLIT = r"router \d+ \(\w+\), cycle \d+(, packet \d+\.\d+)?: port \d, virtual channel \d, flit \d+: "


class Attached(FolderTest):
    def score(self, executable, *words):
        """Packets, and the mean latencies of models and RTL."""
        models = FOLDER / f"{executable.name}_models"
        self.ended(play(executable, *words, "compare.record=true", "--out", models))
        self.ended(play(executable, *words, "--rtl", "router=all", f"compare.against={models / 'run.csv'}",
                        "compare.score=true"))
        metrics = metrics_of(FOLDER / "out")
        return (metrics["compared_packets"], metrics["compared_latency_cycles_before"],
                metrics["compared_latency_cycles"])

    def shadowed(self, executable, places, *words):
        """A model beside the RTL has the same packets, with other latencies, and changes nothing."""
        words = ("--rtl", places, "traffic.last_cycle=1000", "topology.radices=[4,4]", *words)
        self.ended(play(executable, *words))
        alone = counted_in(FOLDER / "out")
        self.ended(play(executable, *words, "rtl.shadow=packets"))
        beside = counted_in(FOLDER / "out")
        shadow = {key: beside.pop(key) for key in list(beside) if key.startswith("rtl_shadow_")}
        self.assertEqual(beside, alone)
        self.assertGreater(shadow["rtl_shadow_packets"], 100)
        self.assertEqual((shadow["rtl_shadow_differing"], shadow["rtl_shadow_unfinished"]), (0, 0))
        self.assertLess(shadow["rtl_shadow_later_cycles_min"], shadow["rtl_shadow_later_cycles_mean"])
        self.assertLess(shadow["rtl_shadow_later_cycles_mean"], shadow["rtl_shadow_later_cycles_max"])
        return shadow

    def delayed(self, executable, *words):
        """Flits and credits that come later: all packets are delivered, later, by the seed."""
        words = ("--rtl", "router=all", "topology.radices=[3,3]", "traffic.last_cycle=800", *words)
        found = {}
        for delay, more in (("0", ()), ("2", ()), ("9", ()), ("9", ("rtl.record=true",)),
                            ("9", ("--seed", "2")), ("9", HEAVY), ("9", ("--stall", "0.3"))):
            done = self.ended(play(executable, *words, "--delay", delay, *more))
            self.assertEqual(done.stderr, "")
            found[delay, more] = counted_in(FOLDER / "out")
        at = {key: metrics["latency_cycles_mean"] for key, metrics in found.items()}
        self.assertEqual(found["9", ()], found["9", ("rtl.record=true",)])
        self.assertNotEqual(at["9", ()], at["9", ("--seed", "2")])
        self.assertEqual(found["0", ()]["packets_delivered"], found["9", ()]["packets_delivered"])
        hops = 2  # and more, in a mesh of 3 by 3
        # A flit comes by a cycle later at each router on average, and by 4.5; a packet's flits wait for each other.
        self.assertGreater(at["2", ()], at["0", ()] + hops)
        self.assertGreater(at["9", ()], at["0", ()] + 4.5 * hops)
        self.assertNotEqual(at["9", ("--stall", "0.3")], at["9", ()])

    def few(self, executable):
        for words, least in ((("topology.radices=[3,3]", "traffic.last_cycle=1500"), 500),
                             (("topology.radices=[4,2]", "traffic.load_flits_per_node_cycle=0.9",
                               "traffic.last_cycle=400"), 500),
                             (("topology.radices=[2,3]", "traffic.packet_flits=1", "traffic.last_cycle=500", "--seed",
                               "2"), 500),
                             (("topology.radices=[3,2]", "traffic.length=range", "traffic.packet_flits=1",
                               "traffic.largest_packet_flits=20", "traffic.last_cycle=1500"), 120)):
            with self.subTest(words=words):
                packets, models, rtl = self.score(executable, *words)
                self.assertGreater(packets, least)
                self.assertNotEqual(models, rtl)  # other routers than ours


def main():
    """The cases of the class that the last word names."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=[sys.argv[0], sys.argv[4].capitalize(), *sys.argv[5:]])
