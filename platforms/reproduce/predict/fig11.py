# SPDX-License-Identifier: Apache-2.0
"""Sends single packets of 256 B from the nodes of one switch to all nodes of the (16,16,2) tree, as flits of 8 to 256
B, cut through."""

from reproduction import Findings, Row, at_most, holds, within

from . import san, zero_load

TITLE = "Zero-load latency against flit size, (16,16,2) fat tree, packets of 256 B"
SOURCE = "Tateshita 2009, section 4.2.4 and fig. 11"
SIZES, QUICK = [8, 16, 32, 64, 128, 256], [8, 256]
APART_CYCLES = 500
ROWS = [
    Row("gain_8", "UP with hint below normal, flits of 8 B", "8.3 %", within(8.3, 0.05), unit="%",
        points=((1, 8, 8.3),),
        runs=("normal 8", "UP 8")),
    Row("gain_256", "flits of 256 B", "23.2 %", within(23.2, 0.05), unit="%",
        points=((1, 256, 23.2),),
        runs=("normal 256", "UP 256")),
    Row("grows", "the gain grows with the flit", "grows", holds()),
    Row("closed_form", "largest difference of a mean latency from the closed form",
        "LT 2 cycles at 16 B, 4 at 32 B; 5 cycles in a router", at_most(0.001),
        unit="cycles"),
    Row("latency", "latency with flits of 8 and 256 B, normal", "figure", unit="cycles"),
    Row("latency_predicted", "with prediction", "figure", unit="cycles"),
]


def run(setting, size, switching, predicts):
    """Every pair of a source at the first switch and any node."""
    flits = san.PACKET_BYTES // size
    pairs = [(source, destination) for source in range(san.DOWN) for destination in range(san.DOWN**2)]
    return zero_load.run(setting, san.CONFIG, f"{flits}", pairs, san.flits(size, switching, predicts), 1, APART_CYCLES,
                         flits)


def plan(setting):
    return {f"{'UP' if predicts else 'normal'} {size}": run(setting, size, "virtual_cut_through", predicts)
            for size in (QUICK if setting.quick else SIZES) for predicts in (False, True)}


def evaluate(setting, results):
    table = []
    for size in QUICK if setting.quick else SIZES:
        normal, predicted = (results[f"{series} {size}"].metric("latency_cycles_mean") for series in ("normal", "UP"))
        table.append({"flit_bytes": size, "normal_cycles": normal, "predicted_cycles": predicted,
                      "normal_ns": normal * san.PERIOD_NS, "predicted_ns": predicted * san.PERIOD_NS,
                      "closed_form_normal_cycles": san.latency_cycles(size, False),
                      "closed_form_predicted_cycles": san.latency_cycles(size, True),
                      "gain_percent": 100 * (1 - predicted / normal),
                      "hits_per_packet": results[f"UP {size}"].metric("prediction_hits")
                      / results[f"UP {size}"].metric("packets_born")})
    gains = [line["gain_percent"] for line in table]
    ends = (table[0], table[-1])
    values = {"gain_8": gains[0], "gain_256": gains[-1],
              "grows": all(before < after for before, after in zip(gains, gains[1:])),
              "closed_form": max(abs(line[f"{series}_cycles"] - line[f"closed_form_{series}_cycles"]) for line in table
                                 for series in ("normal", "predicted")),
              "latency": [line["normal_cycles"] for line in ends],
              "latency_predicted": [line["predicted_cycles"] for line in ends]}
    notes = ["the nodes' 7 cycles are calibrated on the 8.3 % of flits of 8 B; all else follows from table 2",
             "a hit saves Des, RC, VSA, Ser and the wait for the flit's last word: flit bytes / 8 + 4 cycles"]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def draw(figure, table):
    left, right = figure.subplots(1, 2)
    sizes = [line["flit_bytes"] for line in table]
    for index, (series, label) in enumerate((("normal", "normal"), ("predicted", "UP with hint"))):
        left.plot(sizes, [line[f"closed_form_{series}_cycles"] * san.PERIOD_NS for line in table], "--",
                  color=f"C{index}", linewidth=0.8)
        left.plot(sizes, [line[f"{series}_ns"] for line in table], "o", color=f"C{index}", markersize=4, label=label)
    left.set_ylabel("zero-load latency (ns)")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(sizes, [line["gain_percent"] for line in table], "o-", color="C1", markersize=4)
    right.set_ylabel("latency saved (%)")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, sizes)
        axes.set_xlabel("flit (B)")
    figure.suptitle(TITLE)
