# SPDX-License-Identifier: Apache-2.0
"""Groups of Cenju-4 nodes with gateways (nic.kind: cenju4_groups), as a user plays them."""

import pathlib
import re
import subprocess
import sys

import machine

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platforms" / "reproduce"))

from reproduction.vcd import Vcd  # noqa: E402

PLATFORM = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "network"
# Four groups of four, with a dead link.
SMALL = {"topology.kind": "torus", "topology.radices": "[2,2]", "router.vcs": 4, "routing.kind": "detour_ud",
         "lookup.kind": "cached", "prediction.kind": "latest_port", "nic.kind": "cenju4_groups", "groups.members": 4,
         "library.barrier": "hardware", "library.broadcast": "hardware", "workload.kind": "trace",
         "clock_period_ps": 12500}


class Programs(machine.MachineTest):
    def played_on_stages(self, nodes, **keys):
        """A run on Cenju-4's own switches, the platform `cenju4` beside this one."""
        out = self.folder / f"stages{nodes}"
        command = [str(pathlib.Path(machine.EXECUTABLE).with_name("cenju4")), "--quiet", "--out", str(out)]
        for key, value in {"network.nodes": nodes, "workload.kind": "trace", **keys}.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=machine.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return machine.Finished(done, out)

    def test_the_same_program_receives_the_same_data(self):
        """Point to point, transposes, sums, multicasts and barriers, on Cenju-4's switches and on groups."""
        trace = self.write_trace("kernel.ti", machine.kernel(16))
        digest = self.played_on_stages(16, **{"workload.trace": trace}).metric("trace_data_digest")
        for other in ({}, {"faults.links": "[0]"}, {"groups.members": 8, "topology.radices": "[2]"},
                      {"groups.radix": 2, "switch.mode": "flit_by_flit"}, {"prediction.kind": "none"},
                      {"lookup.kind": "local", "routing.kind": "dimension_order"},
                      {"faults.events": "link 1@200000:400000", "retry.timeout_cycles": 5000},
                      {"library.barrier": "dissemination", "library.broadcast": "tree"}):
            with self.subTest(other):
                done = self.passes(keys={**SMALL, "workload.trace": trace, **other})
                self.assertEqual(done.metric("trace_data_digest"), digest)
                self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
                by_hardware = other.get("library.barrier") is None
                for metric in ("gateway_multicasts", "gateway_synchronizations", "gateway_releases", "switch_copies"):
                    self.assertEqual(done.metric(metric) > 0, by_hardware, metric)
                self.check_gateways(done)

    def check_gateways(self, done):
        """The table has a row for each gateway, and what one sends another gets."""
        rows = done.json()["tables"]["gateways"]["rows"]
        _, from_group, to_others, from_others, to_group, multicasts, synchronizations, releases = map(
            sum, zip(*rows))
        self.assertEqual([row[0] for row in rows], list(range(len(rows))))
        self.assertEqual(to_others, from_others)
        self.assertEqual(from_group, done.metric("gateway_packets"))
        self.assertEqual(to_others, from_group + done.metric("gateway_copies"))
        self.assertEqual(multicasts, done.metric("gateway_multicasts"))
        self.assertEqual(synchronizations, done.metric("gateway_synchronizations"))
        self.assertEqual(releases, done.metric("gateway_releases"))
        # Synchronizations, all of which are of all ranks, end at the other gateways.
        self.assertEqual(to_group, from_others - synchronizations * (len(rows) - 1) + releases)

    def test_the_machine_of_the_readme(self):
        """Each event of the table comes, and its data are those of Cenju-4's own switches."""
        keys = {"workload.npb": "cg.S.64", "workload.npb_steps": 1}
        done = self.passes(str(PLATFORM / "groups64.yaml"), keys=keys)
        events = {f"{row[0]}: {row[1]}": row[2] for row in done.json()["tables"]["mechanisms"]["rows"]}
        for event in ("look-up: hit", "look-up: miss", "prediction: hit", "prediction: wrong", "recovery: timeout"):
            self.assertGreater(events[event], 0, event)
        for metric in ("gateway_multicasts", "gateway_synchronizations", "gateway_packets", "switch_copies"):
            self.assertGreater(done.metric(metric), 0, metric)
        # 16 routers of 5 ports. A CAM's rows, and entries of each input's cache, have a key and a route; a predictor
        # a port of five or none; groups two stages of four switches of radix 4.
        self.assertEqual(done.metric("lookup_bits"), 16 * (65536 + 5 * 2048) * (64 + 32))
        self.assertEqual(done.metric("prediction_bits"), 16 * 5 * 3)
        self.assertEqual(done.metric("synchronization_bits"),
                         16 * (2 * 4 * 2 * 128 * (64 + 5 * 4 + 1) + 128 * (64 + 2 * 16)))
        stages = self.played_on_stages(64, **keys)
        self.assertEqual(done.metric("trace_data_digest"), stages.metric("trace_data_digest"))


class Sizes(machine.MachineTest):
    """Machines of 4 to 1,024 nodes on tori, meshes and trees, with broadcasts and barriers of the hardware."""

    TREE = {"topology.kind": "fat_tree", "topology.up_links": 4, "topology.down_links": 4,
            "routing.kind": "least_common_ancestor", "routing.up_port": "one_to_one"}
    # Members of a group, and the network of the gateways.
    MACHINES = ((2, {"topology.radices": "[2]"}), (4, {"topology.kind": "mesh"}), (2, {**TREE, "topology.levels": 2}),
                (4, {"topology.radices": "[4,4]", "faults.links": "[9]"}),
                (4, {**TREE, "topology.levels": 2}),
                (16, {"topology.kind": "mesh", "topology.radices": "[4,4]"}),
                (16, {"topology.radices": "[4,4]", "lookup.model": "modules", "lookup.cam_sharing": "switch"}),
                (16, {"topology.radices": "[8,8]"}), (16, {"topology.kind": "mesh", "topology.radices": "[8,8]"}),
                (16, {**TREE, "topology.levels": 3}),
                (64, {"topology.radices": "[4,4]", "faults.events": "link 3@60000:90000, link 9@80000",
                      "retry.timeout_cycles": 20000}))

    def program(self, ranks):
        """Messages to near and far ranks, broadcasts of ranks all over the machine, and barriers."""
        text = []
        for rank in range(ranks):
            operations = []
            for turn, step in enumerate((1, ranks // 2, ranks - 1)):
                operations += [f"irecv {(rank - step) % ranks} {turn} 300 6",
                               f"isend {(rank + step) % ranks} {turn} 300 6", "waitall 2",
                               f"bcast 500 {turn * (ranks // 3) % ranks} 6", "barrier"]
            text.append(operations)
        return text

    def test_the_same_program_on_every_machine_of_a_size(self):
        digests, cenju4 = {}, str(pathlib.Path(machine.EXECUTABLE).with_name("cenju4"))
        for members, fabric in self.MACHINES:
            with self.subTest(fabric, members=members):
                nodes = members * self.gateways({**SMALL, **fabric})
                trace = self.write_trace(f"sizes{nodes}.ti", self.program(nodes))
                if nodes not in digests:
                    out = self.folder / f"stages{nodes}"
                    done = subprocess.run([cenju4, "--quiet", "--out", str(out), "--set", f"network.nodes={nodes}",
                                           "--set", "workload.kind=trace", "--set", f"workload.trace={trace}"],
                                          capture_output=True, text=True, check=False, timeout=machine.TIMEOUT_S)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    digests[nodes] = machine.Finished(done, out).metric("trace_data_digest")
                keys = {**SMALL, **fabric, "groups.members": members, "workload.trace": trace}
                if keys["topology.kind"] == "fat_tree":
                    del keys["topology.radices"]
                done = self.passes(keys=keys)
                self.assertEqual(done.metric("trace_data_digest"), digests[nodes])
                self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
                self.assertGreater(done.metric("gateway_multicasts"), 0)
                self.assertGreater(done.metric("switch_copies"), 0)
                self.assertEqual(done.metric("gateway_releases") > 0, nodes <= 64)  # larger ones by atomic adds
        self.assertEqual(sorted(digests), [4, 16, 32, 64, 256, 1024])

    def gateways(self, keys):
        if keys["topology.kind"] == "fat_tree":
            return 4 ** keys["topology.levels"]
        radices = [int(radix) for radix in keys["topology.radices"].strip("[]").split(",")]
        return radices[0] * (radices[1] if len(radices) == 2 else 1)


class Groups(machine.MachineTest):
    def test_a_lost_packet_is_named_by_its_nodes(self):
        done = self.ends(1, keys={**SMALL, "workload.npb": "is.S.16", "workload.npb_steps": 1,
                                  "faults.losses": "everything", "faults.events": "router 3@100000"})
        self.assertRegex(done.text, r"lost: packet \S+ from rank \d+ at node \d+ to rank 12 at node 12, "
                                    r"synchronization \d+, in")
        self.assertRegex(done.text, r"lost: packet 8.\d+ from rank 8 at node 8 to rank 0 at node 0, remote_dma, 256 ")
        self.assertIn("group 0: its gateway holds 0 packets, and waits for other groups in 1 synchronizations",
                      done.text)
        self.assertIn("is cut off: router 3 died in cycle 100000", done.text)

    def test_waveforms_have_groups_and_gateways(self):
        keys = {**SMALL, "workload.npb": "cg.S.16", "workload.npb_steps": 1, "waves.nodes": "[5,14]"}
        done = self.passes("--waves", "--records", "--waves-format", "vcd", "--window",
                           "0:300000", "--log", "node", keys=keys)
        plain = self.passes("--records", "--window", "0:300000", keys={**keys, "run.shuffle_seed": 3})
        self.assertEqual((done.out / "packets.csv").read_bytes(), (plain.out / "packets.csv").read_bytes())
        text = (done.out / "network.gtkw").read_text()
        for group, node, absent in ((1, 5, 4), (3, 14, 13)):
            for name in (f"group {group}, node {node} to network", f"group {group}, network to gateway",
                         f"group {group}, stage 0 switch 0 sync table"):
                self.assertIn(name, text)
            self.assertNotIn(f"node {absent} to network", text)
        self.assertNotIn("group 0,", text)

    def far(self):
        """A parcel from group 1 to group 3, a multicast and barriers; its keys, with all signals shown."""
        trace = self.write_trace("far.ti", [["barrier", *(["send 14 1 200 6"] * (rank == 5)),
                                             *(["recv 5 1 200 6"] * (rank == 14)), "bcast 200 5 6", "barrier"]
                                            for rank in range(16)])
        return {**SMALL, "lookup.cam_sharing": "switch", "lookup.model": "modules", "workload.trace": trace,
                "routing.kind": "dimension_order", "routing.dateline": "switching", "waves.nodes": "[]",
                "waves.routers": "[]"}

    def test_the_view_opens_on_a_packet_module_by_module(self):
        """From the sender's look-up of pages to the receiver's writes; of a multicast all that get the first copy."""
        keys = self.far()
        log = (self.passes("--log", "nic.5,gateway.1", keys=keys).out / "log.txt").read_text()
        [parcel] = re.findall(r"nic\.5 +(5\.\d+) +head leaves for node 14: ", log)
        [multicast] = re.findall(r"gateway\.1 +(5\.\d+) +head leaves for gateway 0: a multicast", log)
        parts = self.view(parcel, keys)
        names = [name for name, _ in parts]
        routers = [("1", "4 from node 1"), ("3", "3 from router 1 port 2")]
        self.assertEqual(names, [
            f"packet {parcel} to 14: node 5, Sender", "group 1, switches", "group 1, gateway to others",
            *(name for router, port in routers for name in (
                f"router {router} input {port}", f"prediction at router {router} input {port[0]}",
                f"cache of router {router} input {port[0]}", f"CAM of router {router}")),
            "group 3, gateway from others", "group 3, switches", "node 14, Receiver"])
        signals = dict(parts)
        self.assertEqual(signals["group 1, switches"], ["group1.node5.out.packet", "group1.stage0.line13.packet",
                                                        "group1.gateway.in.packet"])
        self.assertEqual(signals["cache of router 1 input 4"],
                         ["network.r1.in4.lookup", "network.r1.lookup.port4.state"])
        self.assertEqual(signals["group 3, gateway from others"][0], "group3.gateway.from_others.state")
        self.assertEqual(signals["node 14, Receiver"][0], "node14.nic.receiver.state")
        receivers = [name for name, _ in self.view(multicast, keys) if name.endswith("Receiver")]
        self.assertEqual(sorted(receivers), [f"node {node}, Receiver" for node in (0, 1, 2, 3, 4, 5, 6, 7)])
        self.assertIn("group 1, synchronization tables", [name for name, _ in self.view("5.0", keys)])

    def test_the_view_opens_on_several_packets(self):
        """The first barrier, the parcel and the multicast in one view, each with its modules and a marker."""
        keys = {**self.far(), "waves.nodes": "[5,14]"}
        done = self.passes("--records", "--log", "nic.5,gateway.1", keys=keys)
        log = (done.out / "log.txt").read_text()
        [parcel] = re.findall(r"nic\.5 +(5\.\d+) +head leaves for node 14: ", log)
        [multicast] = re.findall(r"gateway\.1 +(5\.\d+) +head leaves for gateway 0: a multicast", log)
        names = [name for name, _ in self.view(f"{multicast} {parcel} 5.0", keys)]
        firsts = ["synchronization 5.0: node 5, Sender", f"packet {parcel} to 14: node 5, Sender",
                  f"multicast {multicast}: node 5, Sender"]
        self.assertEqual([name for name in names if ": " in name], firsts)
        places = [names.index(name) for name in firsts]
        self.assertIn("group 1, synchronization tables", names[:places[1]])
        self.assertEqual(names[places[2] - 1], "node 14, Receiver")
        self.assertIn("node 5, Receiver", names[places[2]:])
        self.assertEqual(re.findall(r"^\[markername\] (.*)$", self.saved, re.MULTILINE),
                         ["Asynchronization 5.0", f"Bpacket {parcel} to 14",
                          f"Cmulticast {multicast}"])
        times = self.saved.split("\n*")[1].split("\n")[0].split()[2:]
        self.assertEqual(times[3:], ["-1"] * 23)
        self.assertEqual(sorted(times[:3], key=int), times[:3])
        self.assertEqual([name for name, _ in self.view("kinds", keys) if ": " in name][1:], firsts[1:])
        one = self.view(parcel, keys)
        self.assertNotIn("markername", self.saved)
        self.assertEqual(one[0][0], firsts[1])

    def test_one_of_each(self):
        """The committed configuration's three packets."""
        done = self.passes("--waves", "--waves-format", "vcd", "--window", "45000:105000",
                           str(PLATFORM / "one_of_each64.yaml"))
        opened = (done.out / "network.gtkw").read_text().split("@c00200\n")[0]
        names = re.findall(r"^@800200\n-(.*)$", opened, re.MULTILINE)
        self.assertEqual([name for name in names if ": " in name],
                         ["packet 19.1 to 33: node 19, Sender", "multicast 19.2: node 19, Sender",
                          "synchronization 19.4: node 19, Sender"])
        parcel = names[:names.index("multicast 19.2: node 19, Sender")]
        self.assertEqual([name.split()[1] for name in parcel if name.startswith("router")], ["4", "7", "11", "8"])
        self.assertEqual(parcel[-1], "node 33, Receiver")
        for name in ("node 16, Receiver", "node 3, Receiver", "group 4, synchronization tables"):
            self.assertIn(name, names)

    def view(self, packet, keys):
        """(heading, signals) of each group that the view opens on."""
        done = self.passes("--waves", "--waves-format", "vcd", keys={**keys, "waves.packet": packet})
        self.saved = (done.out / "network.gtkw").read_text()
        opened = self.saved.split("@c00200\n")[0]
        parts = []
        for group in opened.split("@800200\n-")[1:]:
            name, *lines = group.splitlines()
            parts.append((name, [line.split()[-1].split("[")[0] for line in lines if line[:1] not in "@-^"]))
        return parts

    def test_states_of_gateways(self):
        """A gateway stores a packet for its flits and 4 cycles more, and sends it for as long as its flits take."""
        keys = self.far()
        done = self.passes("--waves", "--waves-format", "vcd", "--log", "gateway.1=trace", keys=keys)
        wave = Vcd(done.out / "network.vcd")
        log = (done.out / "log.txt").read_text()
        for side, there, here in (("to_others", "head arrives$", "head leaves for gateway"),
                                  ("from_others", "head arrives from gateway", "head leaves for node")):
            heads = {packet: int(cycle) for cycle, packet in re.findall(
                rf"^ *(\d+) +\w+ +gateway\.1 +(\S+) +{there}", log, re.MULTILINE)}
            leaves = {packet: int(cycle) for cycle, packet in re.findall(
                rf"^ *(\d+) +\w+ +gateway\.1 +(\S+) +{here}", log, re.MULTILINE)}
            self.assertGreater(len(heads), 1, side)
            states = f"group1.gateway.{side}.state"
            for packet in heads.keys() & leaves.keys():
                before = [cycle for cycle in leaves.values() if cycle < leaves[packet]]
                if all(cycle + 130 < heads[packet] for cycle in before):
                    self.assertEqual(wave.at(states, heads[packet] * 12500), 1, packet)
                self.assertEqual(wave.at(states, leaves[packet] * 12500), 3, packet)
                self.assertEqual(wave.at(f"group1.gateway.{side}.packet", leaves[packet] * 12500), packet)
            self.assertEqual(wave.at(states, wave.last), 0)
        names = [path.read_text() for path in done.out.glob("network.names*.txt")]
        self.assertIn("0 -\n1 store\n2 wait\n3 send\n", names)

    def test_a_gateway_sends_from_head_to_tail(self):
        """Releases that pass packets, too."""
        keys = {**self.far(), "workload.trace": self.write_trace("kernel.ti", machine.kernel(16, 2))}
        done = self.passes("--waves", "--waves-format", "vcd", "--log", "gateway=trace", keys=keys)
        wave, heads = Vcd(done.out / "network.vcd"), {}
        for line in (done.out / "log.txt").read_text().splitlines():
            cycle, _, gateway, packet, *event = line.split()
            if event[:2] == ["head", "leaves"]:
                side = "to_others" if event[2:4] == ["for", "gateway"] else "from_others"
                heads[gateway, packet, side] = int(cycle)
        for (gateway, packet, side), cycle in heads.items():
            scope = f"group{gateway.removeprefix('gateway.')}.gateway.{side}"
            for time in (cycle, cycle + 5, cycle + 9):
                self.assertEqual(wave.at(f"{scope}.state", time * 12500), 3, (gateway, packet, time))
                self.assertEqual(wave.at(f"{scope}.packet", time * 12500), packet)
        self.assertGreater(len(heads), 100)

    def test_the_log_has_switches_and_gateways(self):
        """A multicast's copies, a barrier in two levels, and a parcel from interface to interface."""
        keys = self.far()
        log = (self.passes("--log", "nic=debug,gateway,switch", keys=keys).out / "log.txt").read_text()
        [parcel] = re.findall(r"nic\.5 +(5\.\d+) +head leaves for node 14: ", log)
        way = re.findall(rf"(\S+) +{re.escape(parcel)} +(head \w+)", log)
        passed = ["switch.1.0.1", "switch.1.1.3", "gateway.1", "gateway.3", "switch.3.0.0", "switch.3.1.0"]
        self.assertEqual(way, [("nic.5", "head leaves"),
                               *((module, event) for module in passed for event in ("head arrives", "head leaves")),
                               ("nic.14", "head arrives")])
        copies = re.findall(r"gateway\.1 +\S+ +head leaves for gateway (\d): a multicast of node 5, \d+ flits"
                            r"(; copies follow)?", log)
        self.assertEqual(copies, [("0", "; copies follow"), ("2", "; copies follow"), ("3", "")])
        come = re.findall(r"gateway\.2 +\S+ +synchronization 0: group (\d) has come", log)
        rounds = re.findall(r"gateway\.2 +\S+ +synchronization 0: all groups have come, its own is released", log)
        self.assertEqual(len(come), 3 * len(rounds))
        self.assertGreater(len(rounds), 2)
        for wrong, accepted in (("switch.4.0.0", "switch"), ("gateway.4", "gateway")):
            self.refused([wrong, accepted], "--log", wrong, keys=keys)

    def test_an_estimate_has_all_nodes(self):
        done = self.run_machine("--estimate", keys=SMALL)
        self.assertEqual(done.code, 0, done.text)
        self.assertIn("4 routers and 16 nodes", done.text)

    def test_refusals(self):
        keys = {**SMALL, "workload.npb": "cg.S.8"}
        for change, parts in (
                ({"groups.members": 13, "groups.stages": 2}, ["groups.stages", "3..12"]),
                ({"groups.members": 300}, ["topology.kind", "1200 nodes", "2..1024"]),
                ({"router.switching": "virtual_cut_through", "router.buffer_flits": 117},
                 ["router.buffer_flits", "117", "at least 118"]),
                ({"sizes.synchronization_header_flits": 14}, ["sizes.synchronization_header_flits", "up to 13"]),
                ({"retry.timeout_cycles": 100, "nic.early_packets": 44}, ["nic.early_packets", "44", "at least 45"]),
                ({"waves.nodes": "[16]"}, ["waves.nodes", "16", "0..15"]),
                ({"workload.ranks_per_node": 2}, ["workload.ranks_per_node", "one rank", "nic.kind packetizer"]),
                ({"nic.packet_bytes": 8}, ["nic.packet_bytes", "nic.kind"]),
                ({"faults.routers": "[1]"}, ["8 ranks", "rank 4 is behind node 1, which is dead"])):
            with self.subTest(change):
                self.refused(parts, keys={**keys, **change})
        with_nodes = {key: value for key, value in keys.items() if not key.startswith("groups.")}
        self.refused(["library.barrier", "hardware", "dissemination"], keys={**with_nodes, "nic.kind": "cenju4"})
        for key, value in (("groups.members", 4), ("gateway.cycles", 9), ("switch.fifo_packets", 1)):
            self.refused([key, "nic.kind", "cenju4_groups"], keys={**with_nodes, **{"library.barrier": "tree"},
                                                                   "library.broadcast": "tree", "nic.kind": "cenju4",
                                                                   key: value})

    def test_a_wrong_key_is_refused_with_its_place(self):
        text = (PLATFORM / "groups64.yaml").read_text().replace("radix: 4", "radix: 40")
        file = self.write("wrong.yaml", text)
        line = 1 + text[:text.index("radix: 40")].count("\n")
        column = text.splitlines()[line - 1].index("40") + 1
        self.refused([f"wrong.yaml:{line}:{column}", "groups.radix", "2..16"], str(file))


if __name__ == "__main__":
    machine.main()
