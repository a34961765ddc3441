#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""--threads of the platform `network`: equal results for any number, and refusals by name where parts of a network
cannot run ahead of each other."""

import json

import machine

SHORT = {"topology.radices": "[6, 6]", "measure.warmup_cycles": 0, "measure.cycles": 1500,
         "traffic.load_flits_per_node_cycle": 0.3}
TREE = {**SHORT, "topology.kind": "fat_tree", "topology.radices": None, "topology.up_links": 3,
        "topology.down_links": 3, "topology.levels": 3, "routing.kind": "least_common_ancestor",
        "traffic.load_flits_per_node_cycle": 0.2}
EQUAL = [
    SHORT,
    {**SHORT, "topology.kind": "torus", "traffic.packet_flits": 16},
    {**SHORT, "link.latency_cycles": 5, "link.credit_latency_cycles": 2, "router.buffer_flits": 3},
    {**SHORT, "router.buffer_flits": 1, "router.vcs": 2, "traffic.load_flits_per_node_cycle": 0.6},
    {**SHORT, "router.sa_allocator": "separable"},  # the driver for all features
    {**SHORT, "router.switching": "virtual_cut_through", "traffic.packet_flits": 8},
    {**SHORT, "routing.kind": "duato", "router.atomic_vcs": "true"},
    {**SHORT, "prediction.kind": "straight"},
    {**SHORT, "topology.kind": "torus", "lookup.kind": "cached"},
    {**SHORT, "traffic.kind": "closed_loop", "traffic.load_flits_per_node_cycle": None},
    {**SHORT, "traffic.pattern": "transpose", "traffic.injection": "on_off", "link.node_credit_process_cycles": 0},
    {"topology.radices": "[4, 4]", "workload.kind": "trace", "workload.npb": "cg.S.16", "workload.npb_steps": 1},
    TREE,
    {**TREE, "routing.up_port": "random", "router.rc_cycles": 0, "link.node_credit_process_cycles": 0},
]
WHOLE_NODES = {"workload.kind": "trace", "workload.npb": "ep.S.16", "nic.kind": "cenju4", "topology.radices": "[4, 4]"}
# Keys, further arguments, and a piece of the reason.
REFUSED = [
    ({**SHORT, "link.faults": "3@100:200"}, (), "dropped in all routers at once"),
    ({**SHORT, "measure.mode": "arrivals", "measure.warmup_cycles": None, "measure.cycles": None,
      "measure.first_arrival": 10, "measure.last_arrival": 500}, (), "the measurement ends with an arrival"),
    ({**SHORT, "retry.timeout_cycles": 1000}, (), "within a cycle"),
    (WHOLE_NODES, (), "within a cycle"),
    ({**SHORT, "run.shuffle_seed": 3}, (), "run.shuffle_seed"),
    ({**SHORT, "run.processes": "process_each"}, (), "process_each"),
    ({**SHORT, "router.sa_allocator": "separable"}, ("--records",), "show the order in which routers act"),
    (SHORT, ("--waves",), "show the order in which routers act"),
    (SHORT, ("--log", "debug"), "order"),
]


def chosen(keys):
    return {key: value for key, value in keys.items() if value is not None}


class Threads(machine.MachineTest):
    def result(self, threads, keys):
        result = self.passes("--threads", str(threads), keys=chosen(keys)).json()
        del result["metrics"]["wall_seconds"]
        return result

    def test_results_do_not_depend_on_the_number_of_threads(self):
        for keys in EQUAL:
            with self.subTest(keys=keys):
                expected = self.result(1, keys)
                self.assertGreater(expected["metrics"]["packets_delivered"]["value"], 100)
                for threads in (2, 3, 7):
                    self.assertEqual(self.result(threads, keys), expected, threads)

    def test_records_and_pages_do_not_depend_on_the_number_of_threads(self):
        keys = chosen({**SHORT, "observe.port_waits": "true"})
        for more in ({}, {"router.vcs": 13}, {"topology.kind": "torus", "traffic.kind": "closed_loop",
                                              "traffic.load_flits_per_node_cycle": None}):
            with self.subTest(keys=more):
                runs = [self.passes("--records", "--report", "--threads", str(threads), keys=chosen({**keys, **more}))
                        for threads in (1, 2, 3)]
                tables = [{path.name: path.read_bytes() for path in run.out.glob("*.csv")} for run in runs]
                self.assertIn("packets.csv", tables[0])
                self.assertIn("intervals.csv", tables[0])
                self.assertGreater(len(tables[0]["packets.csv"].splitlines()), 100)
                for other in tables[1:]:
                    self.assertEqual(set(other), set(tables[0]))
                    self.assertEqual([name for name in other if other[name] != tables[0][name]], [])

    def test_networks_that_cannot_be_divided_are_refused_by_name(self):
        for keys, arguments, reason in REFUSED:
            with self.subTest(keys=keys, arguments=arguments):
                done = self.run_machine("--threads", "2", *arguments, keys=chosen(keys))
                self.assertEqual(done.code, 2, done.text)
                self.assertIn("--threads: ", done.text)
                self.assertIn(reason, done.text)
                self.assertIn("(got '2'); accepted: 1", done.text)

    def test_more_threads_than_routers_are_refused(self):
        done = self.run_machine("--threads", "37", keys=SHORT)
        self.assertEqual(done.code, 2, done.text)
        self.assertIn("--threads: the network has fewer routers (got '37'); accepted: 1 to 36", done.text)
        for words in ("0", "-1", "1025", "two"):
            self.assertEqual(self.run_machine("--threads", words, keys=SHORT).code, 2, words)

    def test_a_sweep_passes_its_threads_to_its_runs(self):
        keys = chosen({**SHORT, "traffic.load_flits_per_node_cycle": None})
        sweep = ("--sweep-load", "0.1:0.3:3", "--jobs", "1")
        plain, threaded = (json.loads((self.passes(*sweep, *more, keys=keys).out / "result.json").read_text())
                           for more in ((), ("--threads", "3")))
        self.assertEqual(threaded["tables"], plain["tables"])
        done = self.run_machine(*sweep, "--threads", "2", keys={**keys, "link.faults": "3@100:200"})
        self.assertEqual(done.code, 2, done.text)
        self.assertIn("--threads: ", done.text)


if __name__ == "__main__":
    machine.main()
