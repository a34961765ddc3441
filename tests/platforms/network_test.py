#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The platform `network` from outside: what it refuses, what it answers, what it measures, and that nothing but the
configuration and the seed decides about it."""

import csv
import json
import os
import pathlib
import pty
import resource
import subprocess
import threading

import machine

TREE43, MESH8 = (str(pathlib.Path(__file__).resolve().parents[2] / "platforms" / "network" / f"{name}.yaml")
                 for name in ("tree43", "mesh8"))
SHORT = {"measure.warmup_cycles": 500, "measure.cycles": 2000}


class Links(machine.MachineTest):
    """Loads of the links: the busiest in the result, all of them in a file when that is asked for."""

    def test_a_result_does_not_grow_with_the_machine(self):
        sizes = []
        for radix in (32, 64):
            done = self.passes(keys={"topology.radices": f"[{radix},{radix}]", "measure.warmup_cycles": 0,
                                     "measure.cycles": 50,
                                     "measure.drain_cycles": 0, "traffic.load_flits_per_node_cycle": 0.02})
            self.assertEqual(len(done.json()["tables"]["links"]["rows"]), 256)
            self.assertFalse((done.out / "links.csv").exists())
            sizes.append((done.out / "result.json").stat().st_size)
        self.assertLess(abs(sizes[1] - sizes[0]), 2000)

    def test_table_and_file_agree_and_count_the_flits(self):
        for keys in ({}, {"topology.kind": "fat_tree"}, {"workload.npb": "ep.S.4", "topology.radices": "[2,2]"},
                     {"workload.npb": "ep.S.4", "topology.radices": "[2,2]", "nic.kind": "cenju4",
                      "topology.kind": "torus"}):
            with self.subTest(keys=keys):
                short = {} if "workload.npb" in keys else SHORT
                done = self.passes(keys={**keys, **short, "links.rows": 20, "links.csv": "true"})
                with open(done.out / "links.csv", newline="") as file:
                    lines = list(csv.DictReader(file))
                routers = json.loads(self.run_machine("--print-topology", "json", keys=keys).text)["routers"]
                links = {port["link"] for router in routers for port in router["ports"] if port and "link" in port}
                self.assertEqual(len(lines), 2 * len(links))
                self.assertEqual(sorted({int(line["link"]) for line in lines}), list(range(len(links))))
                order = sorted(range(len(lines)), key=lambda at: -int(lines[at]["flits"]))[:20]
                rows = done.json()["tables"]["links"]["rows"]
                self.assertEqual([[str(cell) for cell in row[:3]] for row in rows],
                                 [[lines[at][name] for name in ("from", "to", "flits")] for at in order])
                # A flit goes through one router more than links.
                crossed = sum(int(line["flits"]) for line in lines)
                self.assertGreater(crossed, 0)
                self.assertLess(crossed, done.metric("flit_hops"))

    def test_coordinates_and_the_terminal(self):
        done = self.run_machine(keys=SHORT)
        for row in done.json()["tables"]["links"]["rows"]:
            for place, at in ((row[0], row[5]), (row[1], row[6])):
                router = int(place.split(":")[0])
                self.assertEqual(at, f"{router % 8} {router // 8}")
        shown = subprocess.run([machine.EXECUTABLE, "--out", str(done.out), *(word for key, value in SHORT.items()
                                for word in ("--set", f"{key}={value}"))], capture_output=True, text=True,
                               check=True).stdout
        lines = shown.split("busiest links\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual([line.split()[:3] for line in lines[2:]],
                         [[str(cell) for cell in row[:3]] for row in done.json()["tables"]["links"]["rows"][:10]])


class Refusals(machine.MachineTest):
    """Exit 2 with the key, the value and what would be accepted."""

    def test_a_routing_that_does_not_fit_the_topology(self):
        self.refused(["routing.kind", "least_common_ancestor"], keys={"routing.kind": "least_common_ancestor"})
        self.refused(["routing.kind", "dimension_order"],
                     keys={"topology.kind": "fat_tree", "routing.kind": "dimension_order"})

    def test_too_few_virtual_channels(self):
        self.refused(["router.vcs"], keys={"topology.kind": "torus", "router.vcs": 1})

    def test_duato_with_wormhole_and_virtual_channels_taken_early(self):
        self.refused(["router.atomic_vcs", "true"], keys={"topology.kind": "torus", "routing.kind": "duato"})
        self.passes(keys={"topology.kind": "torus", "routing.kind": "duato", "router.atomic_vcs": "true", **SHORT})

    def test_transpose_on_a_network_that_is_not_square(self):
        self.refused(["traffic.pattern", "transpose"],
                     keys={"topology.radices": "[8,4]", "traffic.pattern": "transpose"})

    def test_loads_that_are_none(self):
        for load in ("nan", "-0.1", "1.5", "inf", ""):
            self.refused(["traffic.load_flits_per_node_cycle"], keys={"traffic.load_flits_per_node_cycle": load})

    def test_files_that_are_not_there(self):
        self.refused(["nowhere.txt"], keys={"traffic.kind": "list", "traffic.list": "nowhere.txt"})
        self.refused(["nowhere.txt"], keys={"topology.kind": "file", "topology.file": "nowhere.txt"})
        self.refused(["nowhere.txt"], keys={"traffic.pattern": "matrix", "traffic.matrix": "nowhere.txt"})

    def test_words_and_kinds_that_do_not_exist(self):
        self.refused(["topology.kind", "donut", "torus"], keys={"topology.kind": "donut"})
        self.refused(["routing.kind", "left"], keys={"routing.kind": "left"})
        self.refused(["--print-topology", "xml"], "--print-topology", "xml")

    def test_speed_up_beyond_the_virtual_channels(self):
        self.refused(["router.input_speedup"], keys={"router.vcs": 2, "router.input_speedup": 3})

    def test_faults_of_links_that_do_not_exist(self):
        for fault in ("999@10", "3@0", "3@10:5", "x@10", "3", "3@", "3@10:", "3@10,"):
            self.refused(["link.faults"], keys={"link.faults": fault})

    def test_a_packet_that_does_not_fit_into_a_buffer(self):
        for switching in ("store_and_forward", "virtual_cut_through"):
            self.refused(["router.buffer_flits", "9 flits", "at least 9"],
                         keys={"router.switching": switching, "traffic.packet_flits": 9})
            self.refused(["router.buffer_flits", "at least 12"],
                         keys={"router.switching": switching, "traffic.length": "range", "traffic.packet_flits": 2,
                               "traffic.largest_packet_flits": 12})
        self.passes(keys={"router.switching": "virtual_cut_through", "traffic.packet_flits": 8, **SHORT})


class SameResults(machine.MachineTest):
    """Neither processes nor order nor the file that a run leaves change a result."""

    KEYS = {"topology.kind": "torus", "topology.radices": "[4,4]", "traffic.load_flits_per_node_cycle": 0.3, **SHORT}

    def test_processes_and_order(self):
        runs = [self.passes(keys={**self.KEYS, **more}).result_bytes(without_config=True)
                for more in ({}, {"run.processes": "process_each"}, {"run.shuffle_seed": 5})]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])

    def test_the_resolved_file_reproduces_the_run(self):
        first = self.passes("--seed", "9", keys=self.KEYS)
        again = self.passes(str(first.out / "resolved.yaml"))
        self.assertEqual(first.result_bytes(), again.result_bytes())

    def test_the_seed_decides(self):
        first, second = (self.passes("--seed", seed, keys=self.KEYS) for seed in ("1", "2"))
        self.assertNotEqual(first.metric("packets_sent"), second.metric("packets_sent"))


class Lookups(machine.MachineTest):
    """Look-up hardware by configuration."""

    KEYS = {"topology.kind": "torus", "topology.radices": "[4,4]", "lookup.kind": "cached", **SHORT}
    SHARED = {**KEYS, "lookup.cam_pipelined": "false"}

    def test_what_is_counted_adds_up(self):
        for keys in (self.KEYS, self.SHARED):
            done = self.passes(keys={**keys, "lookup.classify_misses": "true", "lookup.entries": 8, "lookup.ways": 2})
            of = done.metric
            self.assertEqual(of("lookups"), of("lookup_hits") + of("lookup_misses"))
            self.assertEqual(of("lookup_misses"), of("lookup_misses_compulsory") + of("lookup_misses_conflict")
                             + of("lookup_misses_capacity"))
            self.assertEqual(of("lookup_misses"), of("cam_accesses"))
            self.assertGreater(of("lookup_evictions"), 0)
            self.assertGreater(of("lookup_misses_conflict"), 0)
            self.assertAlmostEqual(of("lookup_dynamic_energy_nj"), 0.039 * of("lookups") + 42 * of("cam_accesses"), 6)
            self.assertEqual(of("cam_wait_cycles_max") > 0, keys is self.SHARED)

    def test_nothing_but_the_configuration_decides(self):
        for keys in (self.KEYS, self.SHARED):
            first = self.passes(keys=keys)
            for more in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}):
                self.assertEqual(self.passes(keys={**keys, **more}).result_bytes(without_config=True),
                                 first.result_bytes(without_config=True))
            self.assertEqual(self.passes(str(first.out / "resolved.yaml")).result_bytes(), first.result_bytes())

    def test_the_parts_of_latency_add_up(self):
        for keys in (self.KEYS, self.SHARED):
            self.passes("--records", keys={**keys, "router.route_at": "arrival"})
            self.passes("--records", keys=keys)

    def test_hardware_that_does_not_fit_is_refused(self):
        for key, value, accepted in (("lookup.ways", 0, "1..2048"), ("lookup.entries", 2046, "2048"),
                                     ("lookup.cam_entries", 15, "at least 16"), ("lookup.cam_key_bits", 63, "dense"),
                                     ("lookup.hash", "sum", "crc32c"), ("lookup.replacement", "best", "pseudo_lru"),
                                     ("routing.ties", "random", "source_table"), ("router.rc_cycles", 2, "local"),
                                     ("lookup.kind", "magic", "cached")):
            self.refused([accepted], keys={**self.KEYS, key: value})
        self.passes(keys={**self.KEYS, "lookup.entries": 2000})


def read_all(terminal, parts):
    """Until the other end is closed."""
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass


class Questions(machine.MachineTest):
    """Options that print and stop."""

    def test_topologies(self):
        done = self.ends(0, "--print-topology", "json", keys={"topology.kind": "fat_tree"})
        topology = json.loads(done.text)
        self.assertEqual(len(topology["routers"]), 48)
        self.assertEqual(len(topology["nodes"]), 64)
        dot = self.ends(0, "--print-topology", "dot")
        self.assertIn("graph", dot.text)

    def test_deadlock(self):
        torus = {"topology.kind": "torus", "topology.radices": "[4,4]"}
        good = self.ends(0, "--check-deadlock", keys=torus)
        self.assertIn("free of deadlock", good.text)
        bad = self.ends(1, "--check-deadlock", keys={**torus, "routing.dateline": "none"})
        self.assertIn("a cycle of 4", bad.text)

    def test_deadlock_of_what_a_node_sends_to_itself(self):
        """Only where traffic has such packets."""
        def check(**more):
            keys = {"topology.radices": "[3,3]", "router.uturn_node": "false",
                    **{k.replace("__", "."): v for k, v in more.items()}}
            done = self.run_machine("--check-deadlock", keys=keys)
            self.assertIn("free of deadlock", done.text)
            return done
        refused = check()
        self.assertEqual(refused.code, 1)
        self.assertIn("from node 0 to 0: router 0 refuses its only candidate", refused.text)
        self.assertEqual(check(traffic__to_self="false").code, 0)
        for line, code in (("0 1 2 4", 0), ("0 1 2 4\n5 7 7 1", 1)):
            packets = self.write(f"{code}.list", line + "\n")
            self.assertEqual(check(traffic__kind="list", traffic__list=packets).code, code)

    def test_deadlock_of_a_large_network(self):
        """In seconds of the processor's time, with progress where somebody watches."""
        try:
            watched, terminal = pty.openpty()
        except OSError:  # a machine without /dev/pts
            watched, terminal = None, os.open(os.devnull, os.O_WRONLY)
        command = [machine.EXECUTABLE, "--check-deadlock"]
        for key, value in {"topology.kind": "torus", "topology.radices": "[32,32]", "routing.kind": "duato",
                           "router.vcs": 8,
                           "router.atomic_vcs": "true"}.items():
            command += ["--set", f"{key}={value}"]
        before, shown = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, []
        # A terminal that nobody reads is full after some hundred steps, and the run waits.
        reader = threading.Thread(target=read_all, args=(watched, shown), daemon=True)
        if watched is not None:
            reader.start()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, text=True, timeout=machine.TIMEOUT_S)
        os.close(terminal)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 30)
        self.assertEqual(done.returncode, 0)
        self.assertIn("free of deadlock: no cycle (Duato 1993", done.stdout)
        self.assertIn("at most 32 links", done.stdout)
        if watched is None:
            self.skipTest("no terminal here to show progress on")
        self.addCleanup(os.close, watched)
        reader.join(60)
        self.assertRegex(b"".join(shown).decode(), r"\d+ %")

    def test_a_deadlock_is_reported_with_its_circle(self):
        """Of packets that wait for a channel that another one holds, and of those that wait for room in a buffer."""
        packets = self.write("ring.list", "".join(f"0 {node} {(node + 2) % 4} 4\n" for node in range(4)) * 50)
        for more in ({"router.switching": "wormhole"}, {"router.switching": "virtual_cut_through"},
                     {"router.switching": "store_and_forward"}, {"router.atomic_vcs": "true"}):
            done = self.ends(1, keys={
                "topology.kind": "torus", "topology.radices": "[4]", "routing.dateline": "none",
                "routing.ties": "fixed",
                "router.vcs": 2, "router.buffer_flits": 4, "traffic.kind": "list", "traffic.list": packets,
                "run.watchdog_cycles": 1000, "measure.cycles": 20000, **more})
            circle = done.text.partition("in a cycle:\n")[2].partition("virtual channels hold")[0].splitlines()[:-1]
            self.assertEqual(len(circle), 4, done.text)
            self.assertEqual({line.split(",")[0].strip() for line in circle}, {f"router {r}" for r in range(4)},
                             done.text)

    def test_deadlock_with_links_that_fail(self):
        keys = {"topology.radices": "[3,3]", "link.faults": "3@100:200"}
        dropped = self.ends(1, "--check-deadlock", keys=keys)
        self.assertIn("down from cycle 100 to 199; it is dropped (no_way)", dropped.text)
        waits = self.ends(0, "--check-deadlock", keys={**keys, "router.dead_route": "wait"})
        self.assertIn("waits until cycle 200", waits.text)
        ever = self.ends(1, "--check-deadlock", keys={**keys, "router.dead_route": "wait", "link.faults": "3@100"})
        self.assertIn("not free of deadlock", ever.text)
        self.refused(["link.faults", "links 0..11"], "--check-deadlock", keys={**keys, "link.faults": "12@100"})


class Measures(machine.MachineTest):
    """Against numbers that are not ours."""

    # 8x8 mesh, dimension order, 4 virtual channels of 8 flits, 4-flit packets, measured with BookSim2 (28f4329):
    # offered load, mean packet latency in cycles, mean routers visited.
    REFERENCE = ((0.05, 36.88, 6.26), (0.1, 37.56, 6.25), (0.2, 39.9, 6.25), (0.3, 45.7, 6.25))

    def test_the_curve_of_a_public_simulator(self):
        for load, latency, hops in self.REFERENCE:
            run = self.passes(keys={"traffic.load_flits_per_node_cycle": load, "measure.warmup_cycles": 3000,
                                    "measure.cycles": 20000})
            self.assertLess(abs(run.metric("latency_cycles_mean") / latency - 1), 0.05, load)
            self.assertLess(abs(run.metric("hops_mean") / hops - 1), 0.02, load)
            self.assertLess(abs(run.metric("accepted_flits_per_node_cycle") / load - 1), 0.02, load)

    # The same simulator's 4-ary 3-tree, nearest common ancestor, 2 virtual channels of 4 flits, 5-flit packets.
    TREE = ((0.02, 25.67), (0.1, 26.47), (0.2, 27.97), (0.3, 30.98), (0.4, 38.7))

    def tree(self, load, *arguments):
        run = self.passes(TREE43, *arguments, keys={
            "traffic.load_flits_per_node_cycle": load, "measure.warmup_cycles": 5000, "measure.cycles": 40000})
        return run.metric("latency_cycles_mean")

    def test_the_tree_of_a_public_simulator(self):
        for load, latency in self.TREE:
            self.assertLess(abs(self.tree(load) / latency - 1), 0.01 if load < 0.4 else 0.02, load)
        # There a node accepts a credit in the cycle in which it comes; a cycle later it is another machine.
        later = self.tree(0.4, "--set", "link.node_credit_process_cycles=1")
        self.assertGreater(later / self.TREE[-1][1], 1.03)
        self.assertEqual(later, self.tree(0.4, "--set", "link.node_credit_process_cycles=as_links"))

    def test_a_few_starved_sources_are_told(self):
        # Seven sources share the link that is full first: a seventh of a flit a cycle.
        beyond = self.passes(keys={"topology.kind": "mesh", "traffic.pattern": "transpose", "measure.cycles": 40000,
                                   "traffic.load_flits_per_node_cycle": 0.15})
        self.assertEqual(beyond.metric("saturated"), 1)
        self.assertLess(beyond.metric("accepted_share_worst_source"), 0.9)
        self.assertIn("->", beyond.json()["metrics"]["worst_source"]["value"])

    def test_a_sweep_of_short_runs_is_not_taken_in_by_chance(self):
        # 16 nodes at 0.01 have 12 packets in 300 cycles: of some less than 95 % arrive in them.
        keys = {"topology.radices": "[4,4]", "measure.warmup_cycles": 500, "measure.cycles": 300}
        shares = [self.passes("--seed", str(seed), keys={**keys, "traffic.load_flits_per_node_cycle": 0.01})
                  .metric("accepted_share") for seed in range(1, 11)]
        self.assertLess(min(shares), 0.95)
        for seed in range(1, 4):
            done = self.passes("--sweep-load", "0.01:0.05:5:saturation", "--seed", str(seed), keys=keys,
                               drawn=seed == 1)
            self.assertGreater((done.out / "sweep.png").stat().st_size, 1000)
            # Half of a 4x4 mesh's packets cross its bisection: four links in each direction for eight nodes.
            self.assertGreater(done.metric("saturation_flits_per_node_cycle"), 0.4)
            self.assertLessEqual(done.metric("saturation_flits_per_node_cycle"), 1.0)

    AUTO = {"topology.radices": "[4,4]", "measure.warmup_cycles": "auto", "measure.cycles": 3000}

    def test_a_warm_up_that_ends_by_itself(self):
        done = self.passes(keys={**self.AUTO, "traffic.load_flits_per_node_cycle": 0.3})
        self.assertEqual(done.metric("warmup_stationary"), 1)
        self.assertEqual(done.metric("warmup_cycles"), done.metric("measured_from_cycle"))
        self.assertLess(done.metric("warmup_cycles"), 10000)
        # The same interval begun by number is the same measurement.
        number = self.passes(keys={**self.AUTO, "traffic.load_flits_per_node_cycle": 0.3,
                                   "measure.warmup_cycles": done.metric("warmup_cycles")})
        first, second = done.json(), number.json()
        for result in (first, second):
            del result["config"], result["metrics"]["warmup_stationary"], result["metrics"]["wall_seconds"]
        # They end in slices of their own, which only the run's length shows.
        for name in ("simulated_cycles", "flit_hops", "packets_sent", "packets_delivered", "packets_born",
                     "flits_in_flight_at_end"):
            del first["metrics"][name], second["metrics"][name]
        del first["tables"]["links"], second["tables"]["links"]
        self.assertEqual(first, second)
        for more in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}):
            other = self.passes(keys={**self.AUTO, "traffic.load_flits_per_node_cycle": 0.3, **more})
            self.assertEqual(other.result_bytes(without_config=True), done.result_bytes(without_config=True))
        again = self.passes(str(done.out / "resolved.yaml"))
        self.assertEqual(again.result_bytes(), done.result_bytes())

    def test_a_saturated_network_is_never_stationary(self):
        done = self.passes(keys={**self.AUTO, "traffic.load_flits_per_node_cycle": 0.95,
                                 "measure.longest_warmup_cycles": 7000})
        self.assertEqual(done.metric("warmup_stationary"), 0)
        self.assertEqual(done.metric("warmup_cycles"), 7000)
        self.assertEqual(done.metric("saturated"), 1)
        self.assertIsNone(done.metric("latency_cycles_mean_confidence95"))

    def test_a_network_a_little_above_its_capacity_is_not_stationary_for_looking_so_once(self):
        # It carries 0.405 at most. Its latencies, with seed 1, look steady in the first 2,440 cycles.
        done = self.passes(MESH8, keys={"traffic.load_flits_per_node_cycle": 0.43, "measure.warmup_cycles": "auto",
                                        "measure.longest_warmup_cycles": 6000, "measure.cycles": 100,
                                        "measure.drain_cycles": 0})
        self.assertEqual(done.metric("warmup_stationary"), 0)
        self.assertEqual(done.metric("warmup_cycles"), 6000)

    def test_an_automatic_warm_up_that_is_none(self):
        self.refused(["measure.warmup_cycles", "arrivals"],
                     keys={"measure.mode": "arrivals", "measure.warmup_cycles": "auto"})
        self.refused(["measure.longest_warmup_cycles", "auto"], keys={"measure.longest_warmup_cycles": 5})
        for value in ("Auto", "-1", "1.5", "[1]"):
            self.refused(["measure.warmup_cycles", "or auto"], keys={"measure.warmup_cycles": value})

    def test_a_run_ends_with_its_longest_drain_to_the_cycle(self):
        keys = {"traffic.pattern": "transpose", "traffic.load_flits_per_node_cycle": 1, "measure.warmup_cycles": 100,
                "measure.cycles": 900}
        for drain in (0, 3, 999, 1001, 2500):
            done = self.passes(keys={**keys, "measure.drain_cycles": drain})
            self.assertEqual(done.metric("simulated_cycles"), 1000 + drain)
        few = self.passes(keys={"topology.radices": "[4,4]", "measure.mode": "arrivals", "measure.first_arrival": 1,
                                "measure.last_arrival": 10 ** 6, "measure.most_cycles": 1234})
        self.assertEqual(few.metric("simulated_cycles"), 1234)

    def test_means_of_survivors_are_lower_bounds(self):
        keys = {"topology.radices": "[4,4]", "traffic.load_flits_per_node_cycle": 0.85, "measure.cycles": 3000}
        whole = self.passes(keys=keys)
        short = self.passes(keys={**keys, "measure.drain_cycles": 0})
        self.assertEqual(whole.metric("latency_is_lower_bound"), 0)
        self.assertEqual(whole.metric("measured_packets_undelivered"), 0)
        self.assertNotIn("lower_bounds", whole.json()["tables"])
        self.assertEqual(short.metric("latency_is_lower_bound"), 1)
        self.assertEqual(short.metric("measured_packets_undelivered") + short.metric("measured_packets"),
                         whole.metric("measured_packets"))
        bounds = [row[0] for row in short.json()["tables"]["lower_bounds"]["rows"]]
        self.assertIn("latency_ns_mean", bounds)
        for name in bounds:
            self.assertLessEqual(short.metric(name), whole.metric(name), name)
        self.assertIsNone(short.metric("latency_cycles_mean_confidence95"))
        self.assertEqual(short.metric("latency_confidence"), "lower_bound")
        self.assertEqual(short.metric("accepted_flits_per_node_cycle"), whole.metric("accepted_flits_per_node_cycle"))

    def test_links_that_fail_are_told(self):
        done = self.passes(keys={"link.faults": "20@1500:1700,21@1600", "measure.warmup_cycles": 1000,
                                 "measure.cycles": 2000})
        drops = {row[0]: row[1] for row in done.json()["tables"]["drops"]["rows"]}
        self.assertGreater(drops["link_down"], 0)
        self.assertGreater(drops["no_way"], 0)
        self.assertEqual(drops["link_down"] + drops["no_way"], done.metric("packets_dropped"))

    def test_a_deadlock_stops_the_run_with_its_circle(self):
        done = self.ends(1, keys={"topology.kind": "torus", "router.vcs": 1, "routing.dateline": "none",
                                  "traffic.load_flits_per_node_cycle": 1, "traffic.packet_flits": 16,
                                  "run.watchdog_cycles": 1000})
        self.assertIn("they wait for each other in a cycle", done.text)

    def test_a_run_ends_with_its_last_packet_whenever_the_watchdog_looks(self):
        """A warm-up that never ends lasts until nothing is pending, and the watchdog is nothing."""
        packets = self.write("few.list", "".join(f"{40 * i} {i % 4} {(i + 1) % 4} 4\n" for i in range(30)))
        for watchdog in (1500, 7000, 100_000):
            done = self.passes(keys={"topology.radices": "[2,2]", "traffic.kind": "list", "traffic.list": packets,
                                     "measure.warmup_cycles": "auto", "run.watchdog_cycles": watchdog})
            self.assertEqual(done.metric("packets_delivered"), 30)
            self.assertLess(done.metric("simulated_cycles"), 40 * 29 + 2000)


class Saturation(machine.MachineTest):
    """Saturation points of networks whose capacity others have measured or is known."""

    def bracket(self, loads, **keys):
        done = self.passes("--sweep-load", f"{loads}:saturation",
                           keys={"measure.warmup_cycles": 3000, "measure.cycles": 3000, **keys})
        return done.metric("saturation_flits_per_node_cycle"), done.metric("saturated_flits_per_node_cycle"), done

    def test_a_sweep_brackets_what_the_network_carries(self):
        stable, saturated, done = self.bracket("0.3:0.5:3", **{"topology.kind": "mesh"})
        # A public simulator accepts 0.402 to 0.409 of 0.45.
        self.assertGreater(stable, 0.385)
        self.assertLess(stable, 0.409)
        self.assertGreater(saturated, 0.402)
        self.assertLess(saturated, 0.425)
        rows = (done.out / "sweep.csv").read_text().splitlines()
        self.assertEqual(rows[0].split(",")[0], "load")
        self.assertGreaterEqual(len(rows), 5)

    def test_a_few_starved_sources_are_no_stable_load(self):
        # Seven sources share the link that is full first: a seventh of a flit a cycle.
        stable, saturated, _ = self.bracket("0.1:0.2:3", **{"topology.kind": "mesh", "traffic.pattern": "transpose"})
        self.assertGreater(stable, 0.133)
        self.assertLess(stable, 1 / 7)
        self.assertGreater(saturated, 1 / 7)
        self.assertLess(saturated, 0.153)


if __name__ == "__main__":
    machine.main()
