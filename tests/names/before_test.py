#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Configurations of 0.1 (`before/`: those that were committed, and its README's commands): programs of today refuse
those with old names, and scripts/migrate moves them. usage: before_test.py CLASS PLATFORMS"""

import json
import pathlib
import subprocess
import sys

from names_testing import ROOT, Names, run
from tsuji import migrate

PLATFORMS = pathlib.Path(sys.argv.pop()).resolve()
HERE = ROOT / "tests" / "names"
BEFORE = sorted((HERE / "before").glob("*.yaml"))
SHORT = {"network": ["--set", "measure.warmup_cycles=100", "--set", "measure.cycles=300"]}


class Before(Names):
    def moved(self, path):
        text, _ = migrate.migrated(path.read_text(), path)
        return self.write(path.name, text)

    def call(self, path, *words):
        return subprocess.run([PLATFORMS / path.name.partition("_")[0], path, *words], capture_output=True, text=True,
                              cwd=self.folder, timeout=300)

    def metrics(self, path, *words):
        self.ended(self.call(path, "--quiet", "--out", self.folder / "out", *words))
        metrics = json.loads((self.folder / "out/result.json").read_text())["metrics"]
        del metrics["wall_seconds"]
        return metrics


class Configurations(Before):
    def test_there_are_those_of_both_platforms(self):
        self.assertEqual([path.name for path in BEFORE if path.name in ("cenju4_uniform.yaml", "network_mesh8.yaml")],
                         ["cenju4_uniform.yaml", "network_mesh8.yaml"])
        self.assertEqual(len(BEFORE), 13)

    def test_a_program_refuses_those_that_are_moved_and_no_others(self):
        for path in BEFORE:
            changes = migrate.migrated(path.read_text(), path)[1]
            done = self.ended(self.call(path, "--print-config"), 2 if changes else 0)
            self.assertEqual("since 0.2" in done.stderr, bool(changes), done.stderr)
            self.assertEqual(self.call(self.moved(path), "--print-config").returncode, 0, path.name)

    def test_those_of_today_are_what_is_made_of_them(self):
        for path in sorted((HERE / "today").glob("*.yaml")):
            before = HERE / "before" / path.name
            self.assertEqual(migrate.migrated(before.read_text(), before)[0], path.read_text())


class Runs(Before):
    def test_moved_and_written_for_today_have_equal_metrics(self):
        """Those of network have no name of before: they are the committed ones of today."""
        for name, today in (("cenju4_uniform", HERE / "today/cenju4_uniform.yaml"),
                            ("cenju4_idle", HERE / "today/cenju4_idle.yaml"),
                            ("network_mesh8", ROOT / "platforms/network/mesh8.yaml"),
                            ("network_torus10", ROOT / "platforms/network/torus10.yaml")):
            short = SHORT.get(name.partition("_")[0], [])
            written = self.write(f"{name.partition('_')[0]}_today.yaml", today.read_text())
            found = self.metrics(self.moved(HERE / "before" / f"{name}.yaml"), *short)
            self.assertEqual(found, self.metrics(written, *short), name)

    def test_a_uniform_load_is_the_one_that_was_meant(self):
        """0.1 measured all packets that were born from cycle 0 to workload.load_cycles."""
        found = self.metrics(self.moved(HERE / "before/cenju4_uniform.yaml"))
        self.assertAlmostEqual(found["offered_flits_per_node_cycle"]["value"], 0.15, delta=0.015)
        self.assertEqual([found[name]["value"] for name in ("measured_from_cycle", "measured_cycles")], [0, 2000])
        self.assertAlmostEqual(found["measured_packets"]["value"], 16 * 2000 * 0.15 / 13, delta=60)


class Refusals(Before):
    def refused(self, name, text, *words):
        done = self.call(self.write(name, text), *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def test_keys_and_values(self):
        said = self.refused("cenju4_a.yaml", "workload:\n  kind: idle\n  load_cycles: 5\n")
        self.assertIn("cenju4_a.yaml:2:9: workload.kind: is called workload.kind=synthetic since 0.2, with "
                      "traffic.kind=none measure.warmup_cycles=0 "
                      "(got 'idle'); accepted: the new name, which scripts/migrate FILE writes", said)
        self.assertIn("cenju4_a.yaml:3:3: workload.load_cycles: is called measure.cycles since 0.2 (got '5'); "
                      "accepted: the new name", said)

    def test_on_the_command_line(self):
        said = self.refused("cenju4_a.yaml", "", "--set", "workload.packet_flits=7")
        self.assertIn("--set workload.packet_flits=7: workload.packet_flits: is called traffic.packet_flits since 0.2",
                      said)

    def test_a_platform_without_the_new_key_does_not_know_the_old_one(self):
        done = subprocess.run([PLATFORMS / "compact_study", "--set", "workload.load_cycles=5"], capture_output=True,
                              text=True, cwd=self.folder, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn("workload.load_cycles: unknown key", done.stderr)


if __name__ == "__main__":
    run()
