# SPDX-License-Identifier: Apache-2.0
"""Searches for the number of entries with which the mean route is 10 % longer than shortest paths."""

from reproduction import Findings, Row

from . import graphs

TITLE = "Entries for ways 10 % longer than shortest paths"
SOURCE = "in no paper"
NODES, LENGTHS = [64, 256, 1024, 4096, 16384], [2, 4, 8]
COUNT = {64: 20, 256: 10, 1024: 3, 4096: 1, 16384: 1}
SECONDS = {64: 1, 256: 2, 1024: 5, 4096: 10, 16384: 120}
# This number of destinations determines the mean route to 0.3 %, and the entries to no better than the margin.
SAMPLED_FROM, DESTINATIONS, MARGIN_PERCENT = 4096, 256, 5
ROWS = [*[Row(f"share_{length}",
              f"entries over routers, r = {length}, for {', '.join(f'{one:,}' for one in NODES)} routers", "-",
              unit="of N") for length in LENGTHS],
        *[Row(f"bits_{length}", f"bits over those of the full table, r = {length}", "-", unit="of the full table")
          for length in LENGTHS]]


def shown(quick):
    return NODES[:2] if quick else NODES


def plan(setting):
    runs = {}
    for nodes in shown(setting.quick):
        more = {"study_destinations": DESTINATIONS,
                "study_margin_percent": MARGIN_PERCENT} if nodes >= SAMPLED_FROM else {}
        for length in LENGTHS:
            runs[f"{nodes} {length}"] = graphs.study("growth", nodes, length, 2 if setting.quick else COUNT[nodes],
                                                     SECONDS[nodes], **more)
    return runs


def evaluate(setting, results):
    table = []
    for length in LENGTHS:
        for nodes in shown(setting.quick):
            lines = results[f"{nodes} {length}"].table("growth")
            table.append({"wire_length": length, "nodes": nodes, "graphs": len(lines),
                          "needed": graphs.mean(line["needed"] for line in lines),
                          "entries": graphs.mean(line["entries"] for line in lines),
                          "entries_spread": graphs.spread(line["entries"] for line in lines),
                          "share": graphs.mean(line["share"] for line in lines),
                          "table_bits": graphs.mean(line["table_bits"] for line in lines),
                          "full_table_bits": graphs.mean(line["full_table_bits"] for line in lines)})
    values = {}
    for length in LENGTHS:
        of = [entry for entry in table if entry["wire_length"] == length]
        values[f"share_{length}"] = [entry["share"] for entry in of]
        values[f"bits_{length}"] = [entry["table_bits"] / entry["full_table_bits"] for entry in of]
    notes = [f"from {SAMPLED_FROM:,} routers on, ways to {DESTINATIONS} destinations drawn at random and entries up to "
             f"{MARGIN_PERCENT} % above the fewest; d = 4",
             *[tends(length, values[f"share_{length}"]) for length in LENGTHS]]
    return Findings(values, table, lambda figure: draw(figure, table), notes)


def tends(length, shares):
    """Whether entries grow in step with the routers: their share then stays where it is."""
    falls = shares[-1] / shares[0]
    kind = "tend to a share of N" if shares[-1] > 0.8 * shares[-2] else "grow more slowly than N"
    return (f"r = {length}: entries {kind} ({shares[-1]:.3f} of N at the largest, {falls:.2f} times the share at the "
            f"smallest)")


def draw(figure, table):
    entries, share = figure.subplots(1, 2)
    for length in LENGTHS:
        of = [entry for entry in table if entry["wire_length"] == length]
        nodes = [entry["nodes"] for entry in of]
        entries.errorbar(nodes, [entry["entries"] for entry in of], [entry["entries_spread"] for entry in of],
                         marker="o", markersize=3,
                         linewidth=1, capsize=2, label=f"r = {length}")
        share.plot(nodes, [entry["share"] for entry in of], "o-", markersize=3, linewidth=1, label=f"r = {length}")
    entries.plot(nodes, [4 * one**0.5 for one in nodes], ":", color="0.5", linewidth=0.8, label="4 sqrt(N)")
    entries.set_yscale("log", base=2)
    entries.set_ylabel("entries a router")
    share.set_ylim(0, 1)
    share.set_ylabel("entries / N")
    for axes in (entries, share):
        axes.set_xscale("log", base=4)
        axes.set_xlabel("routers N")
        axes.legend()
    figure.suptitle(TITLE)
