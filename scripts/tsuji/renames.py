# SPDX-License-Identifier: Apache-2.0
"""Old names of what users hold, and their names of today: models/renamed.txt."""

import dataclasses
import functools
from typing import Dict

from .runs import FOLDER

PATH = FOLDER / "models" / "renamed.txt"
KINDS = ("key", "value", "option", "metric", "table", "header")
MIGRATES = "the new name, which scripts/migrate FILE writes"


@dataclasses.dataclass(frozen=True)
class Rename:
    """A line of the table. `adds`: what the old name meant and the new one does not say, by key."""

    kind: str
    since: str
    old: str
    new: str
    adds: Dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def problem(self):
        """For a refusal."""
        meant = ", with " + " ".join(f"{key}={value}" for key, value in self.adds.items()) if self.adds else ""
        return f"is called {self.new} since {self.since}{meant}"


@functools.lru_cache(maxsize=None)
def table():
    """Renames by kind and old name."""
    found = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            kind, since, old, new, *adds = words
            found[kind, old] = Rename(kind, since, old, new, dict(word.split("=", 1) for word in adds))
    return found


def find(kind, old):
    """None where no name of before is `old`."""
    return table().get((kind, old))
