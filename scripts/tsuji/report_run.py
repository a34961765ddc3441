# SPDX-License-Identifier: Apache-2.0
"""The data of a run's page."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import yaml

from . import report_intervals, report_network, report_packets, report_ranks, report_routers, report_waits, report_words
from .errors import Refused
from .results import Result

SOURCES = ("node", "router", "offered_packets", "accepted_packets", "latency_mean")
DERIVED = re.compile(r"# (?:[^#\"']*; )?from others$")  # the comment of a key that another one sets
ACCEPTED = "the output folder of a run that has ended, with its result.json"


def result_of(folder: pathlib.Path) -> Result:
    """Refused for what is no result of a run."""
    if folder.is_file():
        folder = folder.parent
    try:
        result = Result(folder)
    except json.JSONDecodeError as problem:
        raise Refused(folder / "result.json", "", f"is damaged: {problem}", None, ACCEPTED) from None
    except UnicodeDecodeError:
        raise Refused(folder / "result.json", "", "is damaged: no UTF-8", None, ACCEPTED) from None
    except FileNotFoundError:
        raise Refused(folder, "", "no result" if folder.is_dir() else "no such folder", None, ACCEPTED) from None
    for end in ("failure", "refusal"):
        if end in result.json:
            raise Refused(folder, "", f"the run has no results: {result.json[end].strip()}", None, ACCEPTED)
    check(result)
    return result


def check(result: Result) -> None:
    """Refused for a result whose metrics or tables have another form."""
    place = result.folder / "result.json"
    for name, metric in parts_of(result, "metrics", place).items():
        if not isinstance(metric, dict) or not {"value", "unit"} <= set(metric):
            raise Refused(place, f"metrics.{name}", "has no value and unit", None, ACCEPTED)
    for name, table in parts_of(result, "tables", place).items():
        if not isinstance(table, dict) or not {"columns", "rows"} <= set(table):
            raise Refused(place, f"tables.{name}", "has no columns and rows", None, ACCEPTED)
        if any(len(row) != len(table["columns"]) for row in table["rows"]):
            raise Refused(place, f"tables.{name}", "has a row with another number of cells than columns", None,
                          ACCEPTED)


def parts_of(result: Result, member: str, place: pathlib.Path) -> dict[str, Any]:
    if not isinstance(result.json.get(member, {}), dict) or not isinstance(result.json.get("platform"), str):
        raise Refused(place, member, "is damaged", None, ACCEPTED)
    return result.json.get(member, {})


def data_of(folder: pathlib.Path) -> dict[str, Any]:
    """Everything that the page shows, for JSON."""
    result = result_of(folder)
    network = report_network.network_of(result)
    parts, packets = (result.folder / name for name in ("packet_parts.csv", "packets.csv"))
    needed = not (parts.is_file() and (result.folder / "intervals.csv").is_file())
    read = report_packets.Packets(packets) if needed and packets.is_file() else None
    return {"title": report_words.headline(result), "facts": facts(result), "changed": changed(result),
            "leading": report_words.leading(result), "wrong": report_words.wrong(result, network),
            "metrics": [[name, metric["value"], metric["unit"]]
                        for name, metric in result.json.get("metrics", {}).items()],
            "tables": result.json.get("tables", {}), "network": network, "sources": sources(result),
            "parts": (report_packets.summed(result.folder) if parts.is_file() else
                      report_packets.parts_of(read) if read else None),
            "waits": waits(result, network),
            "wait_time": wait_time(result), "router_counts": router_counts(result),
            "ranks": report_ranks.ranks_of(result.folder),
            **over_time(result, network, read)}


def over_time(result: Result, network: dict[str, Any] | None, packets: report_packets.Packets | None) -> dict[str, Any]:
    """Of the run's intervals; of its packets where it has none."""
    rows, links = result.folder / "intervals.csv", result.folder / "link_intervals.csv"
    if not rows.is_file():
        return {"time": report_packets.time_of(packets) if packets else None, "link_time": None}
    time = report_intervals.time_of(rows)
    known = network is not None and network["whole"] and links.is_file()
    return {"time": time, "link_time": report_intervals.links_of(links, network, time) if known and network else None}


def waits(result: Result, network: dict[str, Any] | None) -> dict[str, Any] | None:
    path = result.folder / "port_waits.csv"
    return report_waits.waits_of(path, network["routers"]) if path.is_file() and network else None


def wait_time(result: Result) -> dict[str, Any] | None:
    path = result.folder / "wait_intervals.csv"
    return report_waits.over_time(path) if path.is_file() else None


def router_counts(result: Result) -> dict[str, Any] | None:
    path = result.folder / "routers.csv"
    return report_routers.counts_of(path) if path.is_file() else None


def facts(result: Result) -> list[list[str]]:
    of = result.json
    return [[name, str(value)] for name, value in
            (("platform", f"{of['platform']} {of.get('version', '')} ({of.get('revision', 'no revision')})"),
             ("seed", of.get("seed")), ("status", of.get("status", "complete")))
            if value is not None]


def changed(result: Result) -> list[list[str]] | None:
    """(key, value) of changed.yaml without keys that follow from others; None where the run has not written it."""
    path = result.folder / "changed.yaml"
    if not path.is_file():
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        tree = yaml.safe_load("\n".join(line for line in lines if not DERIVED.search(line)))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise Refused(path, "", f"is damaged: {' '.join(str(problem).split())}", None, "the file as the run wrote it"
                      ) from None
    return flat(tree or {})


def flat(tree: Any, before: str = "") -> list[list[str]]:
    """Dotted keys with their values; a section all of whose keys follow from others has none."""
    if tree is None:
        return []
    if not isinstance(tree, dict):
        return [[before, json.dumps(tree, ensure_ascii=False) if not isinstance(tree, str) else tree]]
    return [pair for key, value in tree.items() for pair in flat(value, f"{before}.{key}" if before else str(key))]


def sources(result: Result) -> list[list[Any]] | None:
    """Rows of sources.csv, in the order of SOURCES, with numbers."""
    path = result.folder / "sources.csv"
    if not path.is_file():
        return None
    rows = report_network.read_csv(path, SOURCES)
    try:
        return [[int(row["node"]), row["router"], int(row["offered_packets"]), int(row["accepted_packets"]),
                 report_network.number(row["latency_mean"])] for row in rows]
    except ValueError as problem:
        raise Refused(path, "", f"has a cell that is no number: {problem}", None, "the file as the run wrote it"
                      ) from None
