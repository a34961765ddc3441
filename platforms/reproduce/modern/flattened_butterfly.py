# SPDX-License-Identifier: Apache-2.0
"""Accepted load of the 16-ary 2-flat under uniform traffic and its worst case, in which all nodes of a router send to
those of the next one: minimal routing, Valiant, UGAL, DAL (Ahn 2009) and OmniWAR (McDonald 2019)."""

from reproduction import Findings, Row, holds, within, within_percent

from . import accepted

TITLE = "Flattened butterfly: accepted load of minimal and non-minimal routing"
SOURCE = "Kim 2007 (Flattened Butterfly: A Cost-Efficient Topology for High-Radix Networks)"
CONFIG = "platforms/reproduce/modern/flattened_butterfly.yaml"
NODES = 16  # of a router
ROWS = [
    Row("worst_minimal", "minimal, worst case, offered 0.2", "1 / k", within_percent(1 / NODES, 5),
        unit="flits/node/cycle", runs=("adversarial minimal *",)),
    Row("worst_valiant", "Valiant, worst case, offered 0.6", "1/2", within(0.5, 0.03), unit="flits/node/cycle",
        runs=("adversarial valiant *",)),
    Row("worst_ugal", "UGAL, worst case, offered 0.6", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("adversarial ugal *",)),
    Row("worst_ugal_above", "UGAL above twice minimal routing, worst case", "above", holds(), runs=("adversarial *",)),
    Row("worst_dal", "DAL above minimal routing, worst case", "above", holds(), runs=("adversarial *",)),
    Row("worst_omni_war", "OmniWAR, worst case, offered 0.6", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("adversarial omni_war *",)),
    Row("uniform_valiant", "Valiant, uniform, offered 0.6", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("uniform valiant *",)),
    Row("uniform_ugal", "UGAL carries uniform traffic of 0.8 in full, as minimal routing does", "in full", holds(),
        runs=("uniform minimal *", "uniform ugal *")),
    Row("uniform_dal", "DAL carries uniform traffic of 0.8 in full", "in full", holds(), runs=("uniform dal *",)),
]
POINTS = [("adversarial", "minimal", 0.2), ("adversarial", "valiant", 0.6), ("adversarial", "ugal", 0.4),
          ("adversarial", "ugal", 0.6), ("uniform", "valiant", 0.6), ("uniform", "minimal", 0.8),
          ("uniform", "ugal", 0.8), ("adversarial", "dal", 0.6), ("adversarial", "omni_war", 0.6),
          ("uniform", "dal", 0.8), ("uniform", "omni_war", 0.8)]


def plan(setting):
    return accepted.plan(CONFIG, POINTS, setting.quick)


def evaluate(setting, results):
    at = {point: accepted.accepted(results, *point) for point in POINTS}
    values = {
        "worst_minimal": at["adversarial", "minimal", 0.2],
        "worst_valiant": at["adversarial", "valiant", 0.6],
        "worst_ugal": at["adversarial", "ugal", 0.6],
        "worst_ugal_above": at["adversarial", "ugal", 0.6] > 2 * at["adversarial", "minimal", 0.2],
        "worst_dal": at["adversarial", "dal", 0.6] > at["adversarial", "minimal", 0.2],
        "worst_omni_war": at["adversarial", "omni_war", 0.6],
        "uniform_valiant": at["uniform", "valiant", 0.6],
        "uniform_ugal": min(at["uniform", "minimal", 0.8], at["uniform", "ugal", 0.8]) > 0.99 * 0.8,
        "uniform_dal": at["uniform", "dal", 0.8] > 0.99 * 0.8}
    lines = accepted.table(POINTS, results)
    return Findings(values, lines, lambda figure: accepted.draw(figure, TITLE, lines))
