# SPDX-License-Identifier: Apache-2.0
"""scripts/explore: what its tests share; they are skipped without Snakemake. The last word names the platforms."""

import csv
import os
import pathlib
import shutil
import sys
import unittest
import unittest.mock

import forked
from own_folder import FolderTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
PLATFORMS = pathlib.Path(sys.argv[-1]).resolve()
if not shutil.which(os.environ.get("TSUJI_SNAKEMAKE") or "/usr/bin/snakemake") and not shutil.which("snakemake"):
    print("skipped: snakemake is not installed (scripts/packages, section study)")
    sys.exit(77)

from tsuji import Refused, engine, explore_main, question  # noqa: E402

FAKE_SNAKEMAKE = str(ROOT / "tests" / "platforms" / "fake_snakemake")
SET = "set: {measure: {warmup_cycles: 300, cycles: 600, drain_cycles: 3000}, traffic: {packet_flits: 4}}\n"
SPACE = """space:
  network:
    mesh: {topology.kind: mesh, topology.radices: [4, 4]}
    torus: {topology.kind: torus, topology.radices: [4, 4]}
  router.vcs: [2, 4]
  routing.kind: {values: [dimension_order, west_first], where: {network: mesh}}
"""
LOAD = "load:\n  uniform: {traffic.load_flits_per_node_cycle: 0.2}\n"
SMALL = "minimize: [latency_cycles_mean, buffer_bits]\n"
QUESTION = SET + SPACE + LOAD + SMALL


class Files(FolderTest):
    def read(self, text):
        path = self.folder / "q.yaml"
        path.write_text(text, encoding="utf-8")
        return question.read(path)

    def refused(self, text, *words):
        with self.assertRaises(Refused) as caught:
            self.read(text)
        for word in words:
            self.assertIn(word, str(caught.exception))


class Explored(Files):
    def explore(self, text, *words):
        path = self.folder / "q.yaml"
        path.write_text(text, encoding="utf-8")
        with unittest.mock.patch.object(engine, "SNAKEMAKE", FAKE_SNAKEMAKE):
            return forked.call(explore_main.main, [path, "--platforms", PLATFORMS, "--out", self.folder / "out",
                                                   "--jobs", "1", *words], self.folder, os.environ, 120)

    def rows(self, name):
        with open(self.folder / "out" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def main():
    """The cases of the classes that the words name."""
    unittest.main(argv=sys.argv[:-1])
