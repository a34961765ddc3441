# SPDX-License-Identifier: Apache-2.0
"""Sets of dead nodes: the canonical ones, round which Detour-NF gets, too, and random connected ones."""

import yaml

from reproduction.runs import ROOT

FILE = ROOT / "platforms" / "network" / "detour10x10_faults.yaml"
SEEDS = range(1, 13)
NAMES = {2: "two_dead", 4: "four_dead"}


def canonical_sets(dead):
    """Keys of runs by name; without dead nodes the one of none."""
    if dead == 0:
        return {"0 dead": {}}
    lists = yaml.safe_load(FILE.read_text(encoding="utf-8"))[NAMES[dead]]
    return {f"{dead} dead, set {number}": {"faults.routers": routers} for number, routers in enumerate(lists, start=1)}


def random_sets(dead):
    return {f"{dead} dead, seed {seed}": {"faults.random_routers": dead, "faults.seed": seed} for seed in SEEDS}
