#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks over time, messages between them and the critical path: observe.ranks. usage: ranks_test.py NETWORK"""

import csv
import unittest

import machine

ON = {"observe.ranks": "true", "workload.kind": "trace"}


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Ranks(machine.MachineTest):
    def play(self, *words, **keys):
        """(the run, spans by rank, steps of the critical path), which are checked."""
        done = self.passes(*words, keys={**ON, **keys})
        spans = {}
        for row in rows_of(done.out / "rank_timeline.csv"):
            spans.setdefault(int(row["rank"]), []).append(row)
        period_us = done.json()["config"]["clock_period_ps"] * 1e-6
        for rank, _, total, compute, waiting in done.json()["tables"]["trace_ranks"]["rows"]:
            own = spans.get(rank, [])
            for waits, time in (("0", compute), ("1", waiting)):
                cycles = sum(int(row["cycles"]) for row in own if row["waits"] == waits)
                self.assertEqual(cycles, round(time / period_us), (rank, waits))
            at = 1
            for row in own:
                self.assertGreaterEqual(int(row["first_cycle"]), at)
                at = int(row["first_cycle"]) + int(row["cycles"])
                self.assertEqual(row["waits"] == "1", row["operation"] != "compute")
            self.assertEqual(at, 1 + round(total / period_us))
        pairs = rows_of(done.out / "rank_messages.csv")
        self.assertEqual([sum(int(row[name]) for row in pairs) for name in ("messages", "bytes")],
                         [done.metric("messages") + done.metric("local_messages"),
                          done.metric("message_bytes") + done.metric("local_bytes")])
        return done, spans, self.path(done, spans)

    def path(self, done, spans):
        """Steps follow each other from the first cycle to the last; those of computing are spans of their rank."""
        steps = rows_of(done.out / "critical_path.csv")
        at = 1
        for step, after in zip(steps, steps[1:] + [None]):
            self.assertEqual(int(step["first_cycle"]), at)
            at += int(step["cycles"])
            if after is not None:
                self.assertEqual(step["rank"], after["from"])
            if step["part"] == "computing":
                self.assertEqual(step["rank"], step["from"])
                self.assertTrue(any(row["operation"] == "compute" and row["first_cycle"] == step["first_cycle"]
                                    for row in spans[int(step["rank"])]))
        self.assertEqual(at - 1, done.metric("trace_cycles"))
        rows = {row[0]: row[1:] for row in done.json()["tables"]["critical_path"]["rows"]}
        for name, part in (("computing", "computing"), ("messages", "message")):
            of = [int(step["cycles"]) for step in steps if step["part"] == part]
            self.assertEqual(rows[name][:2], [len(of), sum(of)])
        return steps

    def test_a_message_by_hand(self):
        trace = self.write_trace("t.ti", [["compute 1000", "send 1 5 100 6"],
                                          ["compute 100", "recv 0 5 100 6", "compute 500"]])
        _, spans, path = self.play(**{"workload.trace": trace, "topology.radices": "[2]"})
        self.assertEqual([(step["part"], step["rank"], step["from"]) for step in path],
                         [("computing", "0", "0"), ("message", "1", "0"), ("computing", "1", "1")])
        self.assertEqual([path[0]["cycles"], path[2]["cycles"]], ["1000", "500"])
        wait = spans[1][1]
        self.assertEqual([wait[name] for name in ("operation", "first_cycle", "source", "destination")],
                         ["recv", "101", "0", "1"])
        self.assertEqual(int(wait["cycles"]), 900 + int(path[1]["cycles"]))

    def test_a_late_receiver_by_hand(self):
        # The announcement waits for the receive: what the receiver computes before is critical.
        trace = self.write_trace("t.ti", [["compute 10", "send 1 5 9000 6"], ["compute 5000", "recv 0 5 9000 6"]])
        _, spans, path = self.play(**{"workload.trace": trace, "topology.radices": "[2]"})
        self.assertEqual([(step["part"], step["rank"], step["from"]) for step in path],
                         [("computing", "1", "1"), ("message", "1", "1")])
        self.assertEqual([spans[0][1]["operation"], spans[0][1]["source"]], ["send", "0"])
        # A receiver that is ready waits for the announcement, and the sender's computing is critical.
        trace = self.write_trace("u.ti", [["compute 5000", "send 1 5 9000 6"], ["compute 10", "recv 0 5 9000 6"]])
        _, _, path = self.play(**{"workload.trace": trace, "topology.radices": "[2]"})
        self.assertEqual([(step["part"], step["rank"], step["from"]) for step in path],
                         [("computing", "0", "0"), ("message", "1", "0")])

    def test_a_sender_that_waits(self):
        # Rank 0's send ends last, and its receiver is late.
        late = ["compute 5000", "irecv 0 5 9000 6", "waitall 1"]
        trace = self.write_trace("t.ti", [["send 1 5 9000 6", "compute 9"], late])
        _, _, path = self.play(**{"workload.trace": trace, "topology.radices": "[2]"})
        self.assertEqual(path[0]["part"], "computing")
        self.assertEqual(path[0]["rank"], "1")

    def test_applications(self):
        kernel = self.write_trace("kernel.ti", machine.kernel(8))
        npb = {"topology.radices": "[4, 4]", "workload.npb": "is.S.16", "workload.npb_steps": 1}
        for keys in (npb, {**npb, "nic.eager_bytes": 0}, {**npb, "workload.placement": "random"},
                     {"workload.trace": kernel, "topology.radices": "[4, 2]"},
                     {"workload.trace": kernel, "topology.radices": "[2, 2]", "workload.ranks_per_node": 2,
                      "nic.eager_bytes": 100},
                     {"workload.trace": kernel, "topology.radices": "[4, 2]", "collectives.all_to_all": "linear"},
                     {"workload.kind": "collective", "workload.collective": "all_reduce", "topology.radices": "[4, 2]",
                      "workload.collective_bytes": 4000}):
            with self.subTest(keys):
                self.play(**keys)

    def test_threads_and_results(self):
        keys = {"topology.radices": "[4, 4]", "workload.npb": "is.S.16", "workload.npb_steps": 1}
        one, _, _ = self.play(**keys)
        two, _, _ = self.play("--threads", "2", **keys)
        for name in ("rank_timeline.csv", "rank_messages.csv", "critical_path.csv"):
            self.assertEqual((one.out / name).read_bytes(), (two.out / name).read_bytes())
        plain = self.passes(keys=keys)
        self.assertFalse((plain.out / "rank_timeline.csv").exists())
        self.assertEqual(plain.metric("trace_cycles"), one.metric("trace_cycles"))

    def test_refusals(self):
        self.refused(["observe.ranks", "has no effect with workload.kind synthetic"], keys={"observe.ranks": "true"})


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    machine.main()
