# SPDX-License-Identifier: Apache-2.0
"""Benchmarks by name instead of a trace: what a platform makes of a name is what scripts/skeleton writes, and names
that mean nothing are refused. The executable is any platform with the keys workload.npb*."""

import pathlib
import subprocess

import machine
from machine import MachineTest


class Benchmarks(MachineTest):
    def keys(self, nodes):
        """A machine with this number of nodes, and a trace to play."""
        if pathlib.Path(machine.EXECUTABLE).name == "cenju4":
            return {"network.nodes": nodes, "workload.kind": "trace"}
        return {"topology.radices": {4: "[2,2]", 16: "[4,4]"}[nodes], "workload.kind": "trace"}

    def skeleton(self, *arguments):
        tool = pathlib.Path(machine.EXECUTABLE).with_name("skeleton")
        return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)

    def test_by_name_and_by_file_are_the_same_run(self):
        for name, nodes, steps in (("cg.S.4", 4, 1), ("mg.S.16", 16, 1), ("is.S.16", 16, 2), ("ft.S.4", 4, 2),
                                   ("lu.S.4", 4, 2), ("bt.S.4", 4, 2), ("sp.S.16", 16, 2), ("ep.S.16", 16, 0)):
            with self.subTest(benchmark=name):
                file = self.folder / f"{name}.ti"
                self.ended(self.skeleton(name, "--iterations", steps, "--gflops", 4, "-o", file))
                keys = self.keys(nodes)
                by_file = self.passes(keys={**keys, "workload.trace": file})
                by_name = self.passes(keys={**keys, "workload.npb": name, "workload.npb_steps": steps,
                                            "workload.npb_gflops": 4})
                self.assertEqual(by_name.result_bytes(without_config=True), by_file.result_bytes(without_config=True))
                operations = sum(not line.startswith("#") for line in file.read_text().splitlines())
                self.assertEqual(by_name.metric("trace_operations"), operations)

    def test_a_name_in_the_configuration_is_enough(self):
        keys = {key: value for key, value in self.keys(4).items() if key != "workload.kind"}
        section, _, field = next(iter(keys)).partition(".")
        config = self.write("npb.yaml", f"{section}: {{{field}: {next(iter(keys.values()))}}}\n"
                                        "workload: {npb: cg.S.4, npb_steps: 1}\n")
        done = self.passes(config)
        self.assertGreater(done.metric("trace_operations"), 4 * 2 * 260)
        again = self.passes(done.out / "resolved.yaml")
        self.assertEqual(again.result_bytes(), done.result_bytes())

    def test_what_is_no_benchmark_is_refused(self):
        keys = self.keys(4)
        for value, parts in (("cg.A.48", ["does not run on 48 ranks", "1, 2, 4, 8"]), ("dt.A.21", ["dtBH dtSH dtWH"]),
                             ("dtBH.A", ["without a number of ranks", "21 ranks"]), ("cg.Z.4", ["S W A B C"])):
            self.refused(["workload.npb", *parts], keys={**keys, "workload.npb": value})
            written = self.ended(self.skeleton(value), 2)
            for part in parts:
                self.assertIn(part, written.stderr)
        self.refused(["workload.npb_steps", "0 (all) .. 15"],
                     keys={**keys, "workload.npb": "cg.S.4", "workload.npb_steps": 16})
        self.refused(["workload.npb_gflops"], keys={**keys, "workload.npb": "cg.S.4", "workload.npb_gflops": 0})
        self.refused(["16 ranks"], keys={**keys, "workload.npb": "cg.S.16"})


if __name__ == "__main__":
    machine.main()
