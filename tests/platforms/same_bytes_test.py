# SPDX-License-Identifier: Apache-2.0
"""The same input gives the same bytes, however the run is watched, computed or started."""

import csv

import machine


class SameBytes(machine.MachineTest):
    def setUp(self):
        super().setUp()
        self.trace = self.write_trace("kernel.ti", machine.kernel(16))

    def workload(self, kind):
        keys = {"network.nodes": 16, "workload.kind": kind}
        if kind == "arrivals":  # of multicasts, whose copies may end in one cycle
            return {"network.nodes": 16, "workload.kind": "synthetic", "measure.mode": "arrivals",
                    "measure.first_arrival": 50, "measure.last_arrival": 2000,
                    "traffic.packet_flits": 10, "traffic.load_flits_per_node_cycle": 0.1,
                    "traffic.multicast_share": 0.7}
        if kind in ("demo", "trace"):
            keys["workload.trace"] = self.trace
        if kind == "synthetic":
            keys.update({"measure.warmup_cycles": 0, "measure.cycles": 3000, "traffic.packet_flits": 10,
                         "traffic.load_flits_per_node_cycle": 0.3, "traffic.multicast_share": 0.1})
        if kind == "barrier":
            keys["workload.barrier_rounds"] = 30
        if kind == "demo":
            keys["workload.dma_bytes"] = 20000
        return keys

    def files(self, done):
        """Waveforms and their save files, which hold no path."""
        return {path.name: path.read_bytes() for path in sorted(done.out.iterdir())
                if path.suffix in (".fst", ".vcd", ".gtkw")}

    def check_variants(self, kind):
        keys = self.workload(kind)
        first = self.passes(keys=keys)
        expected = first.result_bytes()
        self.assertEqual(self.passes(keys=keys).result_bytes(), expected)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.assertEqual(self.passes(keys=keys, cwd=elsewhere).result_bytes(), expected)
        again = self.passes(str(first.out / "resolved.yaml"))
        self.assertEqual(again.result_bytes(), expected)
        self.assertEqual((again.out / "resolved.yaml").read_bytes(), (first.out / "resolved.yaml").read_bytes())

        recorded = [self.passes("--waves", "--waves-format", form, keys=keys)
                    for form in ("fst", "fst", "vcd", "vcd")]
        for done in recorded:
            self.assertEqual(done.result_bytes(), expected, "recording must not change anything")
        self.assertTrue(self.files(recorded[0]))
        self.assertEqual(self.files(recorded[0]), self.files(recorded[1]))
        self.assertEqual(self.files(recorded[2]), self.files(recorded[3]))
        self.check_orders(keys, first, recorded[2])

    def check_orders(self, keys, first, recorded):
        """How modules are run is part of the configuration, so everything else is compared."""
        for order in ({"run.processes": "process_each"}, {"run.shuffle_seed": 1}, {"run.shuffle_seed": 2 ** 63},
                      {"run.processes": "process_each", "run.shuffle_seed": 9}):
            done = self.passes("--waves", "--waves-format", "vcd", keys={**keys, **order})
            result, expected = done.json(), first.json()
            result["metrics"].pop("module_steps", None)
            expected["metrics"].pop("module_steps", None)
            for part in (result, expected):
                del part["config"], part["metrics"]["wall_seconds"]
            self.assertEqual(result, expected, order)
            self.assertEqual(self.files(done), self.files(recorded), order)

    def test_demo(self):
        self.check_variants("demo")

    def test_trace(self):
        self.check_variants("trace")

    def test_network_alone(self):
        self.check_variants("synthetic")

    def test_multicasts_that_count_by_arrivals(self):
        self.check_variants("arrivals")

    def test_barrier(self):
        self.check_variants("barrier")

    def test_packet_records_of_the_network_alone(self):
        keys = {**self.workload("synthetic"), "traffic.multicast_share": 0}
        plain_run = self.passes(keys=keys)
        recorded = self.passes("--records", keys=keys)
        self.assertEqual(recorded.result_bytes(), plain_run.result_bytes())
        with open(recorded.out / "packets.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), plain_run.metric("packets_delivered"))
        latencies = [int(row["latency_cycles"]) for row in rows]
        measured = [latency for row, latency in zip(rows, latencies) if int(row["created_cycle"]) < 3000]
        self.assertEqual(len(measured), plain_run.metric("measured_packets"))
        self.assertAlmostEqual(sum(measured) / len(measured), plain_run.metric("latency_cycles_mean"), places=6)
        for row, latency in zip(rows, latencies):
            parts = [int(row[part + "_cycles"]) for part in ("source_queue", "network", "serialization")]
            self.assertEqual(sum(parts), latency)
            # Cut-through: the flits follow the head without a gap, and a switch takes 10 cycles.
            self.assertEqual(parts[2], int(row["flits"]) - 1)
            self.assertGreaterEqual(parts[1], 10 * int(row["hops"]))
        for order in ({"run.processes": "process_each"}, {"run.shuffle_seed": 5}):
            done = self.passes("--records", keys={**keys, **order})
            self.assertEqual((done.out / "packets.csv").read_bytes(), (recorded.out / "packets.csv").read_bytes())

    def test_demo_always_draws_its_last_phases(self):
        drawn = [self.files(self.passes(keys=self.workload("demo"))) for _ in range(2)]
        self.assertEqual(sorted(drawn[0]), ["barrier_multicast.fst", "barrier_multicast.gtkw"])
        self.assertEqual(drawn[0], drawn[1])

    def test_flit_by_flit_gives_the_same_cycles(self):
        for kind in ("trace", "synthetic", "demo"):
            for fifo_packets in (1, 3):
                keys = {**self.workload(kind), "switch.fifo_packets": fifo_packets}
                packets = self.passes(keys=keys).json()
                flits = self.passes(keys={**keys, "switch.mode": "flit_by_flit"}).json()
                for part in (packets, flits):
                    del part["config"], part["metrics"]["wall_seconds"]
                    part["metrics"].pop("module_steps", None)
                self.assertEqual(packets, flits, (kind, fifo_packets))

    def test_the_seed_changes_what_is_random_and_nothing_else(self):
        keys = {**self.workload("synthetic"), "traffic.multicast_share": 0}
        self.assertNotEqual(self.passes("--seed", "2", keys=keys).metric("packets_sent"),
                            self.passes("--seed", "3", keys=keys).metric("packets_sent"))
        keys = {**self.workload("trace"), "faults.single_bit_per_flit": 1e-4}
        runs = [self.run_machine("--seed", seed, keys=keys) for seed in ("4", "4", "5")]
        self.assertEqual(runs[0].text, runs[1].text)
        told = [done.text if done.code else done.metric("faults_single_bit") for done in runs]
        self.assertNotEqual(told[0], told[2])


if __name__ == "__main__":
    machine.main()
