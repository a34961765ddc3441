# SPDX-License-Identifier: Apache-2.0
"""Collective operations as a workload of `network`: the time of algorithms without contention is their closed form,
bandwidths are those of nccl-tests, the bytes are those of the algorithm's definition, and every key counts."""

import subprocess

import machine
from machine import MachineTest

RING = {"topology.kind": "torus", "topology.radices": "[8]", "workload.kind": "collective"}
ALGORITHMS = {"all_reduce": ["ring", "halving_doubling", "recursive_doubling", "binomial", "double_tree"],
              "reduce_scatter": ["ring", "recursive_halving"], "all_gather": ["ring", "recursive_doubling"],
              "broadcast": ["binomial", "scatter_ring"], "all_to_all": ["staggered", "pairwise"]}


class Collectives(MachineTest):
    def play(self, **keys):
        """A collective on a ring of 8 nodes; workload.collective_X is written as X."""
        words = {"operation": "workload.collective", "nic": "nic.kind", "radices": "topology.radices"}
        named = {words.get(key, f"workload.collective_{key}"): value for key, value in keys.items()}
        return self.passes(keys={**RING, **named})

    def test_a_ring_without_contention_takes_the_closed_form(self):
        # A message between neighbours: a cycle at the sender, inject, two routers of 4 stages with a link between
        # them, eject, the packet's further flits, a cycle before the receiver reacts.
        def message(flits):
            return 1 + 1 + 2 * 4 + 1 + 1 + flits - 1 + 1

        for operation, steps in (("all_reduce", 14), ("reduce_scatter", 7), ("all_gather", 7)):
            for size, flits in ((8, 2), (8 * 256, 17), (8 * 512, 34), (8 * 4096, 16 * 17)):
                with self.subTest(operation=operation, bytes=size):
                    run = self.play(operation=operation, bytes=size)
                    self.assertEqual(run.metric("collective_cycles"), steps * message(flits))
                    self.assertEqual(run.metric("collective_model_cycles"), steps * message(flits))

    def test_a_message_above_the_eager_limit_asks_first(self):
        # The request, the answer (a flit each), and the data.
        size = 8 * 8192
        run = self.play(operation="all_gather", bytes=size)
        each = 2 * (1 + 1 + 2 * 4 + 1 + 1 + 1) + (1 + 1 + 2 * 4 + 1 + 1 + 32 * 17 - 1 + 1)
        self.assertEqual(run.metric("collective_model_cycles"), 7 * each)
        self.assertEqual(run.metric("collective_cycles"), 7 * each)

    def test_trees_without_contention_take_the_model_s_time(self):
        for keys in ({"operation": "broadcast"}, {"algorithm": "binomial"}):
            for size in (8, 4096):
                run = self.play(bytes=size, **keys)
                self.assertEqual(run.metric("collective_cycles"), run.metric("collective_model_cycles"), (keys, size))

    def test_a_double_tree_of_two_ranks_exchanges_a_half_of_the_data_twice(self):
        for size, flits in ((16, 2), (512, 17), (8192, 16 * 17)):
            run = self.play(algorithm="double_tree", ranks=2, bytes=size)
            self.assertEqual(run.metric("collective_cycles"), 2 * (1 + 1 + 2 * 4 + 1 + 1 + flits - 1 + 1))
            self.assertEqual(run.metric("messages"), 4)

    def test_no_algorithm_is_faster_than_without_contention(self):
        for operation, algorithms in ALGORITHMS.items():
            for algorithm in algorithms:
                run = self.play(operation=operation, algorithm=algorithm, bytes=64000)
                self.assertGreaterEqual(run.metric("collective_cycles"), run.metric("collective_model_cycles"),
                                        (operation, algorithm))

    def test_messages_have_the_bytes_of_the_definition(self):
        # Bytes that all 8 ranks send, in units of one rank's data.
        data = {("all_reduce", "ring"): 14, ("all_reduce", "halving_doubling"): 14,
                ("all_reduce", "recursive_doubling"): 24, ("all_reduce", "binomial"): 14,
                ("all_reduce", "double_tree"): 14,
                ("reduce_scatter", "ring"): 7, ("reduce_scatter", "recursive_halving"): 7,
                ("all_gather", "ring"): 7, ("all_gather", "recursive_doubling"): 7,
                ("broadcast", "binomial"): 7, ("broadcast", "scatter_ring"): 1.5 + 7,
                ("all_to_all", "staggered"): 7, ("all_to_all", "pairwise"): 7}
        self.assertEqual(sum(map(len, ALGORITHMS.values())), len(data))
        for (operation, algorithm), times in data.items():
            run = self.play(operation=operation, algorithm=algorithm, bytes=8000)
            self.assertEqual(run.metric("message_bytes"), times * 8000, (operation, algorithm))

    def test_bandwidths_are_bytes_by_time(self):
        for operation, factor in (("all_reduce", 2 * 7 / 8), ("all_gather", 7 / 8), ("broadcast", 1)):
            run = self.play(operation=operation, bytes=80000)
            time = run.metric("collective_time_us")
            self.assertAlmostEqual(time, run.metric("collective_cycles") * 1e-3)
            self.assertAlmostEqual(run.metric("collective_algorithm_bandwidth"), 80000 / time)
            self.assertAlmostEqual(run.metric("collective_bus_bandwidth"), factor * 80000 / time)

    def test_the_first_algorithm_is_the_default(self):
        for operation, algorithms in ALGORITHMS.items():
            first = self.play(operation=operation, algorithm=algorithms[0], bytes=1000)
            self.assertEqual(self.play(operation=operation, bytes=1000).metric("collective_cycles"),
                             first.metric("collective_cycles"))

    def test_ranks_and_rounds(self):
        once = self.play(bytes=8000)
        self.assertEqual(once.metric("messages"), 8 * 14)
        self.assertEqual(self.play(bytes=8000, ranks=4).metric("messages"), 4 * 6)
        self.assertEqual(self.play(bytes=8000, ranks=8).metric("messages"), 8 * 14)
        thrice = self.play(bytes=8000, rounds=3)
        self.assertEqual(thrice.metric("messages"), 3 * 8 * 14)
        self.assertEqual(thrice.metric("trace_cycles"), 3 * thrice.metric("collective_cycles"))
        two_each = self.passes(keys={**RING, "workload.ranks_per_node": 2, "workload.collective_bytes": 16000})
        self.assertEqual(two_each.metric("messages") + two_each.metric("local_messages"), 16 * 30)

    def test_the_placement_decides_how_far_messages_go(self):
        in_order = self.play(bytes=8192)
        self.assertEqual(in_order.metric("hops_mean"), 2)
        # Four and three places in turn, and one from the last rank to the first.
        mapping = self.write("ranks.txt", "".join(f"{rank} {rank // 2 + rank % 2 * 4}\n" for rank in range(8)))
        mapped = self.passes(keys={**RING, "workload.collective_bytes": 8192, "workload.placement": "mapping",
                                   "workload.mapping": mapping})
        self.assertEqual(mapped.metric("hops_mean"), 1 + (4 * 4 + 3 * 3 + 1) / 8)
        self.assertGreater(mapped.metric("collective_cycles"), in_order.metric("collective_cycles"))
        random = [self.passes(keys={**RING, "workload.collective_bytes": 8192, "workload.placement": "random",
                                    "workload.placement_seed": seed}) for seed in (1, 1, 2)]
        self.assertEqual(random[0].result_bytes(), random[1].result_bytes())
        self.assertNotEqual(random[0].metric("hops_mean"), random[2].metric("hops_mean"))
        self.refused(["ranks.txt:2:3", "workload.mapping", "0..7"],
                     keys={**RING, "workload.placement": "mapping",
                           "workload.mapping": self.write("ranks.txt", "0 1\n1 8\n")})
        self.refused(["workload.mapping", "no file"], keys={**RING, "workload.placement": "mapping"})

    def test_values_with_units_are_those_of_the_cycles(self):
        plain = self.play(bytes=8192).metric("collective_cycles")
        run = self.passes(keys={**RING, "workload.collective_bytes": "8 KiB", "clock_period_ps": "2 GHz",
                                "link.latency_cycles": "0.5 ns"})
        self.assertEqual(run.metric("collective_cycles"), plain)
        self.assertAlmostEqual(run.metric("collective_time_us"), plain * 0.5e-3)
        resolved = (run.out / "resolved.yaml").read_text()
        self.assertIn("latency_cycles: 1  # cycles; 0.5 ns", resolved)
        self.assertEqual(self.passes(run.out / "resolved.yaml").metric("collective_cycles"), plain)
        self.refused(["link.latency_cycles", "1.4 cycles, more than 5 % from a whole number", "--set"],
                     keys={**RING, "link.latency_cycles": "1.4 ns"})
        self.refused(["link.latency_cycles", "not in cycles, nor in ps, ns"],
                     keys={**RING, "link.latency_cycles": "1 KiB"})

    def test_on_whole_cenju4_nodes(self):
        run = self.play(nic="cenju4", bytes=8000)
        self.assertGreater(run.metric("collective_cycles"), self.play(bytes=8000).metric("collective_cycles"))
        self.assertNotIn("collective_model_cycles", run.json()["metrics"])

    def test_the_summary_is_without_a_model_where_there_is_none(self):
        for keys, models in (({}, 1), ({"nic.kind": "cenju4"}, 0), ({"link.classes": "node latency 3"}, 0)):
            with self.subTest(keys):
                command = [machine.EXECUTABLE, "--out", str(self.folder / f"told{len(keys)}{models}")]
                command += [f"--set={key}={value}" for key, value in {**RING, **keys}.items()]
                told = subprocess.run(command, capture_output=True, text=True, timeout=machine.TIMEOUT_S, check=True)
                self.assertIn("time of the operation", told.stdout)
                self.assertEqual(told.stdout.count("by alpha and beta"), models)

    def test_what_does_not_fit_is_refused(self):
        for keys, parts in (
                ({"workload.collective_algorithm": "halving_doubling", "workload.collective_ranks": 6},
                 ["workload.collective_algorithm", "a power of two of ranks, and there are 6", "binomial"]),
                ({"workload.collective_algorithm": "pairwise"},
                 ["workload.collective_algorithm", "unknown algorithm of all_reduce", "ring halving_doubling"]),
                ({"workload.collective_algorithm": "in_network"},
                 ["workload.collective_algorithm", "in_network", "no switch of this network combines", "cenju4"]),
                ({"nic.kind": "cenju4", "library.all_reduce": "in_network"},
                 ["library.all_reduce", "in_network", "tree", "ring"]),
                ({"workload.collective": "barrier"}, ["workload.collective", "all_reduce"]),
                ({"workload.collective_ranks": 9}, ["workload.collective_ranks", "9 ranks"]),
                ({"workload.collective_bytes": 0}, ["workload.collective_bytes", "1.."]),
                ({"workload.npb": "cg.S.8"}, ["workload.npb", "a benchmark beside a collective operation"]),
                ({"workload.trace": "cg.ti"}, ["workload.trace", "workload.kind"])):
            with self.subTest(keys=keys):
                self.refused(parts, keys={**RING, **keys})
        self.refused(["workload.collective_bytes", "workload.kind"],
                     keys={**RING, "workload.kind": "trace", "workload.collective_bytes": 8})


if __name__ == "__main__":
    machine.main()
