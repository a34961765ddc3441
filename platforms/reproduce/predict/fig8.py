# SPDX-License-Identifier: Apache-2.0
"""Sends single packets through (4,4,r) trees: between all pairs of nodes up to 256 of them, between drawn pairs above.
Each packet's hits are held against the digits of its ends; the mean is beside the closed form."""

from reproduction import Findings, Row, above, at_least, at_most, below, exactly, holds, within
from reproduction.statistics import ratio_confidence95

from . import trees, zero_load

TITLE = "Hit rate against nodes, (4,4,r) fat trees, zero load"
SOURCE = "Tateshita 2009, section 4.1.3 and fig. 8"
LEVELS, QUICK = [2, 3, 4, 5, 6, 7], [2, 3, 5]
SAMPLED_FROM = 5  # levels
# Ports up as different routes, up to 1,024 nodes: (p, kind of predictor).
DISTINCT = [(4, "straight"), (2, "up"), (1, "up")]
DISTINCT_TO = 5
CITED = {1: 40, 2: 35}
PAPER = {"straight": 60, "up": 45}
SINGLE = ("straight ?", "up ?")  # runs with any port up
ROWS = [Row(f"{kind}_{levels}", f"{name}, {4**levels:,} nodes", f"near {PAPER[kind]} %", within(PAPER[kind], 3),
            unit="%", quick=levels in QUICK, points=((0, 4**levels, PAPER[kind]),),
            runs=(f"{kind} {levels}",))
        for kind, name in trees.KINDS.items() for levels in LEVELS if levels >= SAMPLED_FROM]
ROWS += [
    Row("rises", "rises with r, SS and UP", "rises", holds()),
    Row("chances", "predictions of SS over those of UP, the least of all sizes", "more than twice as many chances",
        at_least(2), runs=SINGLE),
    Row("hits", "hits of SS over those of UP, the most of all sizes", "hits do not double", below(2), runs=SINGLE),
    Row("down", "a prediction down or across the top (SS's, but not UP's) hits less than one up, at every size",
        "ports down are predicted less well than ports up", holds(), runs=SINGLE),
    Row("closed_form", "largest difference from the closed form", "-", at_most(0.3), unit="points",
        quick=False),
    Row("confidence", "widest 95 % interval of a sampled mean", "-", at_most(0.3), unit="points",
        quick=False),
    Row("pairs", "packets with other hits than the digits of their ends say", "-", exactly(0),
        unit="packets"),
    Row("measured", "packets", "-", above(0), unit="packets"),
    *[Row(f"distinct_{up}", f"UP, {up} port(s) up as different routes, 256 nodes",
          f"about {CITED[up]} % (cited, predictor not named)",
          unit="%", number=CITED[up], runs=(f"up 4 distinct {up}",)) for up in CITED],
]


def pairs(setting, levels):
    if levels < SAMPLED_FROM:
        return zero_load.every_pair(4**levels)
    return zero_load.sampled_pairs(4**levels, 2000 if setting.quick else 20000)


def run(setting, kind, levels, up=4, distinct=False):
    keys = {"topology.levels": levels, "prediction.kind": kind}
    if up != 4:
        keys["topology.up_links"] = up
    if distinct:
        keys["routing.up_port"] = "random"
    chosen = pairs(setting, levels)
    return zero_load.run(setting, "platforms/reproduce/predict/ocn.yaml", f"pairs{levels}", chosen, keys,
                         len(chosen) / 20000 + 4**levels / 3000)


def plan(setting):
    runs = {}
    for levels in QUICK if setting.quick else LEVELS:
        for kind in trees.KINDS:
            runs[f"{kind} {levels}"] = run(setting, kind, levels)
        for up, kind in DISTINCT if levels <= DISTINCT_TO else []:
            runs[f"{kind} {levels} distinct {up}"] = run(setting, kind, levels, up, distinct=True)
    return runs


def wrong_pairs(kind, levels, packets):
    """Packets whose visits or hits are not those of the digits of their ends."""
    wrong = 0
    for source, destination, visits, hits, _ in packets:
        ends = trees.digits(source, 4, levels), trees.digits(destination, 4, levels)
        wrong += visits != trees.visits(trees.turn_level(*ends)) or hits != trees.hits(kind, *ends, 4)
    return wrong


def line(series, levels, kind, up, distinct, packets):
    visits, hits = ([packet[place] for packet in packets] for place in (2, 3))
    sampled = levels >= SAMPLED_FROM
    return {"series": series, "levels": levels, "nodes": 4**levels, "packets": len(packets),
            "hit_rate_percent": 100 * sum(hits) / sum(visits),
            "confidence95_percent": 100 * ratio_confidence95(hits, visits) if sampled or distinct else 0.0,
            "closed_form_percent": 100 * trees.hit_rate(kind, 4, levels, distinct)}


def predictions(result):
    """Heads for which a port was predicted, and those predicted right."""
    made = sum(result.metric(f"prediction_{outcome}") for outcome in ("hits", "wrong", "lost", "no_room"))
    return made, result.metric("prediction_hits")


def compared(setting, results):
    """Values of the rows that hold SS against UP."""
    pairs = [[predictions(results[f"{kind} {levels}"]) for kind in ("straight", "up")]
             for levels in (QUICK if setting.quick else LEVELS)]
    return {"chances": min(straight[0] / up[0] for straight, up in pairs),
            "hits": max(straight[1] / up[1] for straight, up in pairs),
            "down": all((straight[1] - up[1]) / (straight[0] - up[0]) < up[1] / up[0] for straight, up in pairs)}


def evaluate(setting, results):
    table, wrong = [], 0
    for name, result in results.items():
        kind, levels, *rest = name.split()
        levels, distinct = int(levels), bool(rest)
        up = int(rest[-1]) if distinct else 4
        packets = zero_load.packets(result)
        wrong += 0 if distinct else wrong_pairs(kind, levels, packets)
        label = f"{trees.KINDS[kind]}, ({up},4,r), different routes up" if distinct else trees.KINDS[kind]
        table.append(line(label, levels, kind, up, distinct, packets))
    series = {name: [entry for entry in table if entry["series"] == name]
              for name in dict.fromkeys(entry["series"] for entry in table)}
    main = {kind: {entry["levels"]: entry["hit_rate_percent"] for entry in series[name]}
            for kind, name in trees.KINDS.items()}
    values = {f"{kind}_{levels}": rate for kind, rates in main.items()
              for levels, rate in rates.items() if levels >= SAMPLED_FROM}
    values.update(compared(setting, results))
    values.update({
        "rises": all(list(rates.values()) == sorted(set(rates.values())) for rates in main.values()),
        "closed_form": max(abs(entry["hit_rate_percent"] - entry["closed_form_percent"]) for entry in table
                           if entry["series"] in trees.KINDS.values()),
        "confidence": max(entry["confidence95_percent"] for entry in table if entry["levels"] >= SAMPLED_FROM),
        "pairs": wrong, "measured": sum(entry["packets"] for entry in table)})
    at = 3 if setting.quick else 4
    if not setting.quick:
        values.update({f"distinct_{up}": next(entry["hit_rate_percent"]
                                              for entry in series[f"UP, ({up},4,r), different routes up"]
                                              if entry["levels"] == at) for up in CITED})
    notes = ["all pairs up to 256 nodes, drawn pairs above; one packet under way at a time; lines: closed form",
             "the paper cites about 40 % on (1,4,r) and 35 % on (2,4,r) with ports up as different routes; there SS "
             "has no opposite "
             "ports, and of the inputs that share a port up one at a time holds it"]
    return Findings(values, table, lambda figure: draw(figure, series), notes)


def draw(figure, series):
    axes = figure.subplots()
    for index, (name, entries) in enumerate(series.items()):
        nodes = [entry["nodes"] for entry in entries]
        axes.plot(nodes, [entry["closed_form_percent"] for entry in entries], "-" if index < 2 else ":",
                  color=f"C{index}",
                  linewidth=0.9)
        axes.errorbar(nodes, [entry["hit_rate_percent"] for entry in entries],
                      [entry["confidence95_percent"] for entry in entries], fmt="o" if index < 2 else "x",
                      color=f"C{index}",
                      markersize=4, label=name)
    for up, rate in CITED.items():
        axes.axhline(rate, color="0.6", linestyle="--", linewidth=0.8)
        axes.text(17, rate + 0.6, f"cited for ({up},4,r)", fontsize=7, color="0.4")
    axes.set_xscale("log", base=4)
    axes.set_ylim(0, 70)
    axes.set_xlabel("nodes")
    axes.set_ylabel("hit rate (%)")
    axes.set_title(TITLE)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
