#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cenju-4's network alone under synthetic traffic: patterns, sweeps, links and crosspoints, refusals."""

import csv

import machine


def alone(**keys):
    """Packets of 10 flits through FIFOs of one packet; `__` is a dot."""
    common = {"workload.kind": "synthetic", "network.nodes": 64, "switch.fifo_packets": 1, "traffic.packet_flits": 10,
              "measure.warmup_cycles": 1000, "measure.cycles": 2000}
    return {**common, **{key.replace("__", "."): value for key, value in keys.items()}}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Loads(machine.MachineTest):
    """A sweep brackets what the network carries, under every pattern."""

    def test_a_flow_through_one_fifo_carries_its_bound(self):
        # One pair: F flits in F + 12 cycles with one slot, in max(F, (F + 12) / 2) with two.
        matrix = self.write("one.matrix", "1 32 1\n")
        for slots, flits, carried in ((1, 10, 10 / 22), (1, 100, 100 / 112), (2, 10, 20 / 22), (2, 30, 1)):
            done = self.passes(keys=alone(switch__fifo_packets=slots, traffic__packet_flits=flits,
                                          traffic__pattern="matrix",
                                          traffic__matrix=matrix, traffic__load_flits_per_node_cycle=1 / 64,
                                          measure__cycles=8000, measure__drain_cycles=0))
            self.assertAlmostEqual(done.metric("capacity_bound_flits_per_node_cycle") * 64, carried, 9)
            self.assertAlmostEqual(done.metric("accepted_flits_per_node_cycle") * 64, carried, delta=0.005)

    def test_patterns_of_the_network(self):
        carried = {}
        for pattern in ("uniform", "transpose", "bit_complement", "bit_reverse"):
            done = self.passes(keys=alone(traffic__pattern=pattern, traffic__load_flits_per_node_cycle=0.9))
            self.assertEqual(done.metric("stability"), "saturated")
            carried[pattern] = done.metric("accepted_flits_per_node_cycle")
            bound = done.metric("capacity_bound_flits_per_node_cycle")
            self.assertLess(carried[pattern], bound * 1.02, pattern)
        # Bit complement has every line to itself.
        self.assertAlmostEqual(carried["bit_complement"], 10 / 22, delta=0.002)

    def test_saturation(self):
        done = self.passes("--sweep-load", "0.4:0.5:2:saturation", keys=alone(measure__cycles=3000, network__stages=3))
        stable, saturated = (done.metric("saturation_flits_per_node_cycle"),
                             done.metric("saturated_flits_per_node_cycle"))
        # 0.512 is what an independent simulator accepts at full load.
        self.assertLess(stable, 0.512)
        self.assertGreater(stable, 0.46)
        self.assertGreater(saturated, 0.49)
        self.assertLess(saturated, 0.54)
        self.assertIn("latency_p99", rows(done.out / "sweep.csv")[0])

    def test_what_cannot_be_swept(self):
        self.refused(["workload.kind", "no offered load", "synthetic"], "--sweep-load", "0.1:0.2:2")
        self.refused(["traffic.kind", "closed_loop", "open_loop"], "--sweep-load", "0.1:0.2:2",
                     keys={"workload.kind": "synthetic", "traffic.kind": "closed_loop"})


class Links(machine.MachineTest):
    """Packets of links and crosspoint FIFOs."""

    def test_what_the_tables_count(self):
        for share in (0, 0.2):
            done = self.passes(keys=alone(traffic__load_flits_per_node_cycle=0.1, traffic__multicast_share=share,
                                          traffic__multicast_nodes=6, links__rows=7, links__csv="true"))
            links, fifos = rows(done.out / "links.csv"), rows(done.out / "crosspoints.csv")
            self.assertEqual((len(links), len(fifos)), (64 * 5, 16 * 4 * 16))
            self.assertEqual(sum(int(line["flits"]) for line in links if line["stage"] != "0"),
                             done.metric("flit_hops"))
            by_stage = [sum(int(line["flits"]) for line in links if line["stage"] == str(stage)) for stage in range(5)]
            copies = sum(int(fifo["multicast_copies"]) for fifo in fifos)
            multicast_flits = sum(int(line["multicast_flits"]) for line in links)
            if share == 0:
                self.assertEqual((copies, multicast_flits), (0, 0))
                # Flits of a link are written into one FIFO after it.
                self.assertEqual(sum(int(fifo["flits"]) for fifo in fifos), sum(by_stage[:4]))
            else:
                self.assertGreater(copies, 0)
                self.assertGreater(by_stage[4], 1.5 * by_stage[0])
                self.assertEqual(done.metric("packets_replicated") > 1000, True)
            for fifo in fifos:
                self.assertLessEqual(int(fifo["fill_max"]), 1)
                self.assertLessEqual(float(fifo["fill_mean"]), 1)
                # 10 flits spend 9 cycles in the FIFO at least, a multicast 14.
                least = 19 * (int(fifo["packets"]) - 3) + 5 * (int(fifo["multicast_copies"]) - 3)
                self.assertGreaterEqual(float(fifo["fill_mean"]) * done.metric("simulated_cycles"), least)
            table = done.json()["tables"]["crosspoints"]["rows"]
            busiest = sorted((int(fifo["flits"]) for fifo in fifos), reverse=True)[:7]
            self.assertEqual([row[3] for row in table], busiest)
            self.assertEqual(len(done.json()["tables"]["links"]["rows"]), 7)

    def test_whole_machines_have_them_too(self):
        done = self.passes(keys={"network.nodes": 16, "workload.kind": "multicast", "links.csv": "true"})
        links = rows(done.out / "links.csv")
        self.assertGreater(sum(int(line["multicast_flits"]) for line in links), 16 * 100)
        self.assertEqual(sum(int(line["flits"]) for line in links if line["stage"] != "0"), done.metric("flit_hops"))

    def test_without_crosspoints(self):
        done = self.passes(keys=alone(links__crosspoints="false", links__csv="true"))
        self.assertNotIn("crosspoints", done.json()["tables"])
        self.assertFalse((done.out / "crosspoints.csv").exists())
        self.assertEqual({line["multicast_flits"] for line in rows(done.out / "links.csv")}, {""})


class Refusals(machine.MachineTest):
    """Exit 2 with the key, the value and what would be accepted."""

    def test_keys(self):
        cases = [
            ({"traffic.packet_flits": 500}, ["traffic.packet_flits", "500", "the largest packet"]),
            ({"traffic.length": "range", "traffic.largest_packet_flits": 500}, ["traffic.largest_packet_flits", "500"]),
            ({"traffic.length": "weighted", "traffic.lengths": "[5,500]"}, ["traffic.lengths", "500"]),
            ({"network.nodes": 16, "traffic.multicast_share": 0.5, "traffic.multicast_nodes": 20},
             ["traffic.multicast_nodes", "20", "1..16"]),
            ({"traffic.kind": "closed_loop", "traffic.multicast_share": 0.5}, ["traffic.multicast_share", "open_loop"]),
            ({"traffic.pattern": "tornado"}, ["traffic.pattern", "tornado"]),
            ({"network.nodes": 32, "traffic.pattern": "transpose"}, ["traffic.pattern", "transpose"]),
            ({"faults.lost_per_flit": 0.1}, ["faults.lost_per_flit", "workload.kind"]),
            ({"sender.tlb_entries": 2}, ["sender.tlb_entries", "workload.kind"]),
            ({"measure.cycles": 2**62}, ["measure.cycles"]),
            ({"traffic.kind": "list"}, ["traffic.list"]),
        ]
        for keys, parts in cases:
            self.refused(parts, keys={"workload.kind": "synthetic", **keys})
        self.refused(["traffic.pattern", "workload.kind"],
                     keys={"workload.kind": "dma", "traffic.pattern": "transpose"})

    def test_a_list(self):
        listed = self.write("packets.list", "10 1 5 10\n10 2 5 300\n")
        self.refused(["packets.list:2", "300", "largest packet"],
                     keys={"workload.kind": "synthetic", "traffic.kind": "list",
                           "traffic.list": listed})
        listed = self.write("good.list", "10 1 5 10\n10 2 6 100\n")
        done = self.passes("--records",
                           keys={"workload.kind": "synthetic", "network.nodes": 64, "traffic.kind": "list",
                                 "traffic.list": listed,
                                 "measure.warmup_cycles": 0})
        # Four stages of 10 cycles and a channel, then the flits.
        self.assertEqual([(line["source"], int(line["latency_cycles"])) for line in rows(done.out / "packets.csv")],
                         [("1", 1 + 40 + 9), ("2", 1 + 40 + 99)])


if __name__ == "__main__":
    machine.main()
