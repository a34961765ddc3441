# SPDX-License-Identifier: Apache-2.0
"""Inserts random 64-bit identifiers into empty caches of 2,048 entries and counts those that are evicted."""

import math

from reproduction import Findings, Row, Run, above, at_most, holds
from reproduction.statistics import confidence

from . import equations

TITLE = "Entries evicted by conflicts against ways, uniform keys"
SOURCE = "Hirasawa 2020, section 4.2 and fig. 5"
WAYS, INSERTED = [1, 2, 4, 8, 16], [256, 512, 1024, 2048]
ROWS = [
    Row("512_at_4", "512 keys, 4 ways: evicted of capacity", "about 0.1 %", at_most(0.15), unit="%", number=0.1,
        points=((0, 4, 0.1),)),
    Row("1024_at_16", "1,024 keys, 16 ways", "0.1 % or less", at_most(0.1), unit="%", number=(0.0, 0.1),
        points=((0, 16, 0.1),)),
    Row("1024_at_8", "1,024 keys, 8 ways", "reaches 0.1 % at 16 ways only", above(0.1), unit="%"),
    Row("falls", "falls with ways in every series", "(figure)", holds()),
    Row("rises", "rises with inserted keys at all ways", "(figure)", holds()),
    Row("closed_form", "balls in bins lie inside the 99.9 % interval at all points", "-", holds()),
]


def plan(setting):
    return {"insert": Run("lookup_study", keys={
        "study.kind": "conflicts", "study.seeds": 100 if setting.quick else 1000, "study.ways": WAYS,
        "study.inserted": INSERTED, "lookup.entries": equations.ENTRIES}, seconds=10)}


def evaluate(setting, results):
    table = []
    for line in results["insert"].table("conflicts"):
        inserted, ways, seeds = line["inserted"], line["ways"], line["seeds"]
        low, high = confidence(line["evicted"], line["evicted_squares"], seeds)
        percent = 100 / equations.ENTRIES
        mean = line["evicted"] / seeds
        table.append({"inserted": inserted, "ways": ways, "seeds": seeds, "evicted_of_capacity_percent": percent * mean,
                      "interval_low_percent": percent * low, "interval_high_percent": percent * high,
                      "closed_form_percent": percent * equations.evicted(inserted, ways),
                      "evicted_of_inserted_percent": 100 * mean / inserted})
    at = {(line["inserted"], line["ways"]): line["evicted_of_capacity_percent"] for line in table}
    values = {
        "512_at_4": at[512, 4], "1024_at_16": at[1024, 16], "1024_at_8": at[1024, 8],
        "falls": all(at[n, few] > at[n, more] or at[n, few] == 0 for n in INSERTED
                     for few, more in zip(WAYS, WAYS[1:])),
        "rises": all(at[few, w] < at[more, w] or at[more, w] == 0 for w in WAYS
                     for few, more in zip(INSERTED, INSERTED[1:])),
        "closed_form": all(line["interval_low_percent"] <= line["closed_form_percent"] <= line["interval_high_percent"]
                           for line in table)}

    def draw(figure):
        axes = figure.subplots()
        for index, inserted in enumerate(INSERTED):
            lines = [line for line in table if line["inserted"] == inserted]
            points = [line["evicted_of_capacity_percent"] for line in lines]
            axes.plot(WAYS, [line["closed_form_percent"] for line in lines], "--", color=f"C{index}", linewidth=0.8)
            axes.errorbar(WAYS, [value or math.nan for value in points],
                          yerr=[[value - line["interval_low_percent"] for value, line in zip(points, lines)],
                                [line["interval_high_percent"] - value for value, line in zip(points, lines)]],
                          fmt="o", color=f"C{index}", markersize=4, capsize=2, label=f"{inserted:,} inserted")
        axes.axhline(0.1, color="gray", linestyle=":", linewidth=0.9)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_ylim(1e-4, 100)
        axes.set_xticks(WAYS, WAYS)
        axes.set_xlabel("ways")
        axes.set_ylabel("evicted entries / 2,048 entries (%)")
        axes.set_title("Conflicts in a cache of 2,048 entries; dashed: balls in bins; bars: 99.9 %")
        axes.legend()

    return Findings(values, table, draw)
