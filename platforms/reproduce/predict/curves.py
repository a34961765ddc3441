# SPDX-License-Identifier: Apache-2.0
"""Latency against load: sweeps of several series, and what their points say."""

from reproduction import Run
from reproduction.runs import Result

LOW = "0.01:0.05:5"  # "up to load 0.05"


class Sweep:
    """A series of loads `low`, close to each other, and `high`, both as --sweep-load takes them."""

    def __init__(self, config, keys, high, low=LOW, quick="0.02:0.05:2", seconds=20, low_cycles=100_000,
                 high_cycles=10_000):
        self.config, self.keys, self.seconds = config, keys, seconds
        self.loads = {"low": low, "high": high, "quick": quick}
        self.low_cycles, self.high_cycles = low_cycles, high_cycles

    def run(self, loads, cycles, seconds):
        keys = {"measure.warmup_cycles": 5000, "measure.cycles": cycles, **self.keys}
        return Run("network", self.config, keys, ("--sweep-load", loads), seconds)

    def plan(self, name, quick):
        """Runs by name, the high loads in full versions only."""
        if quick:
            return {f"{name} low": self.run(self.loads["quick"], self.low_cycles // 5, 1)}
        return {f"{name} low": self.run(self.loads["low"], self.low_cycles, 3),
                f"{name} high": self.run(self.loads["high"], self.high_cycles, self.seconds)}


class Curve:
    """A series as measured: a dict for each load, rising. Loads are in flits/node/cycle times `scale`."""

    def __init__(self, name, results, scale=1):
        self.points, self.saturation, self.saturated, self.accepted = [], None, None, None
        for result in (results[key] for key in (f"{name} low", f"{name} high") if key in results):
            self.points += [point(result, line, scale) for line in result.table("sweep")]
            self.saturation = result.metric("saturation_flits_per_node_cycle")  # the highest load shown stable
            self.saturated = result.metric("saturated_flits_per_node_cycle")  # the lowest shown saturated
            self.accepted = result.metric("saturation_accepted_flits_per_node_cycle")
        self.at = {entry["load"]: entry["latency_cycles"] for entry in self.points}

    def gains(self, normal, loads):
        """In per cent of the normal router's latency."""
        return [100 * (1 - self.at[load] / normal.at[load]) for load in loads]


def point(result, line, scale):
    run = Result(result.folder / line["run"])
    hit_rate = run.metric("prediction_hit_rate") if "prediction_hit_rate" in run.json["metrics"] else None
    return {"load": round(line["load"] * scale, 4), "accepted": line["accepted"] * scale,
            "latency_cycles": line["latency_mean"],
            "confidence95_cycles": line["latency_mean_confidence95"], "hit_rate": hit_rate,
            "saturated": line["saturated"] == 1}


def low_loads(curve):
    return [load for load in curve.at if load <= 0.05]


def below_saturation(*curves):
    """Loads that all of these carry in full: below the most that each accepts (0.05, where nobody has looked). Loads of
    the search for saturation are not among them: they are measured for a verdict on stability, and their latencies vary
    by more than the gain."""
    limit = min(curve.accepted or 0.05 for curve in curves)
    return [load for load in curves[0].at
            if load <= limit and is_planned(load) and all(load in curve.at for curve in curves)]


def is_planned(load, step=0.01):
    """Loads of all plans are multiples of a hundredth."""
    return abs(load / step - round(load / step)) < 1e-6


def table(curves):
    """`curves`: by series, a line for each of their points."""
    return [{**series, **entry} for series, curve in curves for entry in curve.points]
