# SPDX-License-Identifier: Apache-2.0
"""The mutants of a draw in one build, where a number at run time says which one is on: an object is compiled once for
all of them."""

import collections
import concurrent.futures
import contextlib
import os
import re
import shutil
import subprocess

from .changes import mask
from .report import Progress
from .switches import DECLARATIONS, DEFINITIONS, switched
from .trial import Verdict, Worker


class Together:
    """Mutants whose change cannot be switched (constant expressions, references) are not in it. `jobs` objects are
    compiled at a time."""

    def __init__(self, base, scratch, mutants, executables, jobs):
        self.base, self.scratch = base, scratch
        self.worker = Worker(base, scratch)
        self.numbers = {mutant: number for number, mutant in enumerate(dict.fromkeys(mutants), 1)}
        (scratch / "switch.h").write_text(DECLARATIONS, encoding="utf-8")
        (scratch / "switch.c").write_text(DEFINITIONS, encoding="utf-8")
        subprocess.run(["cc", "-c", "switch.c"], cwd=scratch, check=True)
        files = collections.defaultdict(list)
        for mutant, number in self.numbers.items():
            files[mutant.path].append((number, mutant.change))
        objects = sorted({one for executable in executables for path in files
                          for one in base.affected(executable, path)})
        out = {number for path, chosen in sorted(files.items()) for number in self._switch(path, chosen, objects)}
        self.numbers = {mutant: number for mutant, number in self.numbers.items() if number not in out}
        self.linked = self._link(executables, self._compile(objects, jobs))

    def __contains__(self, mutant):
        return mutant in self.numbers

    def _words(self):
        return ["-include", str(self.scratch / "switch.h")]

    def _switch(self, path, chosen, objects):
        """Writes the file with the switches that compile; the numbers of the others."""
        text = (self.base.project / path).read_text(encoding="utf-8")
        code, out = mask(text), set()
        users = [one for one in objects if one in self.base.dependents.get(path, ())]
        included = re.escape(path.removeprefix("models/"))
        while True:
            changed, unfit = switched(text, code, chosen)
            out.update(unfit)
            chosen = [one for one in chosen if one[0] not in out]
            (self.worker.tree / path).write_text(changed, encoding="utf-8")
            errors = self.worker.errors_of(users[0], [*self._words(), "-fsyntax-only"], os.devnull) if users else ""
            if not errors:
                return out
            lines = {int(number) for number in re.findall(included + r":(\d+)", errors)}
            bad = {number for number, change in chosen
                   if change.line(text) in lines} or {number for number, _ in chosen}
            if not chosen:
                raise SystemExit(f"{path}: does not compile without a mutant\n{errors}")
            out |= bad
            chosen = [one for one in chosen if one[0] not in out]

    def _compile(self, objects, jobs):
        made = {name: self.scratch / f"{number}.o" for number, name in enumerate(objects)}
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
        what = f"{self.scratch.name}, objects with all mutants"
        with Progress(what, len(objects)) as progress, contextlib.ExitStack() as pool_ends:
            pool_ends.callback(pool.shutdown, cancel_futures=True)
            progress.tell(f"{what}: {len(objects)}")
            compiled = pool.map(lambda name: self.worker.errors_of(name, self._words(), made[name]), objects)
            for number, (name, errors) in enumerate(zip(objects, compiled), 1):
                if errors:
                    raise SystemExit(f"{name}: does not compile with switches\n{errors}")
                progress.show(number)
        return made

    def _link(self, executables, made):
        linked = {}
        for name in executables:
            room = self.scratch / "linked" / name
            room.mkdir(parents=True)
            linked[name] = self.worker.link(name, made, room, also=[str(self.scratch / "switch.o")])
            if linked[name] is None:
                raise SystemExit(f"{name}: does not link with switches")
        return linked

    def verdict(self, mutant, stages):
        """`survived` where no test noticed it: its object may be the same all the same."""
        runs = self.scratch / f"runs{self.numbers[mutant]}"
        switch = {"TSUJI_MUTANT": str(self.numbers[mutant])}
        for tests in stages:
            runs.mkdir()
            killer = tests.killer(self.linked[tests.executable], runs, switch=switch)
            shutil.rmtree(runs, ignore_errors=True)
            if killer:
                return Verdict("killed", killer)
        return Verdict("survived")
