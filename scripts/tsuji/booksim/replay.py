# SPDX-License-Identifier: Apache-2.0
"""Replays of BookSim2's packets on the platform `network`."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import runs
from ..errors import Refused, RunFailed
from ..results import Result
from . import packets as packet_files

if TYPE_CHECKING:
    from ..booksim.packets import Packet
    from ..booksim.translation import Translation
    from ..runs import Run

LONGEST_DRAIN = 1_000_000
SEEDS = range(1, 11)
STUDENT = 2.262  # t of 95 % by 9 degrees of freedom


def run(translation: Translation, packets: list[Packet], list_path: pathlib.Path,
        more: dict[str, int] | None = None) -> Run:
    """The run of a list that has been written to `list_path`; `more`: keys on top."""
    keys = {**translation.keys, "traffic.kind": "list", "traffic.list": list_path, "measure.warmup_cycles": 0,
            "measure.cycles": max(map(translation.birth, packets)) + 1,
            "measure.drain_cycles": LONGEST_DRAIN, **(more or {})}
    return runs.Run("network", "", keys, ("--records",))


def list_text(translation: Translation, packets: list[Packet]) -> str:
    return packet_files.replay_list(packets, translation.source, translation.destination, translation.birth)


def play(translation: Translation, packets: list[Packet], folder: pathlib.Path, platforms: pathlib.Path,
         more: dict[str, int] | None = None) -> Result:
    """The replay's folder, below `folder`; `more`: keys on top."""
    path = folder / "packets.list"
    path.write_text(list_text(translation, packets), encoding="utf-8")
    place = folder / "network"
    shutil.rmtree(place, ignore_errors=True)
    words = run(translation, packets, path, more).words() + ["--out", str(place), "--quiet"]
    done = subprocess.run([str(runs.executable(platforms, "network")), *words], cwd=runs.ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode == 2:
        raise Refused(said)
    if done.returncode != 0:
        raise RunFailed(f"network: exit {done.returncode}\n{said}")
    return Result(place)


def compare(translation: Translation, packets: list[Packet], folder: pathlib.Path,
            platforms: pathlib.Path) -> Means | Packets:
    """An answer: of every packet, or of mean latencies where BookSim2 has drawn the route of one."""
    if not any(translation.is_drawn(packet) for packet in packets):
        result = play(translation, packets, folder, platforms)
        return Packets(packets, packet_files.differences(packets, result.packets(), translation.source,
                                                         translation.birth))
    latencies = [play(translation, packets, folder, platforms, {"seed": seed}).metric("latency_cycles_mean")
                 for seed in SEEDS]
    return Means(packets, latencies)


@dataclasses.dataclass(frozen=True)
class Packets:
    """`different`: differences, the earliest first."""

    packets: list
    different: list
    MOST_SHOWN = 5

    @property
    def equal(self) -> bool:
        return not self.different

    def lines(self) -> Iterator[str]:
        yield (f"{len(self.packets):,} packets, {len(self.different):,} different; "
               f"mean latency in BookSim2 {packet_files.mean_latency(self.packets):.2f} cycles")
        for difference in self.different[:self.MOST_SHOWN]:
            yield f"    {difference.text()}"
        if len(self.different) > self.MOST_SHOWN:
            yield f"    and {len(self.different) - self.MOST_SHOWN:,} more"


@dataclasses.dataclass(frozen=True)
class Means:
    """`latencies` are the mean ones of replays with other random numbers; BookSim2's is another draw if it lies in
    their prediction interval."""

    packets: list
    latencies: list

    @property
    def interval(self) -> tuple[float, float]:
        """Mean, and half of the 95 % prediction interval of one more run (Student)."""
        mean = statistics.mean(self.latencies)
        return mean, STUDENT * statistics.stdev(self.latencies) * math.sqrt(1 + 1 / len(self.latencies))

    @property
    def equal(self) -> bool:
        mean, half = self.interval
        return abs(packet_files.mean_latency(self.packets) - mean) <= half

    def lines(self) -> Iterator[str]:
        mean, half = self.interval
        yield (f"{len(self.packets):,} packets, routes drawn by both; mean latency in BookSim2 "
               f"{packet_files.mean_latency(self.packets):.2f} "
               f"cycles, {'within' if self.equal else 'outside'} {mean:.2f} +- {half:.2f} of a replay (95 %, "
               f"{len(self.latencies)} seeds)")
