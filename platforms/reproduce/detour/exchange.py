# SPDX-License-Identifier: Apache-2.0
"""Repeated exchange on the 10x10 torus: the four routers with 0, 2 and 4 dead nodes at several points (message sizes,
gaps, timeouts), and means over fault sets."""

import statistics

from . import fault_sets, routers

SERIES = [("dm", 0), ("duato", 0), ("ud", 0), ("nf", 0), ("ud", 2), ("nf", 2), ("ud", 4), ("nf", 4)]


class Exchange:
    """`run_of(point)`: (size in bytes, further keys). `quick`: the points of quick versions, with one canonical set.
    `series` are pairs (router, number of dead nodes). `choice`: an alternative assumption, on the canonical sets
    alone."""

    def __init__(self, name, pattern, points, run_of, quick, series=None, choice=None):
        self.name, self.pattern, self.points, self.run_of, self.quick_points = name, pattern, points, run_of, quick
        self.series, self.choice = SERIES if series is None else series, choice

    def shown(self, quick):
        return self.quick_points if quick else self.points

    def sets(self, dead, quick, random=True):
        """By kind, the keys of each fault set by its name."""
        found = {"canonical": fault_sets.canonical_sets(dead)}
        if quick:
            found["canonical"] = dict(list(found["canonical"].items())[:1])
        elif dead and random and self.choice is None:
            found["random"] = fault_sets.random_sets(dead)
        return found

    def run_name(self, router, fault_set, point):
        return f"{self.name}: {router}, {fault_set}, {point}"

    def plan(self, quick, choice=None):
        """`choice`: replaces the exchange's own choice."""
        choice, runs = choice or self.choice, {}
        for router, dead in self.series:
            extra = choice.keys(router) if choice else {}
            for sets in self.sets(dead, quick, random=choice is None).values():
                for fault_set, faults in sets.items():
                    for point in self.shown(quick):
                        size, keys = self.run_of(point)
                        runs[self.run_name(router, fault_set, point)] = routers.run(
                            router, self.pattern, size, {**faults, **keys, **extra}, seconds=0.1 + size / 1500,
                            may_be_refused=bool(faults or extra))
        return runs


class Measured:
    """Results of an Exchange's runs. Methods take `what`, a function of (router, result), and a series as router and
    dead nodes."""

    def __init__(self, exchange, quick, results, random=True):
        self.exchange, self.quick = exchange, quick
        self.points = exchange.shown(quick)
        self.sets = {dead: exchange.sets(dead, quick, random) for _, dead in exchange.series}
        self.results = {(router, fault_set, point): results[exchange.run_name(router, fault_set, point)]
                        for router, dead in exchange.series for sets in self.sets[dead].values() for fault_set in sets
                        for point in self.points}

    def refused(self, router, dead, kind="canonical"):
        """Fault sets that a router refuses; of a configuration that it refuses, all."""
        return [name for name in self.sets[dead].get(kind, ())
                if self.results[router, name, self.points[0]].refusal is not None]

    def borne(self, dead, kind="canonical"):
        """Fault sets that all routers bear which bear any."""
        names = list(self.sets[dead].get(kind, ()))
        for router, other in self.exchange.series:
            refused = self.refused(router, dead, kind) if other == dead else []
            if len(refused) < len(self.sets[dead].get(kind, ())):
                names = [name for name in names if name not in refused]
        return names

    def has(self, router, dead, kind="canonical"):
        """Any fault set is borne, so that there is a mean."""
        names = self.borne(dead, kind) if (router, dead) in self.exchange.series else []
        return bool(names) and self.results[router, names[0], self.points[0]].refusal is None

    def spread(self, what, router, dead, point, kind="canonical"):
        """A value for each fault set that all routers bear."""
        return [what(router, self.results[router, name, point]) for name in self.borne(dead, kind)]

    def mean(self, what, router, dead, point, kind="canonical"):
        return statistics.fmean(self.spread(what, router, dead, point, kind))

    def percent_above(self, what, a, b, points, kind="canonical"):
        """The least over the points of how far series a is above b, in per cent of b. None: a configuration is refused,
        or quick versions have none of the points."""
        points = [point for point in points if point in self.points]
        if not points or not (self.has(*a, kind) and self.has(*b, kind)):
            return None
        return min(100 * (self.mean(what, *a, point, kind) / self.mean(what, *b, point, kind) - 1) for point in points)

    def table(self, columns, whats):
        """`columns(point)`: a dict; `whats`: functions by column."""
        return [{"router": routers.ROUTERS[router].label, "dead_nodes": dead, "fault_sets": kind, "fault_set": name,
                 **columns(point),
                 **{column: None if result.refusal else what(router, result) for column, what in whats.items()}}
                for router, dead in self.exchange.series for kind, sets in self.sets[dead].items() for name in sets
                for point in self.points
                for result in (self.results[router, name, point],)]

    def refusals(self):
        """Notes on the random sets that Detour-NF refuses."""
        counts = {dead: len(self.refused("nf", dead, "random"))
                  for dead in (2, 4) if ("nf", dead) in self.exchange.series and not self.quick}
        return [f"Detour-NF refuses {count} of {len(fault_sets.SEEDS)} random sets of {dead} dead nodes, which no mean "
                f"holds"
                for dead, count in counts.items()]
