# SPDX-License-Identifier: Apache-2.0
"""A study's page: pictures and tables in one file that needs no network."""

from __future__ import annotations

import html
import math
import pathlib
from collections.abc import Iterator
from typing import Any, TYPE_CHECKING

from . import comparable, document, pairs, pictures, report_library, report_study, summaries
from .decisions import load_text
from .errors import Refused
from .folders import write_text
from .results import Result
from .statistics import ADJUSTED
from .study_file import CURVE_UNITS, DATA_METRIC

if TYPE_CHECKING:
    from .comparable import Link
    from .decisions import Outcome, Point
    from .pictures import Picture
    from .study import Study
    from .study_file import Spec
    from .tables import Tables

MOST_LINES = 300  # of a table
VERDICT_KINDS = {"higher": "missed", "lower": "missed"}  # marked: a difference is shown


def write(study: Study) -> None:
    """Of a study whose runs have all ended."""
    write_files(study.out, study.tables(), units_of(study))
    try:
        report_study.write(study.out, report_library.read())
    except Refused as refusal:
        study.say(f"no {report_study.NAME}: {refusal}")


def units_of(study: Study) -> dict[str, str]:
    """Of metrics by name, of the first complete run that has each."""
    units = dict(CURVE_UNITS)
    for name in study.configs:
        folder = study.folder_of(name)
        if folder is not None:
            units = {**{metric: value["unit"] for metric, value in Result(folder).json["metrics"].items()}, **units}
        if all(metric in units for metric in study.spec.metrics):
            break
    return units


def write_files(out: pathlib.Path, tables: Tables, units: dict[str, str]) -> None:
    """OUT/pictures and OUT/index.html. `units` of metrics by name."""
    drawn = pictures.write(out / "pictures", tables, units)
    title = tables.spec.title
    write_text(out / "index.html", document.whole(f"{title} - a study of Tsuji", title,
                                                  "\n".join(parts(out, tables, units, drawn))))


def parts(out: pathlib.Path, tables: Tables, units: dict[str, str], drawn: Any) -> Iterator[str]:
    failed = [(point, end) for point in tables.wanted for end in [tables.outcomes.get(point)]
              if end.status != "complete"]
    comparisons = tables.of_comparisons()
    yield facts(tables, failed)
    yield certainty(tables)
    yield files(out, tables)
    if tables.links and (len(tables.spec.platforms) > 1 or tables.spec.states("flit_bytes")):
        yield links_part(tables)
    for picture in drawn:
        yield section(out, picture)
    if comparisons:
        yield comparison_part(tables, comparisons, units)
    if tables.spec.pairs:
        yield pairs_part(tables, units)
    yield points_part(tables, units)
    if failed:
        yield failed_part(tables, failed)


def facts(tables: Tables, failed: list[tuple[Point, Outcome]]) -> str:
    spec = tables.spec
    rows = [("platform", "; ".join(platforms(spec))),
            ("axes", "; ".join(f"{axis.name}: {', '.join(level.label for level in axis.levels[:12])}"
                               + (f" and {len(axis.levels) - 12} more" if len(axis.levels) > 12 else "")
                               for axis in spec.axes) or "none"),
            ("designs", len(spec.designs)), (f"{tables.replicate_name}s of a design",
                                             pictures.seeds_text(tables).rpartition(" ")[0]),
            ("runs", f"{len(tables.wanted)}" + (f", {len(failed)} of them without results" if failed else ""))]
    if spec.until:
        rows.append(("until", f"{spec.until.metric} is known to +-{100 * spec.until.relative:g} %, "
                     f"{spec.until.at_least} to "
                              f"{spec.until.at_most} seeds"))
    return "<table>" + "\n".join(document.line(row) for row in rows) + "</table>"


def platforms(spec: Spec) -> list[str]:
    """Each platform and configuration, with the number of its designs where there are several."""
    counts: dict[Any, Any] = {}
    for design in spec.designs:
        name = design.platform + (f", {file_name(design.config)}" if design.config else "")
        counts[name] = counts.get(name, 0) + 1
    return list(counts) if len(counts) == 1 else [f"{name}: {count} design{'' if count == 1 else 's'}"
                                                  for name, count in counts.items()]


def file_name(path: str) -> str:
    return path.split("/")[-1]


def certainty(tables: Tables) -> str:
    """Says which designs have no interval."""
    single = sum(len(seeds) == 1 for seeds in tables.seeds.values())
    if not single:
        return ""
    which = "Every design has" if single == len(tables.seeds) else f"{single} of {len(tables.seeds)} designs have"
    return (f'<p class="missed">{which} one {tables.replicate_name}: no interval, and no difference between designs is '
            f'certain. '
            "<code>seeds</code> or <code>until</code> in the study's file adds seeds.</p>")


def files(out: pathlib.Path, tables: Tables) -> str:
    names = [report_study.NAME, "points.csv", "runs.csv", *(["curves.csv"] if tables.spec.curve else []),
             *(["comparisons.csv"] if tables.spec.compare else []), *(["pairs.csv"] if tables.spec.pairs else []),
             "study.sqlite"]
    return f'<p class="source">{" ".join(link(name) for name in names if (out / name).is_file())}</p>'


def link(name: str) -> str:
    return f'<a href="{html.escape(name)}">{html.escape(name)}</a>'


def links_part(tables: Tables) -> str:
    """A row for each link, with the levels that decide it."""
    axes = comparable.telling_axes(tables.spec, tables.links)
    rows: dict[Any, Any] = {}
    for design in tables.spec.designs:
        rows.setdefault(tuple(design.labels[i] for i in axes), tables.links[design.number])
    names = [tables.spec.axes[i].name for i in axes] + ["platform", "clock (MHz)", "cycles of a flit", "flit (bytes)",
                                                        "bandwidth of a node (MB/s)",
                                                        "packet (flits)", "data of a packet (bytes)",
                                                        "data at 1 flit/node/cycle (MB/node/s)"]
    lines = [document.line([*labels, *link_cells(link)]) for labels, link in rows.items()]
    return ("<h2>Links: how designs are made comparable</h2>\n" + verdict_on(tables) + "\n"
            + cut(names, lines, "study.sqlite"))


def link_cells(link: Link) -> list[str]:
    numbers = [link.clock_mhz, link.flit_cycles, link.flit_bytes, link.bandwidth_mb_per_s, link.packet_flits,
               link.packet_bytes, link.data_mb_per_s]
    return [link.platform + (f", {file_name(link.config)}" if link.config else ""),
            *("-" if value is None else f"{value:.6g}" for value in numbers)]


def verdict_on(tables: Tables) -> str:
    """Says whether bandwidths and flits are equal."""
    if not tables.spec.states("flit_bytes"):
        return ('<p class="missed">The study states no <code>flit_bytes</code>: a flit of one design may be other '
                'bytes than a flit of another one, and '
                "flits/node/cycle do not compare them.</p>")
    found, rates = comparable.bandwidths(tables.links), comparable.data_rates(tables.links)
    parts = [(f"All nodes have links of {found[0]:.6g} MB/s.", "") if len(found) == 1 else
             (f"Bandwidths of nodes differ, {pictures.range_text(found)} MB/s: differences between designs are theirs, "
              f"too.", "missed")]
    if len(rates) > 1:
        parts.append((f"1 flit/node/cycle is {pictures.range_text(rates)} MB/node/s of data: compare {DATA_METRIC}, "
                      f"not metrics in flits and cycles.", "missed"))
    elif rates:
        parts.append((f"1 flit/node/cycle is {rates[0]:.6g} MB/node/s of data for all designs.", ""))
    return "\n".join(f'<p class="{kind}">{html.escape(text)}</p>' if kind else f"<p>{html.escape(text)}</p>"
                     for text, kind in parts)


def section(out: pathlib.Path, picture: Picture) -> str:
    svg = (out / "pictures" / f"{picture.name}.svg").read_bytes()
    files = " ".join(link(f"pictures/{picture.name}.{kind}") for kind in ("svg", "png"))
    return f"""<h2 id="{html.escape(picture.name)}">{html.escape(picture.title)}</h2>
{document.picture(svg, picture.title)}
<p class="source">{html.escape(picture.text)} {files}</p>"""


def cut(names: list[str], lines: list[str], file: str) -> str:
    """A table of the first lines; the rest is in a file."""
    rest = len(lines) - MOST_LINES
    return document.table(names, lines[:MOST_LINES]) + (f"\n<p>and {rest} more in {link(file)}</p>" if rest > 0 else "")


def with_interval(mean: float | None, half: float | None, without: str = "uncertain: one value") -> str:
    """`half` decides the digits: two of it, and the mean to the same place. `without` are the words for no half."""
    if mean is None:
        return "-"
    if half is None:
        return f"{mean:.6g} ({without})"
    if half == 0:
        return f"{mean:.6g} ± 0"
    places = max(0, 1 - math.floor(math.log10(half)))
    return f"{mean:.{places}f} ± {half:.{places}f}" if places < 12 else f"{mean:.6g} ± {half:.2g}"


def points_part(tables: Tables, units: dict[str, str]) -> str:
    axes, metrics = [axis.name for axis in tables.spec.axes], tables.replicate_metrics()
    places = {c.design: c.place for c in summaries.front(tables)} if tables.spec.pareto else {}
    names = axes + [f"{tables.replicate_name}s", "failed"] + [pictures.with_unit(metric, units)
                                                              for metric in metrics] + (["Pareto"] if places else [])
    lines: list[Any] = []
    for design, row in zip(tables.of_design, tables.of_points()):
        cells = [row[axis] for axis in axes] + [row["seeds"], row["failed"]]
        cells += [with_interval(row[metric], row[f"{metric}_confidence95"]) for metric in metrics]
        lines.append(document.line(cells + ([places.get(design, "-")] if places else []),
                                   "passed" if places.get(design) == "front" else ""))
    return "<h2>Designs: means with 95 % intervals</h2>\n" + cut(names, lines, "points.csv")


def comparison_part(tables: Tables, comparisons: list[dict[str, Any]], units: dict[str, str]) -> str:
    compare = tables.spec.compare
    axes = [axis.name for axis in tables.spec.axes]
    lines: list[Any] = []
    for row in comparisons:
        percent = with_interval(row["difference_percent"], row["difference_percent_confidence95"],
                                "no interval") if row["difference_percent"] is not None else "-"
        cells = [row[axis] for axis in axes] + [pictures.with_unit(row["metric"], units), row["pairs"],
                                                "-" if row["base_mean"] is None else f"{row['base_mean']:.6g}",
                                                with_interval(row["difference"], row["difference_confidence95"],
                                                              "no interval"), percent, row["verdict"]]
        lines.append(document.line(cells, VERDICT_KINDS.get(row["verdict"], "")))
    names = axes + ["metric", "pairs", f"mean of {compare.base}", f"difference ± ({ADJUSTED})",
                    f"percent ± ({ADJUSTED})", "verdict"]
    return (f"<h2>{html.escape(compare.axis)}: against {html.escape(compare.base)}</h2>\n<p>Differences on the same "
            f"{tables.replicate_name}s. Verdicts and intervals of a metric are Holm-adjusted together: a false verdict "
            f"among all has at most 5 %, and an "
            "interval excludes 0 exactly where a difference is shown.</p>\n" + cut(names, lines, "comparisons.csv"))


def pairs_part(tables: Tables, units: dict[str, str]) -> str:
    spec = tables.spec
    axes = [axis.name for axis in spec.axes if axis.name not in spec.pairs]
    lines: list[Any] = []
    for row in pairs.rows(tables):
        cells = [row[axis] for axis in axes] + [pictures.with_unit(row["metric"], units), row["first"], row["second"],
                                                "-" if row["base_mean"] is None else f"{row['base_mean']:.6g}"]
        for part in ("difference", "beyond"):
            cells.append(with_interval(row[f"{part}_percent"], row[f"{part}_percent_confidence95"], "no interval"))
            cells.append((row["verdict"] if part == "difference" else row["beyond_verdict"]) or "-")
        lines.append(document.line(cells, VERDICT_KINDS.get(row["verdict"], "")))
    names = axes + ["metric", "first", "second", "mean of the base", f"percent ± ({ADJUSTED})", "verdict",
                    "beyond the sum, percent ±", "verdict"]
    return (f"<h2>Alone and in pairs</h2>\n<p>{html.escape(pictures.pairs_text(tables))}</p>\n"
            + cut(names, lines, "pairs.csv"))


def failed_part(tables: Tables, failed: list[tuple[Point, Outcome]]) -> str:
    axes, load = [axis.name for axis in tables.spec.axes], ["load"] if tables.spec.curve else []
    names = [*axes, tables.spec.seed_key, *load, "status", "error"]
    lines: list[Any] = []
    for point, end in failed:
        load = [load_text(point.load)] if point.load is not None else []
        lines.append(document.line([*tables.spec.designs[point.design].labels, point.seed, *load, end.status,
                                    end.error], "FAILED"))
    return "<h2>Runs without results</h2>\n" + cut(names, lines, "runs.csv")
