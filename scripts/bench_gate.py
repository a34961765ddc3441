# SPDX-License-Identifier: Apache-2.0
"""The gate of `scripts/bench --gate`: counts of instructions against those of the repository, in bench_gate.json.
Counts depend on compiler and libraries: the file has a section for each machine whose counts somebody has committed,
and other machines are told that nothing is compared.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import platform
import re
from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from bench_cases import CASES

if TYPE_CHECKING:
    from bench_runs import Row

COMMITTED = pathlib.Path(__file__).resolve().parent / "bench_gate.json"
TOLERATED = 0.01
# Three minutes in all, in this order: of cases that have no time left the last ones are left out. Slices of a run
# follow steps, so that networks of a thousand routers count the same in every run, but for some tens of instructions;
# larger ones take too long.
GATE = ("mesh8_0.3", "mesh8_0.1", "torus10_0.2", "torus10_0.2_packets", "tree43_0.1", "cenju4_parcel_8",
        "foreign_dmi", "mesh8_idle", "mesh8_0.001", "fly45_0.3", "lookup_hit",
        "tree43_0.1_straight", "mesh8_trace", "mesh8_trace_packets", "mesh8_trace_cenju4",
        "mesh8_trace_cenju4_packets", "mesh8_0.3_watched", "mesh8_0.3_retry", "mesh8_0.3_lookup",
        "torus10_0.2_detour", "torus_growth")

Verdict = collections.namedtuple("Verdict", "good words")


def counted(case: str) -> Callable[..., Any]:
    """The function that measures a case's instructions alone."""
    whole: Any = CASES[case]
    return getattr(whole, "counted", whole)


CPUINFO = pathlib.Path("/proc/cpuinfo")
V3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"}  # x86-64-v3, as /proc/cpuinfo names it


def processor(cpuinfo: str) -> str:
    """Networks without modules run other instructions on a processor of x86-64-v3 (bit_instructions.h)."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.M)
    return platform.machine() + ("-v3" if flags is not None and V3 <= set(flags.group(1).split()) else "")


def machine_of(build: pathlib.Path) -> str:
    """All that counts depend on, in words: the key of the file."""
    compiler = max(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"),
                   key=lambda path: path.stat().st_mtime)  # a folder for each CMake
    said = dict(re.findall(r'^set\((CMAKE_CXX_COMPILER_ID|CMAKE_CXX_COMPILER_VERSION) "(.*)"\)', compiler.read_text(),
                           re.M))
    cpuinfo = CPUINFO.read_text() if CPUINFO.exists() else ""
    cache = (build / "CMakeCache.txt").read_text()
    systemc = re.search(r"^SYSTEMC_VERSION:\w+=(.*)$", cache, re.M).group(1)
    return (f"{processor(cpuinfo)}, {said['CMAKE_CXX_COMPILER_ID']} {said['CMAKE_CXX_COMPILER_VERSION']}, SystemC "
            f"{systemc}, {os.confstr('CS_GNU_LIBC_VERSION')}")


def all_committed() -> dict[str, dict[str, dict[str, float]]]:
    return json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {}


def commit(machine: str, rows: dict[str, list[Row]]) -> None:
    """Writes the values of {case: rows} into the machine's section; its other cases stay, if they are of the gate."""
    everything = all_committed()
    section = everything.get(machine, {})
    section.update((case, {row.metric: float(f"{row.value:.6g}") for row in of}) for case, of in rows.items())
    everything[machine] = {case: section[case] for case in GATE if case in section}
    COMMITTED.write_text(json.dumps(everything, indent=2) + "\n")


def verdict(case: str, row: Row, committed: dict[str, dict[str, float]]) -> Verdict:
    """Of one value beside those of the machine's section."""
    known = committed.get(case, {}).get(row.metric)
    name = f"{case} {row.metric} {row.value:.6g}"
    target = f"; above its target, {row.target:g}" if row.target is not None and row.value > row.target else ""
    if known is None:
        return Verdict(False, f"FAILED  {name}: no committed value; --gate --commit writes it{target}")
    change = row.value / known - 1 if known else row.value
    beside = f"{name}, committed {known:g} ({change:+.2%}){target}"
    if change > TOLERATED:
        return Verdict(False, f"FAILED  {beside}: more than {TOLERATED:.0%} above")
    if change < -TOLERATED:
        return Verdict(True, f"passed  {beside}: more than {TOLERATED:.0%} below, --gate --commit renews the committed "
                       f"value")
    return Verdict(True, f"passed  {beside}")
