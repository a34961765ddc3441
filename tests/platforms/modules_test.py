# SPDX-License-Identifier: Apache-2.0
"""--list-modules: names, classes and meanings of small machines, and what it is refused with."""

import re

import machine


class ModulesTest(machine.MachineTest):
    def rows(self, *arguments, keys=None):
        """{name: (objects, kind, class, meaning)}, in order. Nothing is written."""
        done = self.ends(0, "--list-modules", *arguments, keys=keys)
        self.assertFalse(done.out.exists())
        heading, *lines = done.text.rstrip("\n").split("\n")
        begins = [heading.index(word) for word in ("kind", "class", "stands for")]
        rows = {}
        for line in lines:
            name, *objects = line[:begins[0]].split()
            self.assertNotIn(name, rows)
            kind, of_class, meaning = (line[begin:end].strip() for begin, end in zip(begins, [*begins[1:], None]))
            rows[name] = (int(objects[0]) if objects else 1, kind, of_class, meaning)
        return rows

    def names(self, *arguments, keys=None):
        return {name: row[:3] for name, row in self.rows(*arguments, keys=keys).items()}

    def check_refusals(self, other_print=None):
        self.refused(["--list-modules", "'each'", "all"], "--list-modules", "each")
        for options, part in ((("--waves",), "--waves"), (("--records",), "--records"), (("--log", "debug"), "--log"),
                              (("--sweep-load", "0.1:0.2:2"), "--sweep-load"), (other_print, "--list-modules")):
            if options is not None:
                self.refused([part, "does not go together"], "--list-modules", *options)
        self.refused(["--runs", "does not go together"], "--list-modules", "--runs", str(self.folder / "runs"))


class Network(ModulesTest):
    MESH = {"topology.radices": "[3,3]"}

    def test_a_mesh(self):
        router = "network.block0.r0..8"
        self.assertEqual(self.names(keys=self.MESH), {
            "clock": (1, "module", "ClockDomain"),
            "supervisor": (1, "module", "network::NetworkSupervisor"),
            "network": (1, "module", "network::VcNetwork"),
            "network.block0": (1, "module", "network::ObjectBlock"),
            router: (9, "module", "router::RouterModule"),
            f"{router}.buffers": (9, "part", "router::InputVc"),
            f"{router}.lookup": (9, "part", "lookup::LocalLookup"),
            f"{router}.vc_allocator": (9, "part", "router::IslipVcAllocator"),
            f"{router}.switch_allocator": (9, "part", "router::BitmaskSwitchAllocator"),
            f"{router}.outputs": (9, "part", "router::OutputPort"),
            "network.routing": (1, "part", "routing::DimensionOrder"),
            "network.l0..11": (12, "part", "FlitLink"), "network.n0..8": (9, "part", "FlitLink"),
            "nodes0": (1, "module", "network::ObjectBlock"),
            "nodes0.node0..8": (9, "module", "traffic::FlitNode")})

    def test_all_names_each(self):
        folded, each = self.rows(keys=self.MESH), self.rows("all", keys=self.MESH)
        self.assertEqual(sum(row[0] for row in folded.values()), len(each))
        self.assertEqual(each["network.block0.r5.lookup"][1:], folded["network.block0.r0..8.lookup"][1:])
        self.assertIn("network.l11", each)

    def test_look_ups_as_modules(self):
        keys = {**self.MESH, "lookup.kind": "cached", "lookup.model": "modules"}
        for sharing, memory in (("switch", (9, "")), ("none", (45, "0..4"))):
            rows = self.rows(keys={**keys, "lookup.cam_sharing": sharing})
            switch, (memories, numbers) = "network.block0.lookup0..8", memory
            for name, wanted in ((switch, (9, "module", "lookup::SwitchModules")),
                                 (switch + ".cache0..4", (45, "module", "lookup::CacheModule")),
                                 (switch + ".port0..4", (45, "module", "lookup::LookupPortModule")),
                                 (switch + ".path" + numbers, (memories, "module", "lookup::MissPathModule")),
                                 (switch + ".cam" + numbers, (memories, "module", "lookup::CamModule"))):
                self.assertEqual(rows[name][:3], wanted, name)
                self.assertIn("Hirasawa 2020", rows[name][3])
            self.assertNotIn("network.block0.r0..8.lookup", rows)

    def test_every_line_has_a_meaning(self):
        for keys in (self.MESH, {"topology.kind": "fat_tree", "prediction.kind": "up", "routing.up_port": "one_to_one",
                                 "lookup.kind": "cached"},
                     {"topology.kind": "torus", "routing.kind": "detour_ud", "router.vcs": 4,
                      "faults.events": "link 3@100"},
                     {"topology.radices": "[2,2]", "topology.kind": "torus", "workload.npb": "ep.S.4",
                      "nic.kind": "cenju4"}):
            for name, row in self.rows(keys=keys).items():
                self.assertGreater(len(row[3]), 3, f"{name}: {row}")

    def test_papers(self):
        keys = {"topology.kind": "torus", "topology.radices": "[4,4]", "routing.kind": "detour_ud", "router.vcs": 4,
                "prediction.kind": "straight"}
        rows, router = self.rows(keys=keys), "network.block0.r0..15"
        for name, of_class, parts in (
                (router, "router::RouterModule", ["prediction router (Tateshita 2009, section 2.1)",
                                                  "recovery from deadlock (Yoshinaga 2004, section 4.1)"]),
                ("network.routing", "routing::DetourUd", ["Detour-UD (Yoshinaga 2004, sections 2.2 and 2.3)"]),
                (f"{router}.crossbar", "router::PredictiveCrossbar", ["Tateshita 2009, section 2.1"]),
                (f"{router}.prediction", "router::Prediction", ["Tateshita 2009, section 2.1"]),
                (f"{router}.predictor", "router::StaticPort", ["Tateshita 2009, section 2.2"]),
                (f"{router}.block_timer", "router::ProgressTimer", ["Yoshinaga 2004"])):
            self.assertEqual(rows[name][2], of_class)
            for part in parts:
                self.assertIn(part, rows[name][3])

    def test_a_part_that_some_routers_have(self):
        # 75 virtual channels at the middle are too many for the fast driver.
        rows = self.names(keys={**self.MESH, "router.vcs": 15})
        self.assertEqual({name: row for name, row in rows.items() if "switch_allocator" in name}, {
            "network.block0.r0..3,5..8.switch_allocator": (8, "part", "router::BitmaskSwitchAllocator"),
            "network.block0.r4.switch_allocator": (1, "part", "router::IslipSwitchAllocator")})

    def test_nothing_runs(self):
        # This ring ends in a deadlock when it runs.
        ring = {"topology.kind": "torus", "topology.radices": "[8]", "routing.kind": "dimension_order",
                "routing.dateline": "none", "router.vcs": 1, "traffic.load_flits_per_node_cycle": 1,
                "run.watchdog_cycles": 500}
        self.ends(1, keys=ring)
        self.assertIn("network.block0.r0..7", self.rows(keys=ring))

    def test_a_file_is_the_configuration(self):
        path = self.write("small.yaml", "topology: {radices: [2, 2]}\n")
        self.assertIn("network.block0.r0..3", self.rows(str(path)))
        self.assertIn("network.block0.r3", self.rows("all", str(path)))

    def test_refusals(self):
        self.check_refusals(("--print-topology", "dot"))
        self.refused(["router.vcs"], "--list-modules", keys={"topology.kind": "torus", "router.vcs": 1})
        self.refused(["limits.memory_gib"], "--list-modules",
                     keys={"topology.radices": "[200,200]", "limits.memory_gib": 0.01})


class Cenju4(ModulesTest):
    ONE_SWITCH = {"network.nodes": 4, "network.stages": 1}

    def test_a_machine(self):
        rows = self.names(keys=self.ONE_SWITCH)
        for name, row in {
                "machine": (1, "module", "machines::Cenju4Machine"),
                "machine.host_clock": (1, "module", "ClockDomain"),
                "machine.network": (1, "module", "network::CrosspointNetwork"),
                "machine.network.link0_0..3": (4, "channel", "PacketLink"),
                "machine.network.switch0_0": (1, "module", "crosspoint::SwitchModule"),
                "machine.network.switch0_0.fifos": (1, "part", "crosspoint::CrosspointState::Fifo"),
                "machine.network.switch0_0.arbiters": (1, "part", "crosspoint::OutputArbiter"),
                "machine.network.switch0_0.sync_table": (1, "part", "crosspoint::SyncTable"),
                "machine.node0..3": (4, "module", "machines::Cenju4Node"),
                "machine.node0..3.memory": (4, "module", "host::Memory"),
                "machine.node0..3.controller": (4, "module", "host::MemoryController"),
                "machine.node0..3.processor": (4, "module", "host::Processor"),
                "machine.node0..3.processor.cache": (4, "part", "host::Cache"),
                "machine.node0..3.nic": (4, "module", "nic::NetworkInterface"),
                "machine.node0..3.nic.sender": (4, "module", "nic::Sender"),
                "machine.node0..3.nic.sender.spm": (4, "part", "nic::SendPacket"),
                "machine.node0..3.nic.sender.tlb": (4, "part", "nic::AddressTranslation"),
                "machine.node0..3.nic.receiver": (4, "module", "nic::Receiver"),
                "machine.node0..3.nic.receiver.buffer_table": (4, "part", "nic::BufferCache"),
                "machine.node0..3.os": (4, "part", "host::OsAgent")}.items():
            self.assertEqual(rows[name], row, name)

    def test_the_network_alone(self):
        rows = self.names(keys={**self.ONE_SWITCH, "workload.kind": "synthetic", "switch.mode": "flit_by_flit"})
        self.assertEqual(rows["network.switch0_0.fifos"], (1, "part", "crosspoint::FlitCrosspoint::Fifo"))
        self.assertEqual(rows["injector0..3"], (4, "module", "traffic::PacketInjector"))
        self.assertEqual(rows["sink0..3"], (4, "module", "traffic::PacketSink"))

    def test_meanings_name_sections_of_the_paper(self):
        for keys in (self.ONE_SWITCH, {**self.ONE_SWITCH, "workload.kind": "synthetic"}):
            rows = self.rows(keys=keys)
            for name, row in rows.items():
                self.assertGreater(len(row[3]), 3, f"{name}: {row}")
            papers = [row for row in rows.values() if re.search(r"Kanoh 2000, sections? \d", row[3])]
            self.assertGreater(len(papers), len(rows) / 3)

    def test_refusals(self):
        self.check_refusals()
        self.refused(["network.nodes"], "--list-modules", keys={"network.nodes": 1})


if __name__ == "__main__":
    machine.main()
