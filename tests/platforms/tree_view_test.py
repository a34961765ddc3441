#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Units of a tree (nic.kind: cenju4_tree) in logs and waveforms.

usage: tree_view_test.py CLASS NETWORK
"""

import collections
import re

import machine

KEYS = {"topology.kind": "mesh", "topology.radices": "[4,4]", "router.vcs": 2, "nic.kind": "cenju4_tree",
        "library.barrier": "hardware", "library.broadcast": "hardware", "workload.kind": "trace",
        "clock_period_ps": 12500, "waves.routers": "[]", "waves.nodes": "[]"}


class Views(machine.MachineTest):
    def keys(self):
        """Node 5 sends to node 14 and broadcasts; two barriers."""
        trace = self.write_trace("far.ti", [["barrier", *(["send 14 1 200 6"] * (rank == 5)),
                                             *(["recv 5 1 200 6"] * (rank == 14)), "bcast 200 5 6", "barrier"]
                                            for rank in range(16)])
        return {**KEYS, "workload.trace": trace}

    def test_the_log_has_what_units_take_and_send(self):
        done = self.passes("--log", "unit", keys=self.keys())
        lines = re.findall(r"^ *(\d+) +debug +unit\.(\d+) +(\S+) +(.*?): (.*)$", (done.out / "log.txt").read_text(),
                           re.MULTILINE)
        counted = collections.Counter()
        for _, unit, _, event, _ in lines:
            name = {"head arrives from node": "from_nodes", "is whole from unit": "from_units",
                    "leaves for node": "to_nodes", "leaves for unit": "to_units"}[event.rsplit(" ", 1)[0]]
            counted[int(unit), name] += 1
        table = done.json()["tables"]["units"]
        columns = [column["name"] for column in table["columns"]]
        for row in (dict(zip(columns, row)) for row in table["rows"]):
            for name in ("from_nodes", "from_units", "to_nodes", "to_units"):
                self.assertEqual(counted[row["router"], name], row[name], (row["router"], name))
        [multicast] = {packet for _, _, packet, _, what in lines if what == "a multicast of node 5"}
        copies = [event for _, _, packet, event, _ in lines
                  if packet == multicast and event.startswith("leaves for node")]
        self.assertEqual(sorted(copies), sorted(f"leaves for node {node}" for node in range(16)))
        self.assertEqual(done.metric("tree_depth"), 4)
        self.assertIn("synchronization 0", {what for *_, what in lines})
        # A copy leaves a unit for its node 4 cycles after the last flit has come from the unit before.
        whole = {unit: int(cycle) for cycle, unit, packet, event, _ in lines
                 if packet == multicast and event.startswith("is whole")}
        leaves = {unit: int(cycle) for cycle, unit, packet, event, _ in lines
                  if packet == multicast and event == f"leaves for node {unit}"}
        self.assertEqual(len(whole), 15)
        self.assertEqual({unit: leaves[unit] - cycle for unit, cycle in whole.items()}, dict.fromkeys(whole, 4))

    def test_the_view_opens_on_all_copies_of_a_multicast(self):
        keys = {**self.keys(), "waves.packet": "kinds"}
        done = self.passes("--waves", "--waves-format", "vcd", "--log", "unit", keys=keys)
        plain = self.passes(keys={**self.keys(), "run.shuffle_seed": 5})
        self.assertEqual(done.result_bytes(without_config=True), plain.result_bytes(without_config=True))
        opened = (done.out / "network.gtkw").read_text().split("@c00200\n")[0]
        names = re.findall(r"^@800200\n-(.*)$", opened, re.MULTILINE)
        firsts = [at for at, name in enumerate(names) if ": " in name]
        parts = {names[at].split(" ")[0]: names[at:to] for at, to in zip(firsts, [*firsts[1:], len(names)])}
        self.assertEqual(set(parts), {"packet", "multicast", "synchronization"})
        self.assertEqual(parts["packet"][-1], "node 14, Receiver")
        multicast = parts["multicast"]
        self.assertEqual([name for name in multicast if "unit" in name][0], "unit of router 5")
        self.assertEqual(sorted(name for name in multicast if "unit" in name),
                         sorted(f"unit of router {unit}" for unit in range(16)))
        self.assertEqual(sorted(name for name in multicast if "Receiver" in name),
                         sorted(f"node {node}, Receiver" for node in range(16)))
        self.assertTrue(any(name.startswith("unit of router") for name in parts["synchronization"]))

    def test_logs_of_units_that_there_are_not(self):
        self.refused(["unit.16"], "--log", "unit.16", keys=self.keys())
        self.refused(["unit"], "--log", "unit", keys={**self.keys(), "nic.kind": "cenju4", "router.vcs": 1,
                                                      "library.barrier": "dissemination", "library.broadcast": "tree"})


if __name__ == "__main__":
    machine.main()
