# SPDX-License-Identifier: Apache-2.0
"""The schema of runs' results, which `result.json` names: models/tsuji/results/README.md. Needs nothing of its
package."""

from __future__ import annotations

import re
from typing import Any

NAME, NUMBER = "tsuji.result", 1  # as result_schema of models/tsuji/results/results.h


def problem(content: Any) -> str:
    """What keeps these scripts from reading a run's result, with what to do; empty: nothing."""
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema is None:
        return f"names no schema, so it is no run's result: its 'schema' would be {NAME}/{NUMBER}"
    number = re.fullmatch(rf"{re.escape(NAME)}/([1-9][0-9]*)", schema) if isinstance(schema, str) else None
    if number is None:
        return f"has the schema '{schema}', no run's: {NAME}/{NUMBER}"
    if int(number.group(1)) > NUMBER:
        written = f" {content['version']}" if isinstance(content.get("version"), str) else ""
        return (f"has the schema {schema} of a newer tsuji{written}: read it with the scripts of that one; these read "
                f"up to {NAME}/{NUMBER}")
    return ""
