# SPDX-License-Identifier: Apache-2.0
"""Links of a study's designs in bytes and seconds: by them designs whose flits differ are comparable."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from .errors import Refused

if TYPE_CHECKING:
    from .designs import Design
    from .study_file import Spec

CLOCK_KEY, FLIT_CYCLES_KEY = "clock_period_ps", "link.flit_cycles"
PACKET_KEY, LENGTH_KEY = "traffic.packet_flits", "traffic.length"


@dataclasses.dataclass(frozen=True)
class Link:
    """Between a node and its network. None: not stated, or no key of the platform."""

    platform: str
    config: str
    clock_period_ps: float | None = None
    flit_cycles: float = 1  # on the link
    flit_bytes: float | None = None  # of wires, with all that is no data
    packet_flits: int | None = None
    packet_bytes: float | None = None  # of data

    @property
    def clock_mhz(self) -> float:
        return 1e6 / self.clock_period_ps if self.clock_period_ps else None

    @property
    def bandwidth_mb_per_s(self) -> float | None:
        """Of the wires."""
        return self.flit_bytes / self.flit_cycles * self.clock_mhz if self.flit_bytes else None

    @property
    def data_mb_per_s(self) -> float | None:
        """Of a load of 1 flit/node/cycle."""
        return self.packet_bytes / self.packet_flits * self.clock_mhz if self.packet_bytes else None


def link_of(design: Design, config: dict[str, Any]) -> Link:
    """`config`: resolved keys of one of the design's runs. Refused where a stated number of bytes means nothing with
    them."""
    flit_bytes, packet_bytes = design.bytes_of("flit_bytes"), design.bytes_of("packet_bytes")
    link = Link(design.platform, design.config, config.get(CLOCK_KEY), config.get(FLIT_CYCLES_KEY, 1), flit_bytes,
                config.get(PACKET_KEY) if packet_bytes else None, packet_bytes)
    if flit_bytes and not link.clock_period_ps:
        raise refused(design, "flit_bytes", f"{design.platform} has no key {CLOCK_KEY}, so no bandwidth",
                      "a study without bytes")
    if packet_bytes and config.get(LENGTH_KEY, "fixed") != "fixed":
        raise refused(design, "packet_bytes", f"packets of several lengths ({LENGTH_KEY} is {config[LENGTH_KEY]})",
                      "fixed lengths, or flit_bytes alone")
    if packet_bytes and not link.packet_flits:
        raise refused(design, "packet_bytes", f"{design.platform} has no key {PACKET_KEY}", "flit_bytes alone")
    if packet_bytes and packet_bytes > link.packet_flits * flit_bytes:
        raise refused(design, "packet_bytes",
                      f"more than the wires of a packet, {link.packet_flits} flits of {flit_bytes:g} bytes",
                      f"at most {link.packet_flits * flit_bytes:g}")
    return link


def refused(design: Design, word: str, problem: str, accepted: str) -> Refused:
    return Refused(design.words[word].place, word, problem, design.words[word].text, accepted)


def links_of(spec: Spec, configs: dict[int, dict[str, Any]]) -> dict[int, Link]:
    """Link by design, of those that `configs` has: resolved keys of one of each design's runs."""
    for key in (spec.seed_key, spec.curve.key if spec.curve else ""):
        if key in (CLOCK_KEY, FLIT_CYCLES_KEY, PACKET_KEY, LENGTH_KEY) and spec.states("flit_bytes"):
            raise refused(spec.designs[0], "flit_bytes", f"a design's runs differ in {key}",
                          f"{key} in 'set' or on an axis")
    return {design.number: link_of(design, configs[design.number])
            for design in spec.designs if design.number in configs}


def telling_axes(spec: Spec, links: dict[int, Link]) -> list[int]:
    """Positions of the axes by which links differ."""
    found: list[Any] = []
    for i in range(len(spec.axes)):
        by_rest: dict[Any, Any] = {}
        for design in spec.designs:
            by_rest.setdefault(design.labels[:i] + design.labels[i + 1:], set()).add(links.get(design.number))
        if any(len(of_levels) > 1 for of_levels in by_rest.values()):
            found.append(i)
    return found


def values(links: dict[int, Link], of: Callable[..., Any]) -> list[float]:
    """Those that differ, in their order."""
    return sorted({round(value, 9) for value in map(of, links.values()) if value is not None})


def bandwidths(links: dict[int, Link]) -> list[float]:
    return values(links, lambda link: link.bandwidth_mb_per_s)


def data_rates(links: dict[int, Link]) -> list[float]:
    return values(links, lambda link: link.data_mb_per_s)
