# SPDX-License-Identifier: Apache-2.0
"""Several jobs on one network: a job alone runs as a separate workload, jobs without a common link leave each other's
time alone, a load beside a job slows it down, and what does not fit is refused with its place."""

import json
import os
import pathlib
import subprocess
import sys

import machine
from machine import MachineTest

PROJECT = pathlib.Path(__file__).resolve().parents[2]

TORUS = {"topology.kind": "torus", "topology.radices": "[4,4]", "routing.kind": "dimension_order"}
TREE = {"topology.kind": "fat_tree", "routing.kind": "least_common_ancestor"}
DRAGONFLY = {"topology.kind": "dragonfly", "topology.groups": 5, "topology.group_routers": 4,
             "topology.nodes_per_router": 2, "topology.global_links": 1, "routing.kind": "minimal"}


def collective(size=4096, ranks=4, rounds=1, **job):
    """A job's section: an all-reduce."""
    places = ", ".join(f"{key}: {value}" for key, value in job.items())
    return (f"{{workload: {{kind: collective, collective_bytes: {size}, collective_ranks: {ranks}, "
            f"collective_rounds: {rounds}}}, "
            f"job: {{{places}}}}}")


def load(rate=0.3, nodes=4, pattern="uniform", **job):
    places = "".join(f", {key}: {value}" for key, value in job.items())
    return (f"{{workload: {{kind: synthetic}}, traffic: {{load_flits_per_node_cycle: {rate}, pattern: {pattern}, "
            f"to_self: false}}, job: {{nodes: {nodes}{places}}}}}")


class Jobs(MachineTest):
    def keys(self, jobs, network=TORUS, **more):
        """`jobs`: a section of each job by its name. Keys of workload.* are written without it."""
        file = self.write("jobs.yaml", "".join(f"{name}: {section}\n" for name, section in jobs.items()))
        named = {f"workload.{key}" if "." not in key else key: value for key, value in more.items()}
        return {**network, "workload.kind": "jobs", "workload.jobs": file, **named}

    def play(self, jobs, network=TORUS, **more):
        return self.passes(keys=self.keys(jobs, network, **more))

    def row(self, run, job):
        table = run.json()["tables"]["jobs"]
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        return next(row for row in rows if row["job"] == job)

    def placed(self, jobs, network):
        """[job]: its nodes, from the packets that they sent."""
        return [self.row(self.play(jobs, network), name) for name in jobs]

    def test_one_job_runs_as_a_workload_of_its_own(self):
        own = self.passes(keys={**TORUS, "workload.kind": "collective", "workload.collective_bytes": 4096,
                                "workload.collective_ranks": 4})
        job = self.play({"only": collective()})
        self.assertEqual(job.metric("job_only_cycles"), own.metric("trace_cycles"))
        row = self.row(job, "only")
        self.assertEqual((row["messages"], row["message_bytes"]), (own.metric("messages"), own.metric("message_bytes")))
        self.assertEqual(row["packets"], own.metric("packets_delivered"))
        self.assertAlmostEqual(row["packet_latency"], own.metric("latency_cycles_mean"))
        self.assertAlmostEqual(job.metric("job_only_packet_latency_cycles_mean"), own.metric("latency_cycles_mean"))

    def test_a_load_alone_runs_for_its_cycles(self):
        job = self.play({"only": load(nodes=16)}, jobs_cycles=30000)
        self.assertEqual(job.metric("simulated_cycles"), 30000)
        own = self.passes(keys={**TORUS, "traffic.load_flits_per_node_cycle": 0.3, "traffic.to_self": "false",
                                "measure.cycles": 28000, "measure.warmup_cycles": 1000})
        row = self.row(job, "only")
        self.assertAlmostEqual(row["flits"] / 30000 / 16, 0.3, delta=0.01)
        self.assertAlmostEqual(row["packet_latency"], own.metric("latency_cycles_mean"), delta=1)
        self.assertIsNone(row["time"])
        self.assertEqual((row["ranks"], row["nodes"]), (16, 16))

    def test_jobs_without_a_common_link_keep_their_time(self):
        # Two rows of the torus: dimension order keeps their packets apart.
        jobs = {"a": collective(), "b": collective(size=50000), "c": load(rate=0.9)}
        both = self.play(jobs)
        for name in ("a", "b"):
            alone = self.play(jobs, job_alone=name)
            self.assertEqual(alone.metric(f"job_{name}_cycles"), both.metric(f"job_{name}_cycles"))
            self.assertEqual(alone.metric("jobs"), 1)
            self.assertEqual(len(alone.json()["tables"]["jobs"]["rows"]), 1)
        self.assertEqual(both.metric("jobs"), 3)

    def test_jobs_on_common_links_slow_each_other_down(self):
        # Small messages, each of which waits for the one before it.
        jobs = {"a": collective(size=2048, ranks=8, rounds=20, placement="random", placement_seed=3),
                "b": load(rate=0.6, nodes=8)}
        both, alone = self.play(jobs), self.play(jobs, job_alone="a")
        self.assertGreater(both.metric("job_a_cycles"), 1.03 * alone.metric("job_a_cycles"))
        quiet = self.play(jobs, job_alone="b", jobs_cycles=int(both.metric("simulated_cycles")))
        self.assertGreater(both.metric("job_b_packet_latency_cycles_mean"),
                           quiet.metric("job_b_packet_latency_cycles_mean"))

    def test_traces_and_benchmarks_are_jobs(self):
        own = self.passes(keys={**TORUS, "workload.npb": "is.S.8", "workload.npb_steps": 1})
        self.write_trace("two.ti", [["send 1 7 100 6"], ["recv 0 7 100 6"]])
        job = self.play({"is": "{workload: {kind: trace, npb: is.S.8, npb_steps: 1}}",
                         "two": "{workload: {kind: trace, trace: two.ti}}"})
        self.assertEqual(job.metric("job_is_cycles"), own.metric("trace_cycles"))
        self.assertEqual(self.row(job, "two")["message_bytes"], 100)
        self.assertEqual(self.row(job, "two")["ranks"], 2)

    def test_traces_of_other_tools_are_jobs(self):
        self.write("two.goal", "num_ranks 2\nrank 0 {\na: calc 70\nb: send 100b to 1 tag 7\nb requires a\n}\n"
                   "rank 1 {\nrecv 100b from 0 tag 7\n}\n")
        job = self.play({"two": "{workload: {kind: trace, trace: two.goal, trace_format: goal}}"})
        self.assertEqual((self.row(job, "two")["messages"], self.row(job, "two")["message_bytes"]), (1, 100))
        same = self.passes(keys={**TORUS, "workload.kind": "trace", "workload.trace": self.folder / "two.goal",
                                 "workload.trace_format": "goal"})
        self.assertEqual(same.metric("trace_cycles"), job.metric("job_two_cycles"))
        self.assertEqual((same.metric("trace_messages"), same.metric("trace_compute_us_mean")), (1, 0.035))
        wrong = {"workload.kind": "trace", "workload.trace": "x", "workload.trace_format": "otf"}
        self.refused(["workload.trace_format", "goal"], keys={**TORUS, **wrong})

    def test_the_order_of_the_file_places_and_seeds(self):
        first = self.play({"a": collective(placement="random"), "b": load()})
        again = self.play({"a": collective(placement="random"), "b": load()})
        self.assertEqual(first.result_bytes(), again.result_bytes())
        other = self.play({"a": collective(placement="random", placement_seed=3), "b": load()})
        self.assertNotEqual(first.metric("hops_mean"), other.metric("hops_mean"))
        # Loads of one file have their own arrivals.
        twins = self.play({"a": load(nodes=8), "b": load(nodes=8)}, jobs_cycles=3000)
        self.assertNotEqual(self.row(twins, "a")["packets"], self.row(twins, "b")["packets"])

    def test_ranks_share_a_node_of_their_job(self):
        job = self.play({"a": collective(ranks=8, ranks_per_node=4)})
        self.assertEqual((self.row(job, "a")["ranks"], self.row(job, "a")["nodes"]), (8, 2))

    def test_jobs_share_nodes_where_allowed(self):
        jobs = {"a": collective(ranks=16), "b": collective(ranks=16, size=1000), "c": load(nodes=16)}
        self.refused(["jobs.yaml:2:", "workload.collective_ranks", "16 ranks", "job b is larger than what is left",
                      "up to 0 ranks"], keys=self.keys(jobs))
        shared = self.play(jobs, jobs_share_nodes="true")
        alone = {name: self.play(jobs, jobs_share_nodes="true", job_alone=name) for name in "ab"}
        for name in "ab":
            self.assertEqual(self.row(shared, name)["messages"], self.row(alone[name], name)["messages"])
            self.assertEqual(self.row(shared, name)["packets"], self.row(alone[name], name)["packets"])
            self.assertGreater(shared.metric(f"job_{name}_cycles"), alone[name].metric(f"job_{name}_cycles"))

    def test_messages_that_wait_behind_a_load_keep_no_rank_waiting_forever(self):
        jobs = {"a": collective(ranks=4, size=1, placement="round_robin"), "b": load(nodes=3, placement="round_robin")}
        run = self.play(jobs, {"link.eject_latency_cycles": 30, "link.fec_cycles": 6, "router.node_vcs": 1},
                        jobs_share_nodes="true")
        self.assertEqual(self.row(run, "a")["messages"], self.row(self.play(jobs), "a")["messages"])

    def test_groups_and_turns_of_a_dragonfly(self):
        # Groups of 8 nodes: a job in its group uses no global link, one in turn uses nothing else.
        grouped = self.play({"a": collective(ranks=8, placement="group")}, DRAGONFLY)
        turns = self.play({"a": collective(ranks=5, placement="round_robin")}, DRAGONFLY)
        self.assertLessEqual(grouped.metric("hops_mean"), 2)
        self.assertGreater(turns.metric("hops_mean"), 2)
        # The first group is taken in part, so the second job begins with the second group.
        self.play({"a": collective(ranks=3), "b": collective(ranks=32, placement="group")}, DRAGONFLY)
        self.refused(["job b is larger", "up to 32 ranks on the 32 nodes of free groups"],
                     keys=self.keys({"a": collective(ranks=3), "b": collective(ranks=33, placement="group")},
                                    DRAGONFLY))

    def test_a_mapping_places_a_job(self):
        self.write("near.txt", "0 4\n1 5\n2 6\n3 7\n")
        jobs = {"a": collective(ranks=4), "b": collective(ranks=4, placement="mapping", mapping="near.txt")}
        self.assertEqual(self.play(jobs).metric("jobs"), 2)
        self.write("near.txt", "0 4\n1 5\n2 4\n3 7\n")
        self.refused(["near.txt:3:3", "job.mapping", "the node has no further place", "job.ranks_per_node"],
                     keys=self.keys(jobs))
        self.write("near.txt", "0 4\n1 3\n2 5\n3 7\n")
        self.refused(["near.txt:2:3", "job.mapping", "the node belongs to job a", "workload.jobs_share_nodes"],
                     keys=self.keys(jobs))
        self.assertEqual(self.play(jobs, jobs_share_nodes="true").metric("jobs"), 2)

    def test_what_does_not_fit_is_refused(self):
        for jobs, parts in (
                ({"a": "{workload: {kind: trace, tracee: x}}"},
                 ["jobs.yaml:1:29", "workload.tracee", "workload.trace"]),
                ({"A": collective()}, ["jobs.yaml:1:1", "workload.jobs", "not a job's name"]),
                ({"a": "3"}, ["jobs.yaml:1:1", "a value where a section belongs"]),
                ({"a": collective(placement="near")}, ["jobs.yaml:1", "job.placement", "group"]),
                ({"a": "{workload: {kind: collective}, job: {nodes: 3}}"}, ["job.nodes", "workload.kind"]),
                ({"a": "{workload: {kind: synthetic}, traffic: {kind: closed_loop}}"}, ["traffic.kind", "open_loop"]),
                ({"a": "{workload: {kind: collective, npb: is.S.8}}"}, ["workload.npb", "beside a collective"]),
                ({"a": load(pattern="transpose", nodes=5)}, ["traffic.pattern", "5"]),
                ({f"job{number}": load(nodes=1) for number in range(17)}, ["17 jobs", "1..16"]),
                ({"a": load(nodes=17)}, ["job.nodes", "17 ranks", "up to 16"])):
            with self.subTest(jobs=jobs):
                self.refused(parts, keys=self.keys(jobs))
        self.refused(["workload.jobs", "no file"], keys={**TORUS, "workload.kind": "jobs"})
        self.refused(["workload.jobs", "0 jobs"], keys=self.keys({}))
        self.refused(["workload.job_alone", "no such job", "a, b"],
                     keys=self.keys({"a": collective(), "b": load()}, job_alone="c"))
        self.refused(["nic.kind", "packetizer"], keys=self.keys({"a": collective()}, **{"nic.kind": "cenju4"}))
        self.refused(["workload.npb", "beside jobs"], keys=self.keys({"a": collective()}, npb="is.S.8"))
        self.refused(["workload.kind", "jobs", "workload.jobs_cycles"],
                     keys={**TORUS, "workload.jobs_cycles": 9})

    def interference(self, *words):
        """scripts/interference, without the check of packages."""
        environment = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts"),
                       "TSUJI_PLATFORMS": str(pathlib.Path(machine.EXECUTABLE).parent)}
        return subprocess.run([sys.executable, "-m", "tsuji.interference_main", *map(str, words)], capture_output=True,
                              text=True, env=environment, cwd=self.folder)

    def test_interference_compares_each_job_with_itself_alone(self):
        jobs = {"a": collective(size=60000, ranks=8, placement="random"), "b": load(rate=0.6, nodes=8)}
        keys = self.keys(jobs)
        config = self.write("two.yaml", "topology: {kind: torus, radices: [4, 4]}\n")
        settings = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        done = self.interference(config, *settings, "--seeds", 1, "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((self.folder / "out/interference.json").read_text())["jobs"]
        both = self.passes(config, keys=keys)
        alone = self.passes(config, keys={**keys, "workload.job_alone": "a"})
        self.assertEqual(found["a"]["by"], "time")
        self.assertEqual((found["a"]["together"], found["a"]["alone"]),
                         (both.metric("job_a_cycles"), alone.metric("job_a_cycles")))
        self.assertAlmostEqual(found["a"]["slowdown"], both.metric("job_a_cycles") / alone.metric("job_a_cycles"))
        self.assertEqual(found["b"]["by"], "packet_latency")
        self.assertGreater(found["b"]["slowdown"], 1)
        self.assertIn("slow-down", done.stdout)
        self.assertEqual(self.interference(config, "--set", "workload.kind=jobs").returncode, 2)
        self.assertIn("workload.kind jobs", self.interference(config, "-o", "out2").stderr)

    def test_ranks_that_wait_forever_are_named_with_their_job(self):
        self.write_trace("stuck.ti", [["recv 1 1 8 6", "send 1 2 8 6"], ["recv 0 2 8 6", "send 0 1 8 6"]])
        done = self.ends(1, keys=self.keys({"a": collective(), "b": "{workload: {kind: trace, trace: stuck.ti}}"}))
        self.assertIn("job b", done.text)
        self.assertIn("rank 0", done.text)
        # Beside a load that never ends as well.
        done = self.ends(1, keys=self.keys({"b": "{workload: {kind: trace, trace: stuck.ti}}", "c": load()}))
        self.assertIn("job b", done.text)


if __name__ == "__main__":
    machine.main()
