# SPDX-License-Identifier: Apache-2.0
"""Accepted load of DAL on a HyperX of 4 x 4 routers with two parallel links in each dimension. In the adversarial
pattern all 8 nodes of a router send to the next router of one dimension: dimension order has two links for them. DAL
also has the 4 links over the other two routers, which first hops share with others' second hops: (2 + 4 / 2) / 8 of
the load."""

from reproduction import Findings, Row, above, holds, within, within_percent

from . import accepted

TITLE = "HyperX: accepted load of DAL and dimension order"
SOURCE = "Ahn 2009 (HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks)"
CONFIG = "platforms/reproduce/modern/hyperx.yaml"
NODES, TRUNKS = 8, 2
ROW_ROUTERS = 4  # distance of the numbers of two neighbours in that dimension
FULL = 0.98  # least share of an offered load that is carried in full
ROWS = [
    Row("adversarial_minimal", "dimension order, adversarial, offered 0.6", "trunks / nodes of a router",
        within_percent(TRUNKS / NODES, 5), unit="flits/node/cycle", runs=("adversarial minimal *",)),
    Row("adversarial_dal", "DAL, adversarial, offered 0.6", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("adversarial dal *",)),
    Row("adversarial_valiant", "Valiant, adversarial, offered 0.6", "1/2", within(0.5, 0.05), unit="flits/node/cycle",
        runs=("adversarial valiant *",)),
    Row("uniform_minimal", "dimension order carries uniform traffic of 0.85 in full", "in full", holds(),
        runs=("uniform minimal *",)),
    Row("uniform_dal", "DAL carries uniform traffic of 0.85 in full", "in full", holds(), runs=("uniform dal *",)),
    Row("uniform_dal_valiant", "DAL above Valiant, uniform, offered 0.85", "above", above(0.3),
        unit="flits/node/cycle", runs=("uniform dal *", "uniform valiant *")),
]
POINTS = [("adversarial", "minimal", 0.6), ("adversarial", "dal", 0.6), ("adversarial", "valiant", 0.6),
          ("uniform", "minimal", 0.85), ("uniform", "dal", 0.85), ("uniform", "valiant", 0.85)]


def plan(setting):
    return accepted.plan(CONFIG, POINTS, setting.quick, group_offset=ROW_ROUTERS)


def evaluate(setting, results):
    adversarial, uniform = ({routing: accepted.accepted(results, pattern, routing, load)
                             for routing in ("minimal", "dal", "valiant")}
                            for pattern, load in (("adversarial", 0.6), ("uniform", 0.85)))
    values = {
        **{f"adversarial_{routing}": load for routing, load in adversarial.items()},
        "uniform_minimal": uniform["minimal"] > FULL * 0.85,
        "uniform_dal": uniform["dal"] > FULL * 0.85,
        "uniform_dal_valiant": uniform["dal"] - uniform["valiant"]}
    lines = accepted.table(POINTS, results)
    return Findings(values, lines, lambda figure: accepted.draw(figure, TITLE, lines))
