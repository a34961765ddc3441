# SPDX-License-Identifier: Apache-2.0
"""Runs' results."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any

from . import renames, schema
from .errors import Refused


class Result:
    """Results of a run, by its folder. OSError where there is none."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        self.folder = pathlib.Path(folder)
        self.json = read(self.folder)

    @property
    def complete(self) -> bool:
        """False: the run was ended by a signal, and these are the results up to then."""
        return self.json.get("status", "complete") == "complete"

    @property
    def refusal(self) -> str | None:
        """What the platform says of a configuration that it refuses; None: it has run."""
        return self.json.get("refusal")

    @property
    def failure(self) -> str | None:
        """The text of a model failure; None: there was none."""
        return self.json.get("failure")

    @property
    def printed(self) -> str:
        """Of a run that prints."""
        return self.json["printed"]

    @property
    def metrics(self) -> dict[str, Any]:
        """Values by name."""
        return {name: metric["value"] for name, metric in self.json.get("metrics", {}).items()}

    def metric(self, name: str) -> Any:
        return self.named("metric", name)["value"]

    def unit(self, name: str) -> str:
        return self.named("metric", name)["unit"]

    def named(self, kind: str, name: str) -> dict[str, Any]:
        """A metric or table. KeyError where there is none, with the name of today for one of before."""
        found = self.json[f"{kind}s"]
        rename = None if name in found else renames.find(kind, name)
        if rename:
            raise KeyError(f"{name} {rename.problem}")
        return found[name]

    def table(self, name: str) -> list[dict[str, Any]]:
        """Rows as dicts."""
        table = self.named("table", name)
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def packets(self) -> list[dict[str, str]]:
        """Lines of packets.csv as dicts of texts."""
        with open(self.folder / "packets.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def read(folder: pathlib.Path) -> dict[str, Any]:
    """A run's result.json; of a study that keeps no more, metrics.json; or how else it has ended. Refused for one of
    another schema."""
    for name in ("result.json", "metrics.json"):
        if (folder / name).is_file():
            content = json.loads((folder / name).read_text(encoding="utf-8"))
            if schema.problem(content):
                raise Refused(folder / name, "", schema.problem(content))
            return content
    for end, path in (("failure", folder / "failure.txt"), ("refusal", folder.with_name(f"{folder.name}.refused"))):
        if path.is_file():
            return {end: path.read_text(encoding="utf-8", errors="replace")}
    raise FileNotFoundError(f"{folder}: no result")
