#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Ten runs of network and cenju4 give the metrics of digests.json, which are the same on every system, compiler and
SystemC.

usage: digests_test.py [--renew] PLATFORMS, the folder of the executables. --renew writes digests.json anew, for a
change that means to change results; --print NAME prints what a run's digest is made of.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
FILE = pathlib.Path(__file__).with_name("digests.json")
SHORT = "measure.warmup_cycles=1000", "measure.cycles=4000"

# Name to platform, configuration file and keys.
RUNS = {
    "mesh, dimension order, iSLIP": ("network", "network/mesh8.yaml", SHORT),
    "torus, ties at random, dateline": ("network", "network/torus10.yaml",
                                        ("measure.warmup_cycles=500", "measure.cycles=2000")),
    "fat tree, random port up": ("network", "network/tree43.yaml", SHORT),
    "Detour-UD with dead routers": ("network", "network/detour10x10.yaml",
                                    ("faults.routers=[22,77]", "measure.warmup_cycles=500", "measure.cycles=2000")),
    "a packet in a pipeline": ("network", "network/pipeline.yaml", ()),
    "adaptive routing, saturated": ("network", "", ("topology.kind=mesh", "topology.radices=[6,6]",
                                                    "routing.kind=duato", "router.vcs=3", "router.atomic_vcs=true",
                                                    "traffic.pattern=transpose",
                                                    "traffic.load_flits_per_node_cycle=0.6", *SHORT)),
    "every mechanism: Cenju-4 nodes on a torus": ("network", "network/machine16.yaml",
                                                  ("topology.radices=[2,2]", "workload.npb=is.S.4")),
    "every mechanism: groups of Cenju-4 nodes": ("network", "network/groups64.yaml",
                                                 ("topology.radices=[2,2]", "workload.npb=is.S.16",
                                                  "faults.links=[1]")),
    "Cenju-4, an exchange of 16 nodes": ("cenju4", "", ("workload.kind=exchange", "network.nodes=16")),
    "Cenju-4, crosspoints under load": ("cenju4", "", ("workload.kind=synthetic",
                                                       "traffic.load_flits_per_node_cycle=0.3", "measure.cycles=3000")),
    "Cenju-4, a benchmark's trace": ("cenju4", "", ("workload.kind=trace", "network.nodes=16", "workload.npb=cg.S.16",
                                                    "workload.npb_steps=1")),
}


def metrics_of(platforms, name):
    """What a run's digest is made of: a line a metric. Numbers with all printed digits."""
    platform, config, keys = RUNS[name]
    with tempfile.TemporaryDirectory(prefix="tsuji_digest_") as out:
        words = [str(PROJECT / "platforms" / config)] if config else []
        for key in keys:
            words += ["--set", key]
        done = subprocess.run([str(platforms / platform), *words, "--quiet", "--out", out], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{name}: exit {done.returncode}: {done.stderr}")
        metrics = json.loads(pathlib.Path(out, "result.json").read_text(), parse_float=str)["metrics"]
    return [f"{metric} {entry['value']} {entry['unit']}"
            for metric, entry in metrics.items() if not metric.startswith("wall_seconds")]


def digest_of(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


class Digests(unittest.TestCase):
    platforms = None

    def test_all_runs_give_the_committed_metrics(self):
        committed = json.loads(FILE.read_text())
        self.assertEqual(list(committed), list(RUNS))
        self.assertEqual(len(set(committed.values())), len(RUNS))
        for name in RUNS:
            with self.subTest(name):
                lines = metrics_of(self.platforms, name)
                self.assertGreater(len(lines), 5)
                self.assertEqual(digest_of(lines), committed[name],
                                 f"digests_test.py --print '{name}' {self.platforms} prints the metrics")

    def test_a_last_digit_is_another_digest(self):
        lines = metrics_of(self.platforms, "a packet in a pipeline")
        self.assertFalse([line for line in lines if "wall" in line])
        changed = [line[:-1] + ("0" if line[-1] != "0" else "1") for line in lines[-1:]]
        self.assertNotEqual(digest_of(lines[:-1] + changed), digest_of(lines))


def main(words):
    platforms = pathlib.Path(words[-1]).resolve()
    if words[0] == "--renew":
        FILE.write_text(json.dumps({name: digest_of(metrics_of(platforms, name)) for name in RUNS}, indent=2) + "\n")
    elif words[0] == "--print":
        print("\n".join(metrics_of(platforms, words[1])))
    else:
        Digests.platforms = platforms
        unittest.main(argv=[sys.argv[0]])


if __name__ == "__main__":
    main(sys.argv[1:])
