# SPDX-License-Identifier: Apache-2.0
"""Accepted load of the dragonfly of 72 nodes under uniform traffic and under ADV+1, in which every group sends to the
next one: minimal routing, Valiant over random routers, UGAL by queues of outputs and of virtual channels, PAR, and
in-transit misrouting. A saturated network is measured at offered loads above its throughput."""

from reproduction import Findings, Row, above, below, holds, within, within_percent

from . import accepted

TITLE = "Dragonfly: accepted load of minimal and non-minimal routing"
SOURCE = ("Kim 2008 (Technology-Driven, Highly-Scalable Dragonfly Topology); Garcia 2012 (On-the-Fly Adaptive Routing "
          "in High-Radix Hierarchical Networks)")
CONFIG = "platforms/reproduce/modern/dragonfly.yaml"
GROUP_NODES = 4 * 2  # a p
APART = 1.05  # least ratio of two loads that are not equal, as in adv_minimal's band
ROWS = [
    Row("adv_minimal", "minimal, ADV+1, offered 0.2", "1 / (a p)", within_percent(1 / GROUP_NODES, 5),
        unit="flits/node/cycle", runs=("adversarial minimal *",)),
    Row("adv_valiant", "Valiant, ADV+1, offered 0.5", "1/2", within(0.5, 0.03), unit="flits/node/cycle",
        runs=("adversarial valiant *",)),
    Row("adv_ugal", "UGAL-L, ADV+1, offered 0.5: between minimal routing and Valiant", "between", holds(),
        runs=("adversarial *",)),
    Row("adv_ugal_vc", "UGAL-L_VC above UGAL-L, ADV+1, offered 0.4", "above", above(0), unit="flits/node/cycle",
        runs=("adversarial ugal*",)),
    Row("adv_par", "PAR (Jiang 2009) at least 5 % above UGAL-L, ADV+1, offered 0.5", "above", holds(),
        runs=("adversarial ugal *", "adversarial par *")),
    Row("adv_in_transit", "in-transit misrouting, ADV+1, offered 0.5: as much as Valiant", "1/2", within(0.5, 0.03),
        unit="flits/node/cycle", runs=("adversarial in_transit *",)),
    Row("adv_in_transit_hops", "routers visited under ADV+1, in transit below Valiant", "below", below(0.85),
        runs=("adversarial in_transit *", "adversarial valiant 0.5")),
    Row("uniform_in_transit", "in-transit misrouting carries uniform traffic of 0.7 in full", "in full", holds(),
        runs=("uniform in_transit *",)),
    Row("uniform_par", "PAR carries uniform traffic of 0.7 in full", "in full", holds(), runs=("uniform par *",)),
    Row("uniform_minimal", "minimal and UGAL-L carry uniform traffic of 0.7 in full", "in full", holds(),
        runs=("uniform minimal *", "uniform ugal *")),
    Row("uniform_valiant", "Valiant, uniform, offered 0.7", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("uniform valiant *",)),
    Row("uniform_ugal_vc", "UGAL-L above UGAL-L_VC, uniform, offered 0.9", "above", above(0),
        unit="flits/node/cycle", runs=("uniform ugal*",)),
    Row("uniform_ugal_vch", "UGAL-L_VCH above UGAL-L_VC, uniform, offered 0.9", "above", above(0),
        unit="flits/node/cycle", runs=("uniform ugal_vc*",)),
]
POINTS = [("adversarial", "minimal", 0.2), ("adversarial", "minimal", 0.5), ("adversarial", "valiant", 0.3),
          ("adversarial", "valiant", 0.5), ("adversarial", "ugal", 0.4), ("adversarial", "ugal", 0.5),
          ("adversarial", "ugal_vc", 0.3), ("adversarial", "ugal_vc", 0.4), ("adversarial", "ugal_vch", 0.3),
          ("uniform", "minimal", 0.7), ("uniform", "ugal", 0.7), ("uniform", "ugal", 0.9), ("uniform", "valiant", 0.7),
          ("uniform", "ugal_vc", 0.9), ("uniform", "ugal_vch", 0.9), ("adversarial", "par", 0.5),
          ("uniform", "par", 0.7), ("adversarial", "in_transit", 0.5), ("uniform", "in_transit", 0.7)]


def plan(setting):
    return accepted.plan(CONFIG, POINTS, setting.quick)


def evaluate(setting, results):
    at = {point: accepted.accepted(results, *point) for point in POINTS}
    adv, uniform = "adversarial", "uniform"
    hops = {routing: results[f"{adv} {routing} 0.5"].metric("hops_mean") for routing in ("in_transit", "valiant")}
    values = {
        "adv_minimal": at[adv, "minimal", 0.2],
        "adv_valiant": at[adv, "valiant", 0.5],
        "adv_ugal": APART * at[adv, "minimal", 0.5] < at[adv, "ugal", 0.5] < at[adv, "valiant", 0.5] / APART,
        "adv_ugal_vc": at[adv, "ugal_vc", 0.4] - at[adv, "ugal", 0.4],
        "adv_par": at[adv, "par", 0.5] > APART * at[adv, "ugal", 0.5],
        "adv_in_transit": at[adv, "in_transit", 0.5],
        "adv_in_transit_hops": hops["in_transit"] / hops["valiant"],
        "uniform_in_transit": at[uniform, "in_transit", 0.7] > 0.99 * 0.7,
        "uniform_par": at[uniform, "par", 0.7] > 0.99 * 0.7,
        "uniform_minimal": min(at[uniform, "minimal", 0.7], at[uniform, "ugal", 0.7]) > 0.99 * 0.7,
        "uniform_valiant": at[uniform, "valiant", 0.7],
        "uniform_ugal_vc": at[uniform, "ugal", 0.9] - at[uniform, "ugal_vc", 0.9],
        "uniform_ugal_vch": at[uniform, "ugal_vch", 0.9] - at[uniform, "ugal_vc", 0.9]}
    lines = accepted.table(POINTS, results)
    return Findings(values, lines, lambda figure: accepted.draw(figure, TITLE, lines))
