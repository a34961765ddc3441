# SPDX-License-Identifier: Apache-2.0
"""What a run's page shows of routers.csv: prediction, look-ups and recovery by router."""

from __future__ import annotations

import pathlib
from typing import Any

from .errors import Refused
from .report_network import read_csv

COLUMNS = ("router", "flits", "prediction_visits", "prediction_hits", "lookups", "lookup_hits", "recoveries",
           "timeouts", "discarded_flits")


def counts_of(path: pathlib.Path) -> dict[str, Any]:
    """`columns`, and `rows` of numbers, a router each."""
    rows = []
    for row in read_csv(path, COLUMNS):
        try:
            rows.append([int(row[name]) for name in COLUMNS])
        except ValueError:
            raise Refused(path, "", f"has a cell that is no number at router {row['router']}", None,
                          "the file as the run wrote it") from None
    return {"columns": list(COLUMNS), "rows": rows}
