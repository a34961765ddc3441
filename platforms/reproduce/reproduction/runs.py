# SPDX-License-Identifier: Apache-2.0
"""A pool that plays runs, several at a time."""

import hashlib
import json
import shutil
import subprocess
import threading
import time

from tsuji import schema
from tsuji.engine import Engine, EngineConfig
from tsuji.errors import Refused
from tsuji.results import Result
from tsuji.runs import ROOT, Run, check, executable

PLAYED = "played"  # a file beside a kept run

__all__ = ["Pool", "ROOT", "Result", "Run"]


def keep(folder, result):
    """Replaces a platform's results."""
    folder.mkdir(exist_ok=True)
    (folder / "result.json").write_text(json.dumps({"schema": f"{schema.NAME}/{schema.NUMBER}", **result}),
                                        encoding="utf-8")


def record(place, seconds):
    """Notes beside a kept run when it was played, and how long that took: results have neither, so that equal inputs
    give equal bytes."""
    text = json.dumps({"date": time.strftime("%Y-%m-%d", time.gmtime()), "seconds": round(seconds, 3)})
    beside(place, PLAYED).write_text(text + "\n", encoding="utf-8")


def recorded(place):
    """(date, seconds) of a kept run; no seconds of one that was played elsewhere, by a study for instance."""
    try:
        noted = json.loads(beside(place, PLAYED).read_text(encoding="utf-8"))
        return noted["date"], noted["seconds"]
    except (OSError, ValueError):
        kept = place if place.exists() else beside(place, "refused")
        return time.strftime("%Y-%m-%d", time.gmtime(kept.stat().st_mtime)), None


def beside(place, kind):
    return place.with_name(f"{place.name}.{kind}")


def is_kept(place):
    try:
        return Result(place).complete
    except (OSError, ValueError, Refused):
        return False


class Pool:
    """Plays runs, `jobs` at a time, or by a profile of the engine; each in a separate folder below `folder`. A run
    that is there already (tsuji.runs: the same executable, configuration and input) is not played again, unless
    `again`. A run that takes longer than `limit_seconds` ends with an error that begins with TOO_LONG."""

    TOO_LONG = "not ended after"

    def __init__(self, platforms, folder, jobs, again, on_progress, profile=None, limit_seconds=None):
        self.limit_seconds = limit_seconds
        self.platforms, self.folder, self.jobs, self.again = platforms, folder, jobs, again
        self.on_progress, self.profile = on_progress, profile
        self.lock = threading.Condition()
        self.processes = set()
        self.stopped = False

    def places(self, runs):
        """The folder of each run, in their order. A refusal is a run's result, kept at once, or its end when it is
        played."""
        return [self.folder / (answer.name or self.refused_name(run, answer))
                for run, answer in zip(runs, check(runs, self.platforms))]

    def refused_name(self, run, answer):
        total = hashlib.sha256("\0".join([*run.words(), answer.refused]).encode()).hexdigest()
        if run.may_be_refused:
            self.folder.mkdir(parents=True, exist_ok=True)
            keep(self.folder / f"{run.platform}-refused-{total[:16]}", {"refusal": answer.refused})
        return f"{run.platform}-refused-{total[:16]}"

    @staticmethod
    def refused(place):
        """True if the run refused its configuration when it was played."""
        return beside(place, "refused").exists()

    def is_fresh(self, place):
        return self.again or not is_kept(place)

    def play(self, runs):
        """Yields (place, error or None) of each of `runs`, a dict from place to Run, as they end; at once for those
        that are there already."""
        waiting, self.stopped = [], False
        for place, run in runs.items():
            if self.is_fresh(place):
                waiting.append((place, run))
            else:
                kept = Result(place)
                yield place, self.error_of(place, run, f"{run.platform}: {kept.refusal or kept.failure}")
        if self.again:
            self.forget(waiting)
        if self.profile:
            waiting = yield from self.play_on_cluster(waiting)
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

    def play_on_cluster(self, waiting):
        """All that a platform runs; yields their ends, and returns the others, which print and stop here."""
        away = {place.name: (place, run) for place, run in waiting if not run.prints and "-refused-" not in place.name}
        if away:
            engine = Engine(EngineConfig(profile=self.profile), self.platforms, self.folder / ".engine", self.folder)
            engine.play({name: run for name, (_, run) in away.items()}, ROOT, lambda number: self.on_progress(None),
                        max(run.seconds for _, run in away.values()))
            for name, (place, run) in away.items():
                self.on_progress(run)
                yield place, self.error_of(place, run, f"{name}: {engine.said(name) or 'lost'}")
        return [(place, run) for place, run in waiting if place.name not in away]

    def forget(self, waiting):
        for place, _ in waiting:
            shutil.rmtree(place, ignore_errors=True)
            for kind in ("refused", PLAYED):
                beside(place, kind).unlink(missing_ok=True)

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
        (scratch if run.prints else self.folder).mkdir(parents=True, exist_ok=True)
        # The run is killed with this process, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", str(executable(self.platforms, run.platform)), *run.words(scratch),
                   "--quiet"]
        if not run.prints:
            command += ["--runs", str(self.folder)]
        with self.lock:
            if self.stopped:
                return "stopped"
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            self.processes.add(process)
        late, begin = False, time.monotonic()
        try:
            said = process.communicate(timeout=self.limit_seconds)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said, late = process.communicate()[0], True
        said = said.decode(errors="replace")
        with self.lock:
            self.processes.discard(process)
        if late:
            return f"{self.TOO_LONG} {self.limit_seconds} s"
        if process.returncode == 2:
            beside(place, "refused").write_text(said, encoding="utf-8")
        elif run.prints and process.returncode == 0:
            keep(scratch, {"printed": said})
            shutil.rmtree(place, ignore_errors=True)
            scratch.rename(place)
        if is_kept(place):
            record(place, time.monotonic() - begin)
        return self.error_of(place, run, f"{' '.join(command[3:])}: exit {process.returncode}\n{said}")

    def error_of(self, place, run, text):
        """None where the run has ended as it may; `text` where it has not ended."""
        if not is_kept(place):
            return text
        result = Result(place)
        if result.refusal is not None and not run.may_be_refused or result.failure is not None and not run.may_fail:
            return text
        return None

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.terminate()
