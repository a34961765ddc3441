# SPDX-License-Identifier: Apache-2.0
"""Cenju-4 nodes with units that multicast and synchronize along a tree (nic.kind: cenju4_tree), as users play them."""

import pathlib
import re
import subprocess

import machine

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "network"
SMALL = {"topology.kind": "torus", "topology.radices": "[4,4]", "router.vcs": 5, "routing.kind": "detour_ud",
         "lookup.kind": "cached", "prediction.kind": "latest_port", "nic.kind": "cenju4_tree",
         "library.barrier": "hardware", "library.broadcast": "hardware", "workload.kind": "trace",
         "clock_period_ps": 12500}
CHANGING = {"routing.kind": "dimension_order", "lookup.kind": "local"}


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
                       "topology.levels": 2, "lookup.kind": "local"},
                      {"topology.kind": "random_regular", "topology.radices": None, "topology.nodes": 16,
                       "routing.kind": "up_down", "lookup.kind": "local", "prediction.kind": "none"},
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

    def test_a_program_on_links_that_die_and_return(self):
        """The data of Cenju-4's own switches, with retry, by every kind of network."""
        kernel = {"workload.trace": self.write_trace("kernel.ti", machine.kernel(16))}
        self.play_on_dying_links({"workload.npb": "cg.S.16", "workload.npb_steps": 1}, [{}])
        self.play_on_dying_links(kernel, [
            {}, {"topology.kind": "mesh", "tree.change_cycles": 1}, {"tree.kept_packets": 1},
            {"topology.kind": "fat_tree", "topology.radices": None, "routing.kind": None, "topology.levels": 2},
            {"lookup.kind": "cached", "prediction.check": "wait"}])

    def play_on_dying_links(self, trace, others):
        digest = self.played_on_stages(16, **trace).metric("trace_data_digest")
        for other in others:
            with self.subTest(trace=trace, other=other):
                keys = {**SMALL, **CHANGING, "router.vcs": 3, "retry.timeout_cycles": 2000, **trace, **other}
                keys = {key: value for key, value in keys.items() if value is not None}
                calm = self.passes(keys=keys)
                keys["faults.events"] = self.events(calm.metric("trace_cycles"))
                done = self.passes(keys=keys)
                self.assertEqual(done.metric("trace_data_digest"), digest)
                self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
                self.assertGreater(done.metric("tree_changes"), 10)
                self.assertGreater(done.metric("tree_confirmations"), 0)
                self.check_changed_units(done)

    def played_on_stages(self, nodes, **keys):
        """A run on Cenju-4's own switches, the platform `cenju4` beside this one."""
        out = self.folder / f"stages{len(list(self.folder.iterdir()))}"
        command = [str(pathlib.Path(machine.EXECUTABLE).with_name("cenju4")), "--quiet", "--out", str(out)]
        for key, value in {"network.nodes": nodes, "workload.kind": "trace", **keys}.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=machine.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return machine.Finished(done, out)

    @staticmethod
    def events(end):
        """Each of 16 links dies four times in a run of `end` cycles, and returns before retry gives up."""
        times = [(end // 40 + number * end // 70, number * 5 % 16) for number in range(64)]
        return ", ".join(f"link {link}@{time}:{time + min(end // 50, 4000)}" for time, link in times)

    def check_changed_units(self, done):
        rows = done.json()["tables"]["units"]["rows"]
        for router, _, *row in rows:
            nodes, units, to_nodes, to_units, copies, merges, releases, again, swallowed, discarded, _, _ = row
            self.assertEqual(nodes + units + copies + releases + again,
                             to_nodes + to_units + merges + swallowed + discarded, router)

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
        done = self.passes("--waves", "--records", "--waves-format", "vcd",
                           keys={**keys, "waves.routers": "[0,5]"})
        plain = self.passes("--records", keys={**keys, "run.shuffle_seed": 3})
        self.assertEqual((done.out / "packets.csv").read_bytes(), (plain.out / "packets.csv").read_bytes())
        view = (done.out / "network.gtkw").read_text()
        for router, there in ((0, True), (5, True), (1, False)):
            self.assertEqual(f"network.r{router}.unit.sends" in view, there, router)
        names = "".join(file.read_text() for file in done.out.glob("*.names*.txt"))
        for word in ("nothing", "multicast", "synchronization"):
            self.assertIn(word, names)
        vcd = (done.out / "network.vcd").read_text()
        self.assertEqual(vcd.count(" to_router "), 2)
        self.assertNotIn(" kept ", vcd)

    def test_the_waveform_shows_the_change_of_the_tree(self):
        """An unchanged tree until the death's cycle and tree.change_cycles; multicasts are kept until confirmed."""
        keys = {**SMALL, **CHANGING, "waves.routers": "[0,5]", "retry.timeout_cycles": 2000,
                "workload.trace": self.write_trace("bcasts.ti", [["bcast 64 0 6", "barrier"]] * 16),
                "link.faults": "0@4000:30000", "tree.change_cycles": 70}
        done = self.passes("--waves", "--waves-format", "vcd", keys=keys)
        vcd = (done.out / "network.vcd").read_text()
        trees = self.values(vcd, "network.r5.unit", "tree")
        self.assertEqual([value for _, value in trees][:3], [0, 1, 2])
        self.assertEqual([time for time, _ in trees][1:], [12500 * 4070, 12500 * 30070])
        self.assertIn(1, [value for _, value in self.values(vcd, "network.r0.unit", "kept")])
        names = "".join(file.read_text() for file in done.out.glob("*.names*.txt"))
        self.assertIn("confirmation", names)

    def values(self, vcd, scope, name):
        """(time in ps, number) of a signal's values."""
        scopes, code = [], None
        unit_ps = {"1 ps": 1, "1ps": 1}.get(re.search(r"\$timescale\s+(\S+ ?\S*)\s+\$end", vcd)[1])
        self.assertIsNotNone(unit_ps)
        for line in vcd.split("$enddefinitions")[0].splitlines():
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"] and words[4] == name and ".".join(scopes).endswith(scope):
                code = words[3]
        self.assertIsNotNone(code, f"{scope}.{name}")
        time, found = 0, []
        for line in vcd.split("$enddefinitions")[1].splitlines():
            if line.startswith("#"):
                time = int(line[1:]) * unit_ps
            elif line.startswith("b") and line.split()[1:] == [code] and "x" not in line:
                found.append((time, int(line.split()[0][1:], 2)))
        return found


class Refusals(machine.MachineTest):
    def test_refusals(self):
        keys = {**SMALL, "workload.npb": "cg.S.16"}
        for change, parts in (
                ({"tree.root": 16}, ["tree.root", "16", "0..15", "auto"]),
                ({"tree.cycles": 0}, ["tree.cycles", "1..1000"]),
                ({"tree.fifo_packets": 9}, ["tree.fifo_packets", "1..8"]),
                ({"router.vcs": 1}, ["router.vcs", "1", "last virtual channel"]),
                ({"router.vcs": 2}, ["router.vcs", "got '2'", "nic.kind takes 1"]),
                ({"faults.events": "link 3@100:200"},
                 ["routing.kind", "detour_ud", "control ports", "another routing", "nic.kind cenju4"]),
                ({**CHANGING, "link.faults": "3@100:200", "router.dead_route": "wait"},
                 ["router.dead_route", "wait", "would block packets of the next tree", "drop"]),
                ({**CHANGING, "faults.events": "router 3@100"}, ["faults.events", "router 3 dies", "detour_ud"]),
                ({**CHANGING, "tree.change_cycles": 0}, ["tree.change_cycles", "1..1000000000"]),
                ({**CHANGING, "tree.kept_packets": 1025}, ["tree.kept_packets", "1..1024"]),
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
