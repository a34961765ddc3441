# SPDX-License-Identifier: Apache-2.0
"""Errors that end a call."""

from __future__ import annotations


class Refused(Exception):
    """Bad input, reported as PLACE: KEY: PROBLEM (got 'VALUE'); accepted: WHAT. Exit status 2."""

    def __init__(self, place: object, key: str = "", problem: str = "", got: object = None, accepted: str = "") -> None:
        text = ": ".join(str(part) for part in (place, key, problem) if part)
        if got is not None:
            text += f" (got '{got}')"
        super().__init__(text + (f"; accepted: {accepted}" if accepted else ""))


class RunFailed(Exception):
    """A run, or the engine that plays runs, did not succeed. Exit status 1."""
