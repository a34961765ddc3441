# SPDX-License-Identifier: Apache-2.0
"""A page a paper: its statements in the order of its sections, with what was measured. Needs nothing beside itself but
the runs that its links name."""

from __future__ import annotations

import dataclasses
import fnmatch
import html
import os
import pathlib
from typing import Any, Dict, Iterable, List, Optional, Tuple

from tsuji import document

from . import changes, measured, papers, statements
from .rows import Verdict, show

STYLE = """
body { max-width: 78em; } h3 { margin: 1.8em 0 0.3em; } nav { margin: 1em 0; } nav a { margin-right: 1em; }
table.statements { width: 100%; } table.statements td { vertical-align: top; }
td.number, .measured { white-space: nowrap; } td.verdict { white-space: nowrap; font-weight: bold; }
td.holds { background: #dfd; } td.known, td.FAILED { background: #fbb; } td.missed { background: #fe9; }
td.shown, td.definition { background: #f2f2f2; font-weight: normal; color: #444; }
.beside { color: #555; font-size: 92%; } details { margin: 0.2em 0; } summary { cursor: pointer; color: #225; }
code { font-size: 90%; overflow-wrap: anywhere; } figure { margin: 0.6em 0; max-width: 52em; }
td { overflow-wrap: break-word; } ul.missing li { margin: 0.3em 0; }
@media (max-width: 900px) { body { font-size: 13px; } td, th { padding: 0.2em 0.3em; } }
"""
COLUMNS = ["statement", "paper", "here", "distance", "verdict", "runs"]
NO_RESULTS = "<p>Its IDs have no results here.</p>"
MOST_RUNS = 24  # that a statement lists itself


@dataclasses.dataclass(frozen=True)
class Material:
    """Of all pages: the output folder, that of the kept runs, results by ID, readings by ID and row, and the committed
    lists."""

    out: pathlib.Path
    runs: pathlib.Path
    results: Dict[str, Any]
    readings: Dict[Tuple[str, str], List[Any]]
    committed: Any

    def of(self, paper: str) -> List[Any]:
        return [result for name, result in self.results.items() if name.split(".")[0] == paper]


def readings_of(results: Iterable[Any]) -> Dict[Tuple[str, str], List[Any]]:
    """Readings that the results of any ID have of a row."""
    found: Dict[Tuple[str, str], List[Any]] = {}
    for result in results:
        for reading in result.get("readings", []):
            found.setdefault((reading["id"], reading["key"]), []).append(reading)
    return found


def text(words: Any) -> str:
    return html.escape(str(words))


def verdict(row: Any) -> Tuple[str, str]:
    """A row's verdict as the page words it, and its class."""
    if row["verdict"] == Verdict.PASSED.value:
        return ("by definition", "definition") if row["by_definition"] else ("holds", "holds")
    return {Verdict.NO_VERDICT.value: ("shown", "shown"), Verdict.KNOWN.value: ("FAILED (known)", "known"),
            Verdict.NEWLY_HOLDS.value: ("holds (listed as failing)", "missed")}.get(
                row["verdict"], (row["verdict"], row["verdict"].split()[0]))


def distance(row: Any) -> str:
    """From the paper's number: relative, and where the unit is percent also in points."""
    percent = row["distance_percent"]
    return "-" if percent is None else "0 %" if abs(percent) < 5e-4 else f"{percent:+.2g} %"


def link(runs: pathlib.Path, page: pathlib.Path, kept: str) -> Optional[str]:
    """To the resolved configuration of a kept run; None of one that has none, such as a print or a refusal."""
    file = runs / kept / "resolved.yaml"
    return os.path.relpath(file, page) if file.is_file() else None


def run_item(material: Material, page: pathlib.Path, name: str, run: Any) -> str:
    """A line of a list of runs."""
    target = link(material.runs, page, run["kept"])
    options = "".join(f" {option}" for option in run["options"])
    if target:
        place = os.path.relpath(material.runs / run["kept"] / "resolved.yaml", material.out)
        return (f'<li><a href="{text(target)}">{text(name)}</a> '
                f"<code>{text(run['platform'])} {text(place)}{text(options)}</code></li>")
    keys = "".join(f" --set {key}={show(value)}" for key, value in run["keys"].items())
    return f"<li>{text(name)} <code>{text(run['platform'])} {text(run['config'] + keys + options)}</code></li>"


def chosen_runs(row: Any, runs: Dict[str, Any]) -> Dict[str, Any]:
    """Those that the row's value comes from."""
    if not row["runs"]:
        return runs
    return {name: run for name, run in runs.items() if any(fnmatch.fnmatchcase(name, one) for one in row["runs"])}


def runs_cell(material: Material, result: Any, row: Any) -> str:
    chosen = chosen_runs(row, result["runs"])
    every = f"{text(result['id'])}/runs.html"
    if len(chosen) > MOST_RUNS or not chosen:
        return f'<a href="{every}">{len(chosen) or "all"}</a>' if result["runs"] else "-"
    if len(chosen) == 1:
        [run] = chosen.values()
        target = link(material.runs, material.out, run["kept"])
        return f'<a href="{text(target or every)}">1</a>'
    items = "".join(run_item(material, material.out, name, run) for name, run in chosen.items())
    return f"<details><summary>{len(chosen)}</summary><ul>{items}</ul></details>"


def readings_table(row: Any, readings: List[Any]) -> str:
    """The readings of a statement that were tried, each with what would be said of it."""
    if not readings:
        return ""
    words = {True: "would hold", False: "would fail", None: "not judged"}
    held = sum(reading["holds"] is True for reading in readings)
    judged = sum(reading["holds"] is not None for reading in readings)
    lines = [document.line([reading["label"], f"{show(reading['measured'])} {row['unit']}".strip(),
                            words[reading["holds"]]]) for reading in readings]
    return (f"<details><summary>other readings tried: {len(readings)}; holds under {held} of {judged}</summary>"
            f"{document.table(['reading', 'here', ''], lines)}</details>")


def beneath(material: Material, result: Any, row: Any) -> str:
    """What a reader must know beside a statement."""
    fitted = {value.name: value for value in material.committed.calibrated}
    parts = []
    if row["accepted"]:
        parts.append(f"accepted: {text(row['accepted'])} {text(row['unit'])}".strip())
    parts += [f"<b>calibrated</b>: {text(fitted[name].value if name in fitted else name)}" for name in
              row.get("calibrated", [])]
    if row.get("reason"):
        parts.append(f"<b>fails because</b>: {text(row['reason'])}")
    return "<br>".join(parts) + readings_table(row, material.readings.get((result["id"], row["key"]), []))


def statement_lines(material: Material, result: Any, row: Any) -> str:
    word, kind = verdict(row)
    base = f" (base {show(row['base'])})" if "base" in row else ""
    here = f"{show(row['measured'])} {row['unit']}".strip() + base
    return (f'<tr id="{text(anchor(result, row))}"><td>{text(row["text"])}<div class="beside">'
            f"{beneath(material, result, row)}</div></td><td>{text(row['paper'])}</td><td>{text(here)}</td>"
            f'<td class="number">{distance(row)}</td><td class="verdict {kind}">{text(word)}</td>'
            f"<td>{runs_cell(material, result, row)}</td></tr>")


def anchor(result: Any, row: Any) -> str:
    return f"{result['id']}.{row['key']}".replace(" ", "_")


def statement_table(material: Material, result: Any, rows: List[Any]) -> str:
    if not rows:
        return ""
    return ('<table class="statements">' + document.heads(COLUMNS)
            + "\n".join(statement_lines(material, result, row) for row in rows) + "</table>")


def origin(material: Material, result: Any) -> str:
    """Date, minutes, revision and seeds. Date and minutes have a class of their own: all else is the same bytes after a
    second measurement."""
    noted = measured.read(material.out / result["id"])
    timed = f" (of {noted['timed']} of {noted['runs']} runs)" if noted["timed"] < noted["runs"] else ""
    when = f"{noted['date'] or 'not noted'}, {measured.minutes(noted['seconds'])}{timed}"
    seeds = measured.seeds_text(result.get("seeds", {}))
    return (f'<p class="source">{text(result["source"])}. <span class="measured">{text(when)}</span>; '
            f"revision {text(', '.join(result.get('revisions', [])) or '-')}; seeds: {text(seeds or 'none')}<br>"
            f'<a href="{text(result["id"])}/result.json">result.json</a> '
            f'<a href="{text(result["id"])}/data.csv">data.csv</a> '
            f'<a href="{text(result["id"])}/runs.html">runs: {len(result["runs"])}</a></p>')


def shown(material: Material, result: Any) -> str:
    """An ID's head and figure."""
    version = " (--quick)" if result["quick"] else ""
    if "changed" in result:
        version += f" with {changes.name(result['changed'])}"
    svg = (material.out / result["id"] / "figure.svg").read_bytes()
    return (f'<h3 id="{text(result["id"])}">{text(result["id"])}: {text(result["title"])}{text(version)}</h3>\n'
            f"{origin(material, result)}\n<figure>{document.picture(svg, result['id'])}</figure>")


def beside(material: Material, result: Any) -> str:
    """Rows of which the paper says nothing, and notes."""
    own = [row for row in result["rows"] if not row["section"]]
    table = statement_table(material, result, own)
    rows = f"<details><summary>measured beside, in no paper: {len(own)}</summary>{table}</details>" if own else ""
    notes = "".join(f"<li>{text(note)}</li>" for note in result["notes"])
    return rows + (f"<details><summary>notes: {len(result['notes'])}</summary><ul>{notes}</ul></details>" if notes
                   else "")


def section(material: Material, name: str, number: str, drawn: set) -> str:
    """A section of the paper. `drawn`: IDs that an earlier section has shown, to which this one adds."""
    paper = material.committed.papers[name]
    parts = []
    for result in material.of(name):
        rows = [row for row in result["rows"] if row["section"] == number]
        # A study of readings has no statement: it is listed in the first section that it names.
        if not rows and not (number in result.get("sections", [])[:1] and not stated(result)):
            continue
        if result["id"] in drawn:
            head = f'<p><a href="#{text(result["id"])}">{text(result["id"])}</a>, further statements</p>'
            parts.append(head + statement_table(material, result, rows))
        else:
            drawn.add(result["id"])
            parts.append(shown(material, result) + statement_table(material, result, rows) + beside(material, result))
    missing = material.committed.not_reproduced.get(name, {}).get(number, [])
    if missing:
        items = "".join(f"<li>{text(one.statement)} <i>{text(one.reason)}</i></li>" for one in missing)
        parts.append(f'<p><b>Not reproduced</b></p><ul class="missing">{items}</ul>')
    pages = f", {paper.sections[number].pages}" if paper.sections[number].pages else ""
    head = f"{number} {paper.sections[number].title}{pages}"
    return f'<h2 id="section-{number}">{text(head)}</h2>\n' + "\n".join(parts or [NO_RESULTS])


def stated(result: Any) -> bool:
    return any(row["section"] for row in result["rows"])


def contents(material: Material, name: str) -> str:
    """Sections with the number of their statements that hold."""
    lines = []
    for number, part in material.committed.papers[name].sections.items():
        count = statements.Count()
        count.add(row for result in material.of(name) for row in result["rows"] if row["section"] == number)
        missing = len(material.committed.not_reproduced.get(name, {}).get(number, []))
        told = f"{count.hold} of {count.judged}" if count.judged else "-"
        lines.append(f'<tr><td><a href="#section-{number}">{number} {text(part.title)}</a></td><td>{told}</td>'
                     f"<td>{missing or '-'}</td></tr>")
    return ("<details><summary>sections</summary>"
            + document.table(["section", "statements that hold", "not reproduced"], lines) + "</details>")


def failures(material: Material, name: str) -> str:
    """Statements that fail, with their reasons."""
    lines = []
    for result in material.of(name):
        for row in result["rows"]:
            if row["verdict"] in (Verdict.FAILED.value, Verdict.KNOWN.value):
                lines.append(f'<tr><td><a href="#{text(anchor(result, row))}">{text(result["id"])}</a>: '
                             f"{text(row['text'])}</td><td>{text(row['paper'])}</td>"
                             f"<td>{text(show(row['measured']))} {text(row['unit'])}</td>"
                             f'<td class="verdict known">{text(verdict(row)[0])}</td>'
                             f"<td>{text(row.get('reason', ''))}</td></tr>")
    head = document.table(["statement", "paper", "here", "verdict", "why"], lines)
    return f'<h2 id="fails">What fails</h2>\n{head}' if lines else ""


def calibrated(material: Material, name: str) -> str:
    """Fitted values of the paper's rows."""
    lines = [document.line([value.name, value.value, value.source, ", ".join(
        f"{identity} {key}".strip() for identity, key in value.rows if identity.split(".")[0] == name)])
        for value in material.committed.calibrated
        if any(identity.split(".")[0] == name for identity, _ in value.rows)]
    table = document.table(["name", "value", "source", "rows that it fits"], lines)
    return f'<h2 id="calibrated">Calibrated values</h2>\n{table}' if lines else ""


def total(material: Material, results: List[Any], paper: str) -> str:
    """Statements that hold; date, minutes and revision over all IDs."""
    noted = [measured.read(material.out / result["id"]) for result in results]
    dates = sorted({one["date"] for one in noted if one["date"]})
    revisions = sorted({revision for result in results for revision in result.get("revisions", [])})
    unchanged = [result for result in results if "changed" not in result]
    count = statements.by_paper(unchanged, material.committed.no_papers).get(paper)
    when = (f"{' to '.join(dict.fromkeys([dates[0], dates[-1]])) if dates else 'date not noted'}, "
            f"{measured.minutes(sum(one['seconds'] for one in noted))} of runs")
    held = f"<b>{text(count.text())}</b>. " if count else ""
    return (f'<p>{held}<span class="measured">{text(when)}</span>; revision {text(", ".join(revisions) or "-")}.</p>')


def of_paper(material: Material, name: str) -> str:
    """The whole page of a paper's folder."""
    paper = material.committed.papers[name]
    results = material.of(name)
    head = f"{paper.name}: {paper.title}" if paper else f"{name}: in no paper"
    drawn: set = set()
    numbers = sorted(paper.sections, key=papers.order) if paper else []
    body = "\n".join(section(material, name, number, drawn) for number in numbers)
    own = [shown(material, result)
           + statement_table(material, result, result["rows"])
           + f"<ul>{''.join(f'<li>{text(note)}</li>' for note in result['notes'])}</ul>"
           for result in results if result["id"] not in drawn]
    rest = f'<h2 id="no-paper">In no paper</h2>\n{"".join(own)}' if own else ""
    links = [("index.html", "all papers")] + ([("#fails", "what fails"), ("#calibrated", "calibrated values")]
                                              if paper else [])
    links = [(to, what) for to, what in links if not to.startswith("#")
             or {"#fails": failures, "#calibrated": calibrated}[to](material, name)]
    nav = "".join(f'<a href="{to}">{what}</a>' for to, what in links)
    nav += '<a href="#no-paper">in no paper</a>' if own else ""
    explained = ("<p class=\"source\">Distance: from the paper's number, in percent of it. Runs: the resolved "
                 "configurations that the value comes from; each repeats its run.</p>")
    front = f"{contents(material, name)}\n{failures(material, name)}" if paper else ""
    return document.whole(f"Tsuji: {head}", head, f"<nav>{nav}</nav>\n{total(material, results, name)}\n{explained}\n"
                          f"{front}\n{body}\n{rest}\n{calibrated(material, name) if paper else ''}", STYLE)


def runs_page(material: Material, result: Any) -> str:
    """All runs of an ID with their resolved configurations."""
    place = material.out / result["id"]
    items = "\n".join(run_item(material, place, name, run) for name, run in result["runs"].items())
    paper = result["id"].split(".")[0]
    return document.whole(f"{result['id']}: runs", f"{result['id']}: {len(result['runs'])} runs",
                          f'<nav><a href="../{text(paper)}.html#{text(result["id"])}">{text(result["id"])}</a></nav>\n'
                          f"<p>Each file repeats its run: the executable, then the file.</p>\n<ul>{items}</ul>", STYLE)
