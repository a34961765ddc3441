# SPDX-License-Identifier: Apache-2.0
"""Classes of messages: answers on the requests' channels deadlock, which the checker refutes and a run shows, and on
channels of their own they do not; weights and priorities share a link by their closed forms.
usage: message_classes_test.py NETWORK"""

import csv
from collections import Counter

import machine

SHARED = "request vcs 0-1 answer reply, reply vcs 0-1 flits 4 queue 1"
APART = "request vcs 0 answer reply, reply vcs 1 flits 4 queue 1"
MESH = {"topology.kind": "mesh", "topology.radices": "[4,4]", "router.vcs": 2, "traffic.to_self": "false"}
BUSY = {**MESH, "traffic.load_flits_per_node_cycle": 0.5, "traffic.last_cycle": 3000, "measure.warmup_cycles": 500,
        "measure.cycles": 2000, "measure.drain_cycles": 200000, "run.watchdog_cycles": 2000}
# Nodes 0 and 1 of a row of three send to node 2, over the link from router 1; the load is the mean over six nodes.
LINE = {"topology.kind": "mesh", "topology.radices": "[3,2]", "router.vcs": 4, "router.buffer_flits": 32,
        "traffic.to_self": "false", "traffic.pattern": "matrix", "traffic.packet_flits": 2,
        "measure.warmup_cycles": 2000, "measure.cycles": 8000, "measure.drain_cycles": 0}


class MessageClasses(machine.MachineTest):
    def classes(self, done):
        table = done.json()["tables"]["classes"]
        return {row[0]: dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]}

    def passes_with_text(self, *arguments, **options):
        return self.ends(0, *arguments, **options).text

    def rows(self, done):
        with open(done.out / "packets.csv", newline="") as file:
            return list(csv.DictReader(file))

    def incast(self, classes, **keys):
        matrix = self.write("incast.matrix", "0 2 1\n1 2 1\n")
        return self.passes(keys={**LINE, "traffic.matrix": matrix, "classes.list": classes, **keys})

    def test_shared_channels_deadlock(self):
        proof = self.ends(1, "--check-deadlock", keys={**MESH, "classes.list": SHARED})
        self.assertIn("not free of deadlock", proof.text)
        self.assertRegex(proof.text, r"node \d+: request waits for room for reply")
        stopped = self.ends(1, keys={**BUSY, "classes.list": SHARED})
        self.assertIn("no flit has moved for 2000 cycles", stopped.text)
        self.assertRegex(stopped.text, r"protocol deadlock: \d+ nodes eject no packet of a class, because its answers "
                                       r"find no room: nodes \d+ \(request\)")

    def test_channels_of_their_own_do_not(self):
        proof = self.passes_with_text("--check-deadlock", keys={**MESH, "classes.list": APART})
        self.assertIn("no request waits forever for room for its answer", proof)
        table = self.classes(self.passes(keys={**BUSY, "classes.list": APART}))
        self.assertGreater(table["request"]["packets_born"], 1000)
        for count in ("packets_delivered",):
            self.assertEqual(table["request"][count], table["request"]["packets_born"])
            self.assertEqual(table["reply"][count], table["request"]["packets_born"])

    def test_proofs_of_other_routings(self):
        chain = "a vcs 0-1 answer b, b vcs 2-3 flits 2 answer c, c vcs 4-5 flits 2"
        for keys in ({"topology.kind": "torus", "topology.radices": "[4,4]"},
                     {"topology.kind": "mesh", "topology.radices": "[4,4]", "routing.kind": "duato",
                      "router.atomic_vcs": "true"},
                     {"topology.kind": "mesh", "topology.radices": "[4,4]", "routing.kind": "valiant"}):
            keys = {**keys, "router.vcs": 6, "traffic.to_self": "false"}
            self.passes_with_text("--check-deadlock", keys={**keys, "classes.list": chain})
            merged = chain.replace("vcs 4-5", "vcs 0-1")
            proof = self.ends(1, "--check-deadlock", keys={**keys, "router.vcs": 4, "classes.list": merged})
            self.assertIn("waits for room for", proof.text)

    def test_neighbours_of_one_router_wait_for_each_other(self):
        graph = self.write("two.graph", "router 0\nnode 0 at 0\nnode 1 at 0\n")
        keys = {"topology.kind": "file", "topology.file": graph, "routing.kind": "up_down", "router.vcs": 2,
                "traffic.to_self": "false"}
        self.assertIn("node 1: request waits", self.ends(1, "--check-deadlock",
                                                         keys={**keys, "classes.list": SHARED}).text)
        self.passes_with_text("--check-deadlock", keys={**keys, "classes.list": APART})

    def test_one_transaction_takes_its_parts(self):
        matrix = self.write("pair.matrix", "0 2 1\n")
        done = self.passes("--records", keys={
            **LINE, "traffic.matrix": matrix, "traffic.injection": "periodic",
            "traffic.load_flits_per_node_cycle": 0.002,
            "classes.list": "request vcs 0-1 answer reply, reply vcs 2-3 flits 5 delay 20"})
        rows, table = self.rows(done), self.classes(done)
        self.assertEqual([row["class"] for row in rows[:4]], ["request", "reply"] * 2)
        for row in rows:
            flits = 2 if row["class"] == "request" else 5
            self.assertEqual((int(row["flits"]), int(row["latency_cycles"])), (flits, 4 * 3 + 4 + flits))
        for request, reply in zip(rows[::2], rows[1::2]):
            self.assertEqual(int(reply["created_cycle"]), int(request["tail_cycle"]) + 1 + 20)
            self.assertEqual((reply["source"], reply["destination"]), ("2", "0"))
        there_and_back = int(rows[0]["latency_cycles"]) + 1 + 20 + int(rows[1]["latency_cycles"])
        for column in ("mean", "p50", "p99", "max"):
            self.assertEqual(table["reply"][f"round_trip_{column}"], there_and_back)
            self.assertIsNone(table["request"][f"round_trip_{column}"])

    def test_round_trips_count_from_the_first_request_of_a_chain(self):
        done = self.passes("--records", keys={
            **BUSY, "router.vcs": 3, "traffic.load_flits_per_node_cycle": 0.1,
            "classes.list": "a vcs 0 answer b, b vcs 1 flits 2 answer c delay 5, c vcs 2 flits 3 delay 9"})
        table = self.classes(done)
        self.assertIsNone(table["a"]["round_trip_mean"])
        # A transaction is two paths, then a third one; means differ by the samples' edges alone.
        two = table["a"]["latency_mean"] + 1 + 5 + table["b"]["latency_mean"]
        self.assertAlmostEqual(table["b"]["round_trip_mean"] / two, 1, delta=0.01)
        three = two + 1 + 9 + table["c"]["latency_mean"]
        self.assertAlmostEqual(table["c"]["round_trip_mean"] / three, 1, delta=0.01)

    def test_the_window_of_a_closed_loop_counts_transactions(self):
        matrix = self.write("pair.matrix", "0 2 1\n2 0 1\n")
        rows = self.rows(self.passes("--records", keys={
            **LINE, "traffic.matrix": matrix, "traffic.kind": "closed_loop", "traffic.window": 1,
            "traffic.gap_cycles": 7, "classes.list": "request vcs 0-1 answer reply, reply vcs 2-3 flits 5"}))
        asked = [row for row in rows if row["class"] == "request" and row["source"] == "0"]
        answered = [row for row in rows if row["class"] == "reply" and row["destination"] == "0"]
        self.assertGreater(len(asked), 100)
        for reply, request in zip(answered, asked[1:]):
            self.assertEqual(int(request["created_cycle"]), int(reply["tail_cycle"]) + 1 + 7)

    def saturated(self, classes, allocator, **keys):
        """Two sources that offer more than the link to node 2 carries; flits of classes a cycle on that link."""
        done = self.incast(classes, **{"router.sa_allocator": allocator, "router.vcs": 8, "traffic.packet_flits": 16,
                                       "traffic.load_flits_per_node_cycle": 0.5, **keys})
        carried = {name: 6 * row["accepted"] for name, row in self.classes(done).items()}
        self.assertGreater(sum(carried.values()), 0.98)
        return done, carried

    def test_weights_share_a_link(self):
        for weights in ((1, 1), (3, 1), (1, 4)):
            _, carried = self.saturated(f"a vcs 0-3 weight {weights[0]}, b vcs 4-7 weight {weights[1]}",
                                        "weighted_round_robin")
            for name, weight in zip("ab", weights):
                self.assertAlmostEqual(carried[name], weight / sum(weights), delta=0.01)

    def test_a_class_without_traffic_leaves_its_weight(self):
        _, carried = self.saturated("a vcs 0-3 weight 1, b vcs 4-7 weight 9 share 0", "weighted_round_robin")
        self.assertEqual(carried["b"], 0)

    def test_priority_starves_and_says_so(self):
        def warnings(done):
            return [text for text in done.json().get("warnings", []) if "starved" in text]
        high = "low vcs 0-3, high vcs 4-7 priority 1"
        done, carried = self.saturated(high, "strict_priority", **{"classes.starvation_cycles": 3000})
        self.assertLess(carried["low"], 0.03)
        self.assertRegex(warnings(done)[0],
                         r"^class low is starved: of the packets of node [01] none arrives for \d+ cycles from")
        self.assertGreater(self.classes(done)["low"]["longest_wait"], 3000)
        self.assertEqual(len(warnings(done)), 1)
        done, _ = self.saturated(high, "strict_priority", **{"classes.starvation_cycles": 1000000})
        self.assertEqual(warnings(done), [])
        done, carried = self.saturated("low vcs 0-3, high vcs 4-7", "separable", **{"classes.starvation_cycles": 3000})
        self.assertEqual(warnings(done), [])
        self.assertAlmostEqual(carried["low"], 0.5, delta=0.05)

    def test_shares_and_lengths_make_the_load(self):
        done = self.passes("--records", keys={
            **MESH, "traffic.load_flits_per_node_cycle": 0.2, "measure.warmup_cycles": 0, "measure.cycles": 20000,
            "classes.list": "short vcs 0 share 3 flits 1, long vcs 1 flits 9"})
        table = self.classes(done)
        self.assertAlmostEqual(table["short"]["packets_born"] / table["long"]["packets_born"], 3, delta=0.2)
        self.assertAlmostEqual(table["short"]["offered"] + table["long"]["offered"], 0.2, delta=0.01)
        self.assertAlmostEqual(table["long"]["offered"], 0.15, delta=0.01)
        rows = self.rows(done)
        self.assertEqual({(row["class"], row["flits"]) for row in rows}, {("short", "1"), ("long", "9")})
        arrived = Counter(row["class"] for row in rows)
        for name in ("short", "long"):
            self.assertEqual(arrived[name], table[name]["packets_delivered"])

    def test_the_page_of_a_run_reads_packets_with_classes(self):
        done = self.passes("--records", "--report", drawn=True, keys={**BUSY, "classes.list": APART})
        self.assertTrue((done.out / "report.html").exists())

    def test_other_ways_to_run_give_the_same(self):
        keys = {**BUSY, "classes.list": APART}
        first = self.passes(keys=keys).result_bytes(without_config=True)
        for other in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}):
            self.assertEqual(self.passes(keys={**keys, **other}).result_bytes(without_config=True), first)

    def test_answers_load_the_channels(self):
        def bound(classes):
            keys = {**MESH, "traffic.load_flits_per_node_cycle": 0.01, "classes.list": classes}
            return self.passes(keys=keys).metric("capacity_bound_flits_per_node_cycle")
        alone = bound("a vcs 0, b vcs 1")
        self.assertAlmostEqual(bound(APART), alone / 2)  # answers as long as requests double the load
        self.assertAlmostEqual(bound("a vcs 0 answer b, b vcs 1 flits 12"), alone / 4)

    def test_answers_go_back_and_their_answers_there_again(self):
        def bound(classes):
            pair = self.write("pair.matrix", "0 2 1\n")
            keys = {**LINE, "traffic.matrix": pair, "traffic.load_flits_per_node_cycle": 0.001, "classes.list": classes}
            return self.passes(keys=keys).metric("capacity_bound_flits_per_node_cycle")
        alone = bound("a vcs 0-1, b vcs 2-3")
        self.assertAlmostEqual(bound("a vcs 0-1 answer b, b vcs 2-3 flits 20"), alone / 10)
        chain = "a vcs 0-1 answer b, b vcs 2 flits 1 answer c, c vcs 3 flits 18"
        self.assertAlmostEqual(bound(chain), alone / 10)

    def test_refusals(self):
        for classes, parts in (
                ("request", ["not a class of messages"]),
                ("Request vcs 0-1", ["Request", "not a name"]),
                ("a vcs 0-1 vcs 0-1", ["given twice"]),
                ("a share 1", ["without virtual channels"]),
                ("a vcs 0-1 colour 3", ["colour", "not a value of a class"]),
                ("a vcs 1-0", ["an empty range"]),
                ("a vcs 0-1 share x", ["share x", "share 0..1000000"]),
                ("a vcs 0-2", ["uses virtual channel 2", "0..1"]),
                ("a vcs 0", ["no class uses virtual channel 1"]),
                ("a vcs 0-1, b vcs 1", ["shares some of its virtual channels with b"]),
                ("a vcs 0-1, a vcs 0-1", ["the class is given twice"]),
                ("a vcs 0 answer c, b vcs 1", ["there is no such class"]),
                ("a vcs 0 answer b, b vcs 1", ["answers without a length"]),
                ("a vcs 0 answer b flits 1, b vcs 1 answer a flits 1", ["answered forever"]),
                ("a vcs 0 queue 2, b vcs 1", ["no class is answered by this one"]),
                ("a vcs 0 flits 2, b vcs 1", ["some of the generated classes have a length"]),
                ("a vcs 0 share 0, b vcs 1 share 0", ["no class is generated"]),
                (", ".join(f"a{i} vcs 0-1" for i in range(9)), ["9 classes", "up to 8"]),
                ("a vcs 0-1 priority 1, b vcs 0-1", ["another priority or weight"]),
                ("a vcs 0 priority 1, b vcs 1", ["router.sa_allocator", "priority of class a"]),
                ("a vcs 0 weight 2, b vcs 1", ["router.sa_allocator", "weight of class a"])):
            self.refused(["classes.list" if "router." not in parts[0] else parts[0], *parts],
                         keys={**MESH, "classes.list": classes})
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]", "router.vcs": 2}
        self.refused(["classes.list", "request with 1 virtual channels"], keys={**torus, "classes.list": APART})
        for keys, part in (({"router.node_vcs": 1}, "router.node_vcs"),
                           ({"prediction.kind": "straight"}, "prediction.kind"),
                           ({"lookup.kind": "ideal"}, "lookup.kind"),
                           ({"link.faults": "0@5"}, "link.faults"),
                           ({"faults.random_links": 1, "routing.kind": "up_down"}, "faults"),
                           ({"retry.timeout_cycles": 500}, "retry.timeout_cycles"),
                           ({"workload.kind": "collective"}, "messages of applications"),
                           ({"traffic.kind": "none"}, "traffic.kind"),
                           ({"router.switching": "virtual_cut_through", "router.buffer_flits": 3},
                            "router.buffer_flits")):
            self.refused([part], keys={**MESH, "classes.list": APART, **keys})
        self.refused(["--threads", "waits of classes are measured in the order of cycles"], "--threads", "2",
                     keys={**MESH, "classes.list": APART})

    def test_all_channels_are_one_class_without_a_list(self):
        priority, weights = (self.passes(keys={**BUSY, "router.sa_allocator": kind}).result_bytes(without_config=True)
                             for kind in ("strict_priority", "weighted_round_robin"))
        self.assertEqual(priority, weights)


if __name__ == "__main__":
    machine.main()
