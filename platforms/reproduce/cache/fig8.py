# SPDX-License-Identifier: Apache-2.0
"""Replays the benchmarks on 256 switches as a torus, and on fig. 7's 64, whose mean it must exceed."""

from .applications import CASE_1_64, CASE_1_256, FIG8_ROW, mean_gain

TITLE = CASE_1_256.title()
SOURCE = "Hirasawa 2020, section 5.2 and fig. 8"
ROWS = CASE_1_256.rows(FIG8_ROW)


def plan(setting):
    smaller = {f"64: {name}": run for name, run in CASE_1_64.judged().plan(setting).items()}
    return {**CASE_1_256.plan(setting), **smaller}


def evaluate(setting, results):
    smaller = {name[4:]: result for name, result in results.items() if name.startswith("64: ")}
    gains = [mean_gain(figure.measure(setting, runs), "cached")
             for figure, runs in ((CASE_1_256, results), (CASE_1_64.judged(), smaller))]
    return CASE_1_256.findings(setting, results, {"above_fig7": gains[0] - gains[1]})
