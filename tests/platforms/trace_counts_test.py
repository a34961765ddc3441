#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts of a trace in a result, counted here line by line: operations without comments, messages and bytes, on every
platform that plays one; a trace without compute times; a heap that is too small for one. The executable is any platform
with the keys workload.trace."""

import pathlib
import subprocess

import machine
from machine import MachineTest, RandomProgram, trace_text


def counts(text):
    """Operations, compute operations, messages and their bytes of a TI text."""
    words = [line.split() for line in text.splitlines() if not line.startswith("#")]
    sends = [int(line[4]) for line in words if line[1] in ("send", "isend")]
    computes = sum(line[1] == "compute" and int(line[2]) > 0 for line in words)
    return {"trace_operations": len(words), "trace_compute_operations": computes, "trace_messages": len(sends),
            "trace_message_bytes": sum(sends), "trace_messages_sent": len(sends), "trace_bytes_sent": sum(sends)}


class Counts(MachineTest):
    def machines(self, nodes):
        """Keys of every way to play a trace on so many nodes."""
        if pathlib.Path(machine.EXECUTABLE).name == "cenju4":
            return [{"network.nodes": nodes, "workload.kind": "trace"}]
        network = {"topology.radices": {4: "[2,2]", 16: "[4,4]"}[nodes], "workload.kind": "trace",
                   "clock_period_ps": 12500}
        return [network, {**network, "nic.kind": "cenju4"},
                {**network, "topology.radices": {4: "[2]", 16: "[4,2]"}[nodes], "workload.ranks_per_node": 2,
                 "nic.eager_bytes": 100}]

    def check(self, text, nodes, **keys):
        trace = self.write(f"t{self.runs}.ti", text)
        for one in self.machines(nodes):
            with self.subTest(keys=one):
                done = self.passes(keys={**one, "workload.trace": trace, **keys})
                for name, value in counts(text).items():
                    self.assertEqual(done.metric(name), value, name)

    def test_counts_are_those_of_the_text(self):
        for seed, nodes in ((3, 4), (4, 16)):
            lines = trace_text(RandomProgram(seed, nodes).operations).splitlines()
            marked = []
            for line in lines:
                marked.append(line)
                if line.endswith(" init"):
                    marked += ["# a comment", "# roi_begin"]
                if line.endswith(" finalize"):
                    marked.insert(-1, "# roi_end")
            self.check("\n".join(marked) + "\n", nodes)

    def test_the_digest_is_of_the_data_and_of_nothing_else(self):
        """Slower memory changes times; one byte more, one message less or another tag changes the data."""
        def digest(operations, **keys):
            nodes = next(one for one in self.machines(4) if "nic.kind" in one or "network.nodes" in one)
            trace = self.write_trace(f"digest{self.runs}.ti", operations)
            done = self.passes(keys={**nodes, "workload.trace": trace, **keys})
            return done.metric("trace_data_digest"), done.metric("trace_time_us")

        def ring(size, tag=7, last=True):
            return [[f"isend {(rank + 1) % 4} {tag} {size} 6", f"recv {(rank - 1) % 4} {tag} {size} 6",
                     f"wait {rank} {(rank + 1) % 4} {tag}",
                     "barrier"] + (["bcast 100 0 6"] if last else []) for rank in range(4)]

        (first, time), (slow, longer) = digest(ring(5000)), digest(ring(5000), **{"memory.first_word_ns": 900})
        self.assertEqual(first, slow)
        self.assertLess(time, longer)
        self.assertRegex(first, "^[0-9a-f]{16}$")
        others = [digest(ring(5001)), digest(ring(5000, tag=8)), digest(ring(5000, last=False))]
        self.assertEqual(len({first, *(found for found, _ in others)}), 4)

    def test_repeated_steps_count_as_often_as_they_are_done(self):
        tool = pathlib.Path(machine.EXECUTABLE).with_name("skeleton")
        for name, steps in (("cg.S.4", 2), ("mg.S.4", 2)):
            text = subprocess.run([tool, name, "--iterations", str(steps)], capture_output=True, text=True,
                                  check=True).stdout
            for one in self.machines(4):
                done = self.passes(keys={**one, "workload.npb": name, "workload.npb_steps": steps})
                for key, value in counts(text).items():
                    self.assertEqual(done.metric(key), value, key)

    def test_a_trace_without_compute_times_says_so(self):
        quiet, busy = ["barrier"], ["compute 500", "barrier"]
        for operations, scale, said in ((quiet, 1, "; the trace has no compute times"),
                                        (["compute 0", "barrier"], 1, "; the trace has no"),
                                        (busy, 0, "; compute times are scaled to 0"), (busy, 1, "")):
            trace = self.write_trace("t.ti", [operations] * 4)
            for keys in self.machines(4):
                command = [machine.EXECUTABLE, "--out", self.folder / "shown"]
                for key, value in {**keys, "workload.trace": trace, "workload.compute_scale": scale}.items():
                    command += ["--set", f"{key}={value}"]
                headline = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
                self.assertEqual("compute times" in headline, said != "", headline)
                self.assertIn(said, headline)


class Heaps(Counts):
    """A heap that cannot hold what a rank has in use is refused before the run, with what would do."""

    def machines(self, nodes):
        return [keys for keys in super().machines(nodes) if "workload.ranks_per_node" not in keys
                and ("nic.kind" in keys or "network.nodes" in keys)]

    test_counts_are_those_of_the_text = test_repeated_steps_count_as_often_as_they_are_done = None
    test_a_trace_without_compute_times_says_so = test_the_digest_is_of_the_data_and_of_nothing_else = None

    def refused_with(self, parts, operations, **keys):
        trace = self.write_trace("h.ti", operations + [["barrier"]] * (4 - len(operations)))
        for one in self.machines(4):
            self.refused(parts, keys={**one, "workload.trace": trace, **keys})

    def test_messages_that_are_open_at_a_time(self):
        many = [["isend 1 0 300000 6"] * 4 + ["waitall 4", "barrier"], ["recv 0 0 300000 6"] * 4 + ["barrier"]]
        self.refused_with(["--set library.heap_bytes=1048576: library.heap_bytes: too small for the trace: rank 0 has",
                           "at isend 1 0 300000", "accepted: at least 1"], many, **{"library.heap_bytes": 1 << 20})
        one = [["isend 1 0 3000 6", "wait 0 1 0", "barrier"], ["recv 0 0 3000 6", "barrier"], ["barrier"], ["barrier"]]
        trace = self.write_trace("fits.ti", one)
        for keys in self.machines(4):
            self.passes(keys={**keys, "workload.trace": trace, "library.heap_bytes": 1 << 20})

    def test_collectives(self):
        for operation in ("allreduce 600000 0 6", "reduce 600000 0 0 6", "alltoall 140000 140000 6 6",
                          "bcast 1200000 0 6",
                          "alltoallv 1200000 300000 300000 300000 300000 1200000 300000 300000 300000 300000 6 6"):
            self.refused_with(["library.heap_bytes: too small for the trace", operation.split()[0]], [[operation]] * 4,
                              **{"library.heap_bytes": 1 << 20})

    def test_messages_that_no_heap_holds(self):
        for size in (2 ** 28 + 1, 2 ** 32, 2 ** 32 + 8, 2 ** 62):
            self.refused_with(["workload.trace: rank 0 has too large a message: send 1 0 " + str(size),
                               "0..268435456 bytes"],
                              [[f"send 1 0 {size} 6", "barrier"], [f"recv 0 0 {size} 6", "barrier"]])
        self.refused_with(["workload.trace: no heap holds the messages"], [["alltoall 200000000 200000000 6 6"]] * 4)


if __name__ == "__main__":
    machine.main()
