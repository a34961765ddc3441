# SPDX-License-Identifier: Apache-2.0
"""Configurations of real machines (platforms/network/machines): nodes, ports, bisection and zero-load latency beside
published values, as the handbook's page shows them."""

import collections
import json
import pathlib

import machine
from machine import MachineTest

MACHINES = pathlib.Path(__file__).resolve().parents[2] / "platforms/network/machines"


class Machines(MachineTest):
    def topology(self, name, **keys):
        """Links between routers, (router, router), and the router of each node."""
        done = self.ends(0, MACHINES / f"{name}.yaml", "--print-topology", "json", keys=keys)
        graph = json.loads(done.text)
        links = [(link["a"][0], link["b"][0]) for link in graph["links"]]
        return links, [node["inject"][0] for node in graph["nodes"]]

    def cut(self, links, half):
        """Links between the routers for which `half` holds and the others."""
        return sum(half(a) != half(b) for a, b in links)

    def ports(self, links, nodes):
        used = collections.Counter(end for link in links for end in link)
        used.update(nodes)
        return set(used.values())

    def latencies_ns(self, name, **keys):
        """[routers passed]: median latency of packets of two flits, which hardly ever meet."""
        result = self.passes(MACHINES / f"{name}.yaml", keys=keys).json()
        return {row[0]: row[3] * result["config"]["clock_period_ps"] / 1000 for row in result["tables"]["hops"]["rows"]}

    def test_slingshot(self):
        links, nodes = self.topology("slingshot")
        self.assertEqual(len(nodes), 73 * 32 * 16)
        self.assertEqual(self.ports(links, nodes), {16 + 31 + 9})
        between = collections.Counter((a // 32, b // 32) for a, b in links if a // 32 != b // 32)
        self.assertEqual(len({frozenset(pair) for pair in between}), 73 * 72 // 2)
        of_first = {pair: count for pair, count in between.items() if 0 in pair}
        self.assertEqual(set(of_first.values()), {4})  # as many as between two of Frontier's groups
        # Of 512 ports of 200 Gb/s, 288 leave a group: 57.6 Tb/s; with 74 groups, 58.4 Tb/s.
        self.assertEqual(sum(of_first.values()) * 0.2, 57.6)
        self.assertEqual(self.cut(links, lambda router: router // 32 < 36), 36 * 37 * 4)

    def test_slingshot_s_switch_takes_350_ns(self):
        # One more switch in a group: 350 ns and a cable of 10 ns, within the cycles of 1.28 ns.
        ns = self.latencies_ns("slingshot", **{"topology.groups": 3, "topology.global_links": 1})
        self.assertAlmostEqual(ns[2] - ns[1], 350 + 10, delta=12)
        for hops, expected in zip((1, 2, 3, 4), (372, 736, 1185, 1545)):
            self.assertAlmostEqual(ns[hops], expected, delta=4)

    def test_ndr_fat_tree(self):
        # The same tree with fewer links a switch has the same share of the links in its middle.
        links, nodes = self.topology("ndr_fat_tree", **{"topology.up_links": 8, "topology.down_links": 8})
        self.assertEqual(len(nodes), 8 ** 3)
        self.assertEqual(self.ports(links, nodes), {8, 16})
        top = {router for link in links for router in link if router >= 2 * 8 ** 2}
        down = sum(a in top or b in top for a, b in links)
        self.assertEqual(down, len(nodes))  # full bisection: a link at the top for each node
        estimate = self.ends(0, MACHINES / "ndr_fat_tree.yaml", "--estimate")
        self.assertIn("3072 routers and 32768 nodes", estimate.text.replace(",", ""))
        # Two more switches: a cable of 100 ns and 90 ns of a switch on each of two links.
        ns = self.latencies_ns("ndr_fat_tree", **{"topology.up_links": 4, "topology.down_links": 4,
                                                  "measure.cycles": 20000})
        self.assertAlmostEqual(ns[3] - ns[1], 2 * 190, delta=10)
        for hops, expected in zip((1, 3, 5), (114, 500, 888)):
            self.assertAlmostEqual(ns[hops], expected, delta=4)

    def test_each_configuration_names_its_sources(self):
        for path in sorted(MACHINES.glob("*.yaml")):
            comment = "".join(line for line in path.read_text().splitlines() if line.startswith("#"))
            self.assertIn("Published", comment, path.name)
            self.assertIn("Choices: ", comment, path.name)

    def test_tofu_d(self):
        links, nodes = self.topology("tofu_d")
        self.assertEqual(len(nodes), 8 * 8 * 8 * 2 * 3 * 2)
        self.assertEqual(self.ports(links, nodes), {10 + 1})
        self.assertEqual(self.cut(links, lambda router: router % 8 < 4), 2 * len(nodes) // 8)
        ns = self.latencies_ns("tofu_d")
        self.assertAlmostEqual(ns[2], 490, delta=5)  # a put to a neighbour
        self.assertAlmostEqual(ns[3] - ns[2], 100, delta=5)

    def test_hyperx(self):
        links, nodes = self.topology("hyperx")
        self.assertEqual(len(nodes), 672)
        self.assertEqual(self.ports(links, nodes), {11 + 7 + 7})
        smallest = min(self.cut(links, lambda router: router // 12 < 4),
                       self.cut(links, lambda router: router % 12 < 6))
        self.assertAlmostEqual(smallest / (672 / 2), 0.571, places=3)
        ns = self.latencies_ns("hyperx")
        self.assertEqual([round(ns[hops]) for hops in (1, 2, 3)], [168, 312, 456])


if __name__ == "__main__":
    machine.main()
