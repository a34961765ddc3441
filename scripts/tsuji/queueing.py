# SPDX-License-Identifier: Apache-2.0
"""A fast model of a network's mean latency: the latency without contention, and on every channel of the routing's
paths the mean wait of a queue with Poisson arrivals and a constant time of service, the packet's (M/D/1, of
Pollaczek and Khinchin). Nothing in it is fitted to runs. It leaves out what routers really have: finite buffers,
blocking of one channel by the next, virtual channels, and arrivals that a channel before has spread. So it
predicts too little near saturation, and too much where a long line of channels has smoothed the traffic; Ratios says by
how much."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Design

LATENCY = "latency_cycles_mean"  # the metric that it predicts
LEAST_OF_A_CLASS = 5  # designs that were simulated, for a margin
LEAST_OF_ALL = 10  # of all classes, for a margin of those with fewer
CLASS_KEYS = ("lookup.kind", "prediction.kind", "routing.kind", "router.switching")


def mean_wait(load: float, packet_cycles: float) -> float | None:
    """Cycles that a packet waits for a channel; None: it is full."""
    return None if load >= 1 else load * packet_cycles / (2 * (1 - load))


def predicted(facts: dict[str, Any], offered: float, flit_cycles: float) -> float | None:
    """Mean latency in cycles at a load in flits/node/cycle; None where the facts give none or a channel is full."""
    least, loads = facts.get("latency_cycles_without_contention"), facts.get("channel_loads")
    if least is None or not loads:
        return None
    packet_cycles = facts["packet_flits_mean"] * flit_cycles
    waits = 0.0
    for load, channels in loads:
        wait = mean_wait(load * offered, packet_cycles)
        if wait is None:
            return None
        waits += wait * load * channels
    injected = sum_of_nodes(facts, loads, flit_cycles)
    return least + waits / injected if injected else None


def sum_of_nodes(facts: dict[str, Any], loads: list[list[float]], flit_cycles: float) -> float:
    """Busy cycles of all injection channels in a cycle at a load of 1: all channels together have as many as a packet
    crosses."""
    crossed = facts["hops_mean"] + 2  # with the injection and ejection channels
    return sum(load * channels for load, channels in loads) / crossed


def of_design(design: Design, load: str) -> float | None:
    """The prediction at a load; None of an application."""
    offered = design.offered(load)
    if offered is None:
        return None
    return predicted(design.printed[load], offered, float(design.configs[load].get("link.flit_cycles", 1)))


def class_of(design: Design) -> tuple[str, ...]:
    """Designs of one class err alike: with one look-up, prediction, routing and switching."""
    config = next(iter(design.configs.values()))
    return tuple(str(config.get(key, "")) for key in CLASS_KEYS)


@dataclasses.dataclass(frozen=True)
class Ratios:
    """Measured over predicted latencies of the simulated designs of a class, at each load."""

    values: tuple[float, ...]
    designs: int

    @property
    def least(self) -> float | None:
        """By which predictions are multiplied before a design is rejected; None: too few were simulated."""
        return min(self.values) if self.designs >= LEAST_OF_A_CLASS else None


def least_of_all(classes: Iterable[Ratios]) -> float | None:
    """The most favourable ratio of all classes, for designs of a class of which some were simulated, but too few; None:
    too few were simulated at all."""
    met = list(classes)
    return min(min(of.values) for of in met) if sum(of.designs for of in met) >= LEAST_OF_ALL else None


def errors(values: list[float]) -> dict[str, float]:
    """Median, 95 % and worst of the errors |predicted / measured - 1| of ratios measured / predicted."""
    sizes = sorted(abs(1 / value - 1) for value in values)
    return {"median": sizes[len(sizes) // 2], "p95": sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))],
            "worst": sizes[-1]} if sizes else {}
