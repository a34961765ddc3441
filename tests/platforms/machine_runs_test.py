# SPDX-License-Identifier: Apache-2.0
"""Whole runs of the Cenju-4 machine, as a user starts them: the same bytes whatever the order of modules, byte equality
of real messages in cramped machines, refusals, faults, and ranks that wait forever."""

import csv
import filecmp
import re
import subprocess

import machine
from machine import MachineTest, RandomProgram, kernel

SHARED_METRICS = [
    "simulated_cycles", "flit_hops", "packets_sent", "packets_delivered", "flits_in_flight_at_end", "hops_mean",
    "latency_cycles_mean", "latency_cycles_p50", "latency_cycles_p99", "latency_cycles_max",
    "accepted_flits_per_node_cycle", "offered_flits_per_node_cycle", "wall_seconds"]


class SameBytes(MachineTest):
    def keys(self, **more):
        return {"network.nodes": 16, "workload.trace": self.write_trace("k.ti", kernel(16)), **more}

    def test_result_does_not_depend_on_order_processes_or_waves(self):
        reference = self.passes(keys=self.keys())
        others = [
            self.passes(keys=self.keys()),
            self.passes(keys=self.keys(), cwd="/"),
            self.passes("--waves", keys=self.keys()),
        ]
        for other in others:
            self.assertEqual(other.result_bytes(), reference.result_bytes())
        shuffled = [
            self.passes(keys=self.keys(**{"run.shuffle_seed": 5})),
            self.passes(keys=self.keys(**{"run.shuffle_seed": 77})),
            self.passes(keys=self.keys(**{"run.processes": "process_each"})),
            self.passes(keys=self.keys(**{"switch.mode": "flit_by_flit"})),
        ]
        for other in shuffled:
            self.assertEqual(other.result_bytes(without_config=True), reference.result_bytes(without_config=True))

    def test_resolved_file_repeats_the_run_and_its_waveform(self):
        first = self.passes(keys=self.keys())
        again = self.passes(str(first.out / "resolved.yaml"))
        self.assertEqual(again.result_bytes(), first.result_bytes())
        self.assertTrue(filecmp.cmp(first.out / "resolved.yaml", again.out / "resolved.yaml", shallow=False))
        self.assertTrue(filecmp.cmp(first.out / "barrier_multicast.gtkw", again.out / "barrier_multicast.gtkw",
                                    shallow=False))

    def test_vcd_has_the_same_bytes_in_any_order_of_modules(self):
        waves = []
        for seed in (0, 9):
            done = self.passes("--waves", "--waves-format", "vcd",
                               keys={"network.nodes": 16, "workload.kind": "multicast", "run.shuffle_seed": seed})
            waves.append((done.out / "machine.vcd").read_bytes())
        self.assertGreater(len(waves[0]), 10000)
        self.assertEqual(waves[0], waves[1])

    def alone(self, load, **keys):
        return {"network.nodes": 64, "workload.kind": "synthetic", "traffic.packet_flits": 10,
                "measure.warmup_cycles": 1000,
                "measure.cycles": 2000, "traffic.load_flits_per_node_cycle": load,
                **{key.replace("__", "."): value for key, value in keys.items()}}

    def test_network_alone_flit_by_flit(self):
        keys = self.alone(0.35, traffic__multicast_share=0.05)
        reference = self.passes(keys=keys)
        flits = self.passes(keys={**keys, "switch.mode": "flit_by_flit"})
        self.assertEqual(flits.result_bytes(without_config=True), reference.result_bytes(without_config=True))
        other_seed = self.passes("--seed", "2", keys=keys)
        self.assertNotEqual(other_seed.metric("packets_sent"), reference.metric("packets_sent"))

    def test_accepted_load_is_of_the_interval(self):
        for load in ("0.1", "1"):
            done = self.passes("--records", keys=self.alone(load, switch__fifo_packets=1))
            first, end = 1000, 3000
            with open(done.out / "packets.csv", newline="", encoding="utf-8") as file:
                packets = [{name: int(value) for name, value in row.items() if value.isdigit()}
                           for row in csv.DictReader(file)]
            flits = sum(max(0, min(p["tail_cycle"] + 1, end) - max(p["head_cycle"], first)) for p in packets)
            born = sum(p["flits"] for p in packets if first <= p["created_cycle"] < end)
            node_cycles = 64 * (end - first)
            self.assertAlmostEqual(done.metric("accepted_flits_per_node_cycle"), flits / node_cycles, 12)
            self.assertAlmostEqual(done.metric("offered_flits_per_node_cycle"), born / node_cycles, 12)
            self.assertEqual(done.metric("stability"), "saturated" if load == "1" else "stable")
            if load == "1":
                self.assertLess(flits / node_cycles, 0.4546)  # 10 flits in 22 cycles through a FIFO of one packet

    def test_shared_metrics(self):
        done = self.passes(keys=self.keys())
        metrics = done.json()["metrics"]
        for name in SHARED_METRICS:
            self.assertIn(name, metrics)
        self.assertEqual(metrics["flits_in_flight_at_end"]["value"], 0)
        self.assertEqual(done.json()["schema"], "tsuji.result/1")


class CrampedMachines(MachineTest):
    """Every message's bytes are checked by the program; a wrong one, a hang or an overrun ends the run with 1."""

    def replay(self, ranks, program, **keys):
        trace = self.write_trace(f"r{self.runs}.ti", program)
        done = self.passes(keys={"network.nodes": ranks, "workload.kind": "trace", "workload.trace": trace, **keys})
        self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
        self.assertEqual(done.metric("packets_dropped"), 0)

    def test_random_traffic_with_one_of_everything(self):
        cramped = {"library.header_queue_bytes": 4096, "library.credits": 1, "library.send_slots": 1,
                   "library.rendezvous_slots": 1, "library.collective_messages": 1, "sender.tlb_entries": 1,
                   "receiver.tlb_entries": 1, "cache.bytes": 4096, "receiver.fifo_packets": 1}
        for seed in range(3):
            self.replay(9, RandomProgram(seed, 9).operations, **cramped)

    def test_random_traffic_as_it_comes(self):
        for seed in range(10, 14):
            self.replay(16, RandomProgram(seed, 16).operations)

    def test_other_switches_and_fifos(self):
        for radix, fifo, cable in ((2, 1, 0), (3, 2, 3), (8, 4, 0), (16, 1, 1)):
            self.replay(20, kernel(20, 1), **{"network.radix": radix, "switch.fifo_packets": fifo,
                                              "network.cable_cycles": cable})

    def test_collectives_by_messages(self):
        for barrier in ("hierarchical", "multicast_add", "tree", "dissemination"):
            self.replay(12, kernel(12, 1), **{"library.barrier": barrier, "library.broadcast": "tree"})

    def test_more_than_64_nodes_synchronize_by_atomic_adds(self):
        self.replay(80, kernel(80, 1))
        done = self.passes(keys={"network.nodes": 130, "workload.kind": "barrier", "workload.barrier_rounds": 3})
        self.assertEqual(done.metric("flits_in_flight_at_end"), 0)


class PaperValues(MachineTest):
    def table(self, **keys):
        command = [machine.EXECUTABLE, "--out", str(self.folder / "out")]
        for key, value in keys.items():
            command += ["--set", f"{key.replace('__', '.', 1)}={value}"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=machine.TIMEOUT_S).stdout

    def test_they_stand_only_beside_what_the_paper_measured(self):
        barrier = dict(network__nodes=32, workload__kind="barrier")
        self.assertIn("fig. 10", self.table(**barrier))
        self.assertNotIn("fig.", self.table(**{**barrier, "network__nodes": 33}))
        self.assertNotIn("fig.", self.table(**barrier, library__barrier="tree"))
        dma = dict(network__nodes=16, workload__kind="dma")
        self.assertIn("fig. 7", self.table(**dma))
        self.assertNotIn("fig.", self.table(**dma, workload__dma_bytes=8))
        self.assertNotIn("fig.", self.table(**dma, workload__dma_protocol="remote_read"))
        ping = dict(network__nodes=16, workload__kind="ping_pong")
        self.assertEqual(self.table(**ping).count("fig. 6"), 2)
        self.assertNotIn("fig.", self.table(**ping, workload__message_bytes=16))


class RemoteRead(MachineTest):
    def dma(self, protocol, **more):
        keys = {"network.nodes": 16, "workload.kind": "dma", "workload.dma_source": 3, "workload.dma_destination": 9,
                "workload.dma_protocol": protocol, **more}
        return self.passes(keys=keys)

    def test_data_are_read_as_fast_as_they_are_put(self):
        put, read = (self.dma(protocol, **{"workload.dma_bytes": 2 << 20})
                     for protocol in ("remote_dma", "remote_read"))
        # Packets alone take the channel's 115 cycles; a request more travels before the first of them.
        self.assertLess(abs(read.metric("dma_time_us") / put.metric("dma_time_us") - 1), 0.01)
        self.assertEqual(read.metric("dma_bytes"), 2 << 20)

    def test_a_word_takes_a_request_more(self):
        put, read = (self.dma(protocol, **{"workload.dma_bytes": 8}) for protocol in ("remote_dma", "remote_read"))
        self.assertGreater(read.metric("dma_time_us"), put.metric("dma_time_us"))

    def test_one_reads_itself(self):
        self.dma("remote_read", **{"workload.dma_source": 9, "workload.dma_bytes": 4096})


class OddWords(MachineTest):
    """Kanoh 2000, fig. 8: source and destination differ by d words there, 32 - d back."""

    BYTES = 65536

    def throughput(self, words, **more):
        keys = {"network.nodes": 16, "workload.kind": "dma", "workload.dma_bytes": self.BYTES,
                "workload.dma_returns": "true",
                "workload.dma_source_offset": 4 * words, **more}
        return self.passes(keys=keys).metric("dma_throughput_mib_s")

    def test_the_interface_realigns_about_twice_as_fast_as_the_processor(self):
        for optimized in ("true", "false"):
            reads = {"sender.optimized_first_read": optimized}
            for words in (3, 15):
                ratio = self.throughput(words, **reads) / self.throughput(words, **{"library.realignment": "software"},
                                                                          **reads)
                self.assertLess(abs(ratio - 2), 0.4)

    def test_a_difference_of_one_word_lies_between_optimized_reads_and_others(self):
        optimized, none = self.throughput(3), self.throughput(3, **{"sender.optimized_first_read": "false"})
        one = self.throughput(1)
        self.assertLess(none * 1.01, one)
        self.assertLess(one * 1.01, optimized)

    def test_copies_do_not_lie_at_the_place_in_a_line_of_their_destination(self):
        # At it, a packet would have no line that another has read.
        for words in (1, 15, 31):
            copied = [self.throughput(words, **{"library.realignment": "software",
                                                "sender.optimized_first_read": optimized})
                      for optimized in ("true", "false")]
            self.assertGreater(copied[0], copied[1] * 1.01)

    def test_a_node_puts_to_itself_at_any_offsets(self):
        for more in ({}, {"workload.dma_returns": "true"},
                     {"workload.dma_returns": "true", "library.realignment": "software"}):
            for source, destination in ((0, 72), (4, 0), (12, 8), (0, 100)):
                self.passes(keys={"network.nodes": 16, "workload.kind": "dma", "workload.dma_bytes": 5000,
                                  "workload.dma_source": 1,
                                  "workload.dma_destination": 1, "workload.dma_source_offset": source,
                                  "workload.dma_destination_offset": destination, **more})

    def test_aligned_data_go_home_as_fast_as_they_came(self):
        keys = {"network.nodes": 16, "workload.kind": "dma", "workload.dma_bytes": self.BYTES}
        there = self.passes(keys=keys).metric("dma_time_us")
        both = self.passes(keys={**keys, "workload.dma_returns": "true"}).metric("dma_time_us")
        self.assertLess(abs(both / there - 1), 0.01)

    def test_damaged_words_are_corrected(self):
        done = self.passes(keys={
            "network.nodes": 16, "workload.kind": "dma", "workload.dma_bytes": self.BYTES - 4,
            "workload.dma_source_offset": 12,
            "workload.dma_returns": "true", "faults.single_bit_per_flit": 0.0003, "faults.data_words_only": "true"})
        self.assertGreater(done.metric("packets_corrected"), 5)

    def test_any_words(self):
        for source, destination, count in ((4, 4, 1), (0, 124, 1), (124, 0, 33), (4092, 4, 2049), (12, 4092, 1025)):
            for realignment in ("hardware", "software"):
                self.passes(keys={
                    "network.nodes": 4, "workload.kind": "dma", "workload.dma_bytes": 4 * count,
                    "workload.dma_returns": "true",
                    "workload.dma_source_offset": source, "workload.dma_destination_offset": destination,
                    "library.realignment": realignment})


class Faults(MachineTest):
    def keys(self, **more):
        return {"network.nodes": 16, "workload.kind": "trace", "workload.trace": self.write_trace("k.ti", kernel(16)),
                **more}

    def test_single_bits_of_data_words_are_corrected_and_counted(self):
        done = self.passes(keys=self.keys(**{"faults.single_bit_per_flit": 0.0005, "faults.data_words_only": "true"}))
        self.assertGreater(done.metric("packets_corrected"), 5)
        self.assertEqual(done.metric("packets_dropped"), 0)
        counts = {self.passes("--seed", str(seed), keys=self.keys(**{
            "faults.single_bit_per_flit": 0.0005, "faults.data_words_only": "true"})).metric("packets_corrected")
            for seed in range(2, 6)}
        self.assertGreater(len(counts), 1, "the seed moves the faults")

    def test_what_cannot_be_corrected_is_dropped_and_told(self):
        for channels in ("last", "all"):
            for kind in ("double_bit_per_flit", "lost_per_flit"):
                done = self.ends(1, keys=self.keys(**{f"faults.{kind}": 0.001, "faults.channels": channels}))
                self.assertRegex(done.text, r"\d+ packets were dropped because of injected faults")


class Jobs(MachineTest):
    """Traces smaller than the machine, and two at one time. Ranks compare every byte that they receive."""

    def keys(self, seed, ranks, **more):
        return {"network.nodes": 9, "workload.kind": "trace",
                "workload.trace": self.write_trace(f"{ranks}.ti", RandomProgram(seed, ranks).operations), **more}

    def test_idle_nodes_are_idle(self):
        where = [self.passes(keys=self.keys(3, 5, **{"workload.first_node": first})) for first in (0, 4)]
        whole = self.passes(keys=self.keys(3, 5, **{"network.nodes": 5}))
        for done in where:
            for metric in ("trace_messages", "trace_message_bytes", "trace_operations", "trace_compute_us_mean"):
                self.assertEqual(done.metric(metric), whole.metric(metric))

    def test_two_jobs_beside_each_other_and_on_the_same_nodes(self):
        alone = self.passes(keys=self.keys(5, 6))
        other = self.passes(keys=self.keys(6, 4))
        both = {**self.keys(5, 6), "workload.kind": "jobs", "workload.other_trace": self.folder / "4.ti"}
        apart = {**both, "network.nodes": 10, "workload.other_first_node": 6}
        shared = {**both, "workload.other_first_node": 2, "os.time_slice_us": 30}
        for keys, switches in ((apart, False), (shared, True)):
            done = self.passes(keys=keys)
            self.assertEqual(done.metric("trace_messages"), alone.metric("trace_messages"))
            self.assertEqual(done.metric("trace_message_bytes"), alone.metric("trace_message_bytes"))
            self.assertEqual(done.metric("other_trace_messages"), other.metric("trace_messages"))
            self.assertEqual(done.metric("other_trace_message_bytes"), other.metric("trace_message_bytes"))
            self.assertEqual(done.metric("other_trace_messages_sent"), other.metric("trace_messages"))
            self.assertEqual(done.metric("other_trace_bytes_sent"), other.metric("trace_message_bytes"))
            self.assertEqual(done.metric("task_switches") > 100, switches)
            again = self.passes(keys={**keys, "run.shuffle_seed": 8, "run.processes": "process_each"})
            self.assertEqual(again.result_bytes(without_config=True), done.result_bytes(without_config=True))

    def test_a_job_that_gets_no_turn_waits_for_the_other_to_end(self):
        both = {**self.keys(5, 6), "workload.kind": "jobs", "workload.other_trace": self.folder / "6.ti",
                "os.time_slice_us": 0}
        done = self.passes(keys=both)
        self.assertEqual(done.metric("task_switches"), 6)
        ends = {row[0]: row[2] for row in done.json()["tables"]["phases"]["rows"]}
        self.assertGreater(ends["other_trace"], 1.8 * ends["trace"])

    def test_what_waits_forever_is_named_by_its_task(self):
        waits = self.write_trace("d.ti", [["recv 1 0 8 6", "send 1 0 8 6"], ["recv 0 0 8 6", "send 0 0 8 6"]])
        both = {**self.keys(5, 2), "workload.kind": "jobs", "workload.other_trace": waits, "os.time_slice_us": 20}
        done = self.ends(1, keys=both)
        self.assertIn("2 of 4 programs wait forever", done.text)
        self.assertIn("node 0, task 1, waits since", done.text)
        self.assertIn("job 0: 0 of 2 ranks wait forever", done.text)
        self.assertIn("job 1: 2 of 2 ranks wait forever", done.text)

    def test_too_few_nodes(self):
        self.refused(["workload.trace", "6 ranks", "up to 5 ranks from node 4 on"],
                     keys=self.keys(5, 6, **{"workload.first_node": 4}))
        both = {**self.keys(5, 6), "workload.kind": "jobs", "workload.other_trace": self.folder / "6.ti"}
        self.refused(["workload.other_trace", "6 ranks", "up to 2 ranks from node 7 on"],
                     keys={**both, "workload.other_first_node": 7})


class Refusals(MachineTest):
    def test_configurations(self):
        cases = [
            ({"network.nods": 4}, ["--set network.nods=4", "unknown key", "network.nodes"]),
            ({"network.nodes": "many"}, ["network.nodes", "many"]),
            ({"network.nodes": 2000}, ["network.nodes", "2000", "1024"]),
            ({"network.nodes": 256, "network.stages": 3}, ["network.stages", "4..12"]),
            ({"network.nodes": 8, "workload.dma_destination": 8, "workload.kind": "dma"},
             ["workload.dma_destination", "0..7"]),
            ({"workload.dma_bytes": 10}, ["workload.dma_bytes", "multiple of 4"]),
            ({"workload.dma_bytes": 12, "workload.dma_protocol": "remote_read"},
             ["workload.dma_bytes", "multiple of 8"]),
            ({"workload.dma_source_offset": 6}, ["workload.dma_source_offset", "multiple of 4"]),
            ({"workload.dma_destination_offset": 4, "workload.dma_protocol": "remote_read"},
             ["workload.dma_destination_offset", "multiple of 8"]),
            ({"workload.dma_returns": "true", "workload.dma_protocol": "remote_read"},
             ["workload.dma_returns", "remote_dma"]),
            ({"workload.kind": "trace", "library.realignment": "software"}, ["library.realignment", "dma, demo"]),
            ({"workload.kind": "dma", "workload.barrier_rounds": 3}, ["workload.barrier_rounds", "barrier, demo"]),
            ({"workload.npb_steps": 3}, ["workload.npb_steps", "workload.npb set"]),
            ({"switch.mode": "fast"}, ["switch.mode", "fast", "flit_by_flit"]),
            ({"workload.trace": "/nowhere/x.ti"}, ["/nowhere/x.ti"]),
        ]
        for keys, parts in cases:
            self.refused(parts, keys=keys)

    def test_files(self):
        config = self.write("c.yaml", "network:\n  nodes: 16\n  radix: 99\n")
        self.refused(["c.yaml:3:10", "network.radix", "99"], str(config))
        trace = self.write("t.ti", "0 init\n0 dance 3\n0 finalize\n")
        self.refused(["t.ti:2", "dance"], keys={"network.nodes": 8, "workload.trace": trace})
        self.refused(["trace", "16 ranks"], keys={"network.nodes": 8,
                                                  "workload.trace": self.write_trace("k.ti", kernel(16))})
        self.refused(["--window", "7:3"], "--waves", "--window", "7:3")

    def test_ranks_that_wait_for_each_other(self):
        trace = self.write_trace("d.ti", [["recv 1 0 8 6", "send 1 0 8 6"], ["recv 0 0 8 6", "send 0 0 8 6"]])
        done = self.ends(1, keys={"network.nodes": 2, "workload.kind": "trace", "workload.trace": trace})
        self.assertIn("2 of 2 programs wait forever", done.text)
        self.assertRegex(done.text, re.compile("rank 0.*rank 1", re.S))
        self.assertIn(f"rank 1: operation 1 of 4: recv 0 0 8 ({trace}:6)", done.text)


if __name__ == "__main__":
    machine.main()
