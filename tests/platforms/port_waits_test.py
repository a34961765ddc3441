#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Why ports wait: port_waits.csv of observe.port_waits. usage: port_waits_test.py NETWORK"""

import csv
import random
import unittest

import machine

SHORT = {"topology.radices": "[4, 4]", "measure.warmup_cycles": 100, "measure.cycles": 500,
         "traffic.load_flits_per_node_cycle": 0.35, "observe.port_waits": "true"}
PLACE = ("router", "port", "vc")
STALLS = ("no_vc", "link_down", "recovery", "no_credit", "lost_switch")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class PortWaits(machine.MachineTest):
    def waits(self, *words, **keys):
        """(the run, rows of port_waits.csv as numbers), whose states sum to the cycles of the run."""
        keys = {key: value for key, value in {**SHORT, **keys}.items() if value is not None}
        done = self.passes(*words, keys=keys)
        rows = [{name: int(value) for name, value in row.items()} for row in rows_of(done.out / "port_waits.csv")]
        cycles = done.metric("simulated_cycles")
        for row in rows:
            self.assertEqual(sum(value for name, value in row.items() if name not in PLACE), cycles, row)
        sums = {name: sum(row[name] for row in rows) for name in rows[0] if name not in PLACE}
        self.assertEqual({row[0]: row[1] for row in done.json()["tables"]["port_states"]["rows"]},
                         {name: value for name, value in sums.items() if value})
        # Over time they sum to the same, in intervals without gaps.
        intervals = [{name: int(value) for name, value in row.items()}
                     for row in rows_of(done.out / "wait_intervals.csv")]
        self.assertEqual({name: sum(row[name] for row in intervals) for name in sums}, sums)
        ends = [row["first_cycle"] + row["cycles"] for row in intervals]
        self.assertEqual([row["first_cycle"] for row in intervals], [0, *ends[:-1]])
        self.assertEqual(ends[-1], cycles)
        # Every flit of the routers moves once.
        self.assertEqual(sums["moves"], done.metric("flit_hops"))
        return done, rows, sums

    def test_waits_are_those_of_the_packets(self):
        # With packets of one flit all flits are heads: the ledger of packets.csv has the same waits.
        for keys in ({}, {"router.vcs": 1},
                     {"router.va_cycles": 0, "router.rc_cycles": 3},
                     {"router.switching": "store_and_forward", "router.buffer_flits": 8},
                     {"topology.kind": "torus", "routing.kind": "duato", "router.atomic_vcs": "true"},
                     {"lookup.kind": "cached"}):
            with self.subTest(keys):
                path = self.write("packets.list", self.packets(random.Random(7), 16))
                done, _, sums = self.waits("--records", **{
                    "traffic.kind": "list", "traffic.list": path, "measure.warmup_cycles": 0, "measure.cycles": 2000,
                    "traffic.load_flits_per_node_cycle": None, **keys})
                packets = [row for row in rows_of(done.out / "packets.csv") if row["latency_cycles"]]
                self.assertEqual(len(packets), 900)
                of = {part: sum(int(row[f"{part}_cycles"]) for row in packets)
                      for part in ("wait_vc", "wait_credit", "wait_switch")}
                self.assertEqual({"wait_vc": sums["no_vc"], "wait_credit": sums["no_credit"],
                                  "wait_switch": sums["lost_switch"]}, of)
                self.assertGreater(sum(of.values()), 500)

    @staticmethod
    def packets(draw, nodes):
        """900 packets of one flit in 150 cycles, which all arrive."""
        lines = []
        for _ in range(900):
            source, destination = draw.sample(range(nodes), 2)
            lines.append((draw.randrange(150), source, destination))
        return "".join(f"{cycle} {source} {destination} 1\n" for cycle, source, destination in sorted(lines))

    def test_a_packet_by_hand(self):
        # pipeline.yaml's packet: RC, VA, SA and ST of a cycle each, four flits in a row through three routers.
        path = self.write("packets.list", "0 0 2 4\n")
        _, rows, _ = self.waits(**{"topology.radices": "[3]", "router.vcs": 1, "router.buffer_flits": 4,
                                   "traffic.kind": "list", "traffic.list": path, "measure.warmup_cycles": 0,
                                   "measure.cycles": 60, "traffic.load_flits_per_node_cycle": None})
        busy = [row for row in rows if row["moves"]]
        self.assertEqual([row["router"] for row in busy], [0, 1, 2])
        for row in busy:
            self.assertEqual([row[name] for name in ("moves", "routing", "allocation", "no_vc", "lost_switch")],
                             [4, 1, 1, 0, 0])
            self.assertEqual(row["empty"] + row["no_flit"] + row["no_credit"], 60 - 6)
        # The first router gets a flit a cycle; the ones after it wait for credits of four flits.
        self.assertEqual((busy[0]["no_flit"], busy[0]["empty"] + busy[0]["no_credit"]), (0, 54))
        for row in rows:
            if row not in busy:
                self.assertEqual(row["empty"], 60, row)

    def test_two_packets_by_hand(self):
        # Both want the only virtual channel to router 2: the later one waits until the tail of the other has left.
        path = self.write("packets.list", "0 0 3 8\n6 1 3 2\n")
        done, rows, _ = self.waits("--records", **{
            "topology.radices": "[4]", "router.vcs": 1, "router.buffer_flits": 4, "traffic.kind": "list",
            "traffic.list": path, "measure.warmup_cycles": 0, "measure.cycles": 100,
            "traffic.load_flits_per_node_cycle": None})
        late = next(row for row in rows_of(done.out / "packets.csv") if row["packet"] == "1.0")
        self.assertGreater(int(late["wait_vc_cycles"]), 0)
        waiting = [row for row in rows if row["no_vc"]]
        self.assertEqual([(row["router"], row["no_vc"]) for row in waiting], [(1, int(late["wait_vc_cycles"]))])

    def test_flits_that_come_every_other_cycle(self):
        # Two packets share the link to router 2 flit by flit, and part there: router 3 gets the one with gaps.
        path = self.write("packets.list", "0 0 3 8\n3 1 2 8\n")
        done, rows, _ = self.waits("--records", **{
            "topology.radices": "[4]", "router.vcs": 2, "router.buffer_flits": 16, "traffic.kind": "list",
            "traffic.list": path, "measure.warmup_cycles": 0, "measure.cycles": 100,
            "traffic.load_flits_per_node_cycle": None})
        last = next(row for row in rows if row["router"] == 3 and row["moves"])
        gaps = next(int(row["wait_body_cycles"]) for row in rows_of(done.out / "packets.csv") if row["packet"] == "0.0")
        self.assertGreater(gaps, 2)
        self.assertEqual([last[name] for name in ("no_flit", "lost_switch", "moves")], [gaps, 0, 8])

    def test_random_networks(self):
        draw = random.Random(50)
        for _ in range(25):
            keys = {"topology.kind": draw.choice(("mesh", "torus")), "topology.radices": draw.choice(("[3, 3]", "[5]")),
                    "router.vcs": draw.choice((2, 3, 4)), "router.buffer_flits": draw.choice((5, 8)),
                    "router.va_cycles": draw.choice((0, 1, 2)), "link.latency_cycles": draw.choice((1, 3)),
                    "link.flit_cycles": draw.choice((1, 1, 2)), "traffic.packet_flits": draw.choice((1, 3, 5)),
                    "router.switching": draw.choice(("wormhole", "virtual_cut_through", "store_and_forward")),
                    "traffic.load_flits_per_node_cycle": draw.choice((0.05, 0.3, 0.9)), "measure.cycles": 300,
                    "router.input_speedup": draw.choice((1, 1, 2)), "measure.drain_cycles": 0,
                    "seed": draw.randrange(99)}
            with self.subTest(keys):
                self.waits(**keys)

    def test_flits_in_buffers_over_time(self):
        path = self.write("packets.list", self.packets(random.Random(7), 16))
        done, _, _ = self.waits(**{"traffic.kind": "list", "traffic.list": path, "measure.warmup_cycles": 0,
                                   "measure.cycles": 2000, "traffic.load_flits_per_node_cycle": None})
        held = [int(row["buffered_flits"]) for row in rows_of(done.out / "wait_intervals.csv")]
        self.assertEqual(held[-1], 0)  # all packets have arrived
        # Flits into routers less those that have left them, in a run that is cut off.
        path = self.write("packets.list", "0 0 3 8\n0 1 3 8\n")
        done, rows, sums = self.waits(**{
            "topology.radices": "[4]", "router.vcs": 1, "router.buffer_flits": 4, "traffic.kind": "list",
            "traffic.list": path, "measure.warmup_cycles": 0, "measure.cycles": 20, "measure.drain_cycles": 0,
            "traffic.load_flits_per_node_cycle": None})
        last = rows_of(done.out / "wait_intervals.csv")[-1]
        self.assertGreater(int(last["buffered_flits"]), 0)
        self.assertLessEqual(int(last["buffered_flits"]), 16 * 4 - sums["moves"])

    def test_wrong_guesses(self):
        keys = {"prediction.kind": "straight", "traffic.load_flits_per_node_cycle": 0.1, "measure.warmup_cycles": 0}
        done, _, sums = self.waits(**keys)
        let_down = done.metric("prediction_wrong") + done.metric("prediction_lost")
        self.assertGreater(let_down, 100)
        self.assertEqual(sums["mispredicted"], let_down)  # route computation takes a cycle
        _, _, longer = self.waits(**{**keys, "router.rc_cycles": 3})
        self.assertGreater(longer["mispredicted"], 2 * sums["mispredicted"])
        _, _, plain = self.waits(**{"traffic.load_flits_per_node_cycle": 0.1})
        self.assertEqual(plain["mispredicted"], 0)

    def test_failed_links(self):
        # The only route has a link that is down up to cycle 235.
        path = self.write("packets.list", "20 0 2 1\n")
        _, rows, sums = self.waits(**{
            "topology.radices": "[3]", "routing.kind": "compact", "router.dead_route": "wait",
            "faults.events": "link 0@10:235", "traffic.kind": "list", "traffic.list": path, "measure.warmup_cycles": 0,
            "measure.cycles": 400, "traffic.load_flits_per_node_cycle": None})
        waiting = [row for row in rows if row["link_down"]]
        self.assertEqual([row["router"] for row in waiting], [0])
        self.assertGreater(sums["link_down"], 190)
        self.assertLess(sums["link_down"], 215)
        self.assertEqual(sums["no_vc"], 0)

    def test_recovery_and_suspended_routers(self):
        keys = {**SHORT, "topology.kind": "torus", "topology.radices": "[5, 5]", "routing.kind": "detour_ud",
                "router.atomic_vcs": "true", "traffic.load_flits_per_node_cycle": 0.5}
        done = self.passes(keys={**keys, "faults.events": "router 7@300", "router.block_timeout_cycles": 20,
                                 "traffic.packet_flits": 4})
        states = {row[0]: row[1] for row in done.json()["tables"]["port_states"]["rows"]}
        self.assertGreater(done.metric("recoveries_by_timeout"), 0)
        self.assertGreater(states["recovery"], 0)
        self.assertGreater(states["paused"], 0)
        # A flit of a dropped packet is discarded once, where it is; all others move only.
        dropped = sum(row[1] for row in done.json()["tables"]["drops"]["rows"])
        self.assertGreater(dropped, 0)
        self.assertLessEqual(done.metric("flit_hops"), states["moves"])
        self.assertLessEqual(states["moves"], done.metric("flit_hops") + 4 * dropped)
        done = self.passes(keys=keys)
        states = {row[0]: row[1] for row in done.json()["tables"]["port_states"]["rows"]}
        self.assertNotIn("paused", states)

    def test_prediction_recovery_and_faults(self):
        detour = {"topology.kind": "torus", "topology.radices": "[5, 5]", "routing.kind": "detour_ud",
                  "router.atomic_vcs": "true"}
        for keys in (detour, {**detour, "faults.routers": "[7]"}, {**detour, "faults.events": "router 7@300"}):
            with self.subTest(keys):
                keys = {key: value for key, value in {**SHORT, **keys}.items()}
                done = self.passes(keys=keys)
                rows = rows_of(done.out / "port_waits.csv")
                for row in rows:
                    self.assertEqual(sum(int(value) for name, value in row.items() if name not in PLACE),
                                     done.metric("simulated_cycles"))
        self.waits(**{"prediction.kind": "straight", "traffic.load_flits_per_node_cycle": 0.1})

    def test_results_do_not_depend_on_it(self):
        done, _, _ = self.waits()
        plain = self.passes(keys={key: value for key, value in SHORT.items() if key != "observe.port_waits"})
        self.assertEqual(done.json()["metrics"]["latency_cycles_mean"], plain.json()["metrics"]["latency_cycles_mean"])
        self.assertFalse((plain.out / "port_waits.csv").exists())
        self.assertNotIn("port_states", plain.json()["tables"])
        rows = done.json()["tables"]["port_waits"]["rows"]
        names = [column["name"] for column in done.json()["tables"]["port_waits"]["columns"]]
        stalled = [sum(row[names.index(name)] for name in STALLS) for row in rows]
        self.assertEqual(stalled, sorted(stalled, reverse=True))

    def test_routers_between_cenju4_nodes(self):
        done = self.passes(keys={"workload.kind": "collective", "nic.kind": "cenju4", "topology.radices": "[2,2]",
                                 "observe.port_waits": "true"})
        rows = rows_of(done.out / "port_waits.csv")
        self.assertEqual(sum(int(row["moves"]) for row in rows), done.metric("flit_hops"))

    def test_threads_count_the_same(self):
        # The second configuration needs the full driver (link.flit_cycles 2).
        for keys in ({}, {"link.flit_cycles": 2, "traffic.load_flits_per_node_cycle": 0.2}):
            with self.subTest(keys):
                one, rows, _ = self.waits(**{"topology.radices": "[8, 8]", **keys})
                two, same_rows, _ = self.waits("--threads", "2", **{"topology.radices": "[8, 8]", **keys})
                self.assertEqual(rows, same_rows)
                self.assertEqual(rows_of(one.out / "wait_intervals.csv")[:2],
                                 rows_of(two.out / "wait_intervals.csv")[:2])

    def test_waits_beside_other_instruments(self):
        # Records have the routers' probes; a flit of the full driver is counted before the link's watch hears it.
        for keys in ({}, {"router.va_cycles": 0}):
            with self.subTest(keys):
                _, rows, _ = self.waits(**keys)
                _, watched, _ = self.waits("--records", **{"energy.report": "true", **keys})
                self.assertEqual(rows, watched)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    machine.main()
