"""Runs of the platforms' executables: what they are, and a pool that plays them, several at a time."""

import csv
import dataclasses
import hashlib
import json
import pathlib
import shutil
import subprocess
import threading
from typing import Any, Dict, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[3]


class RunFailed(Exception):
    """A run of a platform did not succeed."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of `build/platforms/PLATFORM CONFIG --set key=value ... OPTIONS`. `config` is a path below the
    project's folder. Values that are paths of files count with the file's content. `seconds` is about what it takes
    alone on a core, for the time left.

    `prints`: an option prints or writes something and stops; "{folder}" in an option is the run's folder.
    `may_be_refused`: that the platform refuses the configuration (exit status 2) is a result, `may_fail`: so is a model failure (1)."""

    platform: str
    config: str = ""
    keys: Dict[str, Any] = dataclasses.field(default_factory=dict)
    options: Tuple[str, ...] = ()
    seconds: float = 1.0
    prints: bool = False
    may_be_refused: bool = False
    may_fail: bool = False

    def words(self, folder="{folder}"):
        """The command line without executable and output folder."""
        words = [str(ROOT / self.config)] if self.config else []
        for key, value in self.keys.items():
            words += ["--set", f"{key}={text(value)}"]
        return words + [option.replace("{folder}", str(folder)) for option in self.options]

    def json(self):
        """For result.json: of files outside the project only their names."""
        return {"platform": self.platform, "config": self.config,
                "keys": {key: value.name if isinstance(value, pathlib.Path) else value
                         for key, value in self.keys.items()},
                "options": list(self.options)}


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def digest(run, executable):
    """Names a run by everything that its result depends on: equal names, equal bytes."""
    total = hashlib.sha256(executable)
    if run.config:
        total.update((ROOT / run.config).read_bytes())
    for key, value in run.keys.items():
        total.update(f"\0{key}=".encode())
        total.update(value.read_bytes() if isinstance(value, pathlib.Path) else text(value).encode())
    total.update("\0".join(run.options).encode())
    return f"{run.platform}-{total.hexdigest()[:16]}"


def keep(folder, result):
    """In the place of a platform's results."""
    folder.mkdir(exist_ok=True)
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


class Result:
    """Results of a run."""

    def __init__(self, folder):
        self.folder = folder
        self.json = json.loads((folder / "result.json").read_text(encoding="utf-8"))

    @property
    def refusal(self):
        """What the platform says of a configuration that it refuses; None: it has run."""
        return self.json.get("refusal")

    @property
    def failure(self):
        """The text of a model failure; None: there was none."""
        return self.json.get("failure")

    @property
    def printed(self):
        """Of a run that prints."""
        return self.json["printed"]

    def metric(self, name):
        return self.json["metrics"][name]["value"]

    def table(self, name):
        """Rows as dicts."""
        table = self.json["tables"][name]
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def packets(self):
        """Lines of packets.csv as dicts of texts."""
        with open(self.folder / "packets.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Pool:
    """Plays runs, `jobs` at a time, each in a folder of its own below `folder`. A run that is there already (the same
    executable, configuration and input) is not played again, unless `again`."""

    def __init__(self, platforms, folder, jobs, again, on_progress):
        self.platforms, self.folder, self.jobs, self.again = platforms, folder, jobs, again
        self.on_progress = on_progress
        self.lock = threading.Condition()
        self.processes = set()
        self.stopped = False
        self.executables = {}

    def place(self, run):
        if run.platform not in self.executables:
            path = self.platforms / run.platform
            if not path.is_file():
                raise RunFailed(f"{path} is not built")
            self.executables[run.platform] = hashlib.sha256(path.read_bytes()).digest()
        return self.folder / digest(run, self.executables[run.platform])

    def play(self, runs):
        """Yields (place, error or None) of each of `runs`, a dict from place to Run, as they end; at once for those
        that are there already."""
        waiting = []
        for place, run in runs.items():
            if not self.again and (place / "result.json").is_file():
                yield place, None
            else:
                waiting.append((place, run))
        done, left = [], len(waiting)  # before a thread takes one
        threads = [threading.Thread(target=self.worker, args=(waiting, done), daemon=True)
                   for _ in range(min(self.jobs, len(waiting)))]
        for thread in threads:
            thread.start()
        try:
            while left:
                with self.lock:
                    while not done:
                        self.lock.wait(0.5)
                        self.on_progress(None)
                    ends, done[:] = list(done), []
                for place, run, error in ends:
                    left -= 1
                    self.on_progress(run)
                    yield place, error
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def worker(self, waiting, done):
        while True:
            with self.lock:
                if self.stopped or not waiting:
                    return
                place, run = waiting.pop(0)
            try:
                error = self.one(place, run)
            except Exception as problem:  # whatever it was, somebody waits for this run
                error = str(problem)
            with self.lock:
                done.append((place, run, error))
                self.lock.notify()

    def one(self, place, run):
        # A run that is cut off leaves no folder that looks complete.
        scratch = place.with_name(f".{place.name}.part")
        shutil.rmtree(scratch, ignore_errors=True)
        (scratch if run.prints else scratch.parent).mkdir(parents=True, exist_ok=True)
        # The run is killed with this process, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", str(self.platforms / run.platform), *run.words(scratch), "--quiet"]
        if not run.prints:
            command += ["--out", str(scratch)]
        with self.lock:
            if self.stopped:
                return "stopped"
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            self.processes.add(process)
        said = process.communicate()[0].decode(errors="replace")
        with self.lock:
            self.processes.discard(process)
        if process.returncode == 2 and run.may_be_refused:
            keep(scratch, {"refusal": said})
        elif process.returncode == 1 and run.may_fail:
            keep(scratch, {"failure": said})
        elif process.returncode != 0:
            return f"{' '.join(command[3:])}: exit {process.returncode}\n{said}"
        elif run.prints:
            keep(scratch, {"printed": said})
        shutil.rmtree(place, ignore_errors=True)
        scratch.rename(place)
        return None

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.terminate()
