#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Traces whose ranks disagree are refused before elaboration, alike by every platform and node that plays one. The
executable is any platform with the keys workload.trace."""

import pathlib

import machine
from machine import MachineTest, kernel, trace_text

# Operations of two ranks; the line that is refused and the other rank's; parts of the text.
DISAGREE = {
    "alltoallv": ((["alltoallv 5 2 3 11 2 9 6 6"], ["alltoallv 10 9 1 5 4 1 6 6"]), 5, 2,
                  ["rank 1 receives other bytes from rank 0", "(got '4'); accepted: 3"]),
    "bytes of a bcast": ((["bcast 100 0 6"], ["bcast 200 0 6"]), 5, 2,
                         ["collective operation 1 of rank 1 is not that of rank 0", "bcast 200",
                          "accepted: bcast 100, root 0"]),
    "roots": ((["reduce 100 0 0 6"], ["reduce 100 0 1 6"]), 5, 2,
              ["(got 'reduce 100, root 1'); accepted: reduce 100, root 0"]),
    "order": ((["barrier", "allreduce 8 0 6"], ["allreduce 8 0 6", "barrier"]), 6, 2,
              ["(got 'allreduce 8'); accepted: barrier"]),
    "fewer collectives": ((["barrier", "barrier"], ["barrier"]), 7, 3,
                          ["collective operation 2", "(got 'finalize'); accepted: barrier"]),
    "longer than its receive": ((["send 1 0 200 6"], ["recv 0 0 100 6"]), 5, 2,
                                ["(got '100'); accepted: at least 200"]),
    "not received": ((["send 1 0 8 6"], []), 2, 5, ["rank 0 sends a message that rank 1 does not receive",
                                                    "send 1 0 8"]),
    "not sent": (([], ["recv 0 0 8 6"]), 4, 2, ["rank 1 receives a message that rank 0 does not send", "recv 0 0 8"]),
}


class Disagree(MachineTest):
    def machines(self):
        """Keys of every way to play a trace of two ranks."""
        if pathlib.Path(machine.EXECUTABLE).name == "cenju4":
            return [{"network.nodes": 2, "workload.kind": "trace"}, {"network.nodes": 2}]
        network = {"topology.radices": "[2]", "workload.kind": "trace"}
        return [network, {**network, "nic.kind": "cenju4", "clock_period_ps": 12500},
                {**network, "workload.ranks_per_node": 2}]

    def test_both_ranks_and_lines_are_named(self):
        for name, (ranks, line, other, parts) in DISAGREE.items():
            trace = self.write_trace("d.ti", ranks)
            for keys in self.machines():
                with self.subTest(case=name, keys=keys):
                    self.refused([f"{trace}:{line}: workload.trace: ", f"{trace}:{other})", "rank 0", "rank 1", *parts],
                                 keys={**keys, "workload.trace": trace})

    def test_a_receive_may_take_a_shorter_message(self):
        trace = self.write_trace("s.ti", [["send 1 0 100 6", "isend 1 1 5000 6", "waitall 1"],
                                          ["recv 0 0 200 6", "irecv 0 1 6000 6", "waitall 1"]])
        for keys in self.machines():
            with self.subTest(keys=keys):
                done = self.passes(keys={**keys, "workload.kind": "trace", "workload.trace": trace})
                self.assertEqual(done.metric("trace_bytes_sent"), 5100)

    def test_a_pipe_has_lines_too(self):
        text = trace_text([["send 1 0 200 6"], ["recv 0 0 100 6"]])
        for keys in self.machines():
            self.refused(["/dev/stdin:5: workload.trace: ", "/dev/stdin:2)"],
                         keys={**keys, "workload.trace": "/dev/stdin"}, text=text)

    def test_the_second_job_is_checked_too(self):
        if pathlib.Path(machine.EXECUTABLE).name != "cenju4":
            return
        trace = self.write_trace("d.ti", [["barrier"], []])
        self.refused([f"{trace}:5: ", f"{trace}:2)"],
                     keys={"network.nodes": 4, "workload.kind": "jobs",
                           "workload.trace": self.write_trace("k.ti", kernel(2)),
                           "workload.other_trace": trace})


if __name__ == "__main__":
    machine.main()
