# SPDX-License-Identifier: Apache-2.0
"""How many statements of each paper hold, counted over results (result.json)."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, List

from .rows import Verdict

HOLDING = (Verdict.PASSED.value, Verdict.NEWLY_HOLDS.value)
NOT_JUDGED = (Verdict.NOT_IN_QUICK.value, Verdict.CHANGED.value)


@dataclasses.dataclass
class Count:
    """Statements that hold, that are judged, and that the version of the run does not judge."""

    hold: int = 0
    judged: int = 0
    not_judged: int = 0

    def add(self, rows: Iterable[Dict[str, Any]]) -> None:
        """`rows` as in result.json. Shown rows, rows by definition and rows that state nothing of the paper do not
        count."""
        for row in rows:
            if not row.get("states"):
                continue
            if row["verdict"] in NOT_JUDGED:
                self.not_judged += 1
            else:
                self.judged += 1
                self.hold += row["verdict"] in HOLDING

    def text(self) -> str:
        left = f" ({self.not_judged} not judged in this version)" if self.not_judged else ""
        return f"{self.hold} of {self.judged} statements hold{left}"


def by_paper(results: Iterable[Dict[str, Any]], no_papers: Iterable[str]) -> Dict[str, Count]:
    """A Count for each paper of `results`, and one for all of them, by the papers' names. `no_papers`: folders that
    are no paper."""
    counts: Dict[str, Count] = {}
    for result in results:
        paper = result["id"].split(".")[0]
        if paper not in no_papers:
            counts.setdefault(paper, Count()).add(result["rows"])
    total = Count(sum(count.hold for count in counts.values()), sum(count.judged for count in counts.values()),
                  sum(count.not_judged for count in counts.values()))
    return {**{paper: count for paper, count in counts.items() if count.judged or count.not_judged}, "all": total}


def lines(counts: Dict[str, Count]) -> List[str]:
    """A line a paper; the last one is about all of them."""
    return [f"{name}: {count.text()}" for name, count in counts.items()] if counts["all"].judged else []
