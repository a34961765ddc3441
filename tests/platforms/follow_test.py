#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stories of packets: --follow. usage: follow_test.py NETWORK"""

import csv
import re
import unittest

import machine

SHORT = {"topology.radices": "[4, 4]", "measure.warmup_cycles": 100, "measure.cycles": 600,
         "traffic.load_flits_per_node_cycle": 0.35}
ENDS = ("dropped_cycle", "cause")
FIXED = ("packet", "source", "destination", "flits", "hops", "created_cycle", "injected_cycle", "head_cycle",
         "tail_cycle", "latency_cycles")
WAITS = ("wait_front", "wait_vc", "wait_credit", "wait_switch")


def records(done):
    with open(done.out / "packets.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["latency_cycles"]]


def table(done, name):
    """Rows as dictionaries."""
    of = done.json()["tables"][name]
    return [dict(zip((column["name"] for column in of["columns"]), row)) for row in of["rows"]]


def of_packet(rows, name):
    return [row for row in rows if row["packet"] == name]


FEATURES = {
    "faults": {"topology.kind": "torus", "topology.radices": "[5, 5]", "routing.kind": "detour_ud",
               "router.atomic_vcs": "true", "faults.events": "router 7@300",
               "traffic.load_flits_per_node_cycle": 0.3},
    "prediction": {"prediction.kind": "straight", "traffic.load_flits_per_node_cycle": 0.2},
    "look-ups": {"lookup.kind": "cached"}}
SWITCHING = ("wormhole", "virtual_cut_through", "store_and_forward")


class StoryTest(machine.MachineTest):
    def check_many(self, keys, most):
        """Stories of `most` packets, 100 in a run, have the parts of packets.csv."""
        keys = {**SHORT, **keys}
        packets = [row for row in records(self.passes("--records", keys=keys)) if row["source"].isdigit()]
        chosen = packets[::max(1, len(packets) // most)][:most]
        self.assertEqual(len(chosen), most)
        for first in range(0, most, 100):
            rows = chosen[first:first + 100]
            done = self.passes("--follow", ",".join(row["packet"] for row in rows), keys=keys)
            hops = table(done, "packet_hops")
            for row in rows:
                self.check_story(row, of_packet(hops, row["packet"]), [], False)

    def each_kind(self, most):
        for switching in SWITCHING:
            for name, keys in FEATURES.items():
                with self.subTest(switching=switching, feature=name):
                    serial = {"prediction.serial": "true"} if "prediction.kind" in keys and "store" in switching else {}
                    self.check_many({"router.buffer_flits": 8, "router.switching": switching, **keys, **serial}, most)

    def check(self, keys, most=100, waits=True, only=None):
        """Follows many packets of a run; every part of a story is that of packets.csv."""
        keys = {key: value for key, value in {**SHORT, **keys}.items() if value is not None}
        first = self.passes("--records", keys=keys)
        packets = records(first)
        chosen = [row for row in packets if only is None or only(row)]
        chosen = chosen[::max(1, len(chosen) // most)][:most]
        names = [row["packet"] for row in chosen]
        self.assertGreater(len(names), min(most, 20) - 1)
        done = self.passes("--follow", ",".join(names), keys=keys)
        self.same_results(first, done)
        followed, hops, waited = (table(done, name) for name in ("followed_packets", "packet_hops", "packet_waits"))
        self.assertEqual([row["packet"] for row in followed], names)
        for row in chosen:
            self.check_story(row, of_packet(hops, row["packet"]), of_packet(waited, row["packet"]), waits)
        return done, packets

    def same_results(self, first, done):
        a, b = first.json(), done.json()
        for result in (a, b):
            del result["metrics"]["wall_seconds"]
        self.assertEqual(a["metrics"], b["metrics"])
        own = ("followed_packets", "packet_hops", "packet_waits")
        self.assertEqual(a["tables"], {name: of for name, of in b["tables"].items() if name not in own})

    def check_story(self, row, hops, waited, waits):
        parts = [name.removesuffix("_cycles") for name in row if name not in FIXED + ENDS]
        for part in parts:
            self.assertEqual(sum(hop[part] for hop in hops), int(row[f"{part}_cycles"]), (row["packet"], part))
        self.assertEqual(sum(hop[part] for hop in hops for part in parts), int(row["latency_cycles"]))
        routers = [hop for hop in hops if hop["place"].startswith("router")]
        self.assertEqual(len(routers), int(row["hops"]))
        self.assertEqual([hops[0]["place"], hops[-1]["place"]], [f"node {row['source']}", f"node {row['destination']}"])
        self.assertEqual((hops[0]["arrived"], hops[-1]["left"]), (int(row["created_cycle"]), int(row["tail_cycle"])))
        for before, hop in zip(routers, routers[1:]):  # one virtual channel at both ends of a link
            self.assertEqual(before["out"].split(":")[1], hop["in"].split(":")[1])
        for wait in waited:
            if wait["cause"] == "source_queue" and wait["held_by"]:
                self.assertEqual(wait["held_by"].split(".")[0], row["source"])
        for before, hop in zip(hops, hops[1:]):
            self.assertLess(before["left"], hop["arrived"])
            self.assertGreaterEqual(hop["left"], hop["arrived"])
        for hop in hops if waits else ():
            for part in WAITS if hop in routers else ("source_queue", "wait_front"):
                of = [wait for wait in waited if wait["hop"] == hop["hop"] and wait["cause"] == part]
                if hop["hop"] + 1 < len(hops) or part == "wait_front":
                    self.assertEqual(sum(wait["cycles"] for wait in of), hop[part], (row["packet"], hop, part))
                self.assertTrue(all(hop["arrived"] <= wait["first"] and wait["first"] + wait["cycles"] <= hop["left"]
                                    for wait in of))


class Thousand(StoryTest):
    """1,000 packets of each kind of switching: 334 with faults, with prediction, and with look-ups."""

    def test_stories_are_those_of_the_ledger(self):
        self.each_kind(334)


class Stories(StoryTest):
    def test_each_kind_of_switching(self):
        self.each_kind(10)

    def test_wormhole(self):
        done, packets = self.check({})
        # Dimension order in a mesh: the routers between the ends, first along x.
        hops = table(done, "packet_hops")
        for row in packets:
            of = of_packet(hops, row["packet"])
            if not of:
                continue
            (x, y), (to_x, to_y) = (divmod(int(row[end]), 4)[::-1] for end in ("source", "destination"))
            path = [(x, y)]
            while (x, y) != (to_x, to_y):
                x, y = (x + (1 if to_x > x else -1), y) if x != to_x else (x, y + (1 if to_y > y else -1))
                path.append((x, y))
            self.assertEqual([hop["at"] for hop in of[1:-1]], [f"{a} {b}" for a, b in path])

    def test_other_switching(self):
        for keys in ({"router.switching": "virtual_cut_through", "router.buffer_flits": 8},
                     {"router.switching": "store_and_forward", "router.buffer_flits": 8},
                     {"router.vcs": 1, "traffic.load_flits_per_node_cycle": 0.2},
                     {"router.va_cycles": 0, "router.rc_cycles": 3},
                     {"link.latency_cycles": 4, "link.flit_cycles": 2, "traffic.load_flits_per_node_cycle": 0.15}):
            with self.subTest(keys):
                self.check(keys)

    def test_adaptive_and_look_ups(self):
        torus = {"topology.kind": "torus", "routing.kind": "duato", "router.atomic_vcs": "true"}
        for keys in (torus, {"lookup.kind": "cached"}, {"topology.kind": "fat_tree", "topology.radices": None}):
            with self.subTest(keys):
                self.check(keys)

    def test_prediction(self):
        self.check({"prediction.kind": "straight", "traffic.load_flits_per_node_cycle": 0.1}, waits=False)

    def test_recovery_and_faults(self):
        keys = {"topology.kind": "torus", "topology.radices": "[5, 5]", "routing.kind": "detour_ud",
                "router.atomic_vcs": "true", "faults.routers": "[7]", "traffic.load_flits_per_node_cycle": 0.3}
        self.check(keys, waits=False)

    def test_an_application(self):
        keys = {"workload.npb": "is.S.16", "workload.npb_steps": 1,
                **{key: None for key in SHORT if key.startswith(("measure", "traffic"))}}
        for nodes in ({"nic.kind": "packetizer"}, {"nic.kind": "cenju4", "clock_period_ps": 12500}):
            with self.subTest(nodes):
                self.check({**keys, **nodes}, 60)
                done, _ = self.check({**keys, **nodes}, 40, only=lambda row: int(row["wait_front_cycles"]) > 20)
        # At its destination a packet waits for packets that go there, too.
        waits = [wait for wait in table(done, "packet_waits") if wait["cause"] == "wait_front" and wait["held_by"]]
        ends = {row["packet"]: row["destination"] for row in records(self.passes("--records", keys={
            key: value for key, value in {**SHORT, **keys, **nodes}.items() if value is not None}))}
        at_ends = [wait for wait in waits if wait["place"].startswith("node")]
        self.assertTrue(at_ends)
        for wait in at_ends:
            self.assertEqual([f"node {ends[wait[name]]}" for name in ("packet", "held_by")], [wait["place"]] * 2)

    def test_slowest(self):
        packets = records(self.passes("--records", keys=SHORT))
        packets.sort(key=lambda row: (-int(row["latency_cycles"]), [int(part) for part in row["packet"].split(".")]))
        expected = [row["packet"] for row in packets[:7]]
        done = self.passes("--follow", "slowest:7", keys=SHORT)
        self.assertEqual([row["packet"] for row in table(done, "followed_packets")], expected)
        self.assertEqual(list(dict.fromkeys(row["packet"] for row in table(done, "packet_hops"))), expected)
        self.assertFalse((done.out / "followed").exists())

    def list_of(self, lines, **keys):
        path = self.write("packets.list", "\n".join(lines) + "\n")
        return {"topology.radices": "[4]", "router.vcs": 1, "traffic.kind": "list", "traffic.list": path,
                "measure.warmup_cycles": 0, "measure.cycles": 300, **keys}

    def test_who_held_it(self):
        # Router 1: 8 flits of node 0 hold the only virtual channel to router 2; those of node 1 wait.
        keys = self.list_of(["0 0 3 8", "6 1 3 2", "7 1 2 1", "7 1 2 1"], **{"router.buffer_flits": 4})
        done = self.passes("--follow", "1.0,1.1,1.2", keys=keys)
        waits = table(done, "packet_waits")
        behind = [wait for wait in of_packet(waits, "1.0") if wait["cause"] == "wait_vc"]
        self.assertEqual({(wait["place"], wait["held_by"]) for wait in behind}, {("router 1", "0.0")})
        self.assertGreater(sum(wait["cycles"] for wait in behind), 3)
        self.assertTrue(all(wait["chain"].startswith("0.0 at 1:") for wait in behind))
        front = [wait for wait in of_packet(waits, "1.1") if wait["cause"] == "wait_front"]
        self.assertEqual({wait["held_by"] for wait in front}, {"1.0"})
        front_of_last = [wait for wait in of_packet(waits, "1.2") if wait["cause"] == "wait_front"]
        self.assertEqual([wait["held_by"] for wait in front_of_last], ["1.0", "1.1"])
        # The one that it waits for waits for 0.0 in turn.
        self.assertRegex(front[0]["chain"], r"^1\.0 at 1:\d+:0 no_vc > 0\.0 at 1:\d+:0 ")

    def test_who_won_the_switch(self):
        # Two virtual channels: both packets have one, and share the output's bandwidth.
        keys = self.list_of(["0 0 3 8", "3 1 3 8"], **{"router.vcs": 2, "router.buffer_flits": 16})
        waits = table(self.passes("--follow", "1.0,0.0", keys=keys), "packet_waits")
        lost = [wait for wait in of_packet(waits, "1.0") if wait["cause"] == "wait_switch"]
        self.assertEqual({wait["held_by"] for wait in lost} - {None}, {"0.0"} if lost else set())

    def test_who_was_before_it_at_the_source(self):
        keys = self.list_of(["0 0 3 4", "0 0 2 4", "0 0 1 4"])
        waits = table(self.passes("--follow", "0.2", keys=keys), "packet_waits")
        queue = [wait for wait in waits if wait["cause"] == "source_queue"]
        self.assertEqual([wait["held_by"] for wait in queue][:2], ["0.0", "0.1"])

    def test_the_waveform_is_of_the_route(self):
        done = self.passes("--follow", "0.0", "--waves", "--waves-format", "vcd",
                           keys=self.list_of(["5 0 2 4", "9 3 2 4"]))
        vcd = (done.out / "followed_waves/network.vcd").read_text()
        self.assertEqual(re.findall(r"\$scope module r(\d+) \$end", vcd), ["0", "1", "2"])
        view = (done.out / "followed_waves/network.gtkw").read_text()
        self.assertEqual(list(dict.fromkeys(re.findall(r"\.r(\d+)\.", view))), ["0", "1", "2"])
        names = {path.lstrip("/") for path in re.findall(r"^\^\d+ (.*)$", view, re.MULTILINE)}
        self.assertEqual(sorted(path.name for path in (done.out / "followed_waves").iterdir()),
                         sorted({"network.vcd", "network.gtkw", *names}))
        self.assertIn(" RC\n", (done.out / "followed_waves" / min(names)).read_text())
        self.assertFalse((done.out / "network.vcd").exists())


class Refusals(machine.MachineTest):
    def follow(self, value, *parts, **keys):
        keys = {key: of for key, of in {**SHORT, **keys}.items() if of is not None}
        self.refused(["--follow", *parts], "--follow", value, keys=keys)

    def test_texts(self):
        for value in ("", "15", "15.", "a.b", "1.2,", "slowest:", "slowest:0", "slowest:101", "slowest:x", "1.2@3",
                      "1.02", "1.2@1:2:3,1.3"):
            with self.subTest(value):
                self.follow(value, "accepted: packets as SOURCE.SERIAL" if value else "")
        self.follow("1.2,1.2", "1.2 is named twice")
        self.follow("1.2,r12.3", "(got 'r12.3')", "is a control message of router 12", "only packets of nodes")

    def test_packets_that_were_not_delivered(self):
        self.follow("3.99999", "(got '3.99999')", "was not delivered in the run of", "the last number of node 3 is ")
        self.follow("99.0", "no packet of node 99 was delivered")
        # A network that is cut off in its load.
        keys = {**SHORT, "measure.drain_cycles": 0, "traffic.load_flits_per_node_cycle": 0.9}
        done = self.passes("--records", keys=keys)
        last = max(int(row["packet"].split(".")[1]) for row in records(done) if row["source"] == "5")
        self.follow(f"5.{last + 1}", "5.", "was not delivered", f"the last number of node 5 is {last}", **keys)

    def test_a_packet_that_is_in_flight_at_the_end(self):
        path = self.write("packets.list", "5 0 1 1\n299 0 3 4\n")
        self.follow("0.1", "it is in flight at the end, in cycle ", "the last number of node 0 is 0",
                    **{"topology.radices": "[4]", "traffic.kind": "list", "traffic.list": path,
                       "measure.warmup_cycles": 0, "measure.cycles": 300, "measure.drain_cycles": 0,
                       "traffic.load_flits_per_node_cycle": None})

    def test_dropped_packets(self):
        keys = {"topology.kind": "torus", "topology.radices": "[5, 5]", "routing.kind": "detour_ud",
                "router.atomic_vcs": "true", "faults.events": "router 7@300"}
        done = self.passes("--records", keys={**SHORT, **keys})
        with open(done.out / "packets.csv", newline="", encoding="utf-8") as file:
            row = next(row for row in csv.DictReader(file) if row["dropped_cycle"])
        self.follow(row["packet"], f"was dropped in cycle {row['dropped_cycle']} ({row['cause']})", **keys)

    def test_other_actions(self):
        self.refused(["does not go together with"], "--follow", "slowest:1", "--sweep-load", "0.1:0.2:2", keys=SHORT)
        one, two = (self.passes("--follow", "slowest:2", "--threads", str(threads), keys=SHORT) for threads in (1, 2))
        self.assertEqual(one.result_bytes(), two.result_bytes())

    def test_nothing_was_delivered(self):
        self.follow("slowest:2", "no packet was delivered", **{"traffic.load_flits_per_node_cycle": 0})


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    machine.main()
