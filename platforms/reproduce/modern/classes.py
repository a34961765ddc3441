# SPDX-License-Identifier: Apache-2.0
"""Two classes of messages on virtual channels of their own, which share the link between two routers of four nodes.
Under weights both offer more than the link carries; under strict priority single flits of the high class (a fifth of
the link) meet packets of the low class, which fill the rest. A delay is the difference of the high class's mean packet
latency beside the low class and alone, of pairs of equal seeds."""

import math

from reproduction import Findings, Row, Run, between, within
from reproduction.statistics import mean_confidence95

TITLE = "Classes of messages: shares of a link, and delays of a higher priority"
SOURCE = ("Katevenis 1991 (Weighted Round-Robin Cell Multiplexing in a General-Purpose ATM Switch Chip); "
          "Bolotin 2004 (QNoC: QoS Architecture and Design Process for Network on Chip)")
CONFIG = "platforms/reproduce/modern/classes.yaml"
LINK_SOURCES = 4
WEIGHTS = {"even": (1, 1), "three_to_one": (3, 1), "one_to_four": (1, 4)}
WEIGHTED = {"router.sa_allocator": "weighted_round_robin", "traffic.load_flits_per_node_cycle": 0.5,
            "traffic.packet_flits": 16}
PRIORITY = {"router.sa_allocator": "strict_priority"}
HIGH_SHARE = 0.2  # of the link
# Two routers of four stages, three links and a flit; the wait of a queue of this share with a cycle a flit (M/D/1).
IDLE_CYCLES, WAIT_CYCLES = 2 * 4 + 3 + 1, HIGH_SHARE / (2 * (1 - HIGH_SHARE))
ROWS = [
    *(Row(f"weights_{name}", f"weights {high} and {low}, both saturated: the first class's flits a cycle on the link",
          f"{high} / {high + low}", within(high / (high + low), 0.01), runs=(f"weights {name}",))
      for name, (high, low) in WEIGHTS.items()),
    Row("weights_link", "the same: flits a cycle on the link, least of the weights", "1", within(1, 0.01),
        runs=("weights *",)),
    Row("priority_delay", "strict priority: delay of the high class by the low one",
        "0: flits of a higher level go first", within(0, 0.05), unit="cycles", runs=("beside *", "alone *")),
    Row("high_alone", "the same: mean packet latency of the high class alone",
        "12, and at most two waits of 0.125 (M/D/1), at both allocators",
        between(IDLE_CYCLES, IDLE_CYCLES + 2 * WAIT_CYCLES), unit="cycles", runs=("alone *",)),
    Row("priority_link", "the same: flits a cycle on the link", "1: the low class has the rest", within(1, 0.01),
        runs=("beside *",)),
    Row("priority_rest", "the same: the low class's flits a cycle on the link", "0.8: the rest",
        within(1 - HIGH_SHARE, 0.02), runs=("beside *",)),
]


def seeds(setting):
    return range(1, 4 if setting.quick else 11)


def classes(high, low):
    return f"high vcs 4-7 {high}, low vcs 0-3 {low}"


def plan(setting):
    runs = {}
    for name, (high, low) in WEIGHTS.items():
        keys = {**WEIGHTED, "classes.list": classes(f"weight {high}", f"weight {low}")}
        runs[f"weights {name}"] = Run("network", CONFIG, keys, seconds=1)
    # Packets of a flit, and of four, at rates of 0.05 and 0.45 flits/node/cycle.
    high_load = HIGH_SHARE / LINK_SOURCES
    for name, load, shares in (("beside", 0.5, (4, 9)), ("alone", high_load, (1, 0))):
        listed = classes(f"priority 1 share {shares[0]} flits 1", f"share {shares[1]} flits 4")
        for seed in seeds(setting):
            keys = {**PRIORITY, "classes.list": listed, "traffic.load_flits_per_node_cycle": load, "seed": seed}
            runs[f"{name} {seed}"] = Run("network", CONFIG, keys, seconds=1)
    return runs


def on_link(result, name):
    """Flits of a class a cycle on a direction of the link."""
    return LINK_SOURCES * of_class(result, name)["accepted"]


def of_class(result, name):
    table = result.json["tables"]["classes"]
    columns = [column["name"] for column in table["columns"]]
    return next(dict(zip(columns, row)) for row in table["rows"] if row[0] == name)


def latency(result):
    """Mean packet latency of the high class; infinite where none of its packets has arrived."""
    return of_class(result, "high")["latency_mean"] or math.inf


def mean(values):
    return sum(values) / len(values)


def evaluate(setting, results):
    def line(name):
        return {"runs": name, **{one: on_link(results[name], one) for one in ("high", "low")}}

    weighted = [line(f"weights {name}") for name in WEIGHTS]
    beside = [{**line(f"beside {seed}"),
               "latency": latency(results[f"beside {seed}"]), "latency_alone": latency(results[f"alone {seed}"])}
              for seed in seeds(setting)]
    delay, half = mean_confidence95([one["latency"] - one["latency_alone"] for one in beside])
    values = {**{f"weights_{name}": one["high"] for name, one in zip(WEIGHTS, weighted)},
              "weights_link": min(one["high"] + one["low"] for one in weighted),
              "priority_delay": delay,
              "high_alone": mean([one["latency_alone"] for one in beside]),
              "priority_link": mean([one["high"] + one["low"] for one in beside]),
              "priority_rest": mean([one["low"] for one in beside])}
    notes = [f"priority_delay: {delay:.3f} +- {half or 0:.3f} cycles (95 %)"]
    lines = [{"latency": None, "latency_alone": None, **one} for one in weighted + beside]
    return Findings(values, lines, lambda figure: draw(figure, lines), notes)


def draw(figure, lines):
    """Flits of both classes on the link in each run."""
    axes = figure.subplots()
    places = range(len(lines))
    axes.bar(places, [line["high"] for line in lines], label="high")
    axes.bar(places, [line["low"] for line in lines], bottom=[line["high"] for line in lines], label="low")
    axes.set_xticks(places, [line["runs"] for line in lines], rotation=60, fontsize=7)
    axes.set_ylabel("flits a cycle on the link")
    axes.set_ylim(0, 1.2)
    axes.legend(ncol=2, loc="upper center")
    figure.suptitle(TITLE)
