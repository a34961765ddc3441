# SPDX-License-Identifier: Apache-2.0
"""Markdown as text: what is prose, what is code, and how a word is written into it."""

import re
from typing import Callable, List

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")
FENCE = re.compile(r"^\s*(```+|~~~+|:::+)")
CODE = re.compile(r"(`+)(.+?)\1")


def escaped(text: str) -> str:
    """The text as Markdown that shows it letter by letter."""
    return SPECIAL.sub(r"\\\1", text)


def code(text: str) -> str:
    """The text as inline code."""
    ticks = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def prose(text: str, change: Callable[[str], str]) -> str:
    """The Markdown text with `change` applied to each of its lines outside of blocks of code."""
    lines: List[str] = []
    fence = ""
    blank = True
    indented = False
    for line in text.split("\n"):
        mark = FENCE.match(line)
        is_code = line.startswith("    ") and (indented or blank) and not re.match(r"\s+([-*]|\d+\.) ", line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = ""
            lines.append(line)
        elif mark and not mark.group(1).startswith(":"):
            fence = mark.group(1)
            lines.append(line)
        elif is_code:
            lines.append(line)
        else:
            lines.append(change(line))
        indented = is_code and not fence
        blank = not line.strip()
    return "\n".join(lines)


def slug(heading: str) -> str:
    """The anchor of a heading, as myst_heading_anchors and GitHub make it."""
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


def title(text: str) -> str:
    """The first heading of a page, without marks of code."""
    found = re.search(r"^# (.+)$", text, re.M)
    return found.group(1).replace("`", "") if found else ""


def headings(text: str) -> List[str]:
    """The headings of a page below its title, outside of blocks of code."""
    found: List[str] = []

    def note(line: str) -> str:
        if re.match(r"#{2,4} ", line):
            found.append(line.lstrip("# ").strip())
        return line

    prose(text, note)
    return found
