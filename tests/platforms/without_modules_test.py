#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Networks without modules give the results, tables and files of the same networks with a process for each module."""

import machine

SHORT = {"topology.kind": "mesh", "topology.radices": "[5, 5]", "measure.warmup_cycles": 200, "measure.cycles": 600,
         "traffic.load_flits_per_node_cycle": 0.3, "observe.port_waits": "true", "energy.report": "true"}
TREE = {**SHORT, "topology.kind": "fat_tree", "topology.radices": None, "topology.up_links": 3,
        "topology.down_links": 3, "topology.levels": 2}
# Keys, and the tables that have rows.
RUNS = [
    (SHORT, ["hops"]),
    ({**SHORT, "prediction.kind": "straight"}, ["hops", "predictions"]),
    ({**SHORT, "prediction.kind": "last_destination", "router.rc_cycles": 0}, ["predictions"]),
    ({**SHORT, "prediction.kind": "oracle", "link.latency_cycles": 3}, ["predictions"]),
    ({**SHORT, "prediction.kind": "latest_port", "router.vcs": 14}, ["predictions"]),
    ({**TREE, "prediction.kind": "up"}, ["predictions"]),
    ({**SHORT, "router.vcs": 16, "routing.kind": "duato", "router.atomic_vcs": "true"}, ["hops"]),
]


class WithoutModules(machine.MachineTest):
    def run_as(self, keys, **how):
        done = self.passes("--report", "--records", keys={key: value for key, value in {**keys, **how}.items()
                                                          if value is not None})
        result = done.json()
        for part in ("wall_seconds", "module_steps"):
            result["metrics"].pop(part, None)
        del result["config"]
        return result, {path.name: path.read_bytes() for path in done.out.glob("*.csv")}

    def test_results_tables_and_files_are_those_of_modules(self):
        for keys, tables in RUNS:
            with self.subTest(keys=keys):
                result, files = self.run_as(keys)
                expected, expected_files = self.run_as(keys, **{"run.processes": "process_each"})
                self.assertEqual(result, expected)
                self.assertEqual(sorted(files), sorted(expected_files))
                self.assertEqual([name for name in files if files[name] != expected_files[name]], [])
                self.assertIn("packets.csv", files)
                for table in tables:
                    self.assertTrue(result["tables"][table]["rows"], table)


if __name__ == "__main__":
    machine.main()
