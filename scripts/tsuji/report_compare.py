# SPDX-License-Identifier: Apache-2.0
"""The data of a page that compares two runs."""

from __future__ import annotations

import pathlib
from typing import Any

from . import report_network, report_run, report_words
from .compare import Comparison
from .errors import Refused

LATENCIES = "latency_histogram"


def data_of(a: str, b: str, comparison: Comparison) -> dict[str, Any]:
    """Refused for results that are not of two runs."""
    if comparison.kind != "a run":
        raise Refused("--report", "", f"draws two runs, and this is {comparison.kind}", None,
                      "two runs' folders; scripts/report draws a study")
    results = [report_run.result_of(pathlib.Path(path)) for path in (a, b)]
    networks = [report_network.network_of(result) for result in results]
    return {"title": "A and B compared", "paths": [a, b],
            "titles": [report_words.headline(result) for result in results],
            "wrong": [report_words.wrong(result, network) for result, network in zip(results, networks)],
            "notes": comparison.notes, "facts": [list(fact) for fact in comparison.facts],
            "configuration": [[key, first, second] for key, first, second, _ in comparison.configuration],
            "rows": [[row.metric, row.unit, row.a, row.b, row.difference, row.confidence95, row.percent, row.verdict]
                     for row in comparison.rows],
            "only": comparison.only, **links_of(networks),
            "histograms": [result.json.get("tables", {}).get(LATENCIES, {}).get("rows", []) for result in results]}


def links_of(networks: list[dict[str, Any] | None]) -> dict[str, Any]:
    """The network of A, whose links have the utilizations of both; `why_no_map` where they have other networks."""
    first, second = networks
    if first is None or second is None:
        return {"network": None, "why_no_map": "no map: a run has no table of links"}
    theirs = {link[2]: link for link in second["links"]}
    both = [i for i, link in enumerate(first["links"]) if link[2] in theirs]
    apart = len(first["links"]) + len(theirs) - 2 * len(both)
    whole = first["whole"] and second["whole"]
    if not both or (whole and apart):
        return {"network": None, "why_no_map": "no map: the runs have other networks"}
    links = [[*first["links"][i], *theirs[first["links"][i][2]][3:]] for i in both]
    stubs = [first["stubs"][i] for i in both] if first["stubs"] else []
    return {"network": {**first, "links": links, "stubs": stubs, "whole": whole,
                        "flit_cycles": [first["flit_cycles"], second["flit_cycles"]]}, "why_no_map": ""}
