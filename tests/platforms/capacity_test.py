#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The bound on capacity of the platform `network`: what is printed and what comes into results, and that links carry in
a run what the bound rests on."""

import csv
import math
import re
import subprocess

import machine

SHORT = {"measure.warmup_cycles": 0, "measure.cycles": 100}
LOAD = "traffic.load_flits_per_node_cycle"


def metrics(done):
    return tuple(done.metric(f"capacity_bound_{name}") for name in ("flits_per_node_cycle", "kind", "at"))


class Answers(machine.MachineTest):
    """Bounds of configurations."""

    def capacity(self, *arguments, **options):
        done = self.ends(0, "--print-capacity", *arguments, **options)
        return done.text

    def test_a_run_has_the_bound_of_its_network_and_traffic(self):
        for keys, bound, kind, at in (
                ({}, 0.5, "exact", "link 3->4 (3,0)->(4,0) and 31 others"),
                ({"traffic.pattern": "transpose"}, 1 / 7, "exact", "link 0->8 (0,0)->(0,1) and 3 others"),
                # 32 pairs of 63 others cross each half.
                ({"traffic.to_self": "false"}, 63 / 64 / 2, "exact", "link 3->4 (3,0)->(4,0) and 31 others"),
                ({"traffic.pattern": "hotspot", "traffic.hotspots": "[5]"}, 1 / 7.3, "exact",
                 "ejection port of node 5"),
                ({"link.flit_cycles": 2, LOAD: 0.01}, 0.25, "exact", "link 3->4 (3,0)->(4,0) and 31 others"),
                ({"routing.kind": "duato", "router.atomic_vcs": "true"}, 0.5, "upper_bound", None),
                ({"retry.timeout_cycles": 500}, 0.5, "upper_bound", "link 3->4 (3,0)->(4,0) and 31 others"),
                ({"router.uturn_node": "false", "topology.kind": "torus", "topology.radices": "[4]"}, 1.0, "exact",
                 "injection port of node 0 and 3 others")):
            with self.subTest(keys=keys):
                done = self.passes(keys={**SHORT, **keys})
                found = metrics(done)
                self.assertAlmostEqual(found[0], bound, delta=1e-9 if kind == "exact" else 0.006 * bound)
                self.assertEqual(found[1], kind)
                if at is not None:
                    self.assertEqual(found[2], at)
                printed = self.capacity(keys={**SHORT, **keys})
                self.assertIn(f"{found[0]:.4f} flits/node/cycle ({kind})\nfull: {found[2]}\n", printed)

    def test_there_is_none_without_a_load_or_with_faults_that_come(self):
        packets = self.write("one.list", "0 1 2 4\n")
        for keys, reason in (({"traffic.kind": "closed_loop", "measure.drain_cycles": 1000}, "no offered load"),
                             ({"traffic.kind": "list", "traffic.list": packets}, "no offered load"),
                             ({"link.faults": "3@50:60"}, "faults during the run")):
            with self.subTest(keys=keys):
                self.assertEqual(metrics(self.passes(keys={**SHORT, **keys})), (None, "none", reason))
                shown = subprocess.run([machine.EXECUTABLE, "--out", str(self.folder / "shown"), *(
                    word for key, value in {**SHORT, **keys}.items() for word in ("--set", f"{key}={value}"))],
                    capture_output=True, text=True, check=True).stdout
                self.assertRegex(shown, f"\n  not known, for +{reason}\n")
                self.assertEqual(self.capacity(keys=keys), f"no bound on capacity: {reason}\n")
        self.refused(["--print-capacity", "synthetic"], "--print-capacity", keys={"workload.npb": "ep.S.4"})

    def test_dead_links_and_routers_count(self):
        """Seven living nodes of a ring are a line: each of 3 sends 4 / 7 of its packets across its middle."""
        done = self.capacity(keys={"topology.kind": "torus", "topology.radices": "[8]", "routing.kind": "compact",
                                   "faults.routers": "[0]"})
        self.assertIn(f"capacity is {7 / 12:.4f} flits/node/cycle (exact)\nfull: link 3->4 (3)->(4) and 3 others", done)

    def test_large_networks_are_left_to_the_option(self):
        keys = {"topology.radices": "[40,40]", **SHORT, "measure.cycles": 1, "measure.drain_cycles": 0, LOAD: 0.001}
        self.assertEqual(metrics(self.passes(keys=keys)), (None, "none", "network too large"))
        self.assertIn("capacity is 0.1000 flits/node/cycle (exact)", self.capacity(keys=keys))
        # One destination a source is quick.
        self.assertEqual(metrics(self.passes(keys={**keys, "traffic.pattern": "neighbour"}))[1], "exact")


class Links(machine.MachineTest):
    """Flits of links in runs at a low load."""

    LINE = re.compile(r"^  ([\d.]+)  link (\d+)->(\d+)", re.MULTILINE)

    def predicted(self, keys):
        text = self.run_machine("--print-capacity", keys=keys).text
        return {(int(a), int(b)): float(flits) for flits, a, b in self.LINE.findall(text)}

    def test_links_carry_what_the_bound_says(self):
        load, cycles = 0.1, 20000
        for keys in ({"traffic.pattern": "transpose"},
                     {"topology.kind": "torus", "topology.radices": "[10,10]"},
                     {"topology.kind": "torus", "topology.radices": "[10,10]", "routing.ties": "fixed"},
                     {"topology.kind": "fat_tree", "routing.up_port": "random", "traffic.pattern": "hotspot",
                      "traffic.hotspots": "[5,9]", "traffic.hotspot_share": 0.2},
                     {"topology.kind": "fly", "traffic.pattern": "bit_reverse"},
                     {"topology.kind": "random_regular", "routing.kind": "source_table"}):
            with self.subTest(keys=keys):
                expected = self.predicted(keys)
                self.assertGreater(len(expected), 4)
                done = self.passes(keys={**keys, "traffic.packet_flits": 1, LOAD: load, "measure.warmup_cycles": 0,
                                         "measure.cycles": cycles, "links.csv": "true"})
                ran = done.metric("simulated_cycles")
                with open(done.out / "links.csv", newline="") as file:
                    flits = {(int(row["from"].split(":")[0]), int(row["to"].split(":")[0])): int(row["flits"])
                             for row in csv.DictReader(file)}
                for link, share in expected.items():
                    mean = share * load * ran
                    # Packets of a flit; some have not arrived at the end.
                    self.assertLess(abs(flits[link] - mean), 5 * math.sqrt(mean) + 20, (link, share))


if __name__ == "__main__":
    machine.main()
