# SPDX-License-Identifier: Apache-2.0
"""Runs' results."""

import csv
import json
import pathlib


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
        return self.json["metrics"][name]["value"]

    def unit(self, name):
        return self.json["metrics"][name]["unit"]

    def table(self, name):
        """Rows as dicts."""
        table = self.json["tables"][name]
        names = [column["name"] for column in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def packets(self):
        """Lines of packets.csv as dicts of texts."""
        with open(self.folder / "packets.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def read(folder):
    """A run's result.json; of a study that keeps no more, metrics.json; or how else it has ended."""
    for name in ("result.json", "metrics.json"):
        if (folder / name).is_file():
            return json.loads((folder / name).read_text(encoding="utf-8"))
    for end, path in (("failure", folder / "failure.txt"), ("refusal", folder.with_name(f"{folder.name}.refused"))):
        if path.is_file():
            return {end: path.read_text(encoding="utf-8", errors="replace")}
    raise FileNotFoundError(f"{folder}: no result")
