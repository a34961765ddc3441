#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The committed networks of the platform `network` against what needs no simulator: distances by enumeration, the
latency of a packet that nobody disturbs, the wait in a source's queue, the load of links, and the bound of a
bisection."""

import csv
import itertools
import math
import pathlib
import statistics

import machine

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "network"


def ring(a, b, k):
    return min((a - b) % k, (b - a) % k)


class Network:
    """A committed configuration: `routers(a, b)` that a packet visits, a router's stages, the packet's flits P, the
    cycles that the credit loop of 6 adds where a buffer of B flits is shorter (6 - B, ceil(P / B) - 1 times), and the
    bound of the accepted load."""

    def __init__(self, name, nodes, stages, flits, stall, bound, routers):
        self.stages = stages
        self.config = str(PLATFORM / f"{name}.yaml")
        self.name, self.nodes, self.flits, self.stall, self.bound, self.routers = (name, nodes, flits, stall, bound,
                                                                                   routers)

    def undisturbed(self, source, destination):
        """A router's stages, a cycle between two, to the first and from the last, and a cycle a flit."""
        hops = self.routers(source, destination)
        return self.stages * hops + (hops - 1) + 1 + 1 + self.flits + self.stall

    def mean(self, of):
        """Over all pairs, with the node itself."""
        pairs = itertools.product(range(self.nodes), repeat=2)
        return sum(of(a, b) for a, b in pairs) / self.nodes ** 2


def tree_routers(a, b):
    """4-ary 3-tree: up to the nearest common ancestor, and down."""
    up = next(level for level in range(3) if a // 4 ** (level + 1) == b // 4 ** (level + 1))
    return 2 * up + 1


# Half of the packets of half of the nodes cross the bisection in one direction: 8 links of the mesh for 32 nodes,
# 20 of the torus for 50. The tree has as many links upwards as nodes.
MESH8 = Network("mesh8", 64, 4, 4, 0, 0.5, lambda a, b: 1 + abs(a % 8 - b % 8) + abs(a // 8 - b // 8))
TORUS10 = Network("torus10", 100, 4, 16, 0, 0.8, lambda a, b: 1 + ring(a % 10, b % 10, 10) + ring(a // 10, b // 10, 10))
TREE43 = Network("tree43", 64, 3, 5, 2, 1.0, tree_routers)
NETWORKS = [MESH8, TORUS10, TREE43]


class ClosedForms(machine.MachineTest):
    def load(self, network, load, cycles, *arguments):
        return self.passes(network.config, *arguments, keys={"traffic.load_flits_per_node_cycle": load,
                                                             "measure.warmup_cycles": 2000, "measure.cycles": cycles})

    def test_known_means(self):
        """The enumeration itself: k^2 - 1 over 3k in a dimension of a mesh, k / 4 of an even ring."""
        self.assertAlmostEqual(MESH8.mean(MESH8.routers), 1 + 2 * 63 / 24)
        self.assertAlmostEqual(TORUS10.mean(TORUS10.routers), 1 + 2 * 10 / 4)
        self.assertAlmostEqual(TREE43.mean(TREE43.routers), (4 * 1 + 12 * 3 + 48 * 5) / 64)

    def test_packets_at_next_to_no_load(self):
        """Every packet visits the routers of its pair and takes its undisturbed time, or that and its waits."""
        for network in NETWORKS:
            with self.subTest(network.name):
                # Some 5,000 packets.
                done = self.load(network, 0.002, int(5000 * network.flits / network.nodes / 0.002), "--records")
                with open(done.out / "packets.csv", newline="") as file:
                    rows = [{key: int(value) for key, value in row.items() if value and key not in ("packet", "cause")}
                            for row in csv.DictReader(file)]
                alone = 0
                for row in rows:
                    pair = row["source"], row["destination"]
                    wait = row["source_queue_cycles"] + sum(row[key] for key in row if key.startswith("wait_"))
                    self.assertEqual(row["hops"], network.routers(*pair))
                    # A credit loop's stall is a gap between flits, which the records call a wait.
                    self.assertEqual(row["latency_cycles"], network.undisturbed(*pair) - network.stall + wait)
                    self.assertGreaterEqual(wait, network.stall)
                    alone += wait == network.stall
                self.assertGreater(alone, 0.9 * len(rows))

    def test_mean_latency_goes_to_the_enumerated_one(self):
        for network in NETWORKS:
            with self.subTest(network.name):
                want = network.mean(network.undisturbed)
                square = network.mean(lambda a, b: network.undisturbed(a, b) ** 2)
                over = []
                for load in (0.001, 0.02):
                    done = self.load(network, load, int(20000 * network.flits / network.nodes / load))
                    error = math.sqrt((square - want ** 2) / done.metric("measured_packets"))
                    over.append(done.metric("latency_cycles_mean") - want)
                    hops = done.metric("hops_mean") - network.mean(network.routers)
                    self.assertLess(abs(5 * hops), 4 * error)
                # At the small load there is nothing but chance, at the other one a little waiting.
                self.assertLess(abs(over[0]), 4 * error + 0.1)
                self.assertGreater(over[1], 0)
                self.assertLess(over[1], 0.1 * want)

    def test_waits_in_the_source(self):
        """A queue with Bernoulli arrivals and service of P cycles: q P (P - 1) / (2 (1 - q P))."""
        for network in NETWORKS:
            with self.subTest(network.name):
                load = 0.05
                done = self.load(network, load, int(40000 * network.flits / network.nodes / load), "--records")
                with open(done.out / "packets.csv", newline="") as file:
                    waits = [int(row["source_queue_cycles"]) for row in csv.DictReader(file)]
                size = len(waits) // 20
                batches = [statistics.fmean(waits[i * size:(i + 1) * size]) for i in range(20)]
                error = statistics.stdev(batches) / math.sqrt(20)
                want = load * (network.flits - 1) / (2 * (1 - load))
                over = statistics.fmean(batches) - want
                self.assertGreater(over, -4 * error)
                # The tree's buffers of 4 flits hold a packet of 5 back at its source, too.
                if network.stall == 0:
                    self.assertLess(over, 4 * error + 0.05 * want)

    def test_no_throughput_above_the_bound(self):
        for network in NETWORKS:
            with self.subTest(network.name):
                for load in (0.6, 1.0):
                    done = self.load(network, load, 2000, "--set", "measure.drain_cycles=0")
                    accepted = done.metric("accepted_flits_per_node_cycle")
                    self.assertLess(accepted, min(load, network.bound) * 1.01)
                    self.assertGreater(accepted, 0.4 * network.bound)

    def utilization(self, network, load, chosen, *arguments):
        done = self.load(network, load, 20000, "--set", "links.rows=1000", *arguments)
        rows = [(*(int(end.split(":")[0]) for end in row[:2]), row[3])
                for row in done.json()["tables"]["links"]["rows"]]
        return [statistics.fmean(use for a, b, use in rows if choose(a, b)) for choose in chosen]

    def test_links_carry_their_share(self):
        load = 0.2
        # The bisection between columns 3 and 4, 16 nodes' load over 8 links in each direction; and all links.
        means = self.utilization(MESH8, load, [lambda a, b: (a % 8, b % 8) == (3, 4),
                                               lambda a, b: (a % 8, b % 8) == (4, 3),
                                               lambda a, b: True])
        for mean, want in zip(means, (2 * load, 2 * load, load * 64 * (MESH8.mean(MESH8.routers) - 1) / (4 * 56))):
            self.assertLess(abs(mean / want - 1), 0.02)
        means = self.utilization(TORUS10, load, [lambda a, b: a // 10 == b // 10, lambda a, b: a // 10 != b // 10])
        for mean in means:
            self.assertLess(abs(mean / (load * 2.5 / 2) - 1), 0.02)
        levels = [(0, 1), (1, 0), (1, 2), (2, 1)]
        means = self.utilization(TREE43, load, [lambda a, b, ends=ends: (a // 16, b // 16) == ends for ends in levels])
        for mean, share in zip(means, (60 / 64, 60 / 64, 48 / 64, 48 / 64)):
            self.assertLess(abs(mean / (load * share) - 1), 0.02)

    def test_adaptive_ways_up_share_the_load(self):
        """By default, every link from the lowest level of the tree upwards carries the same."""
        load = 0.2
        ends = [(leaf, top) for leaf in range(16) for top in range(16, 32) if leaf // 4 == (top - 16) // 4]
        means = self.utilization(TREE43, load, [lambda a, b, end=end: (a, b) == end for end in ends],
                                 "--set", "routing.up_port=adaptive")
        self.assertEqual(len(means), 64)
        for mean in means:
            self.assertLess(abs(mean / (load * 60 / 64) - 1), 0.15)


if __name__ == "__main__":
    machine.main()
