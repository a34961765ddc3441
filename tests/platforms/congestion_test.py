# SPDX-License-Identifier: Apache-2.0
"""Congestion control: victims of a hot spot suffer with back-pressure alone and recover with ECN; a token bucket bounds
a node's flits; threads change nothing; features without a meaning for it are refused.
usage: congestion_test.py NETWORK"""

import csv
from collections import Counter

import machine

REMOTE, VICTIM, LOCAL = range(10), 10, range(11, 21)
HOT, COLD = 21, 22
# Two switches with a link, all links alike, as in Santos, Turner and Janakiraman, Evaluation of congestion detection
# mechanisms for InfiniBand switches (Globecom 2002): ten nodes at each switch send to one node of the second, and
# one node of the first sends to another one of the second.
GRAPH = ("router 0\nrouter 1\nlink 0 1\n" + "".join(f"node {node} at 0\n" for node in [*REMOTE, VICTIM])
         + "".join(f"node {node} at 1\n" for node in [*LOCAL, HOT, COLD]))
MATRIX = "".join(f"{node} {HOT} 1\n" for node in [*REMOTE, *LOCAL]) + f"{VICTIM} {COLD} 1\n"
FROM, CYCLES = 20_000, 20_000
FULL = {"topology.kind": "file", "routing.kind": "up_down", "router.vcs": 1, "router.buffer_flits": 16,
        "router.switching": "virtual_cut_through", "traffic.pattern": "matrix", "traffic.packet_flits": 4,
        "traffic.to_self": "false", "traffic.load_flits_per_node_cycle": 0.85, "measure.warmup_cycles": FROM,
        "measure.cycles": CYCLES, "measure.drain_cycles": 0}
MESH = {"topology.kind": "mesh", "topology.radices": "[4,4]", "router.vcs": 2, "traffic.to_self": "false",
        "measure.warmup_cycles": 500, "measure.cycles": 2000, "measure.drain_cycles": 100_000}
ECN = {"congestion.kind": "ecn", "congestion.mark_flits": 4}


class Congestion(machine.MachineTest):
    def shares(self, **keys):
        """Flits a cycle of each node's packets that arrive."""
        files = {"topology.file": self.write("two.graph", GRAPH), "traffic.matrix": self.write("two.matrix", MATRIX)}
        done = self.passes("--records", keys={**FULL, **files, **keys})
        flits = Counter()
        with open(done.out / "packets.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["tail_cycle"] and FROM <= int(row["tail_cycle"]) < FROM + CYCLES:
                    flits[int(row["source"])] += int(row["flits"])
        return {node: flits[node] / CYCLES for node in range(COLD)}, done

    def test_a_victim_of_a_hot_spot_recovers_with_marks(self):
        # The link between the switches is full of flits for the hot spot, and serves the eleven nodes in turn: the
        # victim gets what one of ten nodes gets at the hot spot, though its own path is free.
        blocked, _ = self.shares()
        remote = sum(blocked[node] for node in REMOTE) / len(REMOTE)
        self.assertAlmostEqual(blocked[VICTIM] / remote, 1, delta=0.05)
        self.assertLess(blocked[VICTIM], 0.02)
        controlled, done = self.shares(**ECN)
        self.assertGreater(controlled[VICTIM], 10 * blocked[VICTIM])
        self.assertGreater(sum(controlled[node] for node in [*REMOTE, *LOCAL]), 0.5)
        for count in ("packets_marked", "window_halvings", "packets_held_back", "marked_acknowledgements"):
            self.assertGreater(done.metric(count), 0)
        # Marks alone, which no window follows, change nothing.
        deaf, _ = self.shares(**{**ECN, "congestion.mark_flits": 65_535})
        self.assertLess(deaf[VICTIM], 2 * blocked[VICTIM])

    def test_windows_that_grow_faster_use_the_free_way_sooner(self):
        # The victim's packets are marked, too, while they wait for the link with those for the hot spot.
        slow, _ = self.shares(**ECN, **{"congestion.growth_packets": 0.01})
        fast, _ = self.shares(**ECN, **{"congestion.growth_packets": 2})
        self.assertGreater(fast[VICTIM], 2 * slow[VICTIM])

    def test_a_queue_as_long_as_the_threshold_is_not_marked(self):
        # Two nodes of a router send packets of one flit to a third one: a head sees one other flit at most.
        files = {"topology.file": self.write("three.graph", "router 0\nnode 0 at 0\nnode 1 at 0\nnode 2 at 0\n"),
                 "traffic.matrix": self.write("three.matrix", "0 2 1\n1 2 1\n")}
        keys = {**FULL, **files, **ECN, "traffic.packet_flits": 1, "traffic.load_flits_per_node_cycle": 0.6}
        marked = [self.passes(keys={**keys, "congestion.mark_flits": flits}).metric("packets_marked")
                  for flits in (0, 1)]
        self.assertGreater(marked[0], 0)
        self.assertEqual(marked[1], 0)

    def test_acknowledgements_are_not_marked(self):
        # Ten nodes of the second switch send to one of the first, over the link on which acknowledgements of a flow
        # in the other direction return.
        matrix = "".join(f"{node} {VICTIM} 1\n" for node in LOCAL) + f"0 {COLD} 0.5\n"
        shares, _ = self.shares(**ECN, **{"traffic.matrix": self.write("back.matrix", matrix),
                                          "traffic.load_flits_per_node_cycle": 0.4})
        self.assertAlmostEqual(shares[0], 0.4 * 23 / 10.5 * 0.5, delta=0.02)

    def test_a_window_of_a_packet_waits_for_each_acknowledgement(self):
        matrix = self.write("pair.matrix", "0 15 1\n")
        done = self.passes("--records", keys={
            **MESH, **ECN, "congestion.window_packets": 1, "traffic.matrix": matrix, "traffic.pattern": "matrix",
            "traffic.load_flits_per_node_cycle": 0.0625, "traffic.packet_flits": 1, "traffic.injection": "periodic"})
        with open(done.out / "packets.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(done.metric("acknowledgements"), len([row for row in rows if row["tail_cycle"]]))
        for before, after in zip(rows, rows[1:]):
            if after["injected_cycle"] and before["tail_cycle"]:  # as long back as there
                there = int(before["tail_cycle"]) - int(before["injected_cycle"])
                self.assertGreaterEqual(int(after["injected_cycle"]), int(before["tail_cycle"]) + there)

    def test_a_bucket_bounds_a_node_to_the_flit(self):
        for rate, burst in ((0.125, 8), (0.3, 20)):
            done = self.passes("--records", keys={
                **MESH, "traffic.load_flits_per_node_cycle": 0.9, "congestion.kind": "token_bucket",
                "measure.drain_cycles": 0, "congestion.rate_flits_per_cycle": rate, "congestion.burst_flits": burst})
            with open(done.out / "packets.csv", newline="") as file:
                rows = [row for row in csv.DictReader(file) if row["injected_cycle"]]
            for node in map(str, range(16)):
                sent = 0
                for row in sorted((row for row in rows if row["source"] == node),
                                  key=lambda row: int(row["injected_cycle"])):
                    sent += int(row["flits"])
                    self.assertLessEqual(sent, burst + rate * int(row["injected_cycle"]) + 1e-9)
                self.assertGreater(sent, rate * 2500 - 8)  # the network carries it
            self.assertGreater(done.metric("packets_held_back"), 100)

    def test_tokens_that_come_slowly_are_no_deadlock(self):
        done = self.passes(keys={**MESH, "congestion.kind": "token_bucket", "congestion.rate_flits_per_cycle": 0.0005,
                                 "congestion.burst_flits": 1, "traffic.packet_flits": 1, "run.watchdog_cycles": 1000,
                                 "traffic.load_flits_per_node_cycle": 0.002, "traffic.last_cycle": 2500})
        self.assertEqual(done.metric("packets_dropped"), 0)
        self.assertGreater(done.metric("simulated_cycles"), 10_000)

    def test_threads_and_unused_control_change_nothing(self):
        slow = {**MESH, **ECN, "link.latency_cycles": 4, "link.inject_latency_cycles": 4,
                "link.eject_latency_cycles": 4, "traffic.load_flits_per_node_cycle": 0.4, "traffic.last_cycle": 2500}
        one, two = (self.passes("--threads", str(threads), keys=slow) for threads in (1, 2))
        for metric in ("latency_cycles_mean", "packets_marked", "window_halvings", "flit_hops"):
            self.assertEqual(one.metric(metric), two.metric(metric))
        self.assertGreater(one.metric("window_halvings"), 0)
        plain = self.passes(keys=MESH)
        free = self.passes(keys={**MESH, "congestion.kind": "token_bucket", "congestion.burst_flits": 65_535})
        for metric in ("latency_cycles_mean", "flit_hops", "accepted_flits_per_node_cycle"):
            self.assertEqual(plain.metric(metric), free.metric(metric))

    def test_refusals(self):
        for keys, word in (({"classes.list": "a vcs 0, b vcs 1"}, "classes.list"),
                           ({"rails.count": 2}, "rails.count"),
                           ({"link.faults": "3@100"}, "link.faults"),
                           ({"retry.timeout_cycles": 1000}, "retry.timeout_cycles"),
                           ({"workload.kind": "trace", "workload.npb": "is.S.16"}, "congestion.kind"),
                           ({"congestion.kind": "token_bucket", "congestion.burst_flits": 3},
                            "congestion.burst_flits"),
                           ({"topology.radices": "[65,64]"}, "congestion.kind")):
            self.refused([word], keys={**MESH, **ECN, **keys})


if __name__ == "__main__":
    machine.main()
