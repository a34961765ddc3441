# SPDX-License-Identifier: Apache-2.0
"""Nodes with several network ports (rails.*): closed forms of time and load where the network is no bottleneck, the
port that each choice takes, order, equal results in every order of modules, and refusals."""

import csv

import machine
from machine import MachineTest

# Four nodes with two ports: port 0 of node n at router n, port 1 at router n + 4.
RING = {"topology.kind": "torus", "topology.radices": "[8]", "rails.count": 2, "rails.placement": "planes"}
EXCHANGE = {**RING, "workload.kind": "collective", "workload.collective": "all_gather", "workload.collective_ranks": 2,
            "nic.eager_bytes": 16384}
PACKET = 256
PACKET_FLITS = 17
SYNTHETIC = {"topology.kind": "hyperx", "topology.radices": "[3,3]", "router.vcs": 4, "traffic.packet_flits": 4,
             "measure.cycles": 4000, "measure.warmup_cycles": 500}


def message(packets):
    """Cycles of a message of whole packets between neighbours, on one port."""
    return 1 + 1 + 2 * 4 + 1 + 1 + packets * PACKET_FLITS - 1 + 1


class Rails(MachineTest):
    def flits_of_links(self, run):
        table = run.json()["tables"]["links"]
        return {(row[0], row[1]): row[2] for row in table["rows"] if row[2]}

    def packets(self, run):
        with open(run.out / "packets.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_two_ports_halve_the_time_of_the_packets(self):
        for packets in (1, 2, 3, 8, 31, 32):
            size = {"workload.collective_bytes": 2 * packets * PACKET}
            two = self.passes(keys={**EXCHANGE, **size})
            self.assertEqual(two.metric("collective_cycles"), message((packets + 1) // 2), packets)
            self.assertEqual(two.metric("collective_model_cycles"), message((packets + 1) // 2), packets)
            single = {key: value for key, value in EXCHANGE.items() if not key.startswith("rails")}
            one = self.passes(keys={**single, **size})
            self.assertEqual(one.metric("collective_cycles"), message(packets), packets)

    def test_a_last_packet_that_is_shorter_counts_on_its_port(self):
        # 3 packets, of which the last has 16 bytes: 17 + 2 flits on the port that has two.
        run = self.passes(keys={**EXCHANGE, "workload.collective_bytes": 2 * (2 * PACKET + 16)})
        self.assertEqual(run.metric("collective_cycles"), message(1) + 2)
        self.assertEqual(run.metric("packets_delivered"), 2 * 3)
        self.assertEqual(self.flits_of_links(run), {("0:0", "1:1"): PACKET_FLITS + 2, ("4:0", "5:1"): PACKET_FLITS,
                                                    ("1:1", "0:0"): PACKET_FLITS + 2, ("5:1", "4:0"): PACKET_FLITS})
        self.assertEqual(run.metric("collective_model_cycles"), message(1) + 2)

    def test_a_rendezvous_waits_for_both_ports(self):
        # 129 packets above the eager limit: request and answer, then 65 packets on one port and 64 on the other.
        size = {"workload.collective_bytes": 2 * 129 * PACKET, "nic.eager_bytes": 32768}  # of 33,024
        run = self.passes(keys={**EXCHANGE, **size})
        asks = 2 * (message(0) + 1)
        self.assertEqual(run.metric("collective_cycles"), asks + message(65))
        self.assertEqual(run.metric("collective_model_cycles"), asks + message(65))
        self.assertEqual(run.metric("messages"), 2)

    def test_a_message_has_left_when_its_last_packet_has(self):
        # Rank 0 sends 129 packets, 65 of them on port 0, and then a short message to another node.
        trace = self.write("two.ti", f"0 init\n0 send 1 0 {129 * PACKET} 6\n0 send 2 0 8 6\n0 finalize\n"
                                     f"1 init\n1 recv 0 0 {129 * PACKET} 6\n1 finalize\n"
                                     "2 init\n2 recv 0 0 8 6\n2 finalize\n")
        keys = {**RING, "workload.kind": "trace", "workload.trace": trace, "nic.eager_bytes": 32768}
        lines = self.packets(self.passes("--records", keys=keys))
        first = [line for line in lines if int(line["destination"]) % 4 == 1 and int(line["flits"]) == PACKET_FLITS]
        self.assertEqual(len(first), 129)
        left = max(int(line["injected_cycle"]) + PACKET_FLITS - 1 for line in first)
        later = [int(line["created_cycle"]) for line in lines if int(line["destination"]) % 4 == 2]
        self.assertEqual(len(later), 1)
        self.assertGreater(later[0], left)

    def test_four_ports(self):
        # Two nodes, port r of node n at router 2 r + n.
        size = {"workload.collective_bytes": 2 * 32 * PACKET}
        run = self.passes(keys={**EXCHANGE, **size, "rails.count": 4})
        self.assertEqual(run.metric("collective_cycles"), message(8))

    def test_the_choice_of_the_port(self):
        broadcast = {**EXCHANGE, "workload.collective": "broadcast", "workload.collective_bytes": 4 * PACKET}
        both = {("0:0", "1:1"): 2 * PACKET_FLITS, ("4:0", "5:1"): 2 * PACKET_FLITS}
        self.assertEqual(self.flits_of_links(self.passes(keys=broadcast)), both)
        # Of 3 packets the first port takes two, and of the next message the other one.
        odd = {**broadcast, "workload.collective_bytes": 3 * PACKET, "workload.collective_rounds": 2}
        self.assertEqual(self.flits_of_links(self.passes(keys=odd)),
                         {("0:0", "1:1"): 3 * PACKET_FLITS, ("4:0", "5:1"): 3 * PACKET_FLITS})
        whole = {**broadcast, "rails.choice": "message"}
        self.assertEqual(self.flits_of_links(self.passes(keys=whole)), {("0:0", "1:1"): 4 * PACKET_FLITS})
        turns = self.passes(keys={**whole, "workload.collective_rounds": 2})
        self.assertEqual(self.flits_of_links(turns),
                         {("0:0", "1:1"): 4 * PACKET_FLITS, ("4:0", "5:1"): 4 * PACKET_FLITS})
        self.assertNotIn("collective_model_cycles", turns.json()["metrics"])
        to_one = self.passes(keys={**broadcast, "rails.choice": "destination", "workload.collective_rounds": 2})
        self.assertEqual(self.flits_of_links(to_one), {("4:0", "5:1"): 8 * PACKET_FLITS})

    def test_the_places_of_the_ports(self):
        # All exchange between nodes 0 and 1; places of 2 routers each: [0 1][2 3]...
        places = {"adjacent": {"0", "1", "2", "3"}, "routers": {"0", "1", "2", "3"}, "planes": {"0", "1", "8", "9"}}
        pairs = {"adjacent": {("0", "2"), ("1", "3")}, "routers": {("0", "1"), ("2", "3")},
                 "planes": {("0", "1"), ("8", "9")}}
        for placement, ends in pairs.items():
            keys = {**EXCHANGE, "topology.nodes_per_router": 2, "rails.placement": placement,
                    "workload.collective_bytes": 8 * PACKET}
            lines = self.packets(self.passes("--records", keys=keys))
            found = {tuple(sorted((line["source"], line["destination"]), key=int)) for line in lines}
            self.assertEqual(found, ends, placement)
            self.assertEqual(set().union(*found), places[placement])

    def test_packets_of_a_message_stay_in_order_on_their_port(self):
        keys = {**RING, "workload.kind": "collective", "workload.collective": "all_to_all",
                "workload.collective_bytes": 40 * PACKET, "workload.collective_rounds": 3}
        for choice in ("packet", "message", "destination"):
            lines = self.packets(self.passes("--records", keys={**keys, "rails.choice": choice}))
            last = {}
            for line in sorted(lines, key=lambda one: int(one["tail_cycle"])):
                pair, number = (line["source"], line["destination"]), int(line["packet"].split(".")[1])
                self.assertLess(last.get(pair, -1), number)
                last[pair] = number
            self.assertTrue(lines)
        self.assertEqual(len(lines), 3 * 4 * 3 * 10)

    def test_packets_of_two_ports_may_overtake_each_other(self):
        listed = self.write("list.txt", "1 0 3 64\n2 0 3 4\n")
        for choice, overtakes in (("packet", True), ("destination", False)):
            lines = self.packets(self.passes("--records", keys={**RING, "rails.choice": choice,
                                                                "traffic.kind": "list", "traffic.list": listed}))
            long, short = sorted(lines, key=lambda line: int(line["created_cycle"]))
            self.assertEqual(int(short["tail_cycle"]) < int(long["tail_cycle"]), overtakes, choice)

    def test_every_order_of_modules_gives_the_same(self):
        keys = {**RING, "workload.kind": "collective", "workload.collective_bytes": 40000,
                "workload.collective_rounds": 2, "nic.eager_bytes": 4096}
        for choice in ("packet", "message", "destination"):
            one = self.passes(keys={**keys, "rails.choice": choice})
            for other in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}, {"run.shuffle_seed": 6}):
                run = self.passes(keys={**keys, "rails.choice": choice, **other})
                self.assertEqual(run.result_bytes(without_config=True), one.result_bytes(without_config=True))

    def test_an_application_ends_with_all_its_messages(self):
        keys = {"topology.radices": "[4,4]", "workload.npb": "cg.S.8", "workload.npb_steps": 1}
        one = self.passes(keys=keys)
        for choice in ("packet", "message", "destination"):
            two = self.passes(keys={**keys, "rails.count": 2, "rails.choice": choice})
            for metric in ("messages", "message_bytes", "data_packets", "control_packets", "trace_messages_sent"):
                self.assertEqual(two.metric(metric), one.metric(metric), (choice, metric))

    def test_a_node_offers_up_to_a_flit_on_each_port(self):
        two = {**SYNTHETIC, "topology.nodes_per_router": 2, "rails.count": 2}
        run = self.passes(keys={**two, "traffic.load_flits_per_node_cycle": 1.2})
        self.assertAlmostEqual(run.metric("capacity_bound_flits_per_node_cycle"), 2)
        self.assertEqual(run.metric("stability"), "stable")
        self.assertAlmostEqual(run.metric("accepted_flits_per_node_cycle"), 1.2, delta=0.04)
        one = self.passes(keys={**SYNTHETIC, "traffic.load_flits_per_node_cycle": 1})
        self.assertAlmostEqual(one.metric("capacity_bound_flits_per_node_cycle"), 1)
        self.assertLess(one.metric("accepted_flits_per_node_cycle"), 1.2)

    def test_two_ports_do_not_widen_the_links_of_a_torus(self):
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]", "traffic.load_flits_per_node_cycle": 0.2,
                 "traffic.pattern": "transpose"}
        bounds = [self.passes(keys={**torus, "topology.nodes_per_router": count, "rails.count": count})
                  .metric("capacity_bound_flits_per_node_cycle") for count in (1, 2)]
        self.assertAlmostEqual(bounds[0], bounds[1])

    def test_a_port_without_packets_ends_its_run(self):
        # Each node sends to a node with an even number, thus on port 0 alone.
        rates = "".join(f"{node} {2 * (node % 4)} 0.1\n" for node in range(9))
        keys = {**SYNTHETIC, "topology.nodes_per_router": 2, "rails.count": 2, "rails.choice": "destination",
                "traffic.pattern": "matrix", "traffic.matrix": self.write("rates.txt", rates),
                "traffic.load_flits_per_node_cycle": 0.3}
        run = self.passes("--records", keys=keys)
        lines = self.packets(run)
        self.assertTrue(lines)
        self.assertEqual({int(line[end]) % 2 for line in lines for end in ("source", "destination")}, {0})
        self.assertEqual(run.metric("sources"), 9)

    def test_a_list_names_nodes(self):
        listed = self.write("list.txt", "1 0 3 4\n2 0 3 4\n3 0 3 4\n4 1 2 4\n")
        run = self.passes("--records", keys={**RING, "traffic.kind": "list", "traffic.list": listed})
        found = sorted((line["source"], line["destination"], line["created_cycle"]) for line in self.packets(run))
        self.assertEqual(found, [("0", "3", "1"), ("0", "3", "3"), ("1", "2", "4"), ("4", "7", "2")])

    # Four nodes with two ports, routers that are all linked: each port has separate links to every other node.
    LOOP = {"topology.kind": "hyperx", "topology.radices": "[8]", "rails.count": 2, "rails.placement": "planes",
            "traffic.kind": "closed_loop", "traffic.window": 4, "traffic.pattern": "bit_complement",
            "traffic.packet_flits": 64, "measure.cycles": 4000, "measure.warmup_cycles": 500}

    def test_closed_loops_fill_all_ports(self):
        for count in (1, 2, 4):
            keys = {**self.LOOP, "topology.radices": f"[{4 * count}]", "rails.count": count, "traffic.window": 16}
            if count == 1:
                del keys["rails.placement"]
            run = self.passes(keys=keys)
            self.assertAlmostEqual(run.metric("accepted_flits_per_node_cycle"), count, delta=0.02 * count)

    def test_a_window_of_one_takes_the_ports_in_turn(self):
        one_port = {key: value for key, value in self.LOOP.items() if not key.startswith("rails")}
        one = self.passes("--records", keys={**one_port, "topology.radices": "[4]", "traffic.window": 1})
        two = self.passes("--records", keys={**self.LOOP, "traffic.window": 1})
        births = [sorted((int(line["source"]) % 4, int(line["created_cycle"])) for line in self.packets(run))
                  for run in (one, two)]
        self.assertEqual(*births)  # neither earlier nor later than on one port
        for node in range(4):
            own = sorted((line for line in self.packets(two) if int(line["source"]) % 4 == node),
                         key=lambda line: int(line["created_cycle"]))
            self.assertEqual([int(line["source"]) // 4 for line in own], [at % 2 for at in range(len(own))])
            self.assertGreater(len(own), 20)

    def test_a_closed_loop_keeps_its_window(self):
        for choice in ("packet", "message", "destination"):
            for pattern in ("bit_complement", "uniform"):
                keys = {**self.LOOP, "rails.choice": choice, "traffic.pattern": pattern, "traffic.gap_cycles": 3}
                lines = self.packets(self.passes("--records", keys=keys))
                for node in range(4):
                    born = sorted(int(line["created_cycle"]) for line in lines if int(line["source"]) % 4 == node)
                    came = sorted(int(line["tail_cycle"]) for line in lines
                                  if int(line["destination"]) % 4 == node and line["tail_cycle"])
                    self.assertGreater(len(born), 40)
                    for birth, arrival in zip(born[4:], came):
                        self.assertGreaterEqual(birth, arrival + 1 + 3)

    def test_closed_loops_are_equal_in_every_order_of_modules(self):
        for choice in ("packet", "destination"):
            keys = {**self.LOOP, "rails.choice": choice, "traffic.pattern": "uniform", "traffic.gap_cycles": 2}
            one = self.passes(keys=keys)
            for other in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}, {"run.shuffle_seed": 6}):
                run = self.passes(keys={**keys, **other})
                self.assertEqual(run.result_bytes(without_config=True), one.result_bytes(without_config=True), other)

    def jobs(self, network, **sections):
        text = "".join(f"{name}: {section}\n" for name, section in sections.items())
        keys = {**network, "workload.kind": "jobs", "workload.jobs": self.write("jobs.yaml", text),
                "nic.eager_bytes": 65536}
        run = self.passes("--records", keys=keys)
        table = run.json()["tables"]["jobs"]
        names = [column["name"] for column in table["columns"]]
        return run, {row[0]: dict(zip(names, row)) for row in table["rows"]}

    def test_jobs_take_both_ports(self):
        solver = ("{workload: {kind: collective, collective: all_gather, collective_ranks: 2, "
                  f"collective_bytes: {2 * 8 * PACKET}}}}}")
        load = ("{workload: {kind: synthetic}, traffic: {load_flits_per_node_cycle: 1.6, to_self: false}, "
                "job: {nodes: 2}}")
        for choice, packets in (("packet", 4), ("message", 8)):
            run, rows = self.jobs({**RING, "rails.choice": choice}, solver=solver, load=load)
            self.assertEqual(rows["solver"]["time"], message(packets))  # undisturbed, as on the machine alone
            lines = self.packets(run)
            ports = {tuple(sorted((line["source"], line["destination"]), key=int)) for line in lines}
            expected = {("2", "3"), ("6", "7"), ("0", "1")}
            self.assertEqual(ports, expected | {("4", "5")} if choice == "packet" else expected)
            arrived = [line for line in lines if line["tail_cycle"] and int(line["source"]) % 4 > 1]
            self.assertEqual(rows["load"]["packets"], len(arrived))

    def test_jobs_share_the_ports_of_a_node(self):
        solver = "{workload: {kind: collective, collective_bytes: 20000}}"
        load = "{workload: {kind: synthetic}, traffic: {load_flits_per_node_cycle: 0.6, packet_flits: 4}}"
        keys = {**RING, "workload.jobs_share_nodes": "true"}
        one, rows = self.jobs(keys, a=solver, b=load, c=solver)
        self.assertEqual([rows[name]["nodes"] for name in "abc"], [4, 4, 4])
        self.assertEqual(rows["a"]["message_bytes"], rows["c"]["message_bytes"])
        for other in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}, {"run.shuffle_seed": 6}):
            run, _ = self.jobs({**keys, **other}, a=solver, b=load, c=solver)
            self.assertEqual(run.result_bytes(without_config=True), one.result_bytes(without_config=True), other)

    def test_a_sweep_offers_up_to_a_flit_on_each_port(self):
        keys = {**SYNTHETIC, "topology.nodes_per_router": 2, "rails.count": 2, "measure.cycles": 2000}
        run = self.passes("--sweep-load", "0.4:2:3:saturation", keys=keys)
        rows = run.json()["tables"]["sweep"]["rows"]
        self.assertTrue(any(row[0] > 1 and "stable" in row for row in rows))
        self.assertGreater(run.metric("saturation_flits_per_node_cycle"), 1.3)
        self.assertLessEqual(run.metric("saturated_flits_per_node_cycle"), 2)
        single = self.passes("--sweep-load", "0.4:1:3:saturation", keys=SYNTHETIC)
        self.assertLess(single.metric("saturation_flits_per_node_cycle"), 1)

    def test_refusals(self):
        torus = {"topology.kind": "torus", "topology.radices": "[3,3]"}
        groups = {"topology.kind": "dragonfly"}
        ranks = {"workload.kind": "collective"}
        for keys, parts in (
                ({**torus, "rails.count": 2}, ["rails.count", "places for 9 ports"]),
                ({**torus, "rails.count": 9}, ["rails.count", "1..8"]),
                ({**torus, "rails.count": 3, "traffic.load_flits_per_node_cycle": 3.1},
                 ["traffic.load_flits_per_node_cycle", "3.1", "0..3 with rails.count 3"]),
                ({**torus, "traffic.load_flits_per_node_cycle": 1.1},
                 ["traffic.load_flits_per_node_cycle", "1.1", "0..1 with rails.count 1"]),
                ({**torus, "topology.nodes_per_router": 2, "rails.count": 2, "rails.placement": "routers"},
                 ["rails.count", "9 routers have places", "another rails.placement"]),
                ({**torus, "rails.placement": "planes"}, ["rails.placement", "rails.count"]),
                ({**torus, "rails.choice": "message"}, ["rails.choice", "rails.count"]),
                ({**torus, "rails.count": 3, "retry.timeout_cycles": 1000}, ["rails.count", "retry.timeout_cycles 0"]),
                ({**torus, "rails.count": 3, "faults.links": "[1]"}, ["rails.count", "no faults.*"]),
                ({**torus, **ranks, "rails.count": 3, "nic.kind": "cenju4"}, ["rails.count", "nic.kind packetizer"]),
                ({**torus, **ranks, "rails.count": 3, "workload.collective_ranks": 4},
                 ["workload.collective_ranks", "4 ranks"]),
                ({**groups, "rails.count": 2, "traffic.pattern": "adversarial"}, ["adversarial", "no groups"])):
            with self.subTest(keys=keys):
                self.refused(parts, keys=keys)
        self.refused(["--sweep-load", "0 < FROM < TO <= 3"], "--sweep-load", "0.1:3.1:3",
                     keys={**torus, "rails.count": 3})
        self.refused(["--sweep-load", "0 < FROM < TO <= 1"], "--sweep-load", "0.1:1.1:3", keys=torus)
        job = self.write("load.yaml", "a: {workload: {kind: synthetic}, traffic: {load_flits_per_node_cycle: 1.2}}\n")
        self.refused(["load.yaml:1", "traffic.load_flits_per_node_cycle", "0..1 with rails.count 1"],
                     keys={**torus, "workload.kind": "jobs", "workload.jobs": job})
        uneven = self.write("uneven.txt", "link 0 1\nnode 0 at 0\nnode 1 at 0\nnode 2 at 1\n")
        self.refused(["rails.placement", "different numbers of places"],
                     keys={"topology.kind": "file", "topology.file": uneven, "rails.count": 3,
                           "rails.placement": "routers"})


if __name__ == "__main__":
    machine.main()
