#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Dead links and routers on the platform `network`: verdicts, certificates, traffic of the living nodes and what is
counted of others."""

import collections
import json
import pathlib
import re
import subprocess
import sys

import machine
import yaml

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DETOUR = str(PROJECT / "platforms" / "network" / "detour10x10.yaml")
SETS = yaml.safe_load((PROJECT / "platforms" / "network" / "detour10x10_faults.yaml").read_text())
SHORT = {"measure.warmup_cycles": 300, "measure.cycles": 1000}
NF = {"routing.kind": "detour_nf", "router.atomic_vcs": "true", "topology.kind": "torus"}
UD = {"routing.kind": "detour_ud", "topology.kind": "torus"}
CORNER = {**UD, "topology.kind": "mesh", "topology.radices": "[4, 4]", "faults.routers": "[1, 4]"}  # cuts off router 0


def canonical_sets():
    return [dead for group in SETS.values() for dead in group]


class Verdicts(machine.MachineTest):
    def test_both_verdicts_and_what_faults_cost(self):
        done = self.ends(0, DETOUR, "--check-deadlock", keys={"faults.routers": "[22, 77]"})
        for part in ("2 dead routers", "recovery: ", "free of deadlock: no cycle", "every living node is reached",
                     "before recovery: ", "98 of 100 routers live", "24 routers are in 2 fault regions"):
            self.assertIn(part, done.text)
        faultless = self.ends(0, DETOUR, "--check-deadlock")
        self.assertNotIn("fault regions", faultless.text)
        self.refused(["link.faults", "during the run"], DETOUR, "--check-deadlock", keys={"link.faults": "3@10"})

    def test_packets_to_oneself_that_routers_refuse_are_told(self):
        keys = {**UD, "topology.radices": "[3, 3]", "router.uturn_node": "false"}
        for more, told in (({}, "which are dropped (no_way)"), ({"router.dead_route": "wait"}, "which wait forever")):
            done = self.ends(1, "--check-deadlock", keys={**keys, **more})
            self.assertIn("free of deadlock: no cycle", done.text)
            self.assertIn(told, done.text)
        silent = self.ends(0, "--check-deadlock", keys={**keys, "traffic.to_self": "false"})
        self.assertNotIn("uturn_node", silent.text)

    def test_detour_nf_is_proved_among_living_nodes(self):
        keys = {**NF, "topology.radices": "[5, 5]", "faults.routers": "[7]", "faults.links": "[40]"}
        done = self.ends(0, "--check-deadlock", keys=keys)
        self.assertIn("free of deadlock", done.text)

    def test_a_link_that_dies_and_no_table_changes_is_judged(self):
        keys = {"routing.kind": "compact", "router.dead_route": "wait", "faults.events": "link 0@0:235, link 5@703"}
        done = self.ends(1, "--check-deadlock", keys=keys)
        self.assertIn("from cycle 703 on; it waits forever", done.text)

    def test_canonical_sets_are_for_both_routings(self):
        self.assertEqual({name: {len(dead) for dead in group} for name, group in SETS.items()},
                         {"two_dead": {2}, "four_dead": {4}})
        for dead in canonical_sets():
            with self.subTest(dead=dead):
                for keys in ({}, NF):
                    text = {"topology.radices": "[10, 10]", **(keys or UD), "faults.routers": str(dead)}
                    self.ends(0, "--check-deadlock", keys=text)

    def test_a_certificate_is_checked_by_a_program_of_its_own(self):
        file = self.folder / "certificate.json"
        keys = {"faults.routers": "[44, 46]", "faults.links": "[3]", "routing.region_distance": 3,
                "routing.root_priority": "[44, 9]"}
        self.ends(0, DETOUR, "--certificate", str(file), keys=keys)
        certificate = json.loads(file.read_text())
        self.assertEqual((certificate["faults"], certificate["region_distance"], certificate["root"]),
                         ({"links": [3], "routers": [44, 46]}, 3, 9))
        check = [sys.executable, str(PROJECT / "scripts" / "check_certificate.py"), str(file)]
        said = self.ended(subprocess.run(check, capture_output=True, text=True, timeout=120))
        self.assertIn("holds: 98 living routers", said.stdout)
        self.refused(["--certificate", "routing.kind detour_ud"], "--certificate", str(file))


class Traffic(machine.MachineTest):
    def run_faults(self, keys):
        return self.passes(keys={**SHORT, **keys})

    def test_load_is_that_of_living_nodes(self):
        """Sources, rates and destinations know who lives."""
        for kind in (UD, NF):
            keys = {**kind, "topology.radices": "[6, 6]", "faults.routers": "[8, 21]", "traffic.injection": "periodic",
                    "traffic.load_flits_per_node_cycle": 0.2, "measure.cycles": 2000}
            done = self.run_faults(keys)
            self.assertEqual(done.metric("living_nodes"), 34)
            self.assertEqual(done.metric("sources"), 34)
            self.assertAlmostEqual(done.metric("offered_flits_per_node_cycle"), 0.2, delta=0.001)
            self.assertEqual(done.metric("packets_unreachable"), 0)
            self.assertEqual(done.metric("packets_dropped"), 0)
            self.assertEqual(done.json()["tables"]["cut_off_nodes"]["rows"], [])

    def test_partners_of_dead_nodes_are_silent(self):
        done = self.run_faults({**UD, "topology.radices": "[6, 6]", "faults.routers": "[1]",
                                "traffic.pattern": "transpose",
                                "traffic.to_self": "false"})
        self.assertEqual(done.metric("sources"), 36 - 6 - 2)  # the diagonal; 1 and its partner 6

    def test_cut_off_nodes_are_named_and_their_packets_counted(self):
        keys = {**CORNER, "traffic.injection": "periodic", "traffic.load_flits_per_node_cycle": 0.4,
                "traffic.packet_flits": 4}
        done = self.run_faults(keys)
        row, = done.json()["tables"]["cut_off_nodes"]["rows"]
        born = done.metric("simulated_cycles") / 10
        self.assertEqual((row[0], row[1], row[3]), (0, 0, 0))
        self.assertLessEqual(abs(row[2] - born), 1)
        self.assertEqual(done.metric("packets_unreachable"), row[2])
        self.assertEqual(done.metric("cut_off_routers"), 1)
        self.assertEqual(done.metric("sources"), 13)
        lines = self.write("packets.list", "20 0 5 4\n30 5 0 4\n40 5 6 4\n")
        listed = self.run_faults({**CORNER, "traffic.kind": "list", "traffic.list": lines, "measure.warmup_cycles": 0})
        self.assertEqual(listed.json()["tables"]["cut_off_nodes"]["rows"], [[0, 0, 1, 1]])
        self.assertEqual((listed.metric("packets_unreachable"), listed.metric("packets_born")), (2, 1))

    def test_what_names_a_dead_node_is_refused(self):
        lines = self.write("packets.list", "20 2 5 4\n30 2 4 4\n")
        self.refused([f"{lines}:2:6: traffic.list: a dead node (got '4')"],
                     keys={**CORNER, "traffic.kind": "list", "traffic.list": lines})
        for nic in ("packetizer", "cenju4"):
            for npb, problem in (("is.S.8", "rank 0 is at node 0, which is cut off"),
                                 ("is.S.2", "rank 0 is at node 0")):
                with self.subTest(nic=nic, npb=npb):
                    self.refused([problem, "workload.npb"], keys={**CORNER, "workload.npb": npb, "nic.kind": nic})
        dead = {**UD, "topology.radices": "[4, 4]", "faults.routers": "[5]", "workload.npb_steps": 1}
        self.refused(["rank 5 is at node 5, which is dead"], keys={**dead, "workload.npb": "is.S.8"})
        alive = self.passes(keys={**dead, "workload.npb": "is.S.4"})
        self.assertEqual(alive.metric("living_nodes"), 15)

    def test_hops_with_and_without_faults(self):
        """A ring of six with a dead link is a chain."""
        done = self.run_faults({**UD, "topology.radices": "[6]", "faults.links": "[2]", "traffic.to_self": "false"})
        self.assertAlmostEqual(done.metric("shortest_hops_mean"), 2 * 35 / 30)
        self.assertAlmostEqual(done.metric("shortest_hops_mean_without_faults"), 9 / 5)
        self.assertEqual((done.metric("longest_hops"), done.metric("longest_hops_without_faults")), (5, 3))
        self.assertEqual(done.metric("dead_links"), 1)
        cornered = self.run_faults(CORNER)
        self.assertEqual([cornered.metric(name) for name in ("living_routers", "dead_routers", "cut_off_routers",
                                                             "fault_regions",
                                                             "region_routers")],
                         [13, 2, 1, 1, 7])  # 2, 5, 8 and what is next to them
        large = {**UD, "topology.radices": "[65, 65]", "faults.routers": "[7]", "measure.warmup_cycles": 0,
                 "measure.cycles": 1,
                 "measure.drain_cycles": 0}
        self.assertEqual([self.passes(keys=large).metric(name) for name in ("longest_hops", "living_routers")],
                         [None, 65 * 65 - 1])


class Recovery(machine.MachineTest):
    LOAD = {"traffic.load_flits_per_node_cycle": 1, "measure.warmup_cycles": 0, "measure.cycles": 1500,
            "measure.drain_cycles": 200000}

    def test_saturated_canonical_sets_drain(self):
        """Every message arrives, with recoveries; one fully adaptive channel."""
        for dead in ([], *canonical_sets()):
            with self.subTest(dead=dead):
                done = self.passes(DETOUR, keys={"faults.routers": str(dead), "router.vcs": 2, "router.node_vcs": 1,
                                                 "traffic.last_cycle": 1000, **self.LOAD})
                self.assertEqual(done.metric("measured_packets_undelivered"), 0)
                self.assertEqual(done.metric("packets_dropped"), 0)
                self.assertGreater(done.metric("recoveries_by_timeout"), 0)
                self.assertGreater(done.metric("table_reads"), done.metric("recoveries_by_timeout"))

    def test_hops_start_recovery_too(self):
        done = self.passes(DETOUR, keys={"router.hop_limit": 3, **SHORT})
        self.assertGreater(done.metric("recoveries_by_hops"), 0)
        none = self.passes(DETOUR, keys={"router.hop_limit": 0, **SHORT})
        self.assertEqual(none.metric("recoveries_by_hops"), 0)

    def test_a_shorter_timeout_recovers_more(self):
        counts = [self.passes(DETOUR, keys={"router.block_timeout_cycles": cycles, "traffic.last_cycle": 1000,
                                            **self.LOAD})
                  .metric("recoveries_by_timeout") for cycles in (64, 256)]
        self.assertGreater(counts[0], counts[1])

    def test_tables_take_time(self):
        latency = {}
        for name, keys in {"": {}, "cycles": {"router.table_cycles": 20}, "ports": {"router.table_ports": 1},
                           "busy": {"router.table_pipelined": "false"}}.items():
            done = self.passes(DETOUR, keys={"faults.routers": "[22, 77]", **keys, **SHORT})
            latency[name] = (done.metric("latency_cycles_mean"), done.metric("table_wait_cycles_mean"))
        self.assertGreater(latency["cycles"][0], latency[""][0])
        self.assertGreater(latency["ports"][1], latency[""][1])
        self.assertGreater(latency["busy"][1], latency[""][1])

    def test_classes_of_timeouts_are_added_and_nothing_else_changes(self):
        added = {"timeouts_classified", "timeouts_in_knots", "timeouts_behind_knots", "timeouts_false",
                 "timeouts_false_share",
                 "knot_packets_mean", "knot_packets_max", "knot_age_cycles_mean", "knot_age_cycles_max"}
        load = {"faults.routers": "[22, 77]", "router.vcs": 2, "router.node_vcs": 1, "router.block_timeout_cycles": 32,
                **SHORT, "measure.cycles": 300}
        for keys in (load, {**load, "measure.cycles": 100, "run.processes": "process_each"},
                     {"topology.kind": "torus", "router.block_timeout_cycles": 5,
                      "traffic.load_flits_per_node_cycle": 0.6, **SHORT, "measure.cycles": 300}):
            with self.subTest(keys=keys):
                self.check_only_added(keys, added)

    def check_only_added(self, keys, added):
        arguments = [DETOUR] if "faults.routers" in keys else []
        bare = self.passes(*arguments, keys=keys)
        keys = {**keys, "deadlock.classify_timeouts": "true"}
        first, shuffled = (self.passes(*arguments, keys={**keys, **more}) for more in ({}, {"run.shuffle_seed": 3}))
        self.assertEqual(first.result_bytes(without_config=True), shuffled.result_bytes(without_config=True))
        result, expected = first.json(), bare.json()
        for part in (result, expected):
            del part["config"], part["metrics"]["wall_seconds"]
        heads = result["metrics"]["timeouts_classified"]["value"]
        self.assertGreater(heads, 0)
        self.assertEqual(heads, result["metrics"]["heads_timed_out"]["value"] +
                         result["metrics"].get("recoveries_by_timeout", {"value": 0})["value"])
        self.assertEqual(heads, sum(result["metrics"][f"timeouts_{kind}"]["value"]
                                    for kind in ("in_knots", "behind_knots", "false")))
        self.assertEqual({name for name in result["metrics"] if name not in expected["metrics"]}, added)
        for name in added:
            del result["metrics"][name]
        self.assertEqual(json.dumps(result), json.dumps(expected))

    def test_one_seed_one_result(self):
        keys = {"faults.random_routers": 3, "faults.random_links": 2, **SHORT}
        results = [self.passes(DETOUR, keys={**keys, **more}) for more in
                   ({}, {"run.shuffle_seed": 5}, {"run.processes": "process_each"}, {"faults.seed": 2})]
        first, *same, other = [done.result_bytes(without_config=True) for done in results]
        for one in same:
            self.assertEqual(one, first)
        self.assertNotEqual(other, first)


class Retry(machine.MachineTest):
    """End-to-end retry: packets that failed links take are sent again, and each counts once."""
    FAULTS = {"topology.kind": "torus", "topology.radices": "[4, 4]", "link.faults": "0@400:900,5@600:1200,9@500:800"}
    METRICS = {"packets_repeated", "acks_sent", "duplicates", "given_up", "packets_lost"}

    def fates(self, done, table="packet_fates"):
        return dict(done.json()["tables"][table]["rows"])

    def test_every_packet_is_delivered_once(self):
        keys = {**SHORT, **self.FAULTS, "traffic.load_flits_per_node_cycle": 0.2, "traffic.last_cycle": 1300}
        bare = self.passes(keys=keys)
        self.assertGreater(bare.metric("packets_dropped"), 0)
        done = self.passes("--records", keys={**keys, "retry.timeout_cycles": 200})
        fates, network = self.fates(done), self.fates(done, "network_packets")
        self.assertEqual(fates, {"born": fates["born"], "delivered": fates["born"], "dropped: given_up": 0,
                                 "under way": 0})
        self.assertEqual(fates["born"], self.fates(bare)["born"])
        self.assertEqual(done.metric("packets_born"), fates["born"])
        self.assertEqual(done.metric("packets_dropped"), 0)
        self.assertEqual(network["born"], fates["born"] + done.metric("packets_repeated") + done.metric("acks_sent"))
        dropped = network["dropped: no_way"] + network["dropped: link_down"]
        self.assertEqual(network["born"], network["delivered"] + dropped + network["under way"])
        self.assertEqual(dropped, sum(row[1] for row in done.json()["tables"]["drops"]["rows"]))
        causes = collections.Counter(line.rsplit(",", 1)[1]
                                     for line in (done.out / "packets.csv").read_text().splitlines()[1:])
        acks = network["delivered"] - fates["delivered"] - done.metric("duplicates")
        self.assertEqual(causes, collections.Counter({"": fates["delivered"], "duplicate": done.metric("duplicates"),
                                                      "acknowledgement": acks,
                                                      **dict(done.json()["tables"]["drops"]["rows"])}))
        self.assertEqual(done.json()["tables"]["given_up"]["rows"], [])

    def test_what_stays_apart_is_reported(self):
        keys = {**SHORT, **self.FAULTS, "link.faults": "0@400", "retry.timeout_cycles": 50, "retry.most_tries": 2}
        done = self.passes(keys=keys)
        rows = done.json()["tables"]["given_up"]["rows"]
        self.assertGreater(done.metric("packets_lost"), 0)
        self.assertEqual([sum(row[i] for row in rows) for i in (2, 3)],
                         [done.metric("given_up"), done.metric("packets_lost")])
        self.assertEqual(self.fates(done)["dropped: given_up"], done.metric("packets_lost"))
        self.assertEqual(done.metric("packets_dropped"), done.metric("packets_lost"))

    def test_no_retry_has_no_new_results(self):
        bare, zero = (self.passes(keys={**SHORT, **self.FAULTS}),
                      self.passes(keys={**SHORT, **self.FAULTS, "retry.timeout_cycles": 0}))
        self.assertEqual(bare.result_bytes(), zero.result_bytes())
        self.assertFalse(self.METRICS & set(bare.json()["metrics"]))
        self.assertFalse({"network_packets", "given_up"} & set(bare.json()["tables"]))

    def test_one_result_in_any_order_of_modules(self):
        for kind in ({"traffic.kind": "closed_loop", "traffic.window": 2},
                     {"workload.npb": "is.S.16", "workload.npb_steps": 1}):
            short = {} if "workload.npb" in kind else SHORT
            keys = {**short, **self.FAULTS, **kind, "retry.timeout_cycles": 150}
            first, *others = [self.passes(keys={**keys, **more}).result_bytes(without_config=True) for more in
                              ({}, {"run.shuffle_seed": 5}, {"run.processes": "process_each"})]
            for other in others:
                self.assertEqual(other, first)

    def test_an_application_runs_to_its_end(self):
        keys = {"topology.kind": "torus", "topology.radices": "[4, 4]", "workload.npb": "cg.S.16",
                "workload.npb_steps": 1,
                "link.faults": "0@1000:60000,5@2000:50000"}
        cut = self.ends(1, keys=keys)
        self.assertIn("lost: message from rank ", cut.text)
        bare = self.passes(keys={**keys, "link.faults": ""})
        done = self.passes(keys={**keys, "retry.timeout_cycles": 2000})
        self.assertGreater(done.metric("packets_repeated"), 0)
        for name in ("messages", "message_bytes", "trace_operations", "packets_delivered"):
            self.assertEqual(done.metric(name), bare.metric(name), name)
        self.assertGreater(done.metric("trace_cycles"), bare.metric("trace_cycles"))


class NetworkInterfaces(machine.MachineTest):
    """Whole Cenju-4 nodes on a network that loses packets; 8 ranks on 16 nodes."""
    KEYS = {**UD, "topology.radices": "[4, 4]", "router.vcs": 4, "clock_period_ps": 12500, "workload.npb": "cg.S.8",
            "workload.npb_steps": 1,
            "nic.kind": "cenju4"}
    EVENTS = {"faults.events": "link 0@108000:117000, link 4@408000, link 1@508000:608000, router 12@608000"}

    def test_an_application_runs_to_its_end(self):
        bare = self.passes(keys=self.KEYS)
        first, *others = [self.passes("--records",
                                      keys={**self.KEYS, **self.EVENTS, "retry.timeout_cycles": 2000, **more})
                          for more in ({}, {"run.shuffle_seed": 5}, {"run.processes": "process_each"})]
        for name in ("trace_operations", "trace_messages", "trace_message_bytes", "trace_data_digest"):
            self.assertEqual(first.metric(name), bare.metric(name), name)
        fates = dict(first.json()["tables"]["packet_fates"]["rows"])
        network = dict(first.json()["tables"]["network_packets"]["rows"])
        self.assertEqual(fates, {"born": fates["born"], "delivered": first.metric("packets_delivered"),
                                 "dropped: given_up": 0, "under way": 0})
        self.assertEqual(fates["born"], fates["delivered"])
        dropped = sum(count for cause, count in first.json()["tables"]["drops"]["rows"] if cause != "control")
        self.assertGreater(dropped, 0)
        self.assertEqual(network["born"], fates["born"] + first.metric("packets_repeated") + first.metric("acks_sent"))
        self.assertEqual(first.metric("acks_sent"), fates["delivered"] + first.metric("duplicates"))
        self.assertEqual(len(first.json()["tables"]["faults"]["rows"]), 6)
        self.assertGreater(first.metric("reconfigurations"), 0)
        lines = (first.out / "packets.csv").read_text().splitlines()[1:]
        self.assertEqual(len({line.split(",")[0] for line in lines}),
                         len(lines))  # numbers of packets, repeats and acknowledgements
        of_nodes = [line for line in lines if not line.split(",")[1].startswith("r")]
        self.assertLessEqual(len(of_nodes), first.metric("packets_sent"))
        self.assertLessEqual(first.metric("packets_sent"), network["born"])
        for other in others:
            self.assertEqual(other.result_bytes(without_config=True), first.result_bytes(without_config=True))

    def test_without_retry_the_lost_packet_is_named(self):
        done = self.ends(1, keys={**self.KEYS, **self.EVENTS})
        self.assertIn("programs wait forever", done.text)
        self.assertRegex(done.text, r"lost: packet \d+\.\d+ from rank (\d) at node \1 to rank (\d) at node \2, \w+, "
                         r"\d+ bytes .*, in cycle \d+: link_down\n")
        self.assertFalse((done.out / "result.json").exists())

    def test_a_rank_whose_router_dies_is_named(self):
        for retry in (0, 500):
            done = self.ends(1, keys={**self.KEYS, "faults.events": "router 3@300000", "retry.timeout_cycles": retry,
                                      "retry.most_tries": 3})
            self.assertIn("rank 3 at node 3 is cut off: router 3 died in cycle 300000", done.text)
            self.assertIn("of 8 programs wait forever", done.text)


class Reconfiguration(machine.MachineTest):
    KEYS = {**UD, "topology.radices": "[5, 5]", "router.vcs": 2, "traffic.to_self": "false",
            "traffic.load_flits_per_node_cycle": 0.1,
            "measure.warmup_cycles": 0, "measure.cycles": 2500}

    def test_results_tell_of_faults_and_what_they_cost(self):
        done = self.passes(keys={**self.KEYS, "faults.events": "link 20@500:1500, router 12@600",
                                 "traffic.last_cycle": 2400,
                                 "measure.drain_cycles": 1_000_000})
        tables = {name: done.json()["tables"][name]["rows"] for name in ("faults", "reconfigurations", "drops")}
        self.assertEqual(tables["faults"],
                         [[500, "link", 20, "dies"], [600, "router", 12, "dies"], [1500, "link", 20, "returns"]])
        episodes = tables["reconfigurations"]  # from, to, updates, root
        self.assertEqual(done.metric("reconfigurations"), len(episodes))
        self.assertEqual(episodes[0][0], 502)
        self.assertEqual(done.metric("unsettled_cycles"), sum(row[1] - row[0] for row in episodes))
        self.assertEqual(done.metric("table_updates"), sum(row[2] for row in episodes))
        drops = dict(tables["drops"])
        self.assertGreater(drops["unreachable"], 0)
        self.assertEqual(done.metric("packets_born"),
                         done.metric("packets_delivered") + sum(drops.values()) - drops["control"])

    def test_a_waveform_names_the_router_that_a_control_message_is_for(self):
        done = self.passes("--waves", "--waves-format", "vcd",
                           keys={**self.KEYS, "faults.events": "link 20@500", "measure.cycles": 700,
                                 "waves.routers": "[]"})
        texts = re.findall(r"^s(r\S+)\s", (done.out / "network.vcd").read_text().replace("\\040", "_"), re.MULTILINE)
        names = [text for text in texts if "_to_" in text]  # others are flits
        self.assertTrue(names)
        self.assertEqual({re.sub("[0-9]+", "N", name) for name in names}, {"rN.N_to_rN"}, names[:5])

    def test_each_state_of_the_faults_is_judged_and_certified(self):
        events = {**self.KEYS, "faults.events": "link 20@500:1500, router 12@600"}
        told = self.ends(0, "--check-deadlock", keys=events)
        self.assertEqual(re.findall("^from cycle ([0-9]+) on", told.text, re.MULTILINE), ["0", "500", "600", "1500"])
        self.ends(0, "--certificate", str(self.folder / "tables.json"), keys=events)
        for name in ("tables.json", "tables-500.json", "tables-600.json", "tables-1500.json"):
            self.assertTrue((self.folder / name).is_file(), name)

    def test_a_state_in_which_no_node_lives_is_judged_and_has_no_certificate(self):
        keys = {**UD, "topology.kind": "mesh", "topology.radices": "[2, 2]", "router.vcs": 2}
        events = {**keys, "faults.events": "router 0@100:500, router 1@100, router 2@200, router 3@300"}
        campaign = {**keys, "faults.campaign.deaths": 4, "faults.campaign.router_mean_cycles": 100}
        for name, faults, cycles in (("events", events, ["0", "100", "200", "300", "500"]),
                                     ("campaign", campaign, None)):
            told = self.ends(0, "--check-deadlock", keys=faults)
            verdicts = re.findall("^from cycle ([0-9]+) on: (.*)$", told.text, re.MULTILINE)
            self.assertEqual([cycle for cycle, _ in verdicts], cycles or [cycle for cycle, _ in verdicts])
            ends = [cycle for cycle, verdict in verdicts if verdict == "no node lives, no message moves"]
            self.assertEqual(ends, ["300"] if cycles else [verdicts[-1][0]])
            folder = self.folder / name
            folder.mkdir()
            done = self.ends(0, "--certificate", str(folder / "tables.json"), keys=faults)
            self.assertIn(f"from cycle {ends[0]} on no node lives", done.text)
            self.assertEqual({file.name for file in folder.iterdir()},
                             {"tables.json" if cycle == "0" else f"tables-{cycle}.json"
                              for cycle, _ in verdicts if cycle not in ends})
            self.passes(keys={**faults, **SHORT})
        self.refused(["faults.routers", "no living node"], "--check-deadlock",
                     keys={**keys, "faults.routers": "[0, 1, 2, 3]"})

    def test_an_application_runs_on_with_retry_alone(self):
        keys = {**UD, "topology.radices": "[4, 4]", "router.vcs": 2, "workload.npb": "is.S.16", "workload.npb_steps": 1,
                "faults.events": "link 5@25600:26200, link 12@67500", "faults.losses": "everything"}
        cut = self.ends(1, keys=keys)
        self.assertIn("lost: message from rank ", cut.text)
        self.assertIn("tables_changed", cut.text)
        done, bare = (self.passes(keys={**keys, "retry.timeout_cycles": 3000}),
                      self.passes(keys={**keys, "faults.events": "", "faults.losses": "recovering"}))
        self.assertEqual(done.metric("messages"), bare.metric("messages"))
        self.assertGreater(done.metric("packets_repeated"), 0)
        self.assertGreater(done.metric("control_messages"), 0)  # which are none of the application's packets
        self.assertEqual(done.metric("packets_delivered"), bare.metric("packets_delivered"))


if __name__ == "__main__":
    machine.main()
