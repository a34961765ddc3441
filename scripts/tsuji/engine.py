"""Plays runs by Snakemake: on this machine's cores, or on a cluster by a profile."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import time

from .errors import Refused, RunFailed
from .runs import ROOT, executable

ENGINE = ROOT / "platforms" / "study"
SNAKEMAKE = "/usr/bin/snakemake"
POLL_SECONDS = 0.2


@dataclasses.dataclass(frozen=True)
class EngineConfig:
    """`profile`: a folder with Snakemake's config.yaml, or None: `jobs` runs at a time on this machine. A lost run (killed, its machine
    gone, out of time) is tried `retries` more times. `keep`: all files of a run, or its metrics. `minutes` and `memory_mb` are what a
    cluster gives to each run at most."""

    jobs: int = 1
    profile: object = None
    retries: int = 2
    keep: str = "all"
    minutes: int = 600
    memory_mb: int = 2000


def find_profile(text):
    """The folder of a profile: a path, or the name of one beside the engine."""
    for path in (pathlib.Path(text), ENGINE / text):
        if (path / "config.yaml").is_file():
            return path.resolve()
    known = sorted(path.parent.name for path in ENGINE.glob("*/config.yaml"))
    raise Refused("", "--profile", "no such profile", text, f"a folder with Snakemake's config.yaml, or {', '.join(known)}")


class Engine:
    """Plays rounds of runs in `folder`, which is cleared, and keeps them in `kept`."""

    def __init__(self, config, platforms, folder, kept):
        self.config, self.platforms, self.folder, self.kept = config, platforms, folder, kept
        self.tried_again = 0  # runs that were lost and tried again

    def play(self, runs, stand_in, on_ended):
        """`runs`: name to Run. `on_ended(number)` is told now and then how many have ended. A run that ends in no way has been lost."""
        self.prepare(runs, stand_in)
        log = open(self.folder.parent / "engine.log", "a", encoding="utf-8")
        with log:
            process = subprocess.Popen(self.command(len(runs)), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT)
            try:
                while process.poll() is None:
                    time.sleep(POLL_SECONDS)
                    on_ended(self.number_ended())
            except BaseException:
                process.terminate()  # the runs under way end with it; SIGINT would wait for them
                process.wait()
                raise
        on_ended(self.number_ended())
        self.tried_again += sum(self.tries(name) > 1 for name in runs)
        if process.returncode != 0 and not any(self.tries(name) for name in runs):
            raise RunFailed(f"Snakemake has played no run: exit {process.returncode}; {self.last_words()}")

    def prepare(self, runs, stand_in):
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("plan", "started", "said", "ended"):
            (self.folder / name).mkdir(parents=True)
        self.kept.mkdir(parents=True, exist_ok=True)
        for name, run in runs.items():
            words = [str(stand_in), str(self.kept), self.config.keep, str(executable(self.platforms, run.platform)), *run.words()]
            (self.folder / "plan" / name).write_bytes(b"".join(os.fsencode(word) + b"\0" for word in words))
        round_ = {"runs": list(runs), "play": str(ENGINE / "play"), "minutes": self.config.minutes, "memory_mb": self.config.memory_mb}
        (self.folder / "round.json").write_text(json.dumps(round_), encoding="utf-8")

    def command(self, number):
        words = ["setpriv", "--pdeathsig", "KILL", SNAKEMAKE, "--snakefile", str(ENGINE / "Snakefile"), "--directory", str(self.folder),
                 "--keep-going", "--nolock", "--rerun-incomplete", "--scheduler", "greedy", "--drop-metadata", "--quiet", "all",
                 "--restart-times", str(self.config.retries)]
        if self.config.profile:
            return words + ["--profile", str(self.config.profile)]
        return words + ["--cores", str(min(self.config.jobs, number))]

    def number_ended(self):
        return sum(1 for _ in os.scandir(self.folder / "ended"))

    def tries(self, name):
        """How many times a run was begun in the last round."""
        started = self.folder / "started" / name
        return len(started.read_text(encoding="utf-8").splitlines()) if started.is_file() else 0

    def said(self, name):
        """What the run has said in the last round, as one line."""
        said = self.folder / "said" / name
        return " ".join(said.read_text(encoding="utf-8", errors="replace").split()) if said.is_file() else ""

    def last_words(self):
        log = self.folder.parent / "engine.log"
        return " ".join(log.read_text(encoding="utf-8", errors="replace").split()[-60:])
