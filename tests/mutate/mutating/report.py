# SPDX-License-Identifier: Apache-2.0
"""Progress on the terminal, and the table of a folder's mutants."""

import sys
import time

BAR = 24


class Progress:
    """A bar on standard error, where that is a terminal, or else a line for each step."""

    def __init__(self, what, wanted):
        self.what, self.wanted, self.began = what, wanted, time.monotonic()
        self.shown = sys.stderr.isatty()

    def __enter__(self):
        self.show(0)
        return self

    def show(self, counted, more=""):
        if not self.shown:
            return
        full = BAR * counted // self.wanted
        left = ("" if counted == 0
                else f", {(time.monotonic() - self.began) / counted * (self.wanted - counted):.0f} s left")
        bar = "#" * full + "." * (BAR - full)
        sys.stderr.write(f"\r\033[K{self.what} [{bar}] {counted} of {self.wanted}{more}{left}")
        sys.stderr.flush()

    def tell(self, line):
        if not self.shown:
            print(line, file=sys.stderr, flush=True)

    def __exit__(self, *_):
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def verdict_text(verdict, reason):
    if reason:
        return f"equivalent: {reason}"
    return f"killed by {verdict.by}" if verdict.kind == "killed" else verdict.kind


def table(folder, seed, done):
    """A line a mutant, and below it the function and the expression before and after, as in equivalent.txt; survivors
    last."""
    lines = [f"{folder}, seed {seed}", ""]
    for number, mutant, verdict, reason in sorted(done, key=lambda one: (one[2].kind == "survived", one[0])):
        lines.append(f"{number:4}  {mutant.place():40}  {mutant.change.operator:10}  {verdict_text(verdict, reason)}")
        lines += [f"        {mutant.scope}", f"        - {mutant.before}", f"        + {mutant.after}"]
    return "\n".join(lines)


def summary(done, seconds):
    """(percent of the mutants that died, a line of text)."""
    kinds = [("equivalent" if reason else verdict.kind) for _, _, verdict, reason in done]
    killed, survived = kinds.count("killed"), kinds.count("survived")
    share = 100.0 * killed / (killed + survived) if killed + survived else 100.0
    aside = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("equivalent", "same code", "does not compile"))
    return share, f"\n{killed} of {killed + survived} died: {share:.0f} %; set aside: {aside}; {seconds:.0f} s\n"
