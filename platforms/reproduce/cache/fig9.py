# SPDX-License-Identifier: Apache-2.0
"""Replays the benchmarks on 64 switches of case 2 as random graphs with 6 neighbours, the mean over the listed
seeds."""

from .applications import CASE_2_64

TITLE = CASE_2_64.title()
SOURCE = "Hirasawa 2020, section 5.3 and fig. 9"
ROWS = CASE_2_64.rows()


def plan(setting):
    return CASE_2_64.plan(setting)


def evaluate(setting, results):
    seeds = ", ".join(str(seed) for seed in CASE_2_64.seeds)
    return CASE_2_64.findings(setting, results, notes=[f"random graphs of seeds {seeds}"])
