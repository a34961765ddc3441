# SPDX-License-Identifier: Apache-2.0
"""What a run's page says in words: what was run, the five numbers that matter, and what is wrong."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Result

HOT = 0.95  # of a link's bandwidth
LEADING = (  # the first five that a run has
    ("latency_cycles_mean", "mean latency"), ("latency_cycles_p99", "99 % of packets within"),
    ("accepted_flits_per_node_cycle", "accepted load"), ("offered_flits_per_node_cycle", "offered load"),
    ("capacity_bound_flits_per_node_cycle", "load that fills a link or port"),
    ("trace_time_us", "time of the application"), ("hops_mean", "routers visited"),
    ("packets_delivered", "packets delivered"), ("simulated_cycles", "simulated"))
NO_CONFIDENCE = {
    "dependent": "the interval is shorter than five correlation times; measure.cycles makes it longer",
    "few_packets": "too few packets were measured; measure.cycles makes the interval longer",
    "lower_bound": "measured packets are missing; measure.drain_cycles waits longer for them",
    "saturated": "the mean grows with the run, so that it has no limit at this load",
    "not_stationary": "the network was not stationary when the measurement began; measure.longest_warmup_cycles"}


def headline(result: Result) -> str:
    """Platform, topology, routing and load."""
    config = result.json.get("config", {})
    topology, traffic = config.get("topology", {}), config.get("traffic", {})
    words = [result.json["platform"]]
    if topology.get("kind"):
        grid = topology["kind"] in ("mesh", "torus", "cube", "hyperx") and topology.get("radices")
        words.append(topology["kind"] + (" " + "x".join(str(radix) for radix in grid) if grid else ""))
        words.append(config.get("routing", {}).get("kind", ""))
    kind = config.get("workload", {}).get("kind") or config.get("study", {}).get("kind", "")
    words.append(str(traffic.get("pattern", kind)) + " traffic" if kind == "synthetic" else str(kind))
    return ", ".join(word for word in words if word)


def leading(result: Result) -> list[list[Any]]:
    """(label, metric, value, unit) of five metrics."""
    metrics = result.json.get("metrics", {})
    chosen = [(label, name) for name, label in LEADING if usable(metrics.get(name))]
    if len(chosen) < 5:
        named = {name for _, name in chosen} | {"wall_seconds"}
        chosen += [(name.replace("_", " "), name) for name, of in metrics.items() if usable(of) and name not in named]
    return [[label, name, metrics[name]["value"], metrics[name]["unit"]] for label, name in chosen[:5]]


def usable(metric: dict[str, Any] | None) -> bool:
    return metric is not None and isinstance(metric.get("value"), (int, float))


def wrong(result: Result, network: dict[str, Any] | None) -> list[str]:
    """Sentences; empty: nothing that a run can see."""
    metrics = result.metrics
    found: list[str] = []
    if not result.complete:
        found.append(f"The run was ended by {result.json.get('ended_by', 'a signal')}: these are its results up to "
                     "then.")
    found += load_problems(metrics)
    if network:
        hot = [link for link in network["links"] if link[4] is not None and link[4] * network["flit_cycles"] > HOT]
        if hot:
            more = "" if network["whole"] else " or more"
            found.append(f"{len(hot)}{more} link{'s are' if len(hot) != 1 else ' is'} above {100 * HOT:g} % of "
                         f"{'their' if len(hot) != 1 else 'its'} bandwidth.")
    confidence = metrics.get("latency_confidence")
    if confidence not in (None, "independent"):
        found.append(f"No confidence interval ({confidence}): {NO_CONFIDENCE.get(confidence, 'see Confidence')}.")
    found += losses(metrics)
    return found + list(result.json.get("warnings", []))


def load_problems(metrics: dict[str, Any]) -> list[str]:
    """The verdict on the load, and what was measured of it."""
    found: list[str] = []
    verdict, reason = metrics.get("stability"), metrics.get("stability_reason")
    if verdict == "saturated" or (verdict is None and metrics.get("saturated") == 1):
        found.append("The network is saturated: it does not carry this load without end"
                     + (f" ({reason})." if reason else "."))
    elif verdict == "undecided":
        needs = metrics.get("stability_needs_cycles")
        found.append(f"Whether the network carries this load is undecided ({reason})"
                     + (f"; measure.cycles={needs} decides." if needs else "."))
    if metrics.get("measured_packets") == 0:
        found.append("No packet was measured.")
    if metrics.get("latency_is_lower_bound") == 1:
        found.append(f"Latencies are of survivors only: {metrics.get('measured_packets_undelivered')} measured packets "
                     "had not arrived at the end, so that means and percentiles are lower bounds.")
    return found


def losses(metrics: dict[str, Any]) -> list[str]:
    """Packets that were dropped, could not be sent, or needed recovery."""
    texts = (("packets_dropped", "packets were dropped."), ("packets_lost", "messages were lost."),
             ("packets_unreachable", "packets were from or for nodes that faults cut off."),
             ("heads_timed_out", "heads timed out and needed recovery."), ("page_faults", "page faults happened."))
    return [f"{metrics[name]} {text}" for name, text in texts if metrics.get(name)]
