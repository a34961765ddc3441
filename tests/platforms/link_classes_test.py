# SPDX-License-Identifier: Apache-2.0
"""Classes of links, each with its latency, width and length: packets that nobody disturbs take the closed form over
mixed classes, a narrow class bounds the throughput, and hardware, energy and the bound of the capacity follow.
usage: link_classes_test.py NETWORK"""

import csv
import itertools
import json

import machine

# Groups of 4 routers, every two groups connected once, one node a router.
DRAGONFLY = {"topology.kind": "dragonfly", "routing.kind": "minimal", "router.vcs": 2, "router.buffer_flits": 128}
LOCAL, GLOBAL, NODE = 4, 40, 3
CLASSES = f"local latency {LOCAL}, global latency {GLOBAL}, node latency {NODE}"
STAGES = 4  # route computation, virtual-channel and switch allocation, traversal: a cycle each


class LinkClasses(machine.MachineTest):
    def play(self, classes, *arguments, **keys):
        return self.passes(*arguments, keys={**keys, **({"link.classes": classes} if classes else {})})

    def packets(self, done):
        with open(done.out / "packets.csv", newline="") as file:
            return [{key: int(value) for key, value in row.items() if value and key not in ("packet", "cause")}
                    for row in csv.DictReader(file)]

    def listed(self, *lines):
        return {"traffic.kind": "list", "traffic.list": self.write("packets.list", "\n".join(lines) + "\n"),
                "measure.warmup_cycles": 0, "measure.cycles": 5000}

    def minimal_classes(self, keys):
        """Classes of the links between two nodes: within a group directly, to another over the only link to it."""
        graph = json.loads(self.passes_with_text("--print-topology", "json", keys=keys))
        between = {}
        for link in graph["links"]:
            ends = link["a"][0], link["b"][0]
            groups = tuple(end // 4 for end in ends)
            self.assertEqual(link["class"], "local" if groups[0] == groups[1] else "global")
            if groups[0] != groups[1]:
                between[groups] = ends
                between[groups[::-1]] = ends[::-1]

        def classes(source, destination):
            if source // 4 == destination // 4:
                return ["local"]
            here, there = between[source // 4, destination // 4]
            return ["local"] * (source != here) + ["global"] + ["local"] * (there != destination)
        return classes

    def passes_with_text(self, *arguments, **options):
        return self.ends(0, *arguments, **options).text

    def test_latency_of_a_packet_over_mixed_classes(self):
        """Of all pairs of nodes, one packet after the other: each link by its class, each router's stages."""
        pairs = [(a, b) for a in (0, 5, 13, 35) for b in range(36) if a != b]
        lines = [f"{1 + 300 * i} {a} {b} 3" for i, (a, b) in enumerate(pairs)]
        keys = {**DRAGONFLY, **self.listed(*lines), "measure.cycles": 300 * len(pairs) + 1000}
        rows = self.packets(self.play(CLASSES, "--records", **keys))
        self.assertEqual(len(rows), len(pairs))
        classes = self.minimal_classes(DRAGONFLY)
        for row in rows:
            path = classes(row["source"], row["destination"])
            wires = sum(GLOBAL if name == "global" else LOCAL for name in path)
            self.assertEqual(row["hops"], len(path) + 1)
            self.assertEqual(row["link_cycles"], wires + 2 * NODE)
            self.assertEqual(row["latency_cycles"], wires + 2 * NODE + STAGES * (len(path) + 1) + 3)

    def test_tables_by_latency(self):
        """Paths of a dragonfly between groups: two long links, or a long one between two short ones."""
        keys = {**DRAGONFLY, "routing.kind": "source_table", "router.vcs": 8, "link.classes": CLASSES}
        graph = json.loads(self.passes_with_text("--print-topology", "json", keys=keys))
        fewest, cheapest = ({(a, b): 0 if a == b else 10 ** 6 for a in range(36) for b in range(36)} for _ in range(2))
        for link in graph["links"]:
            for a, b in ((link["a"][0], link["b"][0]), (link["b"][0], link["a"][0])):
                fewest[a, b] = 1
                cheapest[a, b] = link["latency_cycles"] + STAGES
        for costs in (fewest, cheapest):
            for via, a, b in itertools.product(range(36), repeat=3):
                costs[a, b] = min(costs[a, b], costs[a, via] + costs[via, b])
        pairs = [(a, b) for a in (0, 17) for b in range(36) if a != b]
        keys.update(self.listed(*(f"{1 + 300 * i} {a} {b} 1" for i, (a, b) in enumerate(pairs))))
        keys["measure.cycles"] = 300 * len(pairs) + 1000
        by_links = self.packets(self.passes("--records", keys=keys))
        by_cycles = self.packets(self.passes("--records", keys={**keys, "routing.router_cost_cycles": STAGES}))
        for row in by_links:
            self.assertEqual(row["hops"], fewest[row["source"], row["destination"]] + 1)
        for row in by_cycles:
            self.assertEqual(row["latency_cycles"], cheapest[row["source"], row["destination"]] + STAGES + 2 * NODE + 1)
        self.assertGreater(max(row["latency_cycles"] for row in by_links), 2 * GLOBAL)
        self.assertLess(max(row["latency_cycles"] for row in by_cycles), 2 * GLOBAL)
        # A router so slow that a long link saves time.
        slow = self.packets(self.passes("--records", keys={**keys, "routing.router_cost_cycles": 1000}))
        self.assertEqual([row["hops"] for row in slow], [row["hops"] for row in by_links])

    def test_a_time_becomes_cycles(self):
        keys = {**DRAGONFLY, "clock_period_ps": 500, **self.listed("1 0 35 1")}
        in_cycles = self.play("global latency 40", "--records", **keys)
        in_ns = self.play("global latency 20 ns", "--records", **keys)
        self.assertEqual(self.packets(in_ns), self.packets(in_cycles))

    def test_without_classes_nothing_changes(self):
        keys = {**DRAGONFLY, "traffic.load_flits_per_node_cycle": 0.2, "measure.cycles": 3000}
        plain = self.play("", **keys)
        same = self.play("local latency 1, global latency 1 flit_cycles 1, node latency 1 length 1", **keys)
        self.assertEqual(same.result_bytes(without_config=True), plain.result_bytes(without_config=True))

    def row_of_routers(self, flits, classes, *lines, **keys):
        """Packets along a row of three routers, whose links are of classes a and b."""
        graph = self.write("row.graph", "link 0 1 class a\nlink 1 2 class b\n"
                           + "".join(f"node {i} at {i}\n" for i in range(3)))
        lines = lines or (f"1 0 2 {flits}",)
        keys = {"topology.kind": "file", "topology.file": graph, "routing.kind": "up_down",
                "router.buffer_flits": 64, **self.listed(*lines), **keys}
        return self.packets(self.play(classes, "--records", **keys))

    @staticmethod
    def behind(flits, paces):
        """Flits leave at the pace of a link, unless they came later over a narrower one. At a router they need two
        stages fewer than the head."""
        cycles = 0
        for pace in paces:
            cycles = max((flits - 1) * pace, cycles - 2)
        return cycles

    def test_a_packet_follows_at_the_pace_of_its_narrowest_link(self):
        flits = 10
        for a, b, node in ((1, 5, 1), (5, 1, 1), (3, 4, 2), (1, 1, 6)):
            classes = f"a flit_cycles {a}, b flit_cycles {b}, node flit_cycles {node}"
            row, = self.row_of_routers(flits, classes)
            behind = self.behind(flits, (node, a, b, node)) + node - 1
            # The head takes no more time than on wide links: its first word goes ahead.
            self.assertEqual(row["latency_cycles"], 1 + 4 + 3 * STAGES + behind)
            self.assertEqual(row["serialization_cycles"], 1 + behind)
            waits = [value for key, value in row.items() if key.startswith("wait_")]
            self.assertEqual(sum(waits), 0)

    def test_store_and_forward_takes_each_link_at_its_pace(self):
        flits, a, b, node = 6, 3, 5, 2
        row, = self.row_of_routers(flits, f"a flit_cycles {a}, b flit_cycles {b}, node flit_cycles {node}",
                                   **{"router.switching": "store_and_forward"})
        whole = sum((flits - 1) * each for each in (node, a, b, node))
        self.assertEqual(row["latency_cycles"], 1 + 4 + 3 * STAGES + whole + node - 1)

    def test_flits_catch_up_where_the_head_waits(self):
        """A packet over a narrow link meets one that holds its output: its own flits arrive meanwhile, and its parts
        still add up."""
        flits = 8
        rows = self.row_of_routers(flits, "a flit_cycles 4", f"1 0 2 {flits}", "2 1 2 60",
                                   **{"router.vcs": 1, "topology.kind": "file"})
        late = next(row for row in rows if row["source"] == 0)
        parts = [value for key, value in late.items()
                 if key.endswith("_cycles") and key not in ("latency_cycles", "created_cycle")]
        self.assertGreater(late["wait_vc_cycles"], 4 * flits)
        self.assertEqual(late["serialization_cycles"], 1 + flits - 1)
        self.assertEqual(sum(parts), late["latency_cycles"])

    def test_a_narrow_class_bounds_the_throughput(self):
        """In a mesh of 2 by 2, each node's packets to the opposite one have a channel of each dimension alone."""
        keys = {"topology.kind": "mesh", "topology.radices": "[2,2]", "traffic.pattern": "bit_complement",
                "traffic.load_flits_per_node_cycle": 0.9, "measure.cycles": 20000, "router.buffer_flits": 32}
        for classes, bound in (("dimension1 flit_cycles 4", 1 / 4), ("dimension0 flit_cycles 5", 1 / 5),
                               ("node flit_cycles 2", 1 / 2), ("dimension1 flit_cycles 3, node flit_cycles 2", 1 / 3)):
            done = self.play(classes, **keys)
            self.assertAlmostEqual(done.metric("capacity_bound_flits_per_node_cycle"), bound)
            self.assertEqual(done.metric("capacity_bound_kind"), "exact")
            self.assertAlmostEqual(done.metric("accepted_flits_per_node_cycle"), min(bound, 0.9), delta=0.02)

    def test_the_bound_of_an_adaptive_routing_weighs_widths(self):
        """A router's 4 nodes send a quarter of their flits over the two links to each other router."""
        keys = {"topology.kind": "hyperx", "topology.radices": "[4]", "topology.trunks": "[2]",
                "routing.kind": "minimal", "measure.cycles": 100, "topology.nodes_per_router": 4}
        for k in (1, 4):
            done = self.play(f"dimension0 flit_cycles {k}", **keys)
            self.assertAlmostEqual(done.metric("capacity_bound_flits_per_node_cycle"), min(1, 2 / k), delta=0.02)

    def test_wires_length_and_energy(self):
        """A mesh of 3 by 2: 4 links in dimension 0, 3 in dimension 1, two channels each, flits of 64 bits."""
        keys = {"topology.kind": "mesh", "topology.radices": "[3,2]", "energy.report": "true",
                **self.listed("1 0 1 5", "1 0 3 7")}
        plain = self.play("", **keys)
        self.assertEqual((plain.metric("wires"), plain.metric("wire_length_mm")), (14 * 64, 14 * 64))
        # 64 bits in parts of 3 cycles are 22 wires.
        done = self.play("dimension0 length 2.5, dimension1 flit_cycles 3 length 4", **keys)
        self.assertEqual(done.metric("wires"), 8 * 64 + 6 * 22)
        self.assertEqual(done.metric("wire_length_mm"), 8 * 64 * 2.5 + 6 * 22 * 4)
        self.assertEqual(done.metric("bisection_wires"), min(4 * 64, 6 * 22))
        link = {(row[0], row[1]): row[2:] for row in done.json()["tables"]["energy"]["rows"]}["links", "flit"]
        unit = {(row[0], row[1]): row[2:] for row in plain.json()["tables"]["energy"]["rows"]}["links", "flit"]
        # Each bit of a flit crosses once, whatever the width: 5 flits over 2.5 mm, 7 over 4 mm, 12 over 1 mm.
        self.assertAlmostEqual(link[1] / unit[1], (5 * 2.5 + 7 * 4) / 12)

    def test_the_facts_of_a_design(self):
        keys = {"topology.kind": "mesh", "topology.radices": "[2]", "traffic.to_self": "false"}

        def facts(classes):
            return json.loads(self.passes_with_text("--print-design", keys={**keys, "link.classes": classes}))
        # A packet of one node to the other: over one link, and two of nodes.
        plain, late = facts(""), facts("dimension0 latency 30, node latency 5")
        self.assertEqual(late["link_cycles_mean"], 30)
        self.assertEqual(late["latency_cycles_without_contention"] - plain["latency_cycles_without_contention"],
                         29 + 2 * 4)
        narrow = facts("dimension0 flit_cycles 4 length 7")
        self.assertEqual(narrow["channel_loads"], [[1.0, 4], [4.0, 2]])
        self.assertEqual(narrow["capacity_bound_flits_per_node_cycle"], 0.25)
        self.assertIsNone(narrow["latency_cycles_without_contention"])
        self.assertEqual(narrow["link_tiles"], 2 * 7)

    def test_a_model_of_equal_links_is_not_given_for_others(self):
        keys = {"workload.kind": "collective", "workload.collective": "broadcast", "topology.kind": "mesh",
                "topology.radices": "[4]"}
        for classes, given in (("", True), ("dimension0 latency 5", False), ("node latency 5", False),
                               ("dimension0 flit_cycles 5", False)):
            self.assertEqual("collective_model_cycles" in self.play(classes, **keys).json()["metrics"], given, classes)

    def test_the_estimate_of_a_machine_accepts_classes(self):
        self.assertIn("36 routers", self.passes_with_text("--estimate", keys={**DRAGONFLY, "link.classes": CLASSES}))

    def test_threads_and_modules_see_the_same(self):
        """Windows follow the least latency of all classes; one process for each module knows no windows."""
        keys = {**DRAGONFLY, "traffic.load_flits_per_node_cycle": 0.15, "measure.cycles": 2000}
        classes = "local latency 6 flit_cycles 2, global latency 40, node latency 5 flit_cycles 2"
        one = self.play(classes, **keys)
        self.assertEqual(self.play(classes, "--threads", "2", **keys).result_bytes(), one.result_bytes())
        for other in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}):
            self.assertEqual(self.play(classes, **{**keys, **other}).result_bytes(without_config=True),
                             one.result_bytes(without_config=True))

    def test_proofs_do_not_depend_on_classes(self):
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]"}
        narrow = "dimension0 latency 4 flit_cycles 3, node latency 7"
        for keys, classes, status in ((DRAGONFLY, CLASSES, 0), (torus, narrow, 0),
                                      ({**torus, "routing.dateline": "none"}, narrow, 1)):
            done = [self.ends(status, "--check-deadlock", keys={**keys, **more})
                    for more in ({}, {"link.classes": classes})]
            self.assertEqual(done[0].text, done[1].text)

    def test_refusals(self):
        config = self.write("wrong.yaml", "topology:\n  kind: torus\nlink:\n  classes: \"global latency 4\"\n")
        self.refused(["wrong.yaml:4:12", "link.classes", "global", "torus 8x8 has no links of this class",
                      "dimension0, dimension1, node"], str(config))
        for classes, problem in (("global latency 0", "out of range"), ("global width 2", "not a value of a class"),
                                 ("local", "not a class of links")):
            self.refused(["link.classes", problem], keys={**DRAGONFLY, "link.classes": classes})
        self.refused(["has a separate latency"],
                     keys={**DRAGONFLY, "topology.global_latency_cycles": 9, "link.classes": "global latency 4"})
        self.refused(["look-ahead of a prediction router", "at most"],
                     keys={"topology.kind": "mesh", "prediction.kind": "straight",
                           "link.classes": "dimension0 flit_cycles 100"})


if __name__ == "__main__":
    machine.main()
