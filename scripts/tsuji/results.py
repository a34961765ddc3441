# SPDX-License-Identifier: Apache-2.0
"""Runs' results."""

import csv
import json
import pathlib

from . import renames, schema
from .errors import Refused


class Result:
    """Results of a run, by its folder. OSError where there is none."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.json = read(self.folder)

    @property
    def complete(self):
        """False: the run was ended by a signal, and these are the results up to then."""
        return self.json.get("status", "complete") == "complete"

    @property
    def refusal(self):
        """What the platform says of a configuration that it refuses; None: it has run."""
        return self.json.get("refusal")

    @property
    def failure(self):
        """The text of a model failure; None: there was none."""
        return self.json.get("failure")

    @property
    def printed(self):
        """Of a run that prints."""
        return self.json["printed"]

    @property
    def metrics(self):
        """Values by name."""
        return {name: metric["value"] for name, metric in self.json.get("metrics", {}).items()}

    def metric(self, name):
        return self.named("metric", name)["value"]

    def unit(self, name):
        return self.named("metric", name)["unit"]

    def named(self, kind, name):
        """A metric or table. KeyError where there is none, with the name of today for one of before."""
        found = self.json[f"{kind}s"]
        rename = None if name in found else renames.find(kind, name)
        if rename:
            raise KeyError(f"{name} {rename.problem}")
        return found[name]

    def table(self, name):
        """Rows as dicts."""
        table = self.named("table", name)
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def packets(self):
        """Lines of packets.csv as dicts of texts."""
        with open(self.folder / "packets.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def read(folder):
    """A run's result.json; of a study that keeps no more, metrics.json; or how else it has ended. Refused for one of another schema."""
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
