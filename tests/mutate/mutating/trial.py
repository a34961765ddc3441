# SPDX-License-Identifier: Apache-2.0
"""A mutant's trial: its objects are compiled from a copy of the sources, linked into test executables, and their tests
run.

Nothing is written but in the scratch folder, so that a run that is ended at any moment leaves sources and builds as
they were.
"""

import collections
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import subprocess

from .limits import run_limited

COPIED = ("models", "tests", "platforms", "testbenches", "scripts")
CASE = re.compile(r'<TestCase name="([^"]*)"')


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Ends of a trial: killed (`by` a test), survived, same code, does not compile. The last two do not count."""

    kind: str
    by: str = ""

    def counts(self):
        return self.kind in ("killed", "survived")


class Tests:
    """Tests of one executable: one run of all cases where the unchanged executable passes so, otherwise one run a
    case."""

    def __init__(self, base, executable):
        self.executable = executable
        path = base.build / executable
        cases = base.tests[executable]
        code, _, seconds = run_limited([path, "--reporter", "xml", "--abort"], base.build, cases[0].environment)
        if code == 0:
            self.runs = [(executable, ["--reporter", "xml", "--abort"], cases[0].environment, seconds)]
        else:
            self.runs = []
            for case in cases:
                code, output, seconds = run_limited(case.command, base.build, case.environment)
                if code != 0:
                    raise SystemExit(f"{case.name}: fails without a mutant\n{output}")
                self.runs.append((case.name, case.command[1:], case.environment, seconds))
            self.runs.sort(key=lambda run: run[3])
        self.seconds = sum(run[3] for run in self.runs)

    def killer(self, path, folder, part=False, switch=None):
        """Name of the first test that fails; empty if all pass. `part`: the executable has some of the cases. `switch`:
        environment that turns a mutant on."""
        there = None
        if part:
            listed = subprocess.run([path, "--list-test-names-only"], capture_output=True, text=True,
                                    check=False).stdout
            there = set(listed.splitlines())
        for name, arguments, environment, seconds in self.runs:
            if part and len(self.runs) > 1 and name.split(":", 1)[1].lstrip() not in there:
                continue
            code, output, _ = run_limited([path, *arguments], folder,
                                          {**environment, **(switch or {}), "TMPDIR": str(folder)}, seconds)
            if code == 0:
                continue
            cases = CASE.findall(output)
            told = f"{self.executable.removeprefix('test_')}: {cases[-1]}" if cases else name
            return told + (" (time)" if code is None else f" (signal {-code})" if code < 0 else "")
        return ""


class Worker:
    """One trial after another in a separate scratch folder."""

    def __init__(self, base, scratch):
        self.base, self.scratch = base, pathlib.Path(scratch)
        self.kills = collections.Counter()  # by the object of a test's source
        self.tree = self.scratch / "tree"
        self.tree.mkdir(parents=True)
        for name in COPIED:
            shutil.copytree(base.project / name, self.tree / name, ignore=shutil.ignore_patterns("__pycache__"),
                            symlinks=True)

    def try_mutant(self, mutant, stages, platforms=None):
        """`stages` yields the tests of one executable after the other; `platforms` runs last (Platforms)."""
        path = self.tree / mutant.path
        original = path.read_text(encoding="utf-8")
        path.write_text(mutant.change.apply(original), encoding="utf-8")
        room = self.scratch / "room"
        room.mkdir()
        try:
            return self._try(mutant, stages, platforms, Objects(self, mutant, room), room)
        finally:
            path.write_text(original, encoding="utf-8")
            shutil.rmtree(room, ignore_errors=True)

    def _try(self, mutant, stages, platforms, objects, room):
        differs, included = False, False
        for tests in stages:
            included = included or bool(self.base.affected(tests.executable, mutant.path))
            for sources in self.parts(tests.executable, mutant.path):
                changed = objects.changed(tests.executable, sources)
                if changed is None:
                    return Verdict("does not compile")
                if not changed:
                    continue
                differs = True
                killer = self.run(tests, changed, sources, room)
                if killer is None:
                    return Verdict("does not compile")
                if killer:
                    self.kills.update(sources)
                    return Verdict("killed", killer)
        if platforms is not None:
            killer = platforms.killer(self, objects, room)
            if killer is None:
                return Verdict("does not compile")
            differs = differs or objects.any_differs()
            if killer:
                return Verdict("killed", killer)
        # Code that no test includes is noticed by none.
        return Verdict("survived" if differs or not included else "same code")

    def parts(self, executable, path):
        """Sets of the executable's test sources, by their objects, in the order in which they are tried: those that do
        not include the mutated file together, as none of them is compiled; the others one by one, those that killed
        most first."""
        sources = self.base.test_sources(executable)
        if not sources or not self.base.parts_link(executable):
            return [sources]
        touched = self.base.dependents.get(path, set())
        stem = pathlib.Path(path).stem
        alone = sorted((one for one in sources if one in touched),
                       key=lambda one: (-self.kills[one], stem not in os.path.basename(one), sources.index(one)))
        together = [one for one in sources if one not in touched]
        return ([together] if together else []) + [[one] for one in alone]

    def run(self, tests, changed, sources, room):
        """Name of the first test of these sources that fails; empty if all pass, None if they do not link."""
        left_out = set(self.base.test_sources(tests.executable)) - set(sources)
        linked = self.link(tests.executable, changed, room, left_out)
        if linked is None:
            return None
        runs = room / "runs"
        runs.mkdir()
        killer = tests.killer(linked, runs, bool(left_out))
        shutil.rmtree(runs, ignore_errors=True)
        linked.unlink()
        return killer

    def compile(self, name, to):
        """False if it does not compile."""
        return not self.errors_of(name, [], to)

    def errors_of(self, name, options, to):
        """The compiler's words if the object does not compile; empty if it does."""
        own = str(self.base.project) + "/"
        kept = str(self.base.build)
        words = [word if kept in word else word.replace(own, str(self.tree) + "/") for word in self.base.commands[name]]
        done = subprocess.run([*words, *options, "-o", str(to)], cwd=self.base.build, capture_output=True, text=True,
                              check=False)
        return (done.stderr or "it failed") if done.returncode != 0 else ""

    def link(self, executable, changed, room, left_out=(), also=()):
        """The executable with these objects instead of the build's, without some and with others; None if it does
        not link."""
        words, objects = self.base.link(executable)
        to = room / os.path.basename(executable)
        command, added = [], [str(changed[one]) for archive in objects if archive
                              for one in objects[archive] if one in changed]
        added += also
        for word in words:
            if word == "-o":
                # Before the archives: a member whose symbols are all defined is not taken.
                command += [*added, word]
            elif word == executable and command[-1] == "-o":
                command.append(str(to))
            elif word not in left_out:
                command.append(str(changed.get(word, word)))
        done = subprocess.run(command, cwd=self.base.build, capture_output=True, text=True, check=False)
        return to if done.returncode == 0 else None


class Objects:
    """Objects of one mutant, each compiled when an executable needs it."""

    def __init__(self, worker, mutant, room):
        self.worker, self.mutant, self.room = worker, mutant, room
        self.made = {}  # name: path; None where the object is byte by byte the unchanged one

    def changed(self, executable, sources=None):
        """Paths of the objects that differ; None if one does not compile. `sources`: of the test sources, these
        only."""
        base = self.worker.base
        found = {}
        left_out = set() if sources is None else set(base.test_sources(executable)) - set(sources)
        for name in base.affected(executable, self.mutant.path):
            if name in left_out:
                continue
            if name not in self.made:
                to = self.room / f"{len(self.made)}.o"
                if not self.worker.compile(name, to):
                    return None
                same = filecmp.cmp(to, base.build / name, shallow=False)
                self.made[name] = None if same else to
            if self.made[name] is not None:
                found[name] = self.made[name]
        return found

    def any_differs(self):
        return any(path is not None for path in self.made.values())
