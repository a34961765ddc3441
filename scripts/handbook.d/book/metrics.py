# SPDX-License-Identifier: Apache-2.0
"""Reference of metrics and tables: names and units from runs of the programs, meanings from reference/metrics.yaml."""

import json
import pathlib
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

import yaml

from .errors import Wrong
from .program import printed
from .text import code, escaped


@dataclass
class Found:
    """What the results of some runs hold, in the order in which it came."""

    metrics: Dict[str, str] = field(default_factory=dict)                      # name to unit
    tables: Dict[str, List[Tuple[str, str]]] = field(default_factory=dict)     # name to (column, unit)
    by: Dict[str, List[str]] = field(default_factory=dict)                     # metric or table to runs

    def add(self, run: str, result: dict) -> None:
        """Adds the metrics and tables of a run's result.json."""
        for name, of in result["metrics"].items():
            known = self.metrics.setdefault(name, of.get("unit", ""))
            if known != of.get("unit", ""):
                raise Wrong(f"metric {name}: unit {of.get('unit', '')!r} in the run {run!r}, {known!r} in another")
            self.by.setdefault(name, []).append(run)
        for name, table in result["tables"].items():
            columns = self.tables.setdefault(name, [])
            columns += [one for one in ((column["name"], column.get("unit", "")) for column in table["columns"])
                        if one not in columns]
            self.by.setdefault("table " + name, []).append(run)


def play(runs: Dict[str, str], build: pathlib.Path, folder: pathlib.Path) -> Found:
    """Plays the runs of the list; each is a command line after build/platforms/."""
    found = Found()
    for number, (run, line) in enumerate(runs.items()):
        program, *words = shlex.split(line)
        out = folder / str(number)
        printed(str(build / "platforms" / program), *words, "--out", str(out), "--quiet",
                cwd=str(pathlib.Path(__file__).resolve().parents[3]))
        found.add(run, json.loads((out / "result.json").read_text(encoding="utf-8")))
    return found


def names(name: str) -> List[str]:
    """The names that a name of the list expands to: `latency_{mean,max}` is a family of two."""
    before, brace, rest = name.partition("{")
    if not brace:
        return [name]
    inside, _, after = rest.partition("}")
    return [before + one + after for one in inside.split(",")]


def checked(what: str, named: Dict[str, str], played: List[str]) -> None:
    """Wrong where a metric or table has no meaning, or a meaning has no metric."""
    problems = [f"reference/metrics.yaml: {what} {name}: has no meaning there" for name in played if name not in named]
    problems += [f"reference/metrics.yaml: {what} {name}: no run has it" for name in named if name not in played]
    if problems:
        raise Wrong("\n".join(problems))


def pages(own: pathlib.Path, build: pathlib.Path, folder: pathlib.Path) -> Dict[str, str]:
    """The pages below reference: metrics and tables."""
    listed = yaml.safe_load((own / "reference/metrics.yaml").read_text(encoding="utf-8"))
    found = play(listed["runs"], build, folder)
    groups: Dict[str, Dict[str, str]] = listed["metrics"]
    checked("metric", {one: text for group in groups.values() for name, text in group.items() for one in names(name)},
            list(found.metrics))
    checked("table", listed["tables"], list(found.tables))
    lines = ["# Metrics", "",
             f"The {len(found.metrics)} metrics that `result.json` has in the runs below, with their units. A metric "
             "without a value (null) had nothing to measure.", ""]
    for group, of in groups.items():
        lines += [f"## {group}", "", "| metric | unit | meaning |", "|---|---|---|"]
        for name, text in of.items():
            shown = ", ".join(code(one) for one in names(name))
            lines.append(f"| {shown} | {escaped(found.metrics[names(name)[0]])} | {text} |")
        lines.append("")
    lines += ["## Runs", "", *[f"- {name}: `build/platforms/{line}`" for name, line in listed["runs"].items()], ""]
    tables = ["# Tables", "", "The tables of `result.json`, with the columns and their units.", ""]
    for name, meaning in listed["tables"].items():
        columns = ", ".join(code(column) + (f" ({escaped(unit)})" if unit else "")
                            for column, unit in found.tables[name])
        tables += [f"## {code(name)}", "", meaning, "", f"Columns: {columns}.", "",
                   f"In: {', '.join(found.by['table ' + name])}.", ""]
    return {"metrics.md": "\n".join(lines), "tables.md": "\n".join(tables)}
