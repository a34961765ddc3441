# SPDX-License-Identifier: Apache-2.0
"""Replays the benchmarks with 256 ranks on 4x4x4 switches and counts look-ups that hit and entries that conflict."""

from reproduction import Findings, Row, Run, between, exactly, within

from . import equations, programs, switches

TITLE = "Conflicts and hit rate of the NAS parallel benchmarks, 256 ranks on a 4x4x4 torus"
SOURCE = "Hirasawa 2020, section 4.3 and fig. 6"
WAYS = [1, 2, 4]
DT = tuple(programs.DT_SIZES)
NAMES = [*programs.NAMES, *DT]


def rows():
    for name in NAMES:
        yield Row(f"{name}_conflicts", f"{name.upper()}: conflicts at 2 and 4 ways", "0 at both", exactly([0, 0]),
                  unit="entries", quick=name in programs.QUICK)
    for name in programs.NAMES:
        yield Row(f"{name}_hits", f"{name.upper()}: hit rate with first look-ups, 4 ways", "99.7-100.0 %",
                  between(99.65, 100), unit="%", quick=False)
    for name in DT:
        yield Row(f"{name}_hits", f"{name.upper()}: hit rate with first look-ups, 4 ways", "95.6 %", within(95.6, 0.3),
                  unit="%", quick=False)
    for ways in (2, 4):
        yield Row(f"seeds_{ways}", f"share of identifier seeds without a conflict, {ways} ways", "-", unit="%")
        yield Row(f"seeds_closed_{ways}", f"the same by balls in bins, {ways} ways", "-", unit="%")


ROWS = list(rows())


def names(setting):
    return programs.names(setting) if setting.quick else NAMES


def plan(setting):
    runs = {}
    for name in names(setting):
        program = programs.program(setting, name, 256)
        for ways in WAYS:
            keys = {**program.keys, "workload.ranks_per_node": 4, **switches.cached(1, warm=False, ways=ways),
                    "lookup.cam_cycles": 1}
            runs[f"{name} {ways}"] = Run("network", "platforms/reproduce/cache/lookups_256.yaml", keys, seconds=10)
    runs["seeds"] = Run("lookup_study", keys={"study.kind": "conflicts", "study.seeds": 100 if setting.quick else 1000,
                                              "study.ways": [2, 4], "study.inserted": [64]})
    return runs


def evaluate(setting, results):
    table, values = [], {}
    for name in names(setting):
        line = {"application": name.upper(), "program": programs.program(setting, name, 256).label}
        for ways in WAYS:
            result = results[f"{name} {ways}"]
            lookups = result.metric("lookups")
            line.update({"lookups": lookups, f"conflicts_{ways}": result.metric("lookup_evictions"),
                         f"hit_rate_{ways}_percent": 100 * result.metric("lookup_hits") / lookups if lookups else None})
        table.append(line)
        values[f"{name}_conflicts"] = [line["conflicts_2"], line["conflicts_4"]]
        values[f"{name}_hits"] = line["hit_rate_4_percent"]
    for line in results["seeds"].table("conflicts"):
        values[f"seeds_{line['ways']}"] = 100 * line["seeds_without"] / line["seeds"]
        values[f"seeds_closed_{line['ways']}"] = 100 * equations.no_eviction(64, line["ways"])

    def draw(figure):
        upper, lower = figure.subplots(2, 1, sharex=True)
        places = range(len(table))
        for index, ways in enumerate(WAYS):
            shifted = [place + 0.27 * (index - 1) for place in places]
            upper.bar(shifted, [100 * line[f"conflicts_{ways}"] / line["lookups"] for line in table], 0.27,
                      label=f"{ways} ways" if ways > 1 else "1 way")
        upper.set_ylabel("entries evicted\n(% of look-ups)")
        upper.set_title(TITLE)
        upper.legend()
        lower.bar(places, [line["hit_rate_4_percent"] for line in table], color="C2")
        lower.set_ylim(top=100)
        lower.set_ylabel("hit rate, 4 ways (%)")
        lower.set_xticks(places, [line["application"] for line in table])

    used = ", ".join(f"{line['application']}: {line['program']}" for line in table)
    return Findings(values, table, draw, [f"programs: {used}",
                                          "hit rate: hits over look-ups of packets of 256 B, all input ports of all "
                                          "switches"])
