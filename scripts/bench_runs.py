# SPDX-License-Identifier: Apache-2.0
"""Runs of `scripts/bench`: the platform executable from outside."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TSUJI_BUILD") or ROOT / "build")
PLATFORMS = BUILD / "platforms"
OWN_TRACE = ROOT / "platforms" / "traces" / "cg64.ti.zst"
REPLAYED_TRACE = "cg.A.64.ti.zst"
GIB = 1 << 30
LAST_LEVEL = "524288,8,64"  # of the simulated cache: bytes, ways, bytes of a line

Row = collections.namedtuple("Row", "metric value unit target note", defaults=(None, ""))


class RunFailed(Exception):
    """A run of the platform did not succeed."""


class BadArguments(Exception):
    """The measurement that was asked for is impossible."""


class Run:
    """One finished run. `cpu_seconds` and `peak_bytes` come from the kernel, metrics from result.json; under callgrind
    `instructions` is set, under cachegrind `misses` of the last level, and the times mean nothing."""

    def __init__(self, out: pathlib.Path, wall_seconds: Any, usage: Any, instructions: Any, misses: Any) -> None:
        self.wall_seconds = wall_seconds
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.usage = usage
        self.instructions = instructions
        self.misses = misses
        metrics = json.loads((out / "result.json").read_text())["metrics"]
        self.metrics = {name: entry["value"] for name, entry in metrics.items()}

    def __getitem__(self, metric: str) -> Any:
        return self.metrics[metric]

    @property
    def peak_bytes(self) -> Any:
        # The kernel counts what this interpreter had when it started the run, too.
        if self.usage.ru_maxrss <= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss:
            raise RunFailed("a run's memory is too small to be measured from here")
        return self.usage.ru_maxrss * 1024


# glibc chooses memset, memcpy and strlen by the processor, and valgrind counts each byte of `rep stosb` as an
# instruction: a count is the same on every machine only with the choice that needs nothing of the processor.
SAME_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-Fast_Unaligned_Copy,-SSSE3,-SSE4_1,"
                                  "-SSE4_2,-ERMS,-FSRM"}


# Ranks may outnumber the cores.
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
# Libraries of MPI, which execute instructions while a rank waits.
OF_MPI = re.compile(r"openmpi|libmpi|libopen-|libevent|hwloc|pmix|libuc|libfabric|ibverbs|mca_")
# Functions in which ranks, or threads after a window, wait: their number depends on the load of the machine.
WAITS = re.compile(r"sched_yield|pthread_|nanosleep|usleep|poll|clock_gettime|asynccancel|"
                   r"LaneThreads::(run|next_round)")


def instructions_of_work(path: pathlib.Path) -> int:
    """Instructions of a process or a thread, from callgrind's file, but for those of MPI's libraries and of waiting."""
    names: dict[tuple[str, str], str] = {}
    count, library, function, of_call = 0, "", "", False
    for line in path.read_text().splitlines():
        named = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
        if named:
            name = named[2], named[3]
            if named[4]:
                names[name] = named[4]
            if named[1] == "" and named[2] == "ob":
                library = names[name]
            elif named[1] == "":
                function = names[name]
        elif line.startswith("calls="):
            of_call = True  # the next line has the callee's instructions
        elif re.match(r"[-+*\d]\S* \d+$", line):
            if not of_call and not OF_MPI.search(library) and not WAITS.search(function):
                count += int(line.split()[1])
            of_call = False
    return count


class Bench:
    """Runs the platform in a separate folder."""

    def __init__(self, scratch: pathlib.Path | str, traces: Any) -> None:
        self.scratch = pathlib.Path(scratch)
        self.traces = traces
        self.runs = 0

    def run(self, what: str, counted: bool = False, cached: bool = False, platform: str = "cenju4", threads: int = 1,
            ranks: int = 1, options: Sequence[str] = (), **settings: Any) -> Any:
        """One run; a keyword `network__nodes=8` is `--set network.nodes=8`. `counted`: under callgrind, and of several
        threads or ranks `instructions` are the busiest one's (instructions_of_work()); `cached`: under cachegrind.
        `options`: further words of the command line."""
        counting = ", counting instructions" if counted else ", counting cache misses" if cached else ""
        print(f"bench:   {what}{counting}", file=sys.stderr, flush=True)
        self.runs += 1
        out = self.scratch / str(self.runs)
        out.mkdir()
        command = [str(PLATFORMS / platform), "--quiet", "--out", str(out), *options]
        for key, value in settings.items():
            command += ["--set", f"{key.replace('__', '.')}={value}"]
        if threads > 1:
            command += ["--threads", str(threads)]
        if counted:
            each = ["--separate-threads=yes"] if threads > 1 else []
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/callgrind", *each] + command
            if ranks > 1:
                command[2] += ".%q{OMPI_COMM_WORLD_RANK}"
        if ranks > 1:
            if shutil.which("mpirun") is None:
                raise RunFailed("no program mpirun (Debian's package openmpi-bin)")
            command = [*MPIRUN, "-n", str(ranks), *command]
        if cached:
            command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--LL={LAST_LEVEL}",
                       f"--cachegrind-out-file={out}/cachegrind"] + command
        with open(out / "stderr", "w+") as stderr:
            begin = time.monotonic()
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr,
                                       env={**os.environ, **(SAME_LIBRARY if counted else {})})
            try:
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.kill()
                process.wait()
                raise
            process.returncode = os.waitstatus_to_exitcode(status)
            wall_seconds = time.monotonic() - begin
            stderr.seek(0)
            said = stderr.read()
        if process.returncode != 0:
            raise RunFailed(f"{' '.join(command)}: exit {process.returncode}\n{said}")
        instructions = int(re.search(r"Collected : (\d+)", said).group(1)) if counted else None
        if counted and threads > 1:
            instructions = max(map(instructions_of_work, out.glob("callgrind-*")))
        if counted and ranks > 1:
            instructions = max(map(instructions_of_work, out.glob("callgrind.*")))
        misses = int(re.search(r"LL misses: +([\d,]+)", said).group(1).replace(",", "")) if cached else None
        return Run(out, wall_seconds, usage, instructions, misses)

    def instructions_of(self, what: str, command: Any) -> Any:
        """Instructions of an executable that leaves no result.json."""
        print(f"bench:   {what}, counting instructions", file=sys.stderr, flush=True)
        ended = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.scratch}/callgrind",
                                *map(str, command)],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               env={**os.environ, **SAME_LIBRARY})
        if ended.returncode != 0:
            raise RunFailed(f"{' '.join(map(str, command))}: exit {ended.returncode}\n{ended.stderr}")
        return int(re.search(r"Collected : (\d+)", ended.stderr).group(1))

    def replayed_trace(self) -> Any:
        """The benchmark trace, or the repository's own if there is none; and whether it is the benchmark's."""
        if self.traces is not None and (self.traces / REPLAYED_TRACE).is_file():
            return (self.traces / REPLAYED_TRACE).resolve(), True
        print(f"bench:   no {REPLAYED_TRACE} (--traces DIR or TSUJI_TRACES): {OWN_TRACE.name} in its place, "
              "which has no target", file=sys.stderr)
        return OWN_TRACE, False
