# SPDX-License-Identifier: Apache-2.0
"""Waveforms and packet records of a run of the platform network, read back."""

import collections
import csv
import pathlib
import re
import sys

import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "platforms" / "reproduce"))
from reproduction.vcd import Vcd  # noqa: E402  (its folder is known from here on)

PLATFORM = ROOT / "platforms" / "network"
PERIOD_PS = 1000
IDLE, WAIT, RC, VA, SA, ST, DES, SER = range(8)

BARE = {"topology.radices": "[4,4]", "router.vcs": 2, "router.buffer_flits": 4, "measure.warmup_cycles": 0,
        "measure.cycles": 1000}
MESH = {**BARE, "traffic.load_flits_per_node_cycle": 0.3, "traffic.last_cycle": 900}
RECORD = ["--waves", "--records", "--waves-format", "vcd"]


class NetworkTest(machine.MachineTest):
    def wave(self, done):
        return Vcd(done.out / "network.vcd")

    def records(self, done):
        with open(done.out / "packets.csv", newline="") as file:
            return [{key: value if key in ("packet", "cause") else int(value) if value else None
                     for key, value in row.items()} for row in csv.DictReader(file)]


class Pipeline(NetworkTest):
    """Hirasawa 2020, fig. 3: a packet of 4 flits in a switch of 4 stages."""

    # Rows are flits, columns cycles from the head's arrival on.
    FIGURE = [[RC, VA, SA, ST, IDLE, IDLE, IDLE, IDLE],
              [IDLE, WAIT, WAIT, SA, ST, IDLE, IDLE, IDLE],
              [IDLE, IDLE, WAIT, WAIT, SA, ST, IDLE, IDLE],
              [IDLE, IDLE, IDLE, WAIT, WAIT, SA, ST, IDLE]]

    def shown(self, **keys):
        return self.passes(str(PLATFORM / "pipeline.yaml"), *RECORD, keys=keys)

    def check_router(self, wave, router, arrival, figure):
        inward = f"network.r{router}.in{'2' if router == 0 else '1'}"
        cycles = [(arrival + column) * PERIOD_PS for column in range(len(figure[0]))]
        for flit, row in enumerate(figure):
            self.assertEqual(wave.row(f"{inward}.vc0.slot{flit}", cycles), row, (router, flit))
            changes = wave.changes[f"{inward}.vc0.slot{flit}"]
            self.assertTrue(all(time % PERIOD_PS == 0 for time, _ in changes), "changes at edges only")
            outside = [time for time, stage in changes if stage != IDLE and time not in cycles]
            self.assertEqual(outside, [], "one packet and nothing else")
        return inward

    def test_the_figure_in_every_router(self):
        wave = self.wave(self.shown())
        for router in range(3):
            # Created in 0, on the wires in 1, in the router in 2; then 4 stages and a link each.
            arrival = 2 + 5 * router
            inward = self.check_router(wave, router, arrival, self.FIGURE)
            texts = [(arrival - 1 + flit, f"0.0.{flit}" + {0: " H", 3: " T"}.get(flit, "")) for flit in range(4)]
            self.assertEqual([(time // PERIOD_PS, text) for time, text in wave.spans(f"{inward}.flit")], texts)
            self.assertEqual(wave.spans(f"{inward}.vc0.packet"), [(arrival * PERIOD_PS, "0.0 to 2")])
            # The virtual channel: the head's stages, then SA until the tail has passed.
            cycles = [(arrival + column) * PERIOD_PS for column in range(8)]
            self.assertEqual(wave.row(f"{inward}.vc0.stage", cycles), [RC, VA, SA, SA, SA, SA, ST, IDLE])

    def test_stages_of_several_cycles(self):
        wave = self.wave(self.shown(**{"router.rc_cycles": 2, "router.va_cycles": 3, "router.sa_cycles": 2,
                                       "router.st_cycles": 3, "router.des_cycles": 1, "router.ser_cycles": 2,
                                       "router.buffer_flits": 8}))
        head = [DES] + 2 * [RC] + 3 * [VA] + 2 * [SA] + 3 * [ST] + 2 * [SER]
        figure = []
        for flit in range(4):
            waiting = [] if flit == 0 else [IDLE] * flit + [DES] + [WAIT] * 5 + 2 * [SA] + 3 * [ST] + 2 * [SER]
            row = waiting or head
            figure.append(row + [IDLE] * (18 - len(row)))
        for router in range(3):
            self.check_router(wave, router, 2 + 14 * router, figure)

    def test_the_next_packet_begins_while_a_tail_is_in_the_switch(self):
        lines = self.write("two.list", "0 0 2 4\n0 0 2 4\n")
        wave = self.wave(self.shown(**{"traffic.list": lines, "router.buffer_flits": 8, "router.sa_cycles": 2,
                                       "router.st_cycles": 2}))
        # The first tail wins in 7 and is in the switch until 11, when the second head, in front since 8, is in SA.
        stages = [RC, VA, SA, SA, SA, SA, RC, VA, SA, SA, SA, SA, SA, ST, ST, IDLE]
        own = "network.r0.in2.vc0"
        self.assertEqual(wave.row(own + ".stage", [cycle * PERIOD_PS for cycle in range(2, 18)]), stages)
        self.assertEqual(wave.changes[own + ".packet"],
                         [(0, ""), (2000, "0.0 to 2"), (8000, "0.1 to 2"), (17000, "")])

    def test_credits_and_places(self):
        wave = self.wave(self.shown())
        # A buffer of 4 whose flits leave in cycles 9 to 12; the first left router 0 in its SA of cycle 4.
        sent, arrived, left = [4, 5, 6, 7], [7, 8, 9, 10], [9, 10, 11, 12]
        returned = [cycle + 3 for cycle in left]  # the credit: freed after the cycle, a link, accepted
        for cycle in range(24):
            credits = 4 - sum(s < cycle for s in sent) + sum(r <= cycle for r in returned)
            places = sum(a <= cycle for a in arrived) - sum(x < cycle for x in left)
            self.assertEqual(wave.at("network.r1.in1.vc0.credits", cycle * PERIOD_PS), credits, cycle)
            self.assertEqual(wave.at("network.r1.in1.vc0.occupancy", cycle * PERIOD_PS), places, cycle)

    def test_a_stalled_packet_waits_for_credits(self):
        done = self.shown(**{"router.buffer_flits": 2})
        [packet] = self.records(done)
        # The stall of a packet of 4 flits with buffers of 2: a round trip of 6 cycles instead of 2, once.
        self.assertEqual(packet["latency_cycles"], 20 + 4)
        self.assertEqual(packet["wait_body_cycles"], 4)
        wave = self.wave(done)
        # Nothing leaves the second router without a credit.
        for time, text in wave.spans("network.r2.in1.flit"):
            self.assertGreater(wave.at("network.r2.in1.vc0.credits", time - 2 * PERIOD_PS), 0, text)

    def test_names_of_stages_are_in_the_view(self):
        done = self.shown()
        view = (done.out / "network.gtkw").read_text()
        [names] = done.out.glob("network.names*.txt")
        self.assertEqual(names.read_text().split(),
                         "0 - 1 wait 2 RC 3 VA 4 SA 5 ST 6 Des 7 Ser".split())
        self.assertIn("-router 1 input 1 from router 0 port 0", view)
        self.assertIn("-router 0 input 2 from node 0", view)

    def test_the_view_opens_on_a_packet(self):
        view = (self.shown().out / "network.gtkw").read_text()
        opened, *folded = view.split("@c00200\n")
        self.assertIn("@800200\n-packet 0.0 to 2: router 0 input 2 from node 0\n", opened)
        rows = [line.split()[-1].split("[")[0] for line in opened.splitlines()
                if re.search(r"(^| )network\.r", line)]
        names = ["vc0.packet", "vc0.stage", "flit", "vc0.slot0", "vc0.slot1", "vc0.slot2", "vc0.slot3", "vc0.occupancy"]
        self.assertEqual(rows, [f"network.r{port}.{name}" for port in ("0.in2", "1.in1", "2.in1") for name in names])
        self.assertGreater(len(folded), 5)
        # Its head is in the first router in 2, its tail leaves the last one in 19.
        self.assertIn("[timestart] 0\n", view)
        self.assertTrue((self.shown(**{"waves.packet": "0.1"}).out / "network.gtkw").read_text().count("@800200") > 5)
        for wrong in ("0.1 0.1", "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"):
            self.refused(["waves.packet", wrong, "up to 8 different packets"], keys={**MESH, "waves.packet": wrong})
        for wrong in ("x", "1", "1.", "1.2.3", "01.2", "1.-2", "4294967296.1", "0.1 kinds", " "):
            self.refused(["waves.packet", wrong.split(" ")[-1], "source and serial number as 15.105"],
                         keys={**MESH, "waves.packet": wrong})


class Loaded(NetworkTest):
    """A network under load."""

    def test_recording_changes_nothing_and_no_order_shows(self):
        keys = {**MESH, "waves.routers": "[]", "waves.slots": "true"}
        plain_run = self.passes(keys=keys)
        recorded = self.passes(*RECORD, keys=keys)
        self.assertEqual(recorded.result_bytes(), plain_run.result_bytes())
        self.assertEqual(list(plain_run.out.glob("network.*")) + list(plain_run.out.glob("packets*")), [])
        names = ["network.vcd", "network.gtkw", "network.names1.txt", "packets.csv"]
        expected = {name: (recorded.out / name).read_bytes() for name in names}
        for order in ({"run.processes": "process_each"}, {"run.shuffle_seed": 1}, {"run.shuffle_seed": 2 ** 63},
                      {"run.processes": "process_each", "run.shuffle_seed": 9}):
            done = self.passes(*RECORD, keys={**keys, **order})
            for name in names:
                self.assertTrue((done.out / name).read_bytes() == expected[name], (order, name))
            self.assertEqual(done.result_bytes(without_config=True), plain_run.result_bytes(without_config=True))
        for option in ("--waves", "--records"):
            alone = self.passes(option, "--waves-format", "vcd", keys=keys)
            for name in names:
                if (alone.out / name).exists():
                    self.assertTrue((alone.out / name).read_bytes() == expected[name], (option, name))

    def test_no_order_shows_where_flits_leak(self):
        """A packet may be at its end, and its place in the pool another's, while a router holds its flits still."""
        for extra in ({}, {"prediction.serial": "true", "waves.slots": "true"}):
            keys = {**BARE, "topology.radices": "[3,3]", "measure.cycles": 3000, "traffic.packet_flits": 1,
                    "traffic.load_flits_per_node_cycle": 0.01, "router.rc_cycles": 12, "router.st_cycles": 2,
                    "prediction.kind": "latest_port", "prediction.check": "leak", **extra}
            waves = {(self.passes(*RECORD, keys={**keys, "run.shuffle_seed": seed}).out / "network.vcd").read_bytes()
                     for seed in range(6)}
            self.assertEqual(len(waves), 1, extra)

    def test_flits_credits_and_stages_add_up(self):
        for extra in ({}, {"link.flit_cycles": 2, "traffic.load_flits_per_node_cycle": 0.15},
                      {"router.switching": "store_and_forward"},
                      {"router.st_cycles": 9, "router.rc_cycles": 2, "link.latency_cycles": 3}):
            done = self.passes(*RECORD, keys={**MESH, "waves.routers": "[]", "waves.slots": "true", **extra})
            wave = self.wave(done)
            flits = {(row[0], row[1]): row[2] for row in done.json()["tables"]["links"]["rows"]}
            view = (done.out / "network.gtkw").read_text()
            counted = 0
            for (sender, receiver), count in flits.items():
                a, b = sender.split(":"), receiver.split(":")
                path = f"network.r{b[0]}.in{b[1]}"
                self.assertIn(f"-router {b[0]} input {b[1]} from router {a[0]} port {a[1]}\n", view)
                self.assertEqual(len(wave.spans(path + ".flit")), count, path)
                counted += count
                self.check_channel(wave, path)
            self.assertGreater(counted, 1000)

    def check_channel(self, wave, path):
        """Counts stay within the buffer, all ends empty, and a fill level is that of its places."""
        for vc in range(2):
            own = f"{path}.vc{vc}"
            for name in (own + ".credits", own + ".occupancy"):
                self.assertTrue(all(0 <= value <= 4 for _, value in wave.changes[name]), name)
            self.assertEqual(wave.at(own + ".credits", wave.last), 4)
            self.assertEqual(wave.at(own + ".occupancy", wave.last), 0)
            self.assertEqual([wave.at(f"{own}.slot{s}", wave.last) for s in range(4)], 4 * [IDLE])
            self.assertEqual(wave.at(own + ".stage", wave.last), IDLE)
            self.assertEqual(wave.at(own + ".packet", wave.last), "")
            self.check_order(wave, own)

    def check_order(self, wave, own):
        """A flit goes through its stages in their order, and never back."""
        follows = {IDLE: {WAIT, RC, SA}, WAIT: {RC, SA, IDLE}, RC: {VA}, VA: {SA}, SA: {ST},
                   ST: {IDLE, WAIT, RC, SA}}
        for slot in range(4):
            stages = [stage for _, stage in wave.changes[f"{own}.slot{slot}"]]
            for before, after in zip(stages, stages[1:]):
                self.assertIn(after, follows[before], (own, slot))

    def test_a_window_is_the_middle_of_the_whole(self):
        whole = self.passes(*RECORD, keys=MESH)
        part = self.passes(*RECORD, "--window", "300:400.5", keys=MESH)
        self.assertEqual(part.result_bytes(), whole.result_bytes())
        all_of_it, window = self.wave(whole), self.wave(part)
        self.assertEqual(sorted(window.changes), sorted(all_of_it.changes))
        self.assertEqual(window.first, 300000)
        self.assertLessEqual(window.last, 400500)
        changes = 0
        for name, own in window.changes.items():
            expected = [(300000, all_of_it.at(name, 300000))]
            expected += [change for change in all_of_it.changes[name] if 300000 < change[0] <= 400500]
            self.assertEqual(own, expected, name)
            changes += len(own)
        self.assertGreater(changes, 1000)
        inside = [row for row in self.records(whole) if 300 <= row["tail_cycle"] <= 400]
        self.assertEqual(self.records(part), inside)
        self.assertGreater(len(inside), 50)

    def test_routers_that_are_shown(self):
        done = self.passes(*RECORD, keys={**MESH, "waves.routers": "[5,6]"})
        roots = {tuple(name.split(".")[:2]) for name in self.wave(done).changes}
        self.assertEqual(roots, {("network", "r5"), ("network", "r6")})
        paths = {name.split(".", 3)[2] for name in self.wave(done).changes if name.startswith("network.r5.")}
        # Five inputs; to router 6, which is shown at its own input, no output.
        self.assertEqual(len([path for path in paths if path.startswith("in")]), 5)
        self.assertEqual(len([path for path in paths if path.startswith("out")]), 4)

    def test_look_ups(self):
        """A packet is in its router two cycles after its birth, and its port's cache is read a cycle after that."""
        self.write("two.list", "100 0 1 1\n300 0 1 1\n")
        keys = {**BARE, "topology.radices": "[2,2]", "traffic.kind": "list", "traffic.list": "two.list",
                "lookup.kind": "cached"}
        wave = self.wave(self.passes(*RECORD, keys=keys))
        idle, hit, miss = range(3)
        cycles = [(time // PERIOD_PS, value) for time, value in wave.changes["network.r0.in4.lookup"] if time]
        self.assertEqual(cycles, [(103, miss), (104, idle), (303, hit), (304, idle)])
        self.assertEqual(wave.at("network.r0.in4.destination", 103 * PERIOD_PS), 1)
        slow = self.wave(self.passes(*RECORD, keys={**keys, "lookup.cache_cycles": 3, "lookup.cam_pipelined": "false"}))
        cycles = [(time // PERIOD_PS, value) for time, value in slow.changes["network.r0.in4.lookup"] if time]
        self.assertEqual(cycles, [(103, miss), (106, idle), (303, hit), (306, idle)])
        self.check_wires({**keys, "lookup.model": "modules"}, cycles=wave.changes["network.r0.in4.lookup"])
        self.passes(*RECORD, keys={**keys, "lookup.model": "modules", "clock_period_ps": 20})
        plain = self.wave(self.passes(*RECORD, keys={**keys, "lookup.kind": "local"}))
        self.assertFalse([name for name in plain.changes if name.endswith(".lookup")])

    def test_wires_of_the_shortest_clock_are_told_before_the_next_cycle(self):
        keys = {"lookup.kind": "cached", "lookup.model": "modules", "measure.warmup_cycles": 100, "measure.cycles": 400}
        self.refused(["clock_period_ps", "20 or more"], keys={**keys, "clock_period_ps": 19})
        wave = self.wave(self.passes(*RECORD, "--window", "0:12", keys={**keys, "clock_period_ps": 20}))
        self.assertGreater(len(wave.changes["network.r0.lookup.port0.request_valid"]), 20)

    def check_wires(self, keys, cycles):
        """The first packet's miss on the wires: hash in 102, cache in 103, then 10 cycles to the memory's chip, 4 there
        and 11 back; the second packet's hit."""
        for sharing, cam in (("none", "cam4"), ("switch", "cam")):
            wave = self.wave(self.passes(*RECORD, keys={**keys, "lookup.cam_sharing": sharing,
                                                        "routing.dateline": "switching"}))
            self.assertEqual(wave.changes["network.r0.in4.lookup"], cycles)

            def rises(pin):
                return [time // PERIOD_PS for time, value in wave.changes["network.r0.lookup." + pin] if value and time]
            for pin, wanted in (("port4.request_valid", [102, 302]), ("cache4.lookup_valid", [103, 303]),
                                ("cache4.answer_valid", [104, 304]), ("cache4.answer_hit", [304]),
                                (cam + ".request_valid", [114]), (cam + ".answer_valid", [118]),
                                (cam + ".answer_hit", [118]), ("port4.return_valid", [129]),
                                ("cache4.fill_valid", [129]), ("cache4.entries_held", [130])):
                self.assertEqual(rises(pin), wanted, pin)
            idle, _, reads, memory = range(4)
            states = [(time // PERIOD_PS, value)
                      for time, value in wave.changes["network.r0.lookup.port4.state"] if time]
            self.assertEqual(states, [(103, reads), (104, memory), (129, idle), (303, reads), (304, idle)])
            self.assertEqual(wave.at("network.r0.lookup.cache4.fill_key", 129 * PERIOD_PS),
                             wave.at("network.r0.lookup.port4.request_key", 102 * PERIOD_PS))

    def test_whole_nodes(self):
        keys = {**BARE, "clock_period_ps": 12500, "workload.npb": "mg.S.16", "workload.npb_steps": 1,
                "nic.kind": "cenju4"}
        for key in ("measure.warmup_cycles", "measure.cycles"):
            del keys[key]
        for shown, wanted in (("[3,5,3]", {"node3", "node5"}), ("[]", {f"node{node}" for node in range(16)})):
            wave = self.wave(self.passes("--waves", "--waves-format", "vcd", "--window", "0:200000",
                                         keys={**keys, "waves.nodes": shown}))
            self.assertEqual({name.split(".")[0] for name in wave.changes if name.startswith("node")}, wanted)
        self.refused(["waves.nodes", "16", "0..15"], keys={**keys, "waves.nodes": "[16]"})

    def test_a_machine_with_every_mechanism(self):
        """Each event of the README's table comes; without a mechanism the ranks end with the same data."""
        def played(**keys):
            done = self.passes(str(PLATFORM / "machine16.yaml"),
                               keys={"router.block_timeout_cycles": 64, "workload.npb_steps": 1, **keys})
            events = {f"{row[0]}: {row[1]}": row[2] for row in done.json()["tables"]["mechanisms"]["rows"]}
            return done.metric("trace_data_digest"), done.metric("trace_time_us"), events

        digest, time, events = played(**{"faults.links": "[9]"})
        for event in ("look-up: hit", "look-up: miss", "prediction: hit", "prediction: wrong", "recovery: timeout"):
            self.assertGreater(events[event], 0, event)
        for off in ({}, {"faults.links": "[9]", "prediction.kind": "none"},
                    {"faults.links": "[9]", "lookup.kind": "local"}):
            other, longer, _ = played(**off)
            self.assertEqual(other, digest, off)
            self.assertNotEqual(longer, time, off)
        same, as_long, counted = played(**{"faults.links": "[9]", "lookup.model": "modules"})
        self.assertEqual((same, as_long, counted), (digest, time, events))

    def test_refusals(self):
        self.refused(["waves.routers", "16", "0..15"], "--waves", keys={**MESH, "waves.routers": "[3,16]"})
        # Whether there is a waveform or not.
        for arguments in ((), ("--records",), ("--sweep-load", "0.1:0.2:2")):
            self.refused(["waves.routers", "16", "0..15"], *arguments, keys={**MESH, "waves.routers": "[16]"})
        # Without the key, what is shown is on every topology.
        self.write("one.txt", "node 0 at 0\nnode 1 at 0\n")
        keys = {"topology.kind": "file", "topology.file": "one.txt", "measure.warmup_cycles": 0, "measure.cycles": 100}
        self.passes("--waves", keys=keys)
        self.refused(["--records", "not supported with --sweep-load"], "--records", "--sweep-load", "0.1:0.2:2",
                     keys=MESH)

    def test_a_failed_run_leaves_its_waveform(self):
        done = self.ends(1, *RECORD, keys={
            **MESH, "topology.kind": "torus", "topology.radices": "[8]", "router.vcs": 1, "routing.dateline": "none",
            "traffic.pattern": "tornado", "traffic.load_flits_per_node_cycle": 1, "traffic.packet_flits": 16,
            "traffic.last_cycle": 0, "measure.cycles": 1000000, "run.watchdog_cycles": 500})
        self.assertTrue(any(value == VA for name, changes in self.wave(done).changes.items()
                            if name.endswith(".stage") for value in [changes[-1][1]]),
                        "heads wait for each other's virtual channels to the end")
        self.assertTrue((done.out / "packets.csv").read_text().startswith("packet,source"))


class Records(NetworkTest):
    """Packet records: the parts add up and mean what they say."""

    PARTS = ["source_queue", "link", "router", "serialization", "wait_front", "wait_vc", "wait_credit", "wait_switch",
             "wait_body"]

    def check(self, keys, router_cycles, link_cycles=1, flit_cycles=1):
        done = self.passes("--records", keys=keys)
        rows = self.records(done)
        self.assertEqual(len(rows), done.metric("packets_born") - done.metric("packets_dropped"))
        order = [(row["tail_cycle"], row["destination"], tuple(map(int, row["packet"].split(".")))) for row in rows]
        self.assertEqual(order, sorted(order))
        self.assertEqual(len({row["packet"] for row in rows}), len(rows))
        for row in rows:
            self.assertEqual(sum(row[part + "_cycles"] for part in self.PARTS), row["latency_cycles"])
            self.assertEqual(row["latency_cycles"], row["tail_cycle"] - row["created_cycle"])
            self.assertEqual(row["router_cycles"], row["hops"] * router_cycles)
            self.assertEqual(row["link_cycles"], 2 + (row["hops"] - 1) * link_cycles)
            self.assertEqual(row["serialization_cycles"], row["flits"] * flit_cycles)
            self.assertEqual(row["tail_cycle"] - row["head_cycle"],
                             row["serialization_cycles"] - 1 + row["wait_body_cycles"])
        mean = sum(row["latency_cycles"] for row in rows) / len(rows)
        self.assertAlmostEqual(mean, done.metric("latency_cycles_mean"), places=6)
        return rows

    def sums(self, rows):
        total = collections.Counter()
        for row in rows:
            total.update({part: row[part + "_cycles"] for part in self.PARTS})
        return total

    def test_undisturbed(self):
        """With one packet at a time nothing waits, whatever the stages."""
        lines = "".join(f"{200 * n} {n} {(5 * n + 3) % 16} 4\n" for n in range(16))
        keys = {**BARE, "traffic.kind": "list", "traffic.list": self.write("alone.list", lines), "measure.cycles": 3600}
        for extra, router in (({}, 4), ({"router.va_cycles": 0}, 3),
                              ({"router.rc_cycles": 3, "router.st_cycles": 2, "router.des_cycles": 2,
                                "router.ser_cycles": 1, "router.buffer_flits": 16}, 10)):
            total = self.sums(self.check({**keys, **extra}, router))
            for part in self.PARTS:
                if part.startswith("wait") or part == "source_queue":
                    self.assertEqual(total[part], 0, (extra, part))

    def test_loaded(self):
        total = self.sums(self.check(MESH, 4))
        for part in self.PARTS:
            self.assertGreater(total[part], 0, part)
        self.check({**MESH, "link.latency_cycles": 3, "router.sa_cycles": 2, "router.st_cycles": 3}, 7, 3)
        self.check({**MESH, "link.flit_cycles": 2, "traffic.load_flits_per_node_cycle": 0.15}, 4, 1, 2)
        self.check({**MESH, "router.va_allocator": "matrix", "router.sa_allocator": "separable"}, 4)
        self.check({**MESH, "router.switching": "virtual_cut_through", "router.atomic_vcs": "true"}, 4)

    def test_serdes_is_latency_at_both_ends_of_a_link(self):
        """Under load, packet by packet: Ser behind and Des in front of every router are cycles of the links around
        it."""
        keys = {**MESH, "link.credit_latency_cycles": 1, "router.buffer_flits": 8}
        stages = self.records(self.passes("--records",
                                          keys={**keys, "router.ser_cycles": 2, "router.des_cycles": 3}))
        cables = self.records(self.passes("--records", keys={
            **keys, "link.latency_cycles": 1 + 2 + 3, "link.inject_latency_cycles": 1 + 3,
            "link.eject_latency_cycles": 1 + 2}))
        self.assertGreater(len(stages), 500)
        for with_stages, with_cables in zip(stages, cables):
            moved = with_stages["link_cycles"] - with_cables["link_cycles"]
            self.assertEqual(moved, -5 * with_stages["hops"])
            with_stages["link_cycles"] -= moved
            with_stages["router_cycles"] += moved
        self.assertEqual(stages, cables)

    def test_one_cause_at_a_time(self):
        """Two packets for one node: the second waits for what the first holds, and for nothing else."""
        lines = self.write("two.list", "0 0 2 16\n0 1 2 16\n")
        keys = {**BARE, "topology.radices": "[3]", "router.vcs": 1, "router.buffer_flits": 16, "traffic.kind": "list",
                "traffic.list": lines}
        late = self.records(self.passes("--records", keys=keys))[-1]
        waits = {part: late[part + "_cycles"] for part in self.PARTS
                 if part.startswith("wait") and late[part + "_cycles"]}
        # At router 1 the first head is in SA in cycle 4, its tail in 19, so its output is free for VA in 20. The other
        # head could have been there in 8. At router 2 the first head takes 2 cycles more than its body, which
        # queues up behind it: the tail, there in 22, leaves in 24, when the other head comes.
        self.assertEqual(waits, {"wait_vc": 12, "wait_front": 1})
        # With a virtual channel for each they share the switch, flit by flit.
        keys["router.vcs"] = 2
        rows = self.records(self.passes("--records", keys=keys))
        self.assertEqual([row["wait_vc_cycles"] for row in rows], [0, 0])
        self.assertTrue(any(row["wait_switch_cycles"] or row["wait_body_cycles"] for row in rows))

    def test_a_head_waits_for_a_credit(self):
        """Two packets of one flit with buffers of one: what the second waits for is the place of the first."""
        lines = self.write("two.list", "0 0 2 1\n0 0 2 1\n")
        keys = {**BARE, "topology.radices": "[3]", "router.vcs": 1, "router.buffer_flits": 1, "traffic.kind": "list",
                "traffic.list": lines}
        second = self.records(self.passes("--records", keys=keys))[-1]
        # The first wins at router 0 in cycle 4, so the source has its credit in 7, and at router 1 in 9, so router 0
        # has it in 12; there the second arrives in 9 and could win in 11. From then on they are 8 cycles apart.
        waits = {part: second[part + "_cycles"] for part in self.PARTS if second[part + "_cycles"]}
        self.assertEqual(waits, {"source_queue": 7, "link": 4, "router": 12, "serialization": 1, "wait_credit": 1})

    def test_heads_that_ask_when_they_arrive(self):
        """Route computation is over while they wait behind others: never more than the stages, sometimes less."""
        done = self.passes("--records", keys={**MESH, "router.route_at": "arrival", "router.rc_cycles": 3})
        rows = self.records(done)
        self.assertTrue(all(3 * row["hops"] <= row["router_cycles"] <= 6 * row["hops"] for row in rows))
        self.assertTrue(any(row["router_cycles"] < 6 * row["hops"] for row in rows))

    def test_store_and_forward_waits_for_its_own_tail(self):
        lines = self.write("one.list", "0 0 2 4\n")
        keys = {**BARE, "topology.radices": "[3]", "traffic.kind": "list", "traffic.list": lines,
                "router.switching": "store_and_forward"}
        [row] = self.check(keys, 4)
        self.assertEqual(row["wait_front_cycles"], 3 * 3)  # P - 1 at each of three routers

    def test_wires_of_nodes_that_differ(self):
        """A topology file gives a node's wires a latency; the others have the keys'."""
        wires = {0: (7, 7), 1: (2, 3), 2: (5, 5)}
        topology = self.write("wires.topo", "link 0 1\nnode 0 at 0 latency 7\nnode 1 at 1\nnode 2 in 1 out 0 latency 5")
        pairs = [(source, destination) for source in wires for destination in wires if source != destination]
        lines = "".join(f"{100 * n} {source} {destination} 4\n" for n, (source, destination) in enumerate(pairs))
        keys = {"topology.kind": "file", "topology.file": topology, "traffic.kind": "list",
                "traffic.list": self.write("pairs.list", lines),
                "link.inject_latency_cycles": 2, "link.eject_latency_cycles": 3, "router.buffer_flits": 8}
        done = self.passes("--records", keys=keys)
        rows = self.records(done)
        self.assertEqual(len(rows), len(pairs))
        for row in rows:
            expected = wires[row["source"]][0] + wires[row["destination"]][1] + row["hops"] - 1
            self.assertEqual(row["link_cycles"], expected, row)
            self.assertEqual(sum(row[part + "_cycles"] for part in self.PARTS if part.startswith("wait")), 0, row)
        for order in ({"run.processes": "process_each"}, {"run.shuffle_seed": 3}):
            again = self.passes("--records", keys={**keys, **order})
            self.assertEqual((again.out / "packets.csv").read_bytes(), (done.out / "packets.csv").read_bytes())

    def test_dropped_packets_have_their_cause(self):
        keys = {**MESH, "link.faults": "3@100:400,7@200", "router.dead_route": "drop"}
        done = self.passes("--records", "--waves", "--waves-format", "vcd",
                           keys={**keys, "waves.routers": "[]", "waves.slots": "true"})
        rows = self.records(done)
        self.assertEqual(len({row["packet"] for row in rows}), done.metric("packets_born"))
        self.assertEqual(len(rows), done.metric("packets_born"), "every packet ends once")
        dropped = [row for row in rows if row["cause"]]
        self.assertEqual(collections.Counter(row["cause"] for row in dropped),
                         {cause: count for cause, count in done.json()["tables"]["drops"]["rows"]})
        for row in rows:
            self.assertLessEqual(row["created_cycle"], row["injected_cycle"])
            arrival = [row[column] for column in row if column in ("head_cycle", "tail_cycle", "latency_cycles")
                       or column[:-len("_cycles")] in self.PARTS]
            self.assertEqual(len(arrival), 3 + len(self.PARTS))
            self.assertEqual(row in dropped, all(value is None for value in arrival))
            self.assertEqual(row in dropped, row["dropped_cycle"] is not None)
            if row in dropped:
                self.assertLess(row["injected_cycle"], row["dropped_cycle"])
        ends = [row["tail_cycle"] or row["dropped_cycle"] for row in rows]
        self.assertEqual(ends, sorted(ends))
        # Packets that the two links lose when they go down, half a cycle before.
        self.assertLessEqual({row["dropped_cycle"] for row in dropped if row["cause"] == "link_down"}, {99, 199})
        shuffled = self.passes("--records", keys={**keys, "run.shuffle_seed": 5})
        self.assertEqual((shuffled.out / "packets.csv").read_bytes(), (done.out / "packets.csv").read_bytes())
        wave = self.wave(done)
        left = [name for name in wave.changes if ".slot" in name or name.endswith(".stage")
                if wave.at(name, wave.last) != IDLE]
        self.assertEqual(left, [], "what is purged leaves the waveform, too")


if __name__ == "__main__":
    machine.main()
