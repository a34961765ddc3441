#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Refusals of the platform `network`, from the file and from --set: exit 2, the place where the key was set, the key,
the value and what would be accepted, whichever part of the program finds it out."""

import re

import machine

# Keys, and of the refusal: the key that it is about, a piece of the value, a piece of what would be accepted.
CUBE = {"topology.kind": "cube"}
GRID = {"topology.kind": "random_grid", "routing.kind": "up_down"}
REGULAR = {"topology.kind": "random_regular", "routing.kind": "up_down"}
FLY = {"topology.kind": "fly", "routing.kind": "destination_digits"}
UD = {"topology.kind": "torus", "routing.kind": "detour_ud"}
NF = {"routing.kind": "detour_nf", "router.atomic_vcs": "true"}
TRACE = {"workload.kind": "trace"}
CENJU4 = {**TRACE, "nic.kind": "cenju4"}
REFUSALS = [
    # the topology
    ({"topology.kind": "donut"}, "topology.kind", "donut", "torus"),
    ({**CUBE, "topology.wraps": "[1]"}, "topology.wraps", "1 values", "2 values"),
    ({"topology.radices": "[1024, 1024]", "topology.nodes_per_router": 256}, "topology.nodes_per_router", "256",
     "1..1, at most 1048576 nodes in all"),
    ({"topology.radices": "[32768, 32768]"}, "topology.radices", "32768", "in all"),
    ({**GRID, "topology.nodes": 60}, "topology.nodes", "60", "49 or 64"),
    ({**GRID, "topology.wire_length": 1}, "topology.wire_length", "4 wires", "a longer reach"),
    ({**REGULAR, "topology.nodes": 5, "topology.degree": 3}, "topology.degree", "3", "an even degree"),
    ({**FLY, "topology.stages": 20}, "topology.stages", "20", "in all"),
    ({"topology.kind": "file", "topology.file": "nowhere.txt"}, "topology.file", "nowhere.txt", "a readable file"),
    ({"topology.kind": "file", "topology.file": "/proc"}, "topology.file", "/proc", "a readable file"),
    ({"topology.kind": "file", "topology.file": "/proc/self/mem"}, "topology.file", "/proc/self/mem",
     "a readable file"),
    ({**TRACE, "workload.trace": "/proc/self/mem"}, "workload.trace", "/proc/self/mem", "a readable file"),
    ({"traffic.kind": "list", "traffic.list": "/proc/self/mem"}, "traffic.list", "/proc/self/mem", "a readable file"),
    ({"traffic.pattern": "matrix", "traffic.matrix": "/proc/self/mem"}, "traffic.matrix", "/proc/self/mem",
     "a readable file"),
    # end-to-end retry
    ({"retry.timeout_cycles": -1}, "retry.timeout_cycles", "-1", "an integer 0..1000000000"),
    ({"retry.timeout_cycles": 10 ** 9 + 1}, "retry.timeout_cycles", "1000000001", "an integer 0..1000000000"),
    ({"retry.timeout_cycles": 10 ** 9, "retry.most_tries": 20}, "retry.timeout_cycles", "1000000000",
     "up to 13421772 with"),
    ({"retry.timeout_cycles": 9, "retry.most_tries": 0}, "retry.most_tries", "0", "an integer 1..20"),
    ({"retry.timeout_cycles": 9, "retry.ack_flits": 0}, "retry.ack_flits", "0", "an integer 1..65535"),
    ({"retry.timeout_cycles": 9, "retry.ack_flits": 9, "router.switching": "store_and_forward"}, "retry.ack_flits", "9",
     "up to router.buffer_flits (8)"),
    ({**CENJU4, "retry.timeout_cycles": 9, "nic.retry_packets": 0}, "nic.retry_packets", "0", "an integer 1..4096"),
    ({**CENJU4, "retry.timeout_cycles": 9, "nic.early_packets": 944}, "nic.early_packets", "944",
     "at least 945, or nic.retry_packets up to 15"),
    ({**CENJU4, "retry.timeout_cycles": 9, "retry.ack_flits": 116, "router.switching": "virtual_cut_through",
      "router.buffer_flits": 115},
     "retry.ack_flits", "116", "up to router.buffer_flits (115)"),
    # the routing on it
    ({"routing.kind": "xy"}, "routing.kind", "xy", "dimension_order"),
    ({"routing.kind": "least_common_ancestor"}, "routing.kind", "least_common_ancestor", "fat tree"),
    ({"routing.kind": "destination_digits"}, "routing.kind", "destination_digits", "fly"),
    ({**REGULAR, "routing.kind": "duato"}, "routing.kind", "duato", "a torus or mesh"),
    ({"routing.kind": "up_down", "routing.root": 64}, "routing.root", "64", "0..63"),
    ({"topology.kind": "torus", "router.vcs": 1}, "router.vcs", "1", "2..16"),
    ({"topology.kind": "torus", "routing.kind": "duato", "router.atomic_vcs": "false"}, "router.atomic_vcs", "false",
     "true"),
    ({"topology.kind": "fat_tree", "routing.kind": "detour_ud"}, "routing.kind", "detour_ud", "a torus or mesh"),
    ({**UD, "router.vcs": 1}, "router.vcs", "1", "2..16"),
    ({**UD, "routing.ud_vcs": 0}, "routing.ud_vcs", "0", "1..15"),
    ({**UD, "router.block_timeout_cycles": 0}, "router.block_timeout_cycles", "0", "auto: 128"),
    ({**UD, "router.uturn_network": "false"}, "router.uturn_network", "false", "true or auto"),
    ({"deadlock.classify_timeouts": "true"}, "deadlock.classify_timeouts", "true",
     "router.block_timeout_cycles 1..65535"),
    ({**UD, "router.rc_cycles": 0}, "router.rc_cycles", "0", "1..65535"),
    # dead links and routers
    ({**UD, "faults.routers": "[64]"}, "faults.routers", "64", "0..63"),
    ({**UD, "faults.links": "[7, 7]"}, "faults.links", "7", "each link once"),
    ({**UD, "faults.routers": "[3]", "faults.random_links": 1}, "faults.random_links", "1", "faults.routers []"),
    ({**UD, "faults.random_routers": 64}, "faults.random_routers", "64", "0..63"),
    ({**UD, "faults.routers": "[3]", "routing.region_distance": 0}, "routing.region_distance", "0", "1 or more"),
    ({**UD, "faults.routers": "[3]", "routing.root_priority": "[3]"}, "routing.root_priority", "3",
     "a list with a living router"),
    ({**UD, "prediction.kind": "latest_port", "prediction.check": "leak", "faults.events": "link 3@100"},
     "prediction.check", "leak",
     "kill or wait"),
    ({"topology.radices": "[2]", "routing.kind": "detour_ud", "faults.routers": "[0, 1]"}, "faults.routers",
     "2 routers",
     "fewer dead routers"),
    ({**UD, "faults.routers": "[3]", "link.faults": "3@10"}, "link.faults", "3@10", "no faults"),
    ({**NF, "faults.routers": "[8]"}, "faults.routers", "1 dead routers", "negative-first hops"),
    # the router
    ({"router.vcs": 2, "router.input_speedup": 3}, "router.input_speedup", "3", "router.vcs"),
    ({"router.switch_hold": "packet"}, "router.switch_hold", "packet", "router.switching virtual_cut_through"),
    ({"router.switching": "virtual_cut_through", "router.buffer_flits": 3}, "router.buffer_flits", "3", "at least 4"),
    ({"topology.kind": "mesh", "topology.nodes_per_router": 61}, "topology.kind", "mesh", "64 ports"),
    ({"topology.kind": "hyperx", "topology.radices": "[66]", "run.processes": "process_each"}, "topology.kind",
     "hyperx 66", "64 ports times router.input_speedup, or up to 255"),
    ({"topology.kind": "hyperx", "topology.radices": "[257]"}, "topology.kind", "hyperx 257", "255 ports"),
    ({"router.eject_routed_vcs": "true", "router.node_vcs": 1}, "router.node_vcs", "1",
     "router.eject_routed_vcs false"),
    ({"router.eject_routed_vcs": "true", "prediction.kind": "latest_port"}, "prediction.kind", "latest_port",
     "router.eject_routed_vcs false"),
    ({"topology.kind": "hyperx", "topology.one_way_ports": "true", "routing.kind": "dal", "router.atomic_vcs": "true"},
     "topology.one_way_ports", "true", "false"),
    # links
    ({"link.faults": "999@10"}, "link.faults", "999@10", "links 0..111"),
    ({"link.faults": "3@10:5"}, "link.faults", "3@10:5", "DOWN < UP"),
    ({"link.faults": "3@0"}, "link.faults", "3@0", "1 <= DOWN < UP"),
    ({"link.faults": "3@7:7"}, "link.faults", "3@7:7", "1 <= DOWN < UP"),
    ({"link.faults": "3"}, "link.faults", "3", "LINK@DOWN or LINK@DOWN:UP"),
    ({"link.faults": "3@10,"}, "link.faults", "3@10,", "LINK@DOWN or LINK@DOWN:UP"),
    ({"link.faults": "0@18446744073709551616"}, "link.faults", "0@18446744073709551616", "LINK@DOWN or LINK@DOWN:UP"),
    ({"link.faults": "4294967296@100"}, "link.faults", "4294967296@100", "LINK as --print-topology numbers them"),
    ({"link.faults": "3@10,112@10"}, "link.faults", "3@10,112@10", "links 0..111"),
    ({"link.faults": "0@18446744073709600"}, "link.faults", "0@18446744073709600",
     "DOWN and UP up to cycle 140737488355328"),
    ({"link.faults": "0@5:140737488355329"}, "link.faults", "0@5:140737488355329",
     "DOWN and UP up to cycle 140737488355328"),
    ({"clock_period_ps": 10 ** 9, "link.faults": "0@4611686019"}, "link.faults", "0@4611686019",
     "DOWN and UP up to cycle 4611686018"),
    # times
    ({"clock_period_ps": 10 ** 9, "measure.warmup_cycles": 4611686019}, "measure.warmup_cycles", "4611686019",
     "at most 4611686018 cycles"),
    ({"clock_period_ps": 10 ** 9, "measure.warmup_cycles": 0, "measure.cycles": 10 ** 12}, "measure.cycles",
     "1000000000000",
     "at most 4611686018 cycles"),
    ({"clock_period_ps": 10 ** 9, "measure.warmup_cycles": 8, "measure.cycles": 10, "measure.drain_cycles": 10 ** 10},
     "measure.drain_cycles", "10000000000", "at most 4611686000 cycles"),
    ({"clock_period_ps": 10 ** 9, "measure.warmup_cycles": "auto", "measure.longest_warmup_cycles": 10 ** 10},
     "measure.longest_warmup_cycles", "10000000000", "at most 4611686018 cycles"),
    ({"clock_period_ps": 10 ** 9, "measure.warmup_cycles": "auto", "measure.cycles": 4611586019}, "measure.cycles",
     "4611586019",
     "at most 4611586018 cycles"),
    ({"clock_period_ps": 10 ** 9, "measure.mode": "arrivals", "measure.most_cycles": 10 ** 10}, "measure.most_cycles",
     "10000000000", "at most 4611686018 cycles"),
    # traffic
    ({"topology.radices": "[8, 4]", "traffic.pattern": "transpose"}, "traffic.pattern", "transpose", "square"),
    ({**REGULAR, "traffic.pattern": "tornado"}, "traffic.pattern", "tornado", "a torus or a mesh"),
    ({"topology.radices": "[6, 6]", "traffic.pattern": "bit_complement"}, "traffic.pattern", "bit_complement",
     "2, 4, 8"),
    ({"traffic.pattern": "hotspot"}, "traffic.hotspots", "[]", "one node"),
    ({"traffic.pattern": "hotspot", "traffic.hotspots": "[3, 64]"}, "traffic.hotspots", "64", "0..63"),
    ({"traffic.pattern": "matrix"}, "traffic.matrix", "", "SOURCE DESTINATION RATE"),
    ({"traffic.pattern": "matrix", "traffic.matrix": "nowhere.txt"}, "traffic.matrix", "nowhere.txt",
     "a readable file"),
    ({"traffic.kind": "list"}, "traffic.list", "", "CYCLE SOURCE DESTINATION FLITS"),
    ({"traffic.kind": "list", "traffic.list": "nowhere.txt"}, "traffic.list", "nowhere.txt", "a readable file"),
    ({"traffic.load_flits_per_node_cycle": 1.5}, "traffic.load_flits_per_node_cycle", "1.5", "0..1"),
    ({"traffic.injection": "on_off", "traffic.burst_load_flits_per_node_cycle": 0.01},
     "traffic.burst_load_flits_per_node_cycle", "0.01", "0.1..4 flits/cycle"),
    ({"traffic.load_flits_per_node_cycle": "1e-12"}, "traffic.load_flits_per_node_cycle", "1e-12", "at least 4e-09"),
    ({"traffic.length": "range", "traffic.packet_flits": 8, "traffic.largest_packet_flits": 7},
     "traffic.largest_packet_flits", "7", "8"),
    ({"traffic.length": "weighted"}, "traffic.lengths", "[]", "one length"),
    ({"measure.mode": "arrivals", "measure.first_arrival": 9, "measure.last_arrival": 8}, "measure.last_arrival", "8",
     "at least"),
    # applications
    ({**TRACE, "workload.trace": "nowhere.ti"}, "workload.trace", "nowhere.ti", "a readable file"),
    ({**TRACE, "topology.radices": "[4, 4]"}, "workload.trace", "64 ranks", "16"),
    ({"topology.radices": "[2]", "workload.npb": "cg.S.4"}, "workload.npb", "4 ranks", "up to 2 ranks on 2 nodes"),
    ({**CENJU4, "topology.radices": "[2]", "workload.npb": "cg.S.4"}, "workload.npb", "4 ranks", "2 ranks"),
    ({**CENJU4, "topology.radices": "[2]"}, "workload.trace", "64 ranks", "2 ranks"),
    ({**CENJU4, "workload.ranks_per_node": 2}, "workload.ranks_per_node", "2", "1"),
    ({**CENJU4, "library.barrier": "hardware"}, "library.barrier", "hardware", "tree"),
    ({**CENJU4, "faults.events": "router 3@10"}, "faults.events", "router 3 dies in cycle 10",
     "links, or routing.kind detour_ud"),
    ({**CENJU4, "link.faults": "999@10"}, "link.faults", "999@10", "links 0..111"),
    ({**CENJU4, "topology.radices": "[33, 32]"}, "topology.kind", "mesh 33x32", "2..1024"),
]

SHORT = {"measure.warmup_cycles": 100, "measure.cycles": 500}


def yaml_of(keys):
    """As a file with dotted keys, each value on a separate line; the place of a value is (line, column)."""
    places, lines = {}, []
    for key, value in keys.items():
        lines.append(f"{key}: {value}")
        places[key] = (len(lines), len(key) + 3)
    return "\n".join(lines) + "\n", places


class Places(machine.MachineTest):
    def check(self, text, place, key, value, accepted):
        got = rf" \(got '.*{re.escape(value)}.*'\)" if value else ""
        pattern = re.escape(f"network: {place}: {key}: ") + rf".+{got}; accepted: .*" + re.escape(accepted)
        self.assertRegex(text, pattern)

    def test_keys_of_the_command_line(self):
        for keys, key, value, accepted in REFUSALS:
            with self.subTest(keys=keys):
                done = self.refused([], keys=keys)
                self.check(done.text, f"--set {key}={keys[key]}" if key in keys else "default", key, value, accepted)

    def test_keys_of_a_file(self):
        for number, (keys, key, value, accepted) in enumerate(REFUSALS):
            with self.subTest(keys=keys):
                text, places = yaml_of(keys)
                path = self.write(f"c{number}.yaml", text)
                done = self.refused([], str(path))
                place = "{}:{}:{}".format(path, *places[key]) if key in places else "default"
                self.check(done.text, place, key, value, accepted)

    def test_keys_that_decide_nothing(self):
        """With their place, what makes them idle, and with what they would be read."""
        torus = {"topology.kind": "torus"}
        cases = [
            (torus, "topology.wraps", "[1, 0]", "topology.kind torus", "topology.kind cube, or the key left out"),
            ({"topology.kind": "fat_tree", "routing.kind": "least_common_ancestor"}, "topology.radices", "[8, 8]",
             "topology.kind fat_tree", "topology.kind mesh, torus, cube"),
            (torus, "topology.seed", "1", "topology.kind torus", "topology.kind random_grid, random_regular"),
            ({}, "topology.file", "x", "topology.kind mesh", "topology.kind file"),
            ({}, "routing.root", "0", "routing.kind dimension_order", "routing.kind up_down"),
            ({**torus, "routing.kind": "duato", "router.atomic_vcs": "true"}, "routing.ties", "fixed",
             "routing.kind duato",
             "routing.kind dimension_order, source_table"),
            ({**REGULAR, "routing.kind": "source_table", "routing.ties": "fixed"}, "routing.seed", "7",
             "routing.ties fixed",
             "routing.ties auto, random"),
            ({"router.va_allocator": "matrix", "router.sa_allocator": "separable"}, "router.islip_iterations", "2",
             "router.va_allocator matrix and router.sa_allocator separable", "router.va_allocator islip, router.sa_"),
            ({}, "router.sa_input_arbiter", "outputs", "router.sa_allocator islip",
             "router.sa_allocator separable, matrix"),
            ({}, "router.matrix_first", "highest", "router.va_allocator islip and router.sa_allocator islip",
             "router.va_allocator matrix, router.sa_"),
            ({}, "router.va_requests", "all", "router.va_input_arbiter vcs", "router.va_input_arbiter ports_and_vcs"),
            ({"router.va_input_arbiter": "ports_and_vcs", "router.va_requests": "all"}, "router.selection", "first",
             "router.va_requests all and router.va_input_arbiter ports_and_vcs",
             "router.va_requests one, router.va_input_arbiter vcs"),
            ({}, "routing.escape_return", "false", "routing.kind dimension_order", "routing.kind duato"),
            ({}, "traffic.hotspots", "[1]", "traffic.pattern uniform", "traffic.pattern hotspot"),
            ({}, "traffic.burst_cycles", "10", "traffic.injection bernoulli", "traffic.injection on_off"),
            ({"traffic.kind": "none"}, "traffic.burst_cycles", "10", "traffic.kind none", "traffic.kind open_loop"),
            ({}, "traffic.weights", "[1]", "traffic.length fixed", "traffic.length weighted"),
            ({}, "traffic.list", "x", "traffic.kind open_loop", "traffic.kind list"),
            ({"traffic.kind": "closed_loop"}, "traffic.load_flits_per_node_cycle", "0.1", "traffic.kind closed_loop",
             "traffic.kind open_loop"),
            # The pattern is the right one, and is idle itself.
            ({"traffic.kind": "none"}, "traffic.to_self", "true", "traffic.kind none",
             "traffic.kind open_loop, closed_loop"),
            ({}, "measure.last_arrival", "9", "measure.mode cycles", "measure.mode arrivals"),
            ({"workload.npb": "cg.S.4"}, "workload.trace", "x", "workload.npb cg.S.4", 'workload.npb "", or the key'),
            ({"workload.npb": "cg.S.4"}, "traffic.pattern", "transpose", "workload.kind trace",
             "workload.kind synthetic"),
            ({}, "workload.trace", "x", "workload.kind synthetic", "workload.kind trace"),
            ({}, "nic.flit_bytes", "8", "workload.kind synthetic", "workload.kind trace"),
            (TRACE, "library.credits", "1", "nic.kind packetizer", "nic.kind cenju4"),
            ({}, "waves.nodes", "[1]", "workload.kind synthetic", "workload.kind trace"),
            (TRACE, "waves.nodes", "[1]", "nic.kind packetizer", "nic.kind cenju4"),
            (CENJU4, "collectives.barrier", "tree", "nic.kind cenju4", "nic.kind packetizer"),
            (TRACE, "traffic.pattern", "transpose", "workload.kind trace", "workload.kind synthetic"),
            (TRACE, "measure.cycles", "10", "workload.kind trace", "workload.kind synthetic"),
        ]
        for number, (keys, key, value, because, accepted) in enumerate(cases):
            with self.subTest(keys=keys, key=key):
                text, places = yaml_of({**keys, key: value})
                path = self.write(f"i{number}.yaml", text)
                done = self.refused([f"{key}: has no effect with {because} (got"], str(path))
                self.check(done.text, "{}:{}:{}".format(path, *places[key]), key, value, accepted)
                done = self.refused([f"{key}: has no effect with {because} (got"], keys={**keys, key: value})
                self.check(done.text, f"--set {key}={value}", key, value, accepted)

    def test_a_resolved_file_holds_idle_keys_as_comments(self):
        done = self.passes(keys={"topology.kind": "fat_tree", "routing.kind": "least_common_ancestor", **SHORT})
        resolved = (done.out / "resolved.yaml").read_text()
        self.assertIn("\n# topology.radices: [8, 8]  # routers\n", resolved)
        self.assertIn("\n  up_links: 4  # links\n", resolved)
        again = self.passes(str(done.out / "resolved.yaml"))
        self.assertEqual(again.result_bytes(), done.result_bytes())

    def test_options_that_only_print_and_sweeps(self):
        path = self.write("c.yaml", "topology:\n  kind: torus\nrouter:\n  vcs: 1\n")
        for option in (["--check-deadlock"], ["--sweep-load", "0.1:0.2:2"]):
            done = self.refused([], str(path), *option)
            self.check(done.text, f"{path}:4:8", "router.vcs", "1", "2..16")
        path = self.write("d.yaml", "topology:\n  kind: random_grid\n  nodes: 60\n")
        done = self.refused([], str(path), "--print-topology", "json")
        self.check(done.text, f"{path}:3:10", "topology.nodes", "60", "49 or 64")

    def test_files_that_a_key_names(self):
        """Their errors have their own places."""
        files = [
            ("list", {"traffic.kind": "list", "traffic.list": "f.txt"}, "5 0 1 4\n5 0 99 4\n", "f.txt:2:5"),
            ("list in a cut-through network", {"traffic.kind": "list", "traffic.list": "f.txt",
                                               "router.buffer_flits": 4,
                                               "router.switching": "virtual_cut_through"}, "5 0 1 4\n5 0 3 5\n",
             "f.txt:2:7"),
            ("matrix", {"traffic.pattern": "matrix", "traffic.matrix": "f.txt"}, "0 1 0.5\n1 2 -0.5\n", "f.txt:2:5"),
            ("topology", {"topology.kind": "file", "topology.file": "f.txt", "routing.kind": "up_down"},
             "link 0 1\nnode 0 ot 0\n", "f.txt:2:8"),
            ("trace", {**TRACE, "workload.trace": "f.txt"}, "0 init\n0 send 1 0 8 1\n0 finalize\n", "f.txt:2:14"),
        ]
        for name, keys, text, place in files:
            with self.subTest(name):
                self.write("f.txt", text)
                done = self.refused([], keys=keys)
                key = next(key for key, value in keys.items() if value == "f.txt")
                self.assertRegex(done.text, re.escape(f"network: {place}: {key}: ") + r".+ \(got '.+'\); accepted: .+")

    def test_a_word_that_others_use(self):
        done = self.refused(["unknown word, did you mean 'dimension_order'? (got 'xy')"], keys={"routing.kind": "xy"})
        self.check(done.text, "--set routing.kind=xy", "routing.kind", "xy", "one of auto, dimension_order, duato")

    def test_a_list_of_packets_that_no_buffer_holds(self):
        """A cut-through network refuses packets that a wormhole network takes, before the run begins."""
        self.write("f.txt", "5 0 1 4\n5 0 3 5\n")
        keys = {"traffic.kind": "list", "traffic.list": "f.txt", "router.buffer_flits": 4, "measure.warmup_cycles": 0,
                "measure.cycles": 500}
        self.assertEqual(self.passes(keys=keys).metric("packets_delivered"), 2)
        for switching in ("virtual_cut_through", "store_and_forward"):
            self.refused(["f.txt:2:7: traffic.list: the packet is too large (got '5'); accepted: 1..4 flits, which fit "
                          "into a buffer "
                          "(router.buffer_flits), or router.switching wormhole"],
                         keys={**keys, "router.switching": switching})
            self.passes(keys={**keys, "router.switching": switching, "router.buffer_flits": 5})

    def test_a_topology_alone_picks_a_routing_that_fits(self):
        """And resolved.yaml names it; its own keys are read."""
        self.write("ring.txt", "link 0 1\nlink 1 2\nlink 2 0\nnode 0 at 0\nnode 1 at 1\nnode 2 at 2\n")
        for keys, routing in (({}, "dimension_order"), ({"topology.kind": "torus"}, "dimension_order"),
                              ({"topology.kind": "cube"}, "dimension_order"),
                              ({"topology.kind": "fat_tree"}, "least_common_ancestor"),
                              ({"topology.kind": "fly"}, "destination_digits"),
                              ({"topology.kind": "random_grid"}, "up_down"),
                              ({"topology.kind": "random_regular"}, "up_down"),
                              ({"topology.kind": "file", "topology.file": "ring.txt"}, "up_down")):
            with self.subTest(keys=keys):
                done = self.passes(keys={**keys, **SHORT})
                self.assertIn(f"\n  kind: {routing}\n", (done.out / "resolved.yaml").read_text())
                self.assertEqual(done.json()["config"]["routing"]["kind"], routing)
                named = self.passes(keys={**keys, **SHORT, "routing.kind": routing})
                self.assertEqual(named.result_bytes(), done.result_bytes())
        self.passes(keys={"topology.kind": "random_regular", "routing.root": 3, **SHORT})
        self.refused(["routing.ties: has no effect with routing.kind up_down"],
                     keys={"topology.kind": "random_regular", "routing.ties": "fixed"})
        self.assertIn("auto: dimension_order on a mesh", self.run_machine("--list-keys").text)


if __name__ == "__main__":
    machine.main()
