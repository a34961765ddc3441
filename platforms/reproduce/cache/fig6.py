# SPDX-License-Identifier: Apache-2.0
"""Replays the benchmarks with 256 ranks on 4x4x4 switches and counts look-ups that hit and entries that conflict."""

from reproduction import Findings, Row, Run, between, exactly, holds, within

from . import equations, programs, switches

TITLE = "Conflicts and hit rate of the NAS parallel benchmarks, 256 ranks on a 4x4x4 torus"
SOURCE = "Hirasawa 2020, section 4.3 and fig. 6"
WAYS = [1, 2, 4]
DT = tuple(programs.DT_SIZES)
NAMES = [*programs.NAMES, *DT]


def rows():
    for name in NAMES:
        yield Row(f"{name}_conflicts", f"{name.upper()}: conflicts at 2 and 4 ways", "0 at both", exactly([0, 0]),
                  unit="entries", quick=name in programs.QUICK,
                  runs=(f"{name} 2", f"{name} 4"))
    for name in programs.NAMES:
        yield Row(f"{name}_hits", f"{name.upper()}: hit rate with first look-ups, 4 ways", "99.7-100.0 %",
                  between(99.65, 100), unit="%", quick=False,
                  number=(99.7, 100.0),
                  runs=(f"{name} 4",))
    for name in DT:
        yield Row(f"{name}_hits", f"{name.upper()}: hit rate with first look-ups, 4 ways, a look-up for each message",
                  "95.6 %", within(95.6, 0.3), unit="%", quick=False,
                  runs=(f"{name} messages",))
    yield Row("dt_least", "DT, a look-up for each message, below all others but EP", "99.7-100.0 % but of DT", holds(),
              quick=False, runs=("* 4", "dt?H messages"))
    yield Row("packets", "DT: hit rate with first look-ups by packet of 256 B, BH and SH", "95.6 %", unit="%",
              number=95.6,
              reading_of=tuple(f"{name}_hits" for name in DT), runs=tuple(f"{name} 4" for name in DT))
    yield Row("messages", "hit rates by message, " + ", ".join(name.upper() for name in programs.NAMES), "-", unit="%",
              reading_of=tuple(f"{name}_hits" for name in programs.NAMES), runs=("?? messages",))
    yield Row("kernels", "hit rates of recorded kernels, " + ", ".join(programs.KERNELS), "-", unit="%")
    for ways in (2, 4):
        yield Row(f"seeds_{ways}", f"share of identifier seeds without a conflict, {ways} ways", "-", unit="%")
        yield Row(f"seeds_closed_{ways}", f"the same by balls in bins, {ways} ways", "-", unit="%")


ROWS = list(rows())


def names(setting):
    return programs.names(setting) if setting.quick else NAMES


# A message is one packet of flits of 32 KB, up to 1 MB.
MESSAGES = {"nic.packet_bytes": 2**20, "nic.flit_bytes": 2**15, "router.buffer_flits": 32}


def lookups(program, ways, ranks_per_node=4, **more):
    keys = {**program.keys, "workload.ranks_per_node": ranks_per_node, **switches.cached(1, warm=False, ways=ways),
            "lookup.cam_cycles": 1}
    return Run("network", "platforms/reproduce/cache/lookups_256.yaml", {**keys, **more}, seconds=10)


def plan(setting):
    runs = {}
    for name in names(setting):
        program = programs.program(setting, name, 256)
        for ways in WAYS:
            runs[f"{name} {ways}"] = lookups(program, ways)
        runs[f"{name} messages"] = lookups(program, 4, **MESSAGES)
    for name in programs.KERNELS:
        for ways in WAYS:
            runs[f"{name} {ways}"] = lookups(programs.kernel(name), ways, 1)
    runs["seeds"] = Run("lookup_study", keys={"study.kind": "conflicts", "study.seeds": 100 if setting.quick else 1000,
                                              "study.ways": [2, 4], "study.inserted": [64]})
    return runs


def hit_rate(result):
    """In per cent, first look-ups included; none without look-ups."""
    lookups = result.metric("lookups")
    return 100 * result.metric("lookup_hits") / lookups if lookups else None


def line_of(name, label, results):
    line = {"application": name, "program": label, "hit_rate_messages_percent": None}
    for ways in WAYS:
        result = results[f"{name} {ways}"]
        line.update({"lookups": result.metric("lookups"), f"conflicts_{ways}": result.metric("lookup_evictions"),
                     f"hit_rate_{ways}_percent": hit_rate(result)})
    return line


def evaluate(setting, results):
    table, values = [], {}
    for name in names(setting):
        line = line_of(name, programs.program(setting, name, 256).label, results)
        line["application"] = name.upper()
        line["hit_rate_messages_percent"] = hit_rate(results[f"{name} messages"])
        table.append(line)
        values[f"{name}_conflicts"] = [line["conflicts_2"], line["conflicts_4"]]
        values[f"{name}_hits"] = line["hit_rate_messages_percent" if name in DT else "hit_rate_4_percent"]
    by_message = {name: hit_rate(results[f"{name} messages"]) for name in names(setting)}
    values["messages"] = [by_message.get(name) for name in programs.NAMES]
    if not setting.quick:
        values["packets"] = [hit_rate(results[f"{name} 4"]) for name in DT]
        values["dt_least"] = max(by_message[name] for name in DT) < min(
            rate for name, rate in by_message.items() if name not in (*DT, "ep"))
    table += [line_of(name, programs.kernel(name).label, results) for name in programs.KERNELS]
    values["kernels"] = [line["hit_rate_4_percent"] for line in table[-len(programs.KERNELS):]]
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
        lower.bar([place - 0.2 for place in places], [line["hit_rate_4_percent"] for line in table], 0.4, color="C2",
                  label="by packet of 256 B")
        by_messages = [line.get("hit_rate_messages_percent") or 0 for line in table]
        lower.bar([place + 0.2 for place in places], by_messages, 0.4, color="C3", label="by message")
        lower.set_ylim(85, 103.5)  # above 100 is the legend
        lower.set_yticks([85, 90, 95, 100])
        lower.set_ylabel("hit rate, 4 ways (%)")
        lower.set_xticks(places, [line["application"] for line in table], rotation=60)
        lower.legend(ncols=2, loc="upper right")

    ep = results["ep 4"]
    of, first = ep.metric("lookups"), ep.metric("lookups") - ep.metric("lookup_hits")
    used = ", ".join(f"{line['application']}: {line['program']}" for line in table)
    notes = [f"programs: {used}",
             "hit rate: hits over look-ups of packets of 256 B, all input ports of all switches; DT's by message, up "
             "to 1 MB: by packet it is as high as the others'",
             f"EP sends little more than its first messages on every path: {first:,} of {of:,} look-ups are the first "
             "of their key"]
    return Findings(values, table, draw, notes)
