# SPDX-License-Identifier: Apache-2.0
"""The edges of the command line: what a user mistypes, forgets or drives to its limits, from outside."""

import pathlib

import machine
from machine import MachineTest, kernel, trace_text


class BadWords(MachineTest):
    """Bad input ends with 2 and names the error, its place and what would be accepted; never a result."""

    def test_values(self):
        cases = [
            ({"network": 4}, ["--set network=4", "network"]),
            ({"": 4}, ["--set"]),
            ({"workload.kind": ""}, ["workload.kind", "demo"]),
            ({"network.nodes": "0x"}, ["network.nodes", "2..1024"]),
            ({"network.nodes": "8.0"}, ["network.nodes", "not an integer", "2..1024"]),
            ({"network.nodes": -8}, ["network.nodes", "negative"]),
            ({"network.nodes": 1}, ["network.nodes", "2..1024"]),
            ({"network.nodes": 2 ** 64}, ["network.nodes", "2..1024"]),
            ({"network.radix": 1}, ["network.radix", "2..16"]),
            ({"network.radix": 17}, ["network.radix", "2..16"]),
            ({"network.nodes": "[8]"}, ["network.nodes", "not an integer"]),
            ({"waves.lines": "[0, many]"}, ["waves.lines", "many"]),
            ({"faults.data_words_only": "yes"}, ["faults.data_words_only", "true"]),
            ({"faults.single_bit_per_flit": 1.5}, ["faults.single_bit_per_flit", "0..1"]),
            ({"faults.single_bit_per_flit": 0.6, "faults.lost_per_flit": 0.6}, ["faults.", "at most 1"]),
            ({"sizes.header_flits": 5}, ["sizes.header_flits", "6..64"]),
            ({"sizes.multicast_header_flits": 8}, ["sizes.multicast_header_flits", "9..64"]),
            ({"sizes.synchronization_header_flits": 14}, ["sizes.synchronization_header_flits", "up to 13"]),
            ({"library.header_queue_bytes": 5000}, ["library.header_queue_bytes", "5000"]),
            ({"cache.bytes": 4224}, ["cache.bytes"]),
        ]
        for keys, parts in cases:
            with self.subTest(keys=keys):
                self.refused(parts, keys=keys)
        for scale in ("nan", "inf", "-1", "1e7", "1,5", ".nan"):
            with self.subTest(scale=scale):
                self.refused(["workload.compute_scale", scale, "0..1e"], keys={"workload.compute_scale": scale})

    def test_arguments(self):
        config = self.write("c.yaml", "network:\n  nodes: 8\n")
        cases = [
            (["--set", "network.nodes"], ["network.nodes"]),
            (["--seed", "-1"], ["--seed"]),
            (["--seed", "one"], ["--seed", "one"]),
            (["--trace", "packets"], ["--trace=packets", "--records"]),
            (["--waves-format", "gif"], ["--waves-format", "vcd, fst"]),
            (["--window", "1:2"], ["--window", "--waves"]),
            (["--waves", "--window", ":"], ["--window", "FROM:TO"]),
            (["--waves", "--window", "1.0001:2"], ["--window", "FROM:TO"]),
            (["--waves", "--window", "-1:2"], ["--window", "FROM:TO"]),
            (["--nodes", "8"], ["--nodes"]),
            ([str(config), str(config)], [str(config)]),
            ([str(self.folder / "no.yaml")], ["no.yaml"]),
            ([str(self.folder)], [str(self.folder)]),
        ]
        for arguments, parts in cases:
            with self.subTest(arguments=arguments):
                self.refused(parts, *arguments)

    def test_configuration_files(self):
        cases = [
            ("network:\n  nodes: 8\n  nodes: 16\n", [":3:", "network.nodes"]),
            ("network: [8]\n", [":1:", "network"]),
            ("network:\n\tnodes: 8\n", [":2:"]),
            ("workload:\n  kind: Demo\n", [":2:9", "Demo", "demo"]),
            ("workload:\n  compute_scale: .inf\n", [":2:18", "workload.compute_scale"]),
            ("workload:\n  compute_scale: -0.5\n", [":2:18", "out of range"]),
            ("just text\n", [":1:"]),
        ]
        for number, (text, parts) in enumerate(cases):
            with self.subTest(text=text):
                name = f"c{number}.yaml"
                self.refused([name + parts[0], *parts[1:]], str(self.write(name, text)))

    def test_an_output_folder_that_cannot_be(self):
        self.write("file", "")
        for place in ("file", "file/below", "/proc/nobody/writes/here"):
            with self.subTest(place=place):
                self.refused(["--out", place, "cannot be written"], "--out", place, keys={"network.nodes": 2})
        self.assertEqual((self.folder / "file").read_text(), "")

    def test_a_failed_run_leaves_no_older_result_and_a_refused_one_leaves_it(self):
        out = self.folder / "same"
        keys = {"network.nodes": 2, "workload.kind": "trace"}
        good = self.write_trace("good.ti", [["barrier"], ["barrier"]])
        bad = self.write("bad.ti", "0 init\n0 dance\n0 finalize\n")
        self.assertEqual(self.run_machine("--out", str(out), keys={**keys, "workload.trace": good}).code, 0)
        before = (out / "result.json").read_text()
        self.assertEqual(self.run_machine("--out", str(out), keys={**keys, "workload.trace": bad}).code, 2)
        self.assertEqual((out / "result.json").read_text(), before)
        waits = self.write_trace("waits.ti", [["recv 1 0 8 6", "send 1 0 8 6"], ["recv 0 0 8 6", "send 0 0 8 6"]])
        self.assertEqual(self.run_machine("--out", str(out), keys={**keys, "workload.trace": waits}).code, 1)
        self.assertFalse((out / "result.json").exists())
        self.assertIn("wait", (out / "failure.txt").read_text())


class BadTraces(MachineTest):
    def keys(self, trace, **more):
        return {"network.nodes": 2, "workload.kind": "trace", "workload.trace": trace, **more}

    def test_files(self):
        whole = trace_text(kernel(2, 1))
        cases = [
            (self.write("empty.ti", ""), ["empty.ti:1", "no ranks"]),
            (self.write("cut.ti", whole[:-len("1 finalize\n")]), ["cut.ti:", "truncated"]),
            (self.write("word.ti", whole[:-2]), ["word.ti:", "finaliz", "unknown operation"]),
            (self.write("more.ti", trace_text(kernel(3, 1))), ["3 ranks", "2"]),
            (self.folder, [str(self.folder), "Is a directory"]),
            ("/proc/self/mem", ["/proc/self/mem", "Input/output error"]),
            (self.folder / "none.ti", ["none.ti", "No such file"]),
        ]
        for trace, parts in cases:
            with self.subTest(trace=str(trace)):
                self.refused(parts, keys=self.keys(trace))

    def test_a_compressed_file_that_is_cut_short(self):
        whole = (pathlib.Path(__file__).parents[2] / "platforms/traces/transpose64.ti.zst").read_bytes()
        for kept in (len(whole) - 5, len(whole) // 2, 5):
            packed = self.folder / f"cut{kept}.ti.zst"
            packed.write_bytes(whole[:kept])
            self.refused([f"{packed.name}:", "truncated"], keys={**self.keys(packed), "network.nodes": 64})

    def test_compute_times_that_no_run_can_last(self):
        """2^47 cycles of 12.5 ns, 20 days of simulated time, are the end of every run."""
        longest_flops = 2 ** 47 * 25 // 2
        cases = [
            (["compute 99999999999999999999"], 1, ["t.ti:2", "flops", "too large"]),
            (["compute -5"], 1, ["t.ti:2", "-5"]),
            (["compute nan"], 1, ["t.ti:2", "nan"]),
            (["compute 1e9"], 1, ["t.ti:2", "1e9"]),
            ([f"compute {longest_flops + 1000}"], 1, ["t.ti:2", "computes for too long", "workload.compute_scale"]),
            ([f"compute {longest_flops // 2}"] * 3, 1, ["t.ti:4", "computes for too long"]),
            (["compute 10", "barrier", f"compute {longest_flops // 1000}"], 1001, ["t.ti:4", "computes for too long"]),
        ]
        for operations, scale, parts in cases:
            with self.subTest(operations=operations, scale=scale):
                trace = self.write_trace("t.ti", [operations, []])
                self.refused(parts, keys=self.keys(trace, **{"workload.compute_scale": scale}))
        # A scale of 0 takes any amount; -0 is 0.
        trace = self.write_trace("t.ti", [[f"compute {2 ** 63 - 1}"], []])
        for scale in ("0", "-0"):
            self.passes(keys=self.keys(trace, **{"workload.compute_scale": scale}))

    def test_ranks_that_compute_one_after_the_other_for_too_long(self):
        """None of them alone is too long, so that only the run finds it."""
        half = 2 ** 47 * 25 // 2 * 3 // 4
        trace = self.write_trace("t.ti", [[f"compute {half}", "send 1 0 8 6"], ["recv 0 0 8 6", f"compute {half}"]])
        done = self.ends(1, keys=self.keys(trace))
        self.assertIn("longer than a run may last", done.text)
        self.assertFalse((done.out / "result.json").exists())

    def test_long_compute_times_cost_nothing(self):
        hour = 3600 * 10 ** 9
        done = self.passes(keys=self.keys(self.write_trace("t.ti", [[f"compute {hour}", "barrier"], ["barrier"]])))
        self.assertGreater(done.metric("trace_time_us"), 3600e6)
        self.assertLess(done.metric("trace_time_us"), 3600e6 + 1000)


class Limits(MachineTest):
    def test_the_smallest_and_the_largest_machine_boot(self):
        for nodes in (2, 1024):
            done = self.passes(keys={"network.nodes": nodes, "workload.kind": "boot"})
            self.assertEqual(done.metric("packets_sent"), 0)
            self.assertEqual(done.json()["config"]["network"]["nodes"], nodes)

    def test_switches_of_two_and_of_sixteen_ports(self):
        for radix, nodes in ((2, 2), (2, 64), (16, 16), (16, 64), (16, 17)):
            with self.subTest(radix=radix, nodes=nodes):
                trace = self.write_trace("k.ti", kernel(nodes, 1))
                done = self.passes(keys={"network.radix": radix, "network.nodes": nodes, "workload.trace": trace,
                                         "workload.kind": "trace"})
                self.assertEqual(done.metric("flits_in_flight_at_end"), 0)
                self.assertGreater(done.metric("packets_delivered"), nodes)

    def test_a_rank_for_every_node(self):
        for kind, ranks, nodes in (("demo", 3, 4), ("demo", 5, 4), ("trace", 5, 4)):
            self.refused(["workload.trace", f"{ranks} ranks", f"{nodes} ranks", "one on each node"],
                         keys={"network.nodes": nodes, "workload.kind": kind,
                               "workload.trace": self.write_trace("k.ti", kernel(ranks))})

    def test_programs_that_do_nothing_and_messages_to_oneself(self):
        alone = ["compute 0", "send 0 0 8 6", "recv 0 0 8 6", "isend 0 1 0 6", "recv 0 1 0 6", "waitall 1"]
        for ranks in ([[], []], [alone, []]):
            self.passes(keys={"network.nodes": 2, "workload.kind": "trace",
                              "workload.trace": self.write_trace("one.ti", ranks)})


class Windows(MachineTest):
    KEYS = {"network.nodes": 4, "workload.kind": "multicast"}

    def waveform(self, *window):
        done = self.passes("--waves", "--waves-format", "vcd", *window, keys=self.KEYS)
        head, _, body = (done.out / "machine.vcd").read_text().partition("$enddefinitions $end\n")
        times = [int(line[1:]) for line in body.splitlines() if line.startswith("#")]
        self.assertIn("$timescale 1 ps", " ".join(head.split()).replace("1ps", "1 ps"))
        return done, times

    def test_a_window_holds_what_lies_in_it(self):
        whole, all_times = self.waveform()
        middle = all_times[len(all_times) // 2] // 1000
        end = middle + 2000
        part, times = self.waveform("--window", f"{middle}:{end}")
        self.assertEqual(part.result_bytes(), whole.result_bytes())
        inside = [time for time in all_times if 1000 * middle < time <= 1000 * end]
        self.assertTrue(inside)
        self.assertEqual([time for time in times if time in set(inside)], inside)
        self.assertTrue(all(1000 * middle <= time <= 1000 * end for time in times[1:]), times)

    def test_open_ends_and_a_window_behind_the_run(self):
        whole, all_times = self.waveform()
        for window in ("0:", f":{10 ** 9}", "0.000:"):
            done, times = self.waveform("--window", window)
            self.assertEqual([time for time in times if time in set(all_times)], all_times, window)
        done, times = self.waveform("--window", f"{10 ** 9}:")
        result, expected = done.json(), whole.json()
        self.assertEqual(len(result.pop("warnings")), 1)
        for one in (result, expected):
            del one["metrics"]["wall_seconds"]
        self.assertEqual(result, expected)
        self.assertLessEqual(len(times), 2, "nothing happens there")


class Resolved(MachineTest):
    def test_a_resolved_file_with_more_on_top_resolves_again(self):
        config = self.write("c.yaml", "network:\n  nodes: 8\nworkload:\n  kind: barrier\n  barrier_rounds: 3\n")
        first = self.passes(str(config), "--seed", "7", keys={"network.nodes": 4, "switch.fifo_packets": 2})
        second = self.passes(str(first.out / "resolved.yaml"), keys={"workload.barrier_rounds": 9})
        again = self.passes(str(second.out / "resolved.yaml"))
        self.assertEqual((again.out / "resolved.yaml").read_bytes(), (second.out / "resolved.yaml").read_bytes())
        self.assertEqual(again.result_bytes(), second.result_bytes())
        self.assertNotEqual(second.result_bytes(True), first.result_bytes(True))
        config = again.json()["config"]
        self.assertEqual((config["network"]["nodes"], config["switch"]["fifo_packets"]), (4, 2))
        self.assertEqual((config["workload"]["barrier_rounds"], again.json()["seed"]), (9, 7))

    def test_printed_configuration_is_the_resolved_one_and_nothing_runs(self):
        keys = {"network.nodes": 4, "workload.kind": "demo", "workload.compute_scale": "1e-3",
                "workload.trace": self.write_trace("k.ti", kernel(4))}
        printed = self.ends(0, "--print-config", "all", keys=keys)
        self.assertFalse(printed.out.exists())
        config = self.write("printed.yaml", printed.text)
        done = self.passes(str(config))
        self.assertEqual((done.out / "resolved.yaml").read_text(), printed.text)

    def test_a_key_that_is_set_twice(self):
        """In a file it is refused; of two assignments the last one holds; --seed and an assignment have no order."""
        keys = self.write("twice.yaml", "network.nodes: 16\nnetwork.nodes: 8\n")
        self.refused([f"{keys}:2:1: network.nodes: set twice, first at {keys}:1:1"], str(keys))
        done = self.ends(0, "--print-config", "--set", "network.nodes=16", "--set", "network.nodes=8")
        self.assertIn("\n  nodes: 8  # --set network.nodes=8\n", done.text)
        self.refused(["network.nodes=9999"], "--set", "network.nodes=9999", "--set", "network.nodes=8")
        self.refused(["seed", "set twice"], "--set", "seed=8", "--seed", "4")

    def test_an_assignment_in_two_words(self):
        for more in ([], ["--quiet"], ["--set", "seed=1"]):
            self.refused(["--set: key and value are one word (got 'network.nodes 8'); accepted: --set network.nodes=8"],
                         "--set", "network.nodes", "8", *more)
        self.refused(["--set network.nodes: not an assignment; accepted: --set network.nodes=value"], "--set",
                     "network.nodes")

    def test_what_the_command_line_says_cannot_drive_the_terminal(self):
        for arguments in (["--set", "workload.kind=\x1b[31mdemo"], ["\x1b]0;title\x07.yaml"], ["--\x1b[2J"],
                          ["--out", "/proc/\x1bx"],
                          ["--set", "workload.kind=trace", "--set", "workload.trace=\x1b[2J"]):
            done = self.ends(2, *arguments)
            self.assertNotIn("\x1b", done.text)
            self.assertIn("\\x1b", done.text)

    def test_every_listed_key_is_in_the_resolved_file(self):
        listed = self.ends(0, "--list-keys")
        printed = self.run_machine("--print-config", "all").text
        for key in ("network.nodes", "workload.compute_scale", "seed", "waves.lines"):
            self.assertIn(key, listed.text)
            self.assertIn(key.rsplit(".")[-1] + ":", printed)


if __name__ == "__main__":
    machine.main()
