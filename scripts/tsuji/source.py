# SPDX-License-Identifier: Apache-2.0
"""A text that is edited in place."""

from __future__ import annotations

import pathlib
from typing import Any

from .errors import Refused


class Source:
    """Edits are parts of the first text, by their offsets, and what takes their place."""

    def __init__(self, text: str, path: pathlib.Path) -> None:
        self.text, self.path = text, path
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.edits, self.told = [], []

    def place(self, offset: int) -> str:
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}:{offset - self.line_start(offset) + 1}"

    def refused(self, offset: int, key: str, problem: str, got: str | None = None, accepted: str = "") -> Refused:
        return Refused(self.place(offset), key, problem, got, accepted)

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def next_line(self, offset: int) -> int:
        """Where the line after the one at `offset` begins."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end + 1

    def rest_of_line(self, offset: int) -> str:
        return self.text[offset:self.next_line(offset)].strip()

    def replace(self, start: int, end: int, text: str) -> None:
        self.edits.append((start, end, text))

    def replace_scalar(self, node: Any, text: str) -> None:
        """With the quotes that it has."""
        quotes = 1 if node.style in ("'", '"') else 0
        self.replace(node.start_mark.index + quotes, node.end_mark.index - quotes, text)

    def insert_lines(self, offset: int, lines: list[str]) -> None:
        """Before the line that begins at `offset`, or after a last one without an end."""
        text = "".join(line + self.newline for line in lines)
        if offset == len(self.text) and self.text and not self.text.endswith("\n"):
            text = self.newline + text.removesuffix(self.newline)
        self.replace(offset, offset, text)

    def tell(self, offset: int, old: str, new: str) -> None:
        self.told.append((offset, f"{old} -> {new}"))

    def changes(self) -> list[str]:
        """A line for each, in the order of the text."""
        return [f"{self.place(offset)}: {what}" for offset, what in sorted(self.told)]

    def edited(self) -> str:
        parts, at = [], 0
        for start, end, text in sorted(self.edits, key=lambda edit: edit[:2]):
            if start < at:
                raise AssertionError(f"{self.place(start)}: two edits of one place")
            parts += [self.text[at:start], text]
            at = end
        return "".join(parts) + self.text[at:]
