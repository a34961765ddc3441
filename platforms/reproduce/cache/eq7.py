# SPDX-License-Identifier: Apache-2.0
"""Look-ups per second of the look-up pipeline with an unpipelined CAM, against the miss ratio."""

from reproduction import Findings, Row, Run, at_most, within_percent

from . import equations

TITLE = "Look-up throughput against miss ratio"
SOURCE = "Hirasawa 2020, section 7.2, eq. 6 and 7"
INTERVALS = [0, 200, 100, 50, 40, 33, 25, 20, 16, 10, 5, 4, 2, 1]  # one miss in this number of look-ups; 0: none
KNEE = [0, 50, 25, 20, 10]
ROWS = [
    Row("none", "no cache", "40 Mpps", within_percent(40, 2), unit="Mpps", runs=("none",)),
    Row("r0", "miss ratio 0", "1 Gpps a port", within_percent(1000, 2), unit="Mpps", points=((0, 0, 1000),),
        runs=("one 0",)),
    Row("knee", "miss ratio 4 %: not yet lower", "1 Gpps, knee at 4 %", within_percent(1000, 2),
        unit="Mpps", points=((0, 4, 1000),), runs=("one 25",)),
    Row("beyond", "miss ratio 5 %: lower", "(eq. 7: 800 Mpps)", within_percent(800, 2), unit="Mpps", runs=("one 20",)),
    Row("r10", "miss ratio 10 %", "400 Mpps", within_percent(400, 2), unit="Mpps", points=((0, 10, 400),),
        runs=("one 10",)),
    Row("times_r0", "miss ratio 0 over no cache", "25 times", within_percent(25, 2), runs=("none", "one 0")),
    Row("times_r10", "miss ratio 10 % over no cache", "10 times", within_percent(10, 2), runs=("none", "one 10")),
    Row("all", "largest difference from eq. 7 at all ratios", "eq. 7", at_most(2.0), unit="%"),
    Row("random_knee", "miss ratio 4 %, random misses", "-", unit="Mpps", reading_of=("knee",), runs=("random 25",)),
    Row("seven_r0", "seven ports, miss ratio 0", "-", unit="Mpps"),
    Row("seven_r10", "seven ports, miss ratio 10 %", "-", unit="Mpps"),
]
SERIES = {"one": ("one port, every (1/r)-th misses", "o", {}),
          "random": ("one port, random misses", "x", {"study.misses": "random"}),
          "seven": ("seven ports", "s", {"study.ports": 7})}


def keys(setting, **more):
    return {"study.kind": "throughput", "study.lookups": 20000 if setting.quick else 200000, "lookup.kind": "cached",
            "lookup.cam_cycles": 25, "lookup.cam_pipelined": False, **more}


def plan(setting):
    runs = {"none": Run("lookup_study", keys=keys(setting, **{"lookup.kind": "cam"}))}
    for interval in KNEE if setting.quick else INTERVALS:
        for name, (_, _, more) in SERIES.items():
            runs[f"{name} {interval}"] = Run("lookup_study",
                                             keys=keys(setting, **more, **{"study.miss_every": interval}))
    return runs


def mpps(result):
    return result.metric("lookups_per_second") / 1e6


def evaluate(setting, results):
    table = []
    for interval in KNEE if setting.quick else INTERVALS:
        line = {"miss_every": interval, "miss_ratio_percent": 100 / interval if interval else 0.0,
                "eq7_mpps": equations.lookups_per_second(1 / interval if interval else 0) / 1e6}
        line.update({f"{name}_mpps": mpps(results[f"{name} {interval}"]) for name in SERIES})
        line.update({f"{name}_measured_ratio_percent": 100 * results[f"{name} {interval}"].metric("miss_ratio")
                     for name in SERIES})
        table.append(line)
    at = {line["miss_every"]: line for line in table}
    values = {"none": mpps(results["none"]), "r0": at[0]["one_mpps"], "knee": at[25]["one_mpps"],
              "beyond": at[20]["one_mpps"], "r10": at[10]["one_mpps"],
              "times_r0": at[0]["one_mpps"] / mpps(results["none"]),
              "times_r10": at[10]["one_mpps"] / mpps(results["none"]),
              "all": max(100 * abs(line["one_mpps"] / line["eq7_mpps"] - 1) for line in table),
              "random_knee": at[25]["random_mpps"], "seven_r0": at[0]["seven_mpps"], "seven_r10": at[10]["seven_mpps"]}

    def draw(figure):
        axes = figure.subplots()
        lines = sorted(table, key=lambda line: line["miss_ratio_percent"])
        axes.plot([line["miss_ratio_percent"] for line in lines], [line["eq7_mpps"] for line in lines], "--",
                  color="black", linewidth=0.8, label="eq. 7")
        for index, (name, (label, mark, _)) in enumerate(SERIES.items()):
            axes.plot([line["miss_ratio_percent"] for line in lines], [line[f"{name}_mpps"] for line in lines], mark,
                      color=f"C{index}", markersize=5, label=label)
        axes.axhline(values["none"], color="C3", linewidth=0.9, linestyle=":", label="no cache")
        axes.set_xscale("symlog", linthresh=1)
        axes.set_yscale("log")
        axes.set_xlabel("miss ratio (%)")
        axes.set_ylabel("look-ups (10^6/s)")
        axes.set_title("Throughput of the look-up pipeline; CAM of 25 ns, one look-up at a time")
        axes.legend()

    return Findings(values, table, draw)
