# SPDX-License-Identifier: Apache-2.0
"""The progress of long work: on stderr, or in a cell of a notebook."""

from __future__ import annotations

import html
import sys
import time
from typing import Any


def notebook_display() -> Any:
    """A display of the notebook cell that is running, whose content can be replaced; None: this is no notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import DisplayHandle  # type: ignore[import]

    return DisplayHandle()


class Progress:
    """Progress, and the remaining time at the mean pace: a bar in a notebook, a line that is drawn over on a terminal,
    a line every half minute elsewhere."""

    def __init__(self, total: float, what: str) -> None:
        """`total`: of the work, in any unit; `what`: of how many things, e.g. "run"."""
        self.total, self.what = total, what
        self.begin = time.monotonic()
        self.cell = notebook_display()
        self.terminal = self.cell is not None or sys.stderr.isatty()
        self.next = self.begin + (0 if self.terminal else 30)
        self.shown: str | None = None
        self.drawn = False  # in a notebook

    def update(self, done: float, text: str) -> None:
        """`done` of the total; `text` is what has ended, e.g. "3 of 10"."""
        now = time.monotonic()
        if now < self.next and not (self.terminal and text != self.shown):
            return
        self.next, self.shown = now + (1 if self.terminal else 30), text
        share = done / self.total if self.total else 1
        left = "--:--"
        if done:
            seconds = max(0.0, (now - self.begin) * (self.total - done) / done)
            left = f"{int(seconds // 60):02d}:{int(seconds % 60):02d}"
        rest = f"{100 * share:3.0f} %, {left} left, {self.what} {text}"
        if self.cell is not None:
            self.draw(share, rest.strip())
            return
        line = f"[{('=' * int(20 * share) + '>')[:20]:20}] {rest}"
        print(f"\r{line}\033[K" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr,
              flush=True)

    def draw(self, share: float, text: str) -> None:
        """In a notebook."""
        bar = f'<progress value="{share:.4f}" max="1"></progress> {html.escape(text)}'
        content = {"text/plain": text, "text/html": bar if text else ""}
        (self.cell.update if self.drawn else self.cell.display)(content, raw=True)
        self.drawn = True

    def wipe(self) -> None:
        if self.cell is not None:
            if self.drawn:
                self.draw(1, "")
        elif self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
