# SPDX-License-Identifier: Apache-2.0
"""Replays the benchmarks on 64 switches as a torus, with 25 ns look-ups and with caches."""

from .applications import CASE_1_64

TITLE = CASE_1_64.title()
SOURCE = "Hirasawa 2020, section 5.2 and fig. 7"
ROWS = CASE_1_64.rows()


def plan(setting):
    return CASE_1_64.plan(setting)


def evaluate(setting, results):
    return CASE_1_64.findings(setting, results)
