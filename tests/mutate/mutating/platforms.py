# SPDX-License-Identifier: Apache-2.0
"""Tests of whole runs, for mutants that all other tests have let live: minutes a mutant."""

import shutil

from .limits import run_limited

FOLDER = "platforms"


class Platforms:
    def __init__(self, base):
        self.base = base
        self.executables = sorted(f"{FOLDER}/{path.name}" for path in (base.build / FOLDER).iterdir()
                                  if path.is_file() and path.stat().st_mode & 0o100)
        self.tests = base.tests.get(FOLDER, [])

    def killer(self, worker, objects, room):
        """Name of the first test that fails; empty if all pass, None if a platform cannot be built."""
        place = room / FOLDER
        place.mkdir()
        for executable in self.executables:
            changed = objects.changed(executable)
            linked = worker.link(executable, changed, place) if changed else None
            if changed is None or (changed and linked is None):
                return None
            if not changed:
                (place / executable.split("/")[1]).symlink_to(self.base.build / executable)
        runs = room / "runs"
        for test in self.tests:
            command = [word.replace(str(self.base.build / FOLDER), str(place)) for word in test.command]
            if command == test.command:
                continue
            runs.mkdir()
            code, _, _ = run_limited(command, runs, {**test.environment, "TMPDIR": str(runs)})
            shutil.rmtree(runs, ignore_errors=True)
            if code != 0:
                return test.name
        return ""
