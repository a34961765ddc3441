# SPDX-License-Identifier: Apache-2.0
"""Plays runs by Snakemake: on this machine's cores, or on a cluster by a profile."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .errors import Refused, RunFailed
from .runs import ENGINE, executable

if TYPE_CHECKING:
    from .runs import Run

DEBIAN_S_SNAKEMAKE = "/usr/bin/snakemake"
# That of TSUJI_SNAKEMAKE, or Debian's own, or PATH's; None: there is none.
SNAKEMAKE = shutil.which(os.environ.get("TSUJI_SNAKEMAKE") or DEBIAN_S_SNAKEMAKE) or shutil.which("snakemake")
POLL_SECONDS = 0.2
JOB_SECONDS = 30  # of a cluster's job, whose own start takes some: shorter runs are one job together
MOST_RUNS_OF_A_JOB = 100
DEFAULT_MINUTES, AMPLE = 600, 50  # how many times as long a run may take as the slowest one
# Snakemake looks at a cluster's jobs once a second, not once in ten; profiles say how many it asks for.
OFTEN = {"CI": "true"}
END_SECONDS = 20  # until Snakemake has cancelled a cluster's jobs


@dataclasses.dataclass(frozen=True)
class EngineConfig:
    """`profile`: a folder with Snakemake's config.yaml, or None: `jobs` runs at a time on this machine. A lost run
    (killed, its machine gone, out of time) is tried `retries` more times. `keep`: all files of a run, or its metrics.
    `minutes` and `memory_mb` are what a cluster gives to each run at most; minutes None: ample for a run like those
    that have been played, or else DEFAULT_MINUTES. `ranks`: processes of each run, of which each takes a core."""

    jobs: int = 1
    profile: pathlib.Path | None = None
    retries: int = 2
    keep: str = "all"
    minutes: int | None = None
    memory_mb: int = 2000
    ranks: int = 1


def find_profile(text: str) -> pathlib.Path:
    """The folder of a profile: a path, or the name of one beside the engine."""
    for path in (pathlib.Path(text), ENGINE / text):
        if (path / "config.yaml").is_file():
            return path.resolve()
    known = sorted(path.parent.name for path in ENGINE.glob("*/config.yaml"))
    raise Refused("", "--profile", "no such profile", text,
                  f"a folder with Snakemake's config.yaml, or {', '.join(known)}")


class Engine:
    """Plays rounds of runs, each in a new folder below `folder`, and keeps them in `kept`."""

    def __init__(self, config: EngineConfig, platforms: pathlib.Path, folder: pathlib.Path, kept: pathlib.Path) -> None:
        self.config, self.platforms, self.folder, self.kept = config, platforms, folder, kept
        self.round: pathlib.Path  # its folder
        self.tried_again = 0  # runs that were lost and tried again

    def play(self, runs: dict[str, Run], stand_in: pathlib.Path, on_ended: Callable[[int], object],
             seconds: float | None = None) -> None:
        """`runs`: name to Run. `on_ended(number)` gets the number of ended runs. `seconds`: time of the
        slowest run of this kind that is known. A run that ends in no way has been lost."""
        self.prepare(runs, stand_in, seconds)
        log = open(self.folder.parent / "engine.log", "a", encoding="utf-8")
        with log:
            process = subprocess.Popen(self.command(len(runs)), cwd=self.round, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, env={**os.environ, **OFTEN})
            try:
                while process.poll() is None:
                    time.sleep(POLL_SECONDS)
                    on_ended(self.number_ended())
            except BaseException:
                self.end(process)
                raise
        on_ended(self.number_ended())
        self.tried_again += sum(self.tries(name) > 1 for name in runs)
        if process.returncode != 0 and not any(self.tries(name) for name in runs):
            raise RunFailed(f"Snakemake has played no run: exit {process.returncode}; {self.last_words()}")

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Active runs end with it: those of a cluster are cancelled by SIGINT, those of this machine die with their
        parent."""
        if self.config.profile:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        process.wait()

    def prepare(self, runs: dict[str, Run], stand_in: pathlib.Path, seconds: float | None) -> None:
        # A cluster may still have jobs of a call that was killed. They are in that call's folder, and end when it is
        # gone.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.round = pathlib.Path(tempfile.mkdtemp(prefix="round-", dir=self.folder))
        for name in ("plan", "started", "said", "ended"):
            (self.round / name).mkdir()
        self.kept.mkdir(parents=True, exist_ok=True)
        for name, run in runs.items():
            words = [str(stand_in), str(self.kept), self.config.keep, str(self.config.ranks),
                     str(executable(self.platforms, run.platform)), *run.words()]
            (self.round / "plan" / name).write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
        round_ = {"jobs": self.jobs(list(runs), seconds), "play": str(ENGINE / "play"),
                  "minutes": self.minutes(seconds),
                  "memory_mb": self.config.memory_mb, "ranks": self.config.ranks}
        (self.round / "round.json").write_text(json.dumps(round_), encoding="utf-8")

    def jobs(self, names: list[str], seconds: float | None) -> dict[str, list[str]]:
        """Names of the runs of each job, by the first one."""
        size = 1
        if self.config.profile and seconds is not None:
            size = min(MOST_RUNS_OF_A_JOB, max(1, int(JOB_SECONDS / max(seconds, 0.001))))
        return {names[at]: names[at:at + size] for at in range(0, len(names), size)}

    def minutes(self, seconds: float | None) -> int:
        """What a run may take; 0: as long as it likes, on this machine."""
        if not self.config.profile:
            return 0
        if self.config.minutes is not None:
            return self.config.minutes
        return DEFAULT_MINUTES if seconds is None else max(10, math.ceil(seconds * AMPLE / 60))

    def command(self, number: int) -> list[str]:
        words = ["setpriv", "--pdeathsig", "KILL", SNAKEMAKE, "--snakefile", str(ENGINE / "Snakefile"), "--directory",
                 str(self.round),
                 "--keep-going", "--nolock", "--rerun-incomplete", "--scheduler", "greedy", "--drop-metadata",
                 "--quiet", "all",
                 "--restart-times", str(self.config.retries)]
        if self.config.profile:
            return words + ["--profile", str(self.config.profile)]
        return words + ["--cores", str(self.cores(number))]

    def cores(self, number: int) -> int:
        """Cores of this machine that `number` runs take."""
        return min(self.config.jobs, number * self.config.ranks)

    def number_ended(self) -> int:
        return sum(1 for _ in os.scandir(self.round / "ended"))

    def has_ended(self, name: str) -> bool:
        return (self.round / "ended" / name).is_file()

    def tries(self, name: str) -> int:
        """How many times a run was begun in the last round."""
        started = self.round / "started" / name
        return len(started.read_text(encoding="utf-8").splitlines()) if started.is_file() else 0

    def said(self, name: str) -> str:
        """What the run has said in the last round, as one line."""
        said = self.round / "said" / name
        return " ".join(said.read_text(encoding="utf-8", errors="replace").split()) if said.is_file() else ""

    def last_words(self) -> str:
        log = self.folder.parent / "engine.log"
        return " ".join(log.read_text(encoding="utf-8", errors="replace").split()[-60:])
