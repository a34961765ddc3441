# SPDX-License-Identifier: Apache-2.0
"""The progress of long work on stderr."""

from __future__ import annotations

import sys
import time


class Progress:
    """Progress, and the remaining time at the mean pace: a line that is drawn over on a terminal, a line every half
    minute elsewhere."""

    def __init__(self, total: float, what: str) -> None:
        """`total`: of the work, in any unit; `what`: of how many things, e.g. "run"."""
        self.total, self.what = total, what
        self.begin = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.next = self.begin + (0 if self.terminal else 30)
        self.shown: str | None = None

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
        line = f"[{('=' * int(20 * share) + '>')[:20]:20}] {100 * share:3.0f} %, {left} left, {self.what} {text}"
        print(f"\r{line}\033[K" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr,
              flush=True)

    def wipe(self) -> None:
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
