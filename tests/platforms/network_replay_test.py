# SPDX-License-Identifier: Apache-2.0
"""Applications on virtual-channel networks, as a user runs them: every message arrives on every topology, the same
result whatever the order of modules, counts against a second reading of the trace, refusals, and ranks that wait
forever."""

import csv
import os
import threading

import machine
from machine import MachineTest, RandomProgram, kernel

SMALL = {"workload.kind": "trace", "topology.radices": "[4,4]"}
NETWORKS = {
    "mesh": {"topology.kind": "mesh", "topology.radices": "[4,4]"},
    "torus": {"topology.kind": "torus", "topology.radices": "[4,4]", "routing.kind": "duato", "router.vcs": 4,
              "router.atomic_vcs": "true"},
    "tree": {"topology.kind": "fat_tree", "topology.up_links": 4, "topology.down_links": 4, "topology.levels": 2,
             "routing.kind": "least_common_ancestor", "router.switching": "virtual_cut_through",
             "router.buffer_flits": 32},
    "random": {"topology.kind": "random_regular", "topology.nodes": 16, "topology.degree": 4,
               "routing.kind": "up_down"},
}


def with_base(base, keys):
    """`keys` on top of `base`, whose radices are of no use to other topologies than meshes and tori."""
    both = {**base, **keys}
    if both.get("topology.kind", "mesh") not in ("mesh", "torus"):
        del both["topology.radices"]
    return both


def sends(program):
    """(source, destination, bytes) of all point-to-point messages of a program."""
    return [(source, int(words[1]), int(words[3]))
            for source, operations in enumerate(program)
            for words in (operation.split() for operation in operations) if words[0] in ("send", "isend")]


class Replay(MachineTest):
    def play(self, program, **keys):
        trace = self.write_trace(f"r{self.runs}.ti", program)
        done = self.passes(keys=with_base(SMALL, {"workload.trace": trace, **keys}))
        self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
        self.assertEqual(done.metric("packets_sent"), done.metric("packets_delivered"))
        self.assertEqual(done.metric("packets_sent"), done.metric("data_packets") + done.metric("control_packets"))
        return done

    def test_random_programs_on_all_networks(self):
        for seed, (name, keys) in enumerate(NETWORKS.items()):
            with self.subTest(network=name):
                self.play(RandomProgram(seed, 16).operations, **keys, **{"nic.eager_bytes": 1000})

    def test_random_programs_with_cramped_nodes(self):
        for seed in range(10, 14):
            program = RandomProgram(seed, 40).operations
            self.play(program, **{"workload.ranks_per_node": 3, "workload.placement": "round_robin", "router.vcs": 1,
                                  "router.buffer_flits": 2, "nic.eager_bytes": (0, 200, 5000, 10**6)[seed % 4]})

    def test_counts_are_those_of_the_trace(self):
        program = RandomProgram(5, 32, messages=30).operations
        program = [[o for o in ops if o.split()[0] in ("send", "recv", "isend", "irecv", "wait", "waitall", "compute")]
                   for ops in program]
        for placement in ("block", "round_robin"):
            node = [rank // 2 if placement == "block" else rank % 16 for rank in range(32)]
            for eager in (0, 300):
                done = self.play(program, **{"workload.ranks_per_node": 2, "workload.placement": placement,
                                             "nic.eager_bytes": eager, "nic.packet_bytes": 96})
                far = [size for a, b, size in sends(program) if node[a] != node[b]]
                near = [size for a, b, size in sends(program) if node[a] == node[b]]
                self.assertEqual(done.metric("messages"), len(far))
                self.assertEqual(done.metric("message_bytes"), sum(far))
                self.assertEqual(done.metric("local_messages"), len(near))
                self.assertEqual(done.metric("local_bytes"), sum(near))
                self.assertEqual(done.metric("data_packets"), sum(max(1, -(-size // 96)) for size in far))
                self.assertEqual(done.metric("control_packets"), 2 * sum(size > eager for size in far))

    def test_flits_are_payload_and_headers(self):
        done = self.play([["send 1 0 1000 6"], ["recv 0 0 1000 6"]],
                         **{"nic.packet_bytes": 256, "nic.flit_bytes": 25, "nic.header_flits": 2})
        # Three packets of 256 bytes, 11 flits, one of 232, 10 flits, and two flits in front of each; two routers.
        self.assertEqual(done.metric("flit_hops"), 2 * (3 * (11 + 2) + 10 + 2))

    def test_an_uncontended_message_takes_its_closed_form(self):
        # Born in cycle 1; H = 2 routers of R = 3 cycles, L = 1; the whole message is one packet of 9 flits.
        keys = {"router.rc_cycles": 1, "router.va_cycles": 0, "router.sa_cycles": 1, "router.st_cycles": 1,
                "router.buffer_flits": 16, "nic.flit_bytes": 16, "nic.header_flits": 1, "nic.packet_bytes": 128}
        done = self.play([["send 1 0 128 6"], ["recv 0 0 128 6"]], **keys)
        flight = 2 * 3 + 1 + 1 + 1 + 9
        self.assertEqual(done.metric("message_latency_cycles_max"), flight)
        self.assertEqual(done.metric("trace_cycles"), flight + 1)  # the receiver continues a cycle later
        # Asked for first: a flit there, a flit back, then the data; each answer follows a cycle later.
        control = 2 * 3 + 1 + 1 + 1 + 1 + 1
        done = self.play([["send 1 0 128 6"], ["recv 0 0 128 6"]], **keys, **{"nic.eager_bytes": 127})
        self.assertEqual(done.metric("message_latency_cycles_max"), flight)
        self.assertEqual(done.metric("trace_cycles"), 2 * control + flight + 1)

    def test_computing_and_neighbours_within_a_node(self):
        done = self.play([["compute 1000", "send 1 0 1000000 6"], ["recv 0 0 1000000 6", "compute 10"]],
                         **{"workload.ranks_per_node": 2, "nic.local_cycles": 77, "node.gflops": 4,
                            "workload.compute_scale": 2, "clock_period_ps": 500})
        # 1000 flops x 2 / 4 = 500 ns are 1000 cycles; 10 flops are 5 ns, 10 cycles.
        self.assertEqual(done.metric("trace_cycles"), 1000 + 77 + 10)
        self.assertEqual(done.metric("packets_sent"), 0)

    def test_result_does_not_depend_on_order_or_processes(self):
        keys = {**SMALL, "workload.trace": self.write_trace("k.ti", kernel(32, 4)), "workload.ranks_per_node": 2,
                "nic.eager_bytes": 500, "topology.kind": "torus"}
        reference = self.passes(keys=keys)
        self.assertGreater(reference.metric("local_messages"), 0)
        for change in ({"run.shuffle_seed": 5}, {"run.shuffle_seed": 77}, {"run.processes": "process_each"}):
            other = self.passes(keys={**keys, **change})
            self.assertEqual(other.result_bytes(without_config=True), reference.result_bytes(without_config=True))

    def test_256_ranks_on_64_nodes(self):
        program = kernel(256, 1)
        for placement in ("block", "round_robin"):
            done = self.play(program, **{"topology.kind": "torus", "topology.radices": "[4,4,4]", "router.vcs": 2,
                                         "workload.ranks_per_node": 4, "workload.placement": placement})
            nodes = [row[1] for row in done.json()["tables"]["trace_ranks"]["rows"]]
            want = [rank // 4 if placement == "block" else rank % 64 for rank in range(256)]
            self.assertEqual(nodes, want)


class Cenju4Nodes(MachineTest):
    """Every message's bytes are written before it is sent and compared where it arrives; a wrong one is exit status
    1."""

    KEYS = {**SMALL, "nic.kind": "cenju4", "clock_period_ps": 12500}
    CRAMPED = {"nic.fifo_packets": 1, "receiver.fifo_packets": 1, "library.credits": 1, "library.send_slots": 1,
               "library.rendezvous_slots": 1, "sender.tlb_entries": 1, "receiver.tlb_entries": 1, "cache.bytes": 4096,
               "library.heap_bytes": 1 << 20, "router.buffer_flits": 2}

    def play(self, program, **keys):
        trace = self.write_trace(f"r{self.runs}.ti", program)
        done = self.passes(keys=with_base(self.KEYS, {"workload.trace": trace, **keys}))
        self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
        self.assertEqual(done.metric("packets_sent"), done.metric("packets_delivered"))
        self.assertEqual(done.metric("packets_sent"), done.metric("packets_born"))
        return done

    def test_random_programs_on_all_networks(self):
        early = 0
        for seed, (name, keys) in enumerate(NETWORKS.items()):
            with self.subTest(network=name):
                keys = {**keys, "router.buffer_flits": 128} if name == "tree" else keys
                early += self.play(RandomProgram(seed, 16).operations, **keys).metric("packets_early")
        self.assertGreater(early, 0, "no packet overtook another: the order was never put right")

    def test_nodes_that_take_their_time_are_no_deadlock(self):
        """Whenever the watchdog looks: while an interface is full, or in the cycle in which it has room again."""
        keys = {"topology.radices": "[2,2]", "clock_period_ps": 1000, "workload.npb": "is.S.4", "workload.npb_steps": 1,
                "router.buffer_flits": 1}
        for ready, watchdog in ((1, 100), (2, 100), (2, 120), (2, 200), (2, 300)):
            with self.subTest(ready=ready, watchdog=watchdog):
                self.passes(keys={**self.KEYS, **keys, "nic.ready_packets": ready, "run.watchdog_cycles": watchdog})

    def test_cramped_nodes_hold_the_network_back(self):
        for seed, keys in enumerate(({"router.vcs": 1}, {"topology.kind": "torus", "router.vcs": 4},
                                     {"library.barrier": "tree", "router.vcs": 2})):
            self.play(RandomProgram(20 + seed, 16).operations, **self.CRAMPED, **keys)

    def test_result_does_not_depend_on_order_or_processes(self):
        keys = {**self.KEYS, "workload.trace": self.write_trace("k.ti", kernel(16)), "topology.kind": "torus",
                "receiver.fifo_packets": 1}
        reference = self.passes(keys=keys)
        for change in ({"run.shuffle_seed": 5}, {"run.shuffle_seed": 77}, {"run.processes": "process_each"}):
            other = self.passes(keys={**keys, **change})
            self.assertEqual(other.result_bytes(without_config=True), reference.result_bytes(without_config=True))

    def test_packet_records_add_up_where_interfaces_hold_the_network_back(self):
        keys = {**self.KEYS, **self.CRAMPED,
                "workload.trace": self.write_trace("k.ti", RandomProgram(31, 16).operations)}
        for flit_cycles in (1, 3):
            done = self.passes("--records", keys={**keys, "link.flit_cycles": flit_cycles})
            with open(done.out / "packets.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), done.metric("packets_delivered"))
            for row in rows:
                parts = [int(row[part + "_cycles"]) for part in
                         ("source_queue", "link", "router", "serialization", "wait_front", "wait_vc", "wait_credit",
                          "wait_switch", "wait_body")]
                self.assertEqual(int(row["latency_cycles"]), sum(parts))
                self.assertEqual((row["dropped_cycle"], row["cause"]), ("", ""))

    def test_an_interface_without_room_holds_the_network_back(self):
        # One stream between neighbours, and nobody else: what waits in the network waits for the receiver's memory.
        stream = [["send 1 0 20000 6"], ["recv 0 0 20000 6"], [], []]
        keys = {**self.KEYS, "topology.radices": "[2,2]", "router.vcs": 1, "receiver.fifo_packets": 1,
                "workload.trace": self.write_trace("stream.ti", stream)}
        waits = []
        for write_ns in (0, 20000):
            done = self.passes("--records", keys={**keys, "memory.write_ns": write_ns})
            lines = [line.split(",") for line in (done.out / "packets.csv").read_text().splitlines()]
            column = lines[0].index("wait_front_cycles")
            waits.append(max(int(line[column]) for line in lines[1:] if line[1:3] == ["0", "1"]))
        self.assertLess(waits[0], 200)
        self.assertGreater(waits[1], 1600, "20 us are 1,600 cycles")

    def test_what_such_a_network_cannot_do_is_refused(self):
        keys = {**self.KEYS, "workload.trace": self.write_trace("k.ti", kernel(16))}
        for parts, change in (
                (["library.barrier", "hardware", "tree or dissemination"], {"library.barrier": "hardware"}),
                (["library.barrier", "multicast_add", "tree or dissemination"], {"library.barrier": "multicast_add"}),
                (["library.broadcast", "hardware", "tree"], {"library.broadcast": "hardware"}),
                (["workload.ranks_per_node", "one rank"], {"workload.ranks_per_node": 2}),
                (["router.buffer_flits", "at least 115"], {"router.switching": "virtual_cut_through"}),
                (["16 ranks", "4 ranks, one on each node"], {"topology.radices": "[2,2]"}),
                (["1089 nodes", "2..1024"], {"topology.radices": "[33,33]"})):
            self.refused(parts, keys={**keys, **change})

    def test_ranks_that_wait_forever_say_for_whom(self):
        circle = [["recv 1 3 64 6", "send 1 3 64 6"], ["recv 0 3 64 6", "send 0 3 64 6"], [], []]
        done = self.ends(1, keys={**self.KEYS, "topology.radices": "[2,2]",
                                  "workload.trace": self.write_trace("circle.ti", circle)})
        self.assertIn("circle: rank 0 waits for rank 1", done.text)


class Pipes(MachineTest):
    """A file that a configuration names may be a pipe."""

    def test_a_trace_from_standard_input_or_a_fifo(self):
        text = machine.trace_text(kernel(16))
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for more in ({}, {"nic.kind": "cenju4", "clock_period_ps": 12500}):
            file = self.passes(keys={**SMALL, **more, "workload.trace": self.write("k.ti", text)})
            piped = self.passes(keys={**SMALL, **more, "workload.trace": "/dev/stdin"}, text=text)
            self.assertEqual(piped.result_bytes(without_config=True), file.result_bytes(without_config=True))
            writer = threading.Thread(target=fifo.write_text, args=(text,))
            writer.start()
            named = self.passes(keys={**SMALL, **more, "workload.trace": fifo})
            writer.join()
            self.assertEqual(named.result_bytes(without_config=True), file.result_bytes(without_config=True))

    def test_lists_matrices_and_topologies(self):
        self.passes(keys={"traffic.kind": "list", "traffic.list": "/dev/stdin"}, text="5 0 1 4\n")
        self.passes(keys={"traffic.pattern": "matrix", "traffic.matrix": "/dev/stdin",
                          "traffic.load_flits_per_node_cycle": 0.005}, text="0 1 0.5\n")
        self.passes(keys={"topology.kind": "file", "topology.file": "/dev/stdin", "routing.kind": "up_down"},
                    text="link 0 1\nnode 0 at 0\nnode 1 at 1\n")

    def test_a_sweep_reads_its_files_again_and_again(self):
        for key, keys in (("traffic.matrix", {"traffic.pattern": "matrix"}),
                          ("topology.file", {"topology.kind": "file", "routing.kind": "up_down"})):
            self.refused([f"{key}: not a file that every load of a sweep can read", "/dev/stdin", "a regular file"],
                         "--sweep-load", "0.1:0.2:2", keys={**keys, key: "/dev/stdin"}, text="0 1 0.5\n")


class Refusals(MachineTest):
    def keys(self, trace, **more):
        return {**SMALL, "workload.trace": trace, **more}

    def test_what_does_not_fit_is_refused(self):
        trace = self.write_trace("k.ti", kernel(17))
        self.refused(["workload.trace", "17 ranks", "16 ranks on 16 nodes"], keys=self.keys(trace))
        self.passes(keys=self.keys(trace, **{"workload.ranks_per_node": 2}))
        self.refused(["nic.packet_bytes", "17 flits", "router.buffer_flits"],
                     keys=self.keys(trace, **{"workload.ranks_per_node": 2, "router.switching": "virtual_cut_through"}))
        self.refused(["workload.kind", "no offered load"], "--sweep-load", "0.1:0.5:3", keys=self.keys(trace))
        self.refused(["gone.ti"], keys=self.keys("gone.ti"))
        self.refused(["collectives.reduce", "binomial"], keys=self.keys(trace, **{"collectives.reduce": "magic"}))
        huge = self.write_trace("huge.ti", [["send 1 0 5000000000 6"], ["recv 0 0 5000000000 6"]])
        self.refused(["5000000000", "send 1 0"], keys=self.keys(huge))
        bad = self.write("bad.ti", "0 init\n0 scatter 5\n0 finalize\n")
        self.refused(["bad.ti:2", "scatter", "alltoallv"], keys=self.keys(bad))

    def test_computing_for_longer_than_cycles_can_count_is_refused(self):
        trace = self.write_trace("long.ti", [[f"compute {10**15}"], []])
        self.refused(["long.ti:2", "what a run may last"], keys=self.keys(trace))
        self.refused(["long.ti:2", "what a run may last"],
                     keys=self.keys(trace, **{"nic.kind": "cenju4", "topology.radices": "[2,2]"}))
        done = self.passes(keys=self.keys(trace, **{"node.gflops": 1000}))
        self.assertEqual(done.metric("trace_cycles"), 10**12)

    def test_ranks_that_wait_forever_say_for_whom(self):
        circle = [["recv 1 3 64 6", "send 1 3 64 6"], ["recv 0 3 64 6", "send 0 3 64 6"]]
        done = self.ends(1, keys=self.keys(self.write_trace("circle.ti", circle)))
        for part in ("2 of 2 ranks wait forever", f"rank 0: operation 1 of 4: recv 1 3 64 ({self.folder}/circle.ti:2)",
                     "receive from rank 1, tag 3", "circle: rank 0 waits for rank 1",
                     "no message is lost: the trace keeps its ranks waiting by the order of their operations"):
            self.assertIn(part, done.text)
        asked = [["send 1 3 64 6", "recv 1 3 64 6"], ["send 0 3 64 6", "recv 0 3 64 6"]]
        done = self.ends(1, keys=self.keys(self.write_trace("asked.ti", asked), **{"nic.eager_bytes": 63}))
        self.assertIn("send to rank 1, tag 3, 64 bytes", done.text)
        self.passes(keys=self.keys(self.folder / "asked.ti", **{"nic.eager_bytes": 64}))

    def test_a_dropped_packet_is_named_as_the_cause(self):
        program = [["send 1 0 100000 6"], ["recv 0 0 100000 6"]]
        done = self.ends(1, keys=self.keys(self.write_trace("cut.ti", program),
                                           **{"link.faults": "0@50,1@50,2@50,3@50", "topology.radices": "[2,2]"}))
        self.assertNotIn("no message is lost", done.text)
        for part in ("packets were dropped, and with them their messages", "2 of 2 ranks wait forever", "rank 1: ",
                     "lost: message from rank 0 to rank 1, tag 0, 100000 bytes"):
            self.assertIn(part, done.text)
        self.assertRegex(done.text, r"lost: .* in cycle \d+: (link_down|no_way)\n")


class Recorded(MachineTest):
    """NAS benchmarks, which are not in the repository; TSUJI_TRACES names their folder."""

    def test_recorded_benchmarks_come_to_their_end(self):
        folder = os.environ.get("TSUJI_TRACES")
        if not folder:
            self.skipTest("TSUJI_TRACES is not set")
        torus = {"workload.kind": "trace", "topology.kind": "torus", "topology.radices": "[4,4,4]", "router.vcs": 2}
        for name, ranks_per_node in (("ep.A.64", 1), ("dtBH.A.21", 1), ("ft.A.64", 1), ("ep.A.256", 4), ("mg.A.64", 4)):
            done = self.passes(keys={**torus, "workload.trace": f"{folder}/{name}.ti.zst", "node.gflops": 1000,
                                     "workload.ranks_per_node": ranks_per_node})
            self.assertEqual(done.metric("packets_sent"), done.metric("packets_delivered"))
            self.assertEqual(len(done.json()["tables"]["trace_ranks"]["rows"]), int(name.split(".")[2]))


if __name__ == "__main__":
    machine.main()
