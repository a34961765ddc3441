# SPDX-License-Identifier: Apache-2.0
"""Papers: name, title and outline, and the sections that the SOURCE of an ID names."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Dict, Iterable, List, Sequence, Tuple

from tsuji.errors import Refused

NO_PAPER = "in no paper"
NOTHING = ("", "-")  # of Row.paper: the row states nothing of the paper


@dataclasses.dataclass(frozen=True)
class Section:
    """A section of a paper: its title in English, and its pages where the paper's text shows them."""

    title: str
    pages: str = ""


@dataclasses.dataclass(frozen=True)
class Paper:
    """A paper by its short name (topics/reproduction.md, Papers), its title in English, and its sections by number, in
    their order."""

    name: str
    title: str
    sections: Dict[str, Section]

    def place(self, number: str) -> str:
        """A section with its pages."""
        pages = self.sections[number].pages
        return f"section {number}{', ' + pages if pages else ''}"


def order(number: str) -> Tuple[int, ...]:
    """Sorts the numbers of sections: 4.2 before 4.10."""
    return tuple(int(part) for part in number.split("."))


def sections_of(source: str, paper: Any, identity: str) -> List[str]:
    """The sections that a SOURCE names. None for "in no paper ..." and in a folder that is no paper."""
    if paper is None or source.lower().startswith(NO_PAPER):
        return []
    match = re.match(re.escape(paper.name) + r", sections? (\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*)", source)
    if not match:
        raise Refused("", f"{identity}.SOURCE", "names no section", source,
                      f"{paper.name}, section N ..., or {NO_PAPER} ...")
    numbers = re.split(", | and ", match.group(1))
    for number in numbers:
        check_section(paper, number, f"{identity}.SOURCE")
    return numbers


def check_section(paper: Paper, number: str, where: str) -> None:
    if number not in paper.sections:
        raise Refused("", where, f"{paper.name} has no such section", number, ", ".join(paper.sections))


def with_sections(rows: Sequence[Any], sections: Sequence[str], paper: Any, identity: str) -> List[Any]:
    """Rows that state something of the paper get their section: their own, or the only one of the ID's SOURCE."""
    return [dataclasses.replace(row, section=section_of(row, sections, paper, identity)) for row in rows]


def section_of(row: Any, sections: Sequence[str], paper: Any, identity: str) -> str:
    where = f"{identity} {row.key}"
    if row.paper in NOTHING or paper is None:
        if row.section:
            raise Refused("", where, "states nothing of a paper, but has a section", row.section, "no section")
        return ""
    if row.section:
        check_section(paper, row.section, where)
        return row.section
    if len(sections) != 1:
        named = "none" if not sections else "several"
        raise Refused("", where, f"has no section, and the ID's SOURCE names {named}", row.paper,
                      "Row(..., section=N)")
    return sections[0]


def check_readings(rows: Iterable[Any], identity: str) -> None:
    """Refuses a reading of a row that does not exist or has no verdict, and one in another unit."""
    judged = {row.key: row for row in rows if row.tolerance}
    for row in rows:
        for key in row.reading_of:
            if key not in judged:
                raise Refused("", f"{identity} {row.key}", "is a reading of a row without a verdict", key,
                              ", ".join(judged))
            if row.unit != judged[key].unit:
                raise Refused("", f"{identity} {row.key}", "is a reading in another unit", row.unit, judged[key].unit)
