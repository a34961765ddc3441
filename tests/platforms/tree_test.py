# SPDX-License-Identifier: Apache-2.0
"""Cenju-4 nodes with units that multicast and synchronize along a tree (nic.kind: cenju4_tree), as users play them."""

import pathlib

import machine

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "network"
SMALL = {"topology.kind": "torus", "topology.radices": "[4,4]", "router.vcs": 5, "routing.kind": "detour_ud",
         "lookup.kind": "cached", "prediction.kind": "latest_port", "nic.kind": "cenju4_tree",
         "library.barrier": "hardware", "library.broadcast": "hardware", "workload.kind": "trace",
         "clock_period_ps": 12500}


class Programs(machine.MachineTest):
    def test_the_same_program_receives_the_same_data(self):
        """Point to point, transposes, sums, multicasts and barriers, by messages and by units on any fabric."""
        trace = self.write_trace("kernel.ti", machine.kernel(16))
        by_messages = {**SMALL, "workload.trace": trace, "nic.kind": "cenju4", "library.barrier": "dissemination",
                       "library.broadcast": "tree"}
        digest = self.passes(keys=by_messages).metric("trace_data_digest")
        for other in ({}, {"faults.links": "[0]"}, {"tree.root": 15, "tree.fifo_packets": 1},
                      {"topology.kind": "mesh", "routing.kind": "dimension_order", "router.vcs": 2},
                      {"topology.kind": "fat_tree", "topology.radices": None, "routing.kind": None,
                       "topology.levels": 2, "lookup.kind": "plain"},
                      {"topology.kind": "random_regular", "topology.radices": None, "topology.nodes": 16,
                       "routing.kind": "up_down", "lookup.kind": "plain", "prediction.kind": "none"},
                      {"lookup.model": "modules", "lookup.cam_sharing": "switch"},
                      {"library.barrier": "dissemination", "library.broadcast": "tree"}):
            with self.subTest(other):
                keys = {key: value for key, value in {**SMALL, "workload.trace": trace, **other}.items()
                        if value is not None}
                done = self.passes(keys=keys)
                self.assertEqual(done.metric("trace_data_digest"), digest)
                self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
                by_hardware = other.get("library.barrier") is None
                for metric in ("tree_multicasts", "tree_synchronizations", "tree_copies", "tree_merges", "tree_hops"):
                    self.assertEqual(done.metric(metric) > 0, by_hardware, metric)
                self.check_units(done)

    def check_units(self, done):
        """The table has a row for each unit; what one sends another gets, and each keeps its balance."""
        rows = done.json()["tables"]["units"]["rows"]
        _, links, from_nodes, from_units, to_nodes, to_units, copies, merges, releases = map(sum, zip(*rows))
        self.assertEqual(links, 2 * (len(rows) - 1))
        self.assertEqual(to_units, from_units)
        self.assertEqual(to_units, done.metric("tree_hops"))
        self.assertEqual(from_nodes, done.metric("tree_multicasts") + done.metric("tree_synchronizations"))
        for metric, total in (("tree_copies", copies), ("tree_merges", merges), ("tree_releases", releases)):
            self.assertEqual(total, done.metric(metric), metric)
        for router, _, *row in rows:
            self.assertEqual(row[0] + row[1] + row[4] + row[6], row[2] + row[3] + row[5], router)
        self.assertEqual(merges, releases)
        self.assertEqual(from_nodes + copies, to_nodes)

    def test_a_barrier_crosses_each_link_of_the_tree_once_each_way(self):
        trace = self.write_trace("barriers.ti", [["barrier"] * 5] * 16)
        done = self.passes(keys={**SMALL, "workload.trace": trace})
        barriers = done.metric("tree_synchronizations") / 16
        self.assertEqual(done.metric("tree_hops"), barriers * 2 * 15)

    def test_the_machine_of_the_readme(self):
        keys = {"workload.npb": "cg.S.64", "workload.npb_steps": 1}
        done = self.passes(str(PLATFORM / "tree64.yaml"), keys=keys)
        events = {f"{row[0]}: {row[1]}": row[2] for row in done.json()["tables"]["mechanisms"]["rows"]}
        for event in ("look-up: hit", "look-up: miss", "prediction: hit", "prediction: wrong", "recovery: timeout"):
            self.assertGreater(events[event], 0, event)
        self.assertEqual(done.metric("tree_copies"), 63)
        self.assertEqual(done.metric("tree_depth"), 8)

    def test_a_root_and_times_of_ones_own_show(self):
        trace = self.write_trace("kernel.ti", machine.kernel(16))
        keys = {**SMALL, "topology.kind": "mesh", "routing.kind": "dimension_order", "workload.trace": trace}
        usual = self.passes(keys=keys)
        self.assertEqual(usual.metric("tree_depth"), 4)
        corner = self.passes(keys={**keys, "tree.root": 0})
        self.assertEqual(corner.metric("tree_depth"), 6)
        slow = self.passes(keys={**keys, "tree.cycles": 40})
        self.assertGreater(slow.metric("trace_cycles"), usual.metric("trace_cycles"))

    def test_waveforms_and_modules_have_units(self):
        listed = self.run_machine("--list-modules", "all", keys={**SMALL, "workload.npb": "cg.S.16"})
        self.assertIn("unit15", listed.text)
        self.assertIn("multicasts and synchronizes along a tree", listed.text)
        keys = {**SMALL, "workload.trace": self.write_trace("barriers.ti", [["bcast 64 0 6", "barrier"]] * 16)}
        done = self.passes("--trace", "signals", "--trace", "packets", "--trace-format", "vcd",
                           keys={**keys, "trace.routers": "[0,5]"})
        plain = self.passes("--trace", "packets", keys={**keys, "run.shuffle_seed": 3})
        self.assertEqual((done.out / "packets.csv").read_bytes(), (plain.out / "packets.csv").read_bytes())
        view = (done.out / "network.gtkw").read_text()
        for router, there in ((0, True), (5, True), (1, False)):
            self.assertEqual(f"network.r{router}.unit.sends" in view, there, router)
        names = "".join(file.read_text() for file in done.out.glob("*.names*.txt"))
        for word in ("nothing", "multicast", "synchronization"):
            self.assertIn(word, names)
        vcd = (done.out / "network.vcd").read_text()
        self.assertEqual(vcd.count(" to_router "), 2)


class Refusals(machine.MachineTest):
    def test_refusals(self):
        keys = {**SMALL, "workload.npb": "cg.S.16"}
        for change, parts in (
                ({"tree.root": 16}, ["tree.root", "16", "0..15", "auto"]),
                ({"tree.cycles": 0}, ["tree.cycles", "1..1000"]),
                ({"tree.fifo_packets": 9}, ["tree.fifo_packets", "1..8"]),
                ({"router.vcs": 1}, ["router.vcs", "1", "last virtual channel"]),
                ({"router.vcs": 2}, ["router.vcs", "got '2'", "nic.kind takes 1"]),
                ({"faults.events": "link 3@100:200"}, ["faults.events", "does not change in a run"]),
                ({"retry.timeout_cycles": 100}, ["retry.timeout_cycles", "100", "cenju4_groups"]),
                ({"router.switching": "virtual_cut_through", "router.buffer_flits": 130},
                 ["router.buffer_flits", "130", "at least"]),
                ({"nic.kind": "cenju4", "tree.cycles": 5, "library.barrier": "tree", "library.broadcast": "tree"},
                 ["tree.cycles", "nic.kind", "cenju4_tree"])):
            with self.subTest(change):
                self.refused(parts, keys={**keys, **change})
        fly = {key: value for key, value in keys.items() if key not in ("topology.radices", "routing.kind",
                                                                        "prediction.kind", "lookup.kind")}
        self.refused(["topology.kind", "fly", "two-way links"], keys={**fly, "topology.kind": "fly"})


if __name__ == "__main__":
    machine.main()
