# SPDX-License-Identifier: Apache-2.0
"""Fig. 7-9: the NAS parallel benchmarks on switches with and without routing-table caches."""

import dataclasses

from reproduction import Findings, Row, Run, above, above_and_below, within

from . import delays, programs, switches

# Look-ups of a switch, and what they are compared with.
SERIES = {
    "conventional": ("no cache", None),
    "cached": ("cache, no misses", "conventional"),
    "cold": ("cache, empty at the start", "conventional"),
    "queued": ("no cache, CAM takes one look-up at a time", None),
    "queued_cached": ("cache, empty at the start; CAM takes one at a time", "queued"),
}
MEAN_OF = ("?? conventional *", "?? cached *")  # runs of the benchmarks, without recorded kernels
COMPARED = {name: base for name, (_, base) in SERIES.items() if base}
BASE_LABELS = {"conventional": "speed relative\nto no cache", "queued": "to no cache and\nthe same CAM"}
JUDGED = ("conventional", "cached")  # series that rows with a verdict read


OTHER_ROWS = {
    "cold": Row("mean_cold", "mean gain with caches that are empty at the start", "-", unit="%", reading_of=("mean",),
                runs=("?? conventional *", "?? cold *")),
    "queued_cached": Row("mean_queued_cached", "the same over a CAM that takes one look-up at a time", "-", unit="%",
                         reading_of=("mean",), runs=("?? queued *", "?? queued_cached *"))}


@dataclasses.dataclass(frozen=True)
class Figure:
    """One of the three: its configuration, its switches' case of table 1, and the paper's mean gain in per cent."""

    config: str
    ranks: int
    case: int
    paper: float
    machine: str  # for titles
    band: float  # at most half the distance to the mean gain of another figure, in points
    seeds: tuple = (None,)  # of random topologies; the speed is the mean over them
    series: tuple = JUDGED

    def judged(self):
        """The figure without the series that have no verdict."""
        return dataclasses.replace(self, series=JUDGED)

    def title(self):
        return f"Relative speed of the NAS parallel benchmarks, {self.machine}, case {self.case}"

    def rows(self, *more):
        applications = [
            Row(name, f"{name.upper()}: relative speed with a cache", "> 1", above_and_below(1.0, 1.3),
                quick=name in programs.QUICK,
                runs=(f"{name} conventional *", f"{name} cached *")) for name in programs.NAMES]
        return [*applications, delays.row(self.case),
                Row("mean", "mean gain", f"+{self.paper} %", within(self.paper, self.band), unit="%", quick=False,
                    runs=MEAN_OF),
                *more,
                Row("mean_without_ep", "mean gain without EP", f"+{self.paper} %", unit="%", number=self.paper,
                    reading_of=("mean",), runs=MEAN_OF),
                *(row for name, row in OTHER_ROWS.items() if name in self.series),
                *(Row(name, f"{name}, a recorded kernel: relative speed with a cache", "-")
                  for name in programs.kernels(self.ranks))]

    def names(self, setting):
        return (*programs.names(setting), *programs.kernels(self.ranks))

    def lookup_keys(self, series):
        if series in ("conventional", "queued"):
            return switches.conventional(self.case, pipelined=series == "conventional")
        return switches.cached(self.case, pipelined=series != "queued_cached", warm=series == "cached")

    def run(self, setting, name, series, seed, **more):
        program = programs.program(setting, name, self.ranks)
        keys = {**program.keys, **self.lookup_keys(series)}
        if seed is not None:
            keys["topology.seed"] = seed
        return Run("network", f"platforms/reproduce/cache/{self.config}", {**keys, **more}, seconds=program.seconds)

    def plan(self, setting):
        return {**{f"{name} {one} {seed}": self.run(setting, name, one, seed)
                   for name in self.names(setting) for one in self.series for seed in self.seeds_of(setting)},
                **delays.plan(setting, f"platforms/reproduce/cache/{self.config}", self.ranks, self.lookup_keys,
                              self.seeds[0])}

    def seeds_of(self, setting):
        return self.seeds[:1] if setting.quick else self.seeds

    def compared(self):
        """Each series with the one that its speed is relative to."""
        return {series: base for series, base in COMPARED.items() if series in self.series}

    def measure(self, setting, results):
        """One dict an application: cycles of each series (over all seeds) and relative speeds."""
        table = []
        for name in self.names(setting):
            cycles = {series: [timed_cycles(results[f"{name} {series} {seed}"])
                               for seed in self.seeds_of(setting)]
                      for series in self.series}
            line = {"application": name if name in programs.KERNELS else name.upper(),
                    "program": programs.program(setting, name, self.ranks).label}
            line.update({f"{series}_cycles": sum(values) / len(values) for series, values in cycles.items()})
            for series, base in self.compared().items():
                ratios = [slow / fast for slow, fast in zip(cycles[base], cycles[series])]
                line[f"{series}_speed"] = sum(ratios) / len(ratios)
            table.append(line)
        return table

    def findings(self, setting, results, values=None, notes=()):
        """`values`: of rows that other figures' runs decide, too."""
        table = self.measure(setting, results)
        by_name = {line["application"].lower(): line for line in table}
        values = {**(values or {}), **{name: line["cached_speed"] for name, line in by_name.items()},
                  "switch": delays.value(results), "mean": mean_gain(table, "cached"),
                  **{OTHER_ROWS[series].key: mean_gain(table, series) for series in self.series
                     if series in OTHER_ROWS},
                  "mean_without_ep": mean_gain([line for line in table if line["application"] != "EP"], "cached")}
        used = ", ".join(f"{line['application']}: {line['program']}" for line in table)
        return Findings(values, table, lambda figure: self.draw(figure, table), [f"programs: {used}", *notes])

    def draw(self, figure, table):
        bases = list(dict.fromkeys(self.compared().values()))
        panels = figure.subplots(len(bases), 1, sharex=True, squeeze=False, height_ratios=[2, 1][:len(bases)])[:, 0]
        for axes, base in zip(panels, bases):
            self.bars(axes, table, [series for series, own in self.compared().items() if own == base])
            axes.axhline(1, color="black", linewidth=0.6)
            axes.set_ylabel(BASE_LABELS[base])
            axes.margins(y=0.4)  # the legend's place
        panels[0].axhline(1 + self.paper / 100, color="black", linestyle=":", linewidth=0.9,
                          label=f"paper's mean, +{self.paper} %")
        panels[0].set_ylim(0.95, 1.3)
        panels[0].set_title(self.title(), fontsize="medium")
        for axes in panels:
            axes.legend(ncols=2)

    @staticmethod
    def bars(axes, table, names):
        labels = [line["application"] for line in table] + ["mean\nof NAS"]
        width = 0.8 / len(names)
        for index, series in enumerate(names):
            speeds = [line[f"{series}_speed"] for line in table] + [mean_speed(table, series)]
            places = [place + width * (index - (len(names) - 1) / 2) for place in range(len(labels))]
            axes.bar(places, speeds, width, label=SERIES[series][0])
        axes.set_xticks(range(len(labels)), labels, rotation=60)


def timed_cycles(result):
    """Of the benchmark's own timed section, of which MOPS are; of the whole run where the program marks none."""
    return result.metric("trace_section_cycles") or result.metric("trace_cycles")


def mean_speed(table, series):
    """Of the benchmarks."""
    speeds = [line[f"{series}_speed"] for line in table if line["application"] not in programs.KERNELS]
    return sum(speeds) / len(speeds)


def mean_gain(table, series):
    """In per cent."""
    return 100 * (mean_speed(table, series) - 1) if table else None


CASE_1_64 = Figure("case1_64.yaml", 64, 1, 5.2, "64 switches (4x4x4 torus)", 0.15,
                   series=tuple(SERIES))
CASE_1_256 = Figure("case1_256.yaml", 256, 1, 6.9, "256 switches (8x8x4 torus)", 0.85)
CASE_2_64 = Figure("case2_64.yaml", 64, 2, 5.5, "64 switches (random, 6 neighbours)", 0.15, (1, 2, 3))
FIG8_ROW = Row("above_fig7", "mean gain above that of 64 switches", "6.9 % against 5.2 %", above(0.0), unit="points")
