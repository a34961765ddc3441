# SPDX-License-Identifier: Apache-2.0
"""Needs of an ID's file: rows with tolerances, runs of the models, findings."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))  # the package tsuji

from .findings import Findings, Reading  # noqa: E402
from .papers import Paper, Section  # noqa: E402
from .rows import (Row, above, above_and_below, at_least, at_most, below, between, exactly, holds,  # noqa: E402
                   within, within_percent)
from .runs import Run  # noqa: E402

__all__ = ["Findings", "Paper", "Reading", "Row", "Run", "Section", "above", "above_and_below", "at_least", "at_most",
           "below", "between", "exactly", "holds", "within", "within_percent"]
