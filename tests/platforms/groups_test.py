# SPDX-License-Identifier: Apache-2.0
"""Groups of Cenju-4 nodes behind gateways (nic.kind: cenju4_groups), as a user plays them."""

import pathlib
import subprocess

import machine

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
                      {"lookup.kind": "plain", "routing.kind": "dimension_order"},
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
        keys = {**SMALL, "workload.npb": "cg.S.16", "workload.npb_steps": 1, "trace.nodes": "[5,14]"}
        done = self.passes("--trace", "signals", "--trace", "packets", "--trace-format", "vcd", "--trace-window",
                           "0:300000", "--log", "node", keys=keys)
        plain = self.passes("--trace", "packets", "--trace-window", "0:300000", keys={**keys, "run.shuffle_seed": 3})
        self.assertEqual((done.out / "packets.csv").read_bytes(), (plain.out / "packets.csv").read_bytes())
        text = (done.out / "network.gtkw").read_text()
        for group, node, absent in ((1, 5, 4), (3, 14, 13)):
            for name in (f"group {group}, node {node} to network", f"group {group}, network to gateway",
                         f"group {group}, stage 0 switch 0 sync table"):
                self.assertIn(name, text)
            self.assertNotIn(f"node {absent} to network", text)
        self.assertNotIn("group 0,", text)

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
                ({"trace.nodes": "[16]"}, ["trace.nodes", "16", "0..15"]),
                ({"workload.ranks_per_node": 2}, ["workload.ranks_per_node", "cenju4_groups"]),
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
