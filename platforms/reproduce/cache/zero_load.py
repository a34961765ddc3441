# SPDX-License-Identifier: Apache-2.0
"""Fig. 11-12: the latency of single packets between nodes that are as far apart as possible, simulated and by eq.
3-4."""

from reproduction import Run

from . import equations, switches


def run(radix, entries, pairs, seed=1):
    """`entries`: of a fully associative cache at each port; 0: no cache, for which one pair says all."""
    case = equations.CASES[1]
    # Where all fits, all packets take the same time.
    pairs = min(pairs, 10) if entries >= equations.destinations(radix, 3, 0) else pairs
    keys = {"study.kind": "zero_load", "study.pairs": pairs if entries else 1, "seed": seed,
            "topology.kind": "torus", "topology.radices": [radix] * 3, "routing.kind": "dimension_order",
            "link.latency_cycles": equations.LINK_NS, "link.inject_latency_cycles": equations.LINK_NS,
            "link.eject_latency_cycles": equations.LINK_NS, "router.va_cycles": 1, "router.sa_cycles": 1,
            "router.st_cycles": case["rest"] - 2}
    if entries:
        keys.update({**switches.cached(1, warm=False), "lookup.entries": entries, "lookup.ways": entries})
    else:
        keys.update(switches.conventional(1))
    return Run("lookup_study", keys=keys, seconds=1 + radix**3 / 5000)


def line(radix, entries, cached, conventional):
    """Simulated and computed latencies of one point."""
    simulated, without = cached.metric("head_latency_ns_mean"), conventional.metric("head_latency_ns_mean")
    closed, closed_without = equations.longest_latency_ns(entries, radix), equations.longest_latency_without_ns(radix)
    return {"radix": radix, "nodes": radix**3, "entries": entries, "conventional_ns": without, "cached_ns": simulated,
            "cached_ns_confidence95": cached.metric("head_latency_ns_mean_confidence95"),
            "eq4_conventional_ns": closed_without, "eq4_cached_ns": closed,
            "reduction_percent": 100 * (1 - simulated / without),
            "eq4_reduction_percent": 100 * (1 - closed / closed_without)}


def largest_error(table, names=("cached", "conventional")):
    """In per cent, of simulation against eq. 3-4."""
    return max(100 * abs(line[f"{name}_ns"] / line[f"eq4_{name}_ns"] - 1)
               for line in table for name in names)


def draw(figure, table, x, label, title):
    left, right = figure.subplots(1, 2)
    places = [line[x] for line in table]
    left.plot(places, [line["eq4_conventional_ns"] for line in table], "--", color="C0", linewidth=0.8)
    left.plot(places, [line["conventional_ns"] for line in table], "s", color="C0", markersize=4, label="no cache")
    left.plot(places, [line["eq4_cached_ns"] for line in table], "--", color="C1", linewidth=0.8)
    left.plot(places, [line["cached_ns"] for line in table], "o", color="C1", markersize=4, label="cache")
    left.set_ylabel("longest zero-load latency (ns)")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(places, [line["eq4_reduction_percent"] for line in table], "--", color="C1", linewidth=0.8)
    right.plot(places, [line["reduction_percent"] for line in table], "o", color="C1", markersize=4)
    right.set_ylabel("reduction (%)")
    right.set_ylim(0, 22)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xlabel(label)
    figure.suptitle(f"{title}; dashed: eq. 3-4", fontsize=10)
