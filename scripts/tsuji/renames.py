# SPDX-License-Identifier: Apache-2.0
"""Old names of what users hold, and their names of today: models/renamed.txt."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

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
    adds: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def problem(self) -> str:
        """For a refusal."""
        meant = ", with " + " ".join(f"{key}={value}" for key, value in self.adds.items()) if self.adds else ""
        return f"is called {self.new} since {self.since}{meant}"


@functools.lru_cache(maxsize=None)
def table() -> dict[tuple[str, str], Rename]:
    """Renames by kind and old name."""
    found: dict[Any, Any] = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words and not line.startswith("#"):
            kind, since, old, new, *adds = words
            found[kind, old] = Rename(kind, since, old, new, dict(word.split("=", 1) for word in adds))
    return found


def find(kind: str, old: str) -> Rename | None:
    """None where no name of before is `old`."""
    return table().get((kind, old))
