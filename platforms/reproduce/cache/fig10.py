# SPDX-License-Identifier: Apache-2.0
"""Counts, over all pairs of nodes, the destinations of the packets that pass each input port: as dimension order routes
them, not as the equation says."""

from reproduction import Findings, Row, Run, exactly

from . import equations

TITLE = "Destinations seen by an input port, 5-ary 2-cube"
SOURCE = "Hirasawa 2020, section 6.2 and fig. 10"
PORTS = {"x": "dimension 0", "y": "dimension 1", "injection": "injection"}
ROWS = [
    Row("x", "port of the x dimension", "K floor(K/2) = 10", exactly(10), unit="nodes", points=((0, 0, 10),)),
    Row("y", "port of the y dimension", "floor(K/2) = 2", exactly(2), unit="nodes", points=((0, 1, 2),)),
    Row("injection", "port of the node", "K^N - 1 = 24", exactly(24), unit="nodes", points=((0, 2, 24),)),
    Row("alike", "switches whose ports all see so many", "all 25", exactly(25), unit="switches"),
]


def plan(setting):
    return {"count": Run("lookup_study", keys={"study.kind": "destinations", "topology.kind": "torus",
                                               "topology.radices": [5, 5], "routing.kind": "dimension_order"})}


def evaluate(setting, results):
    ports = results["count"].table("ports")
    first = {name: next(port["destinations"] for port in ports if port["from"].startswith(start))
             for name, start in PORTS.items()}
    wrong = {port["router"] for port in ports for name, start in PORTS.items()
             if port["from"].startswith(start) and port["destinations"] != first[name]}
    values = {**first, "alike": len({port["router"] for port in ports} - wrong)}
    closed = {"x": equations.destinations(5, 2, 1), "y": equations.destinations(5, 2, 2),
              "injection": equations.destinations(5, 2, 0)}
    table = [{"port": name, "destinations": first[name], "closed_form": closed[name]} for name in PORTS]

    def draw(figure):
        axes = figure.subplots()
        places = range(len(table))
        axes.bar([place - 0.2 for place in places], [line["destinations"] for line in table], 0.4, label="counted")
        axes.bar([place + 0.2 for place in places], [line["closed_form"] for line in table], 0.4, label="eq. 2")
        axes.set_xticks(list(places), [f"{line['port']} port" for line in table])
        axes.set_ylabel("destinations (nodes)")
        axes.set_title("Destinations seen by an input port, 5-ary 2-cube, dimension order")
        axes.legend()

    return Findings(values, table, draw)
