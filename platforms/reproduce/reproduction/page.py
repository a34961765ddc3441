# SPDX-License-Identifier: Apache-2.0
"""One HTML page with every figure and verdict of an output folder, which needs nothing beside itself."""

import html
import json

from tsuji import document, folders

from . import changes, statements, wrong
from .findings import CELL_NAMES
from .rows import show


def cells(row):
    base = f" (base {show(row['base'])})" if "base" in row else ""
    return [row["text"], row["paper"], f"{show(row['measured'])} {row['unit']}".strip() + base, row["accepted"] or "-",
            marks(row), row["verdict"]]


def marks(row):
    """As Row.marks."""
    return "; ".join([row["strength"], *(["by definition"] if row.get("by_definition") else []),
                      *(f"calibrated: {name}" for name in row.get("calibrated", []))])


def row_line(row):
    return document.line(cells(row), row["verdict"].split()[0])


def section(folder, result):
    table = document.table(CELL_NAMES, [row_line(row) for row in result["rows"]])
    known = [f"{row['text']}: known failure: {row['reason']}" for row in result["rows"] if "reason" in row]
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in known + result["notes"])
    name = html.escape(result["id"])
    quick = " (--quick)" if result["quick"] else ""
    if "changed" in result:
        quick += html.escape(f" with {changes.name(result['changed'])}")
    png = f'<a href="{name}/figure.png">figure.png</a>' if (folder / "figure.png").is_file() else ""
    return f"""<h2 id="{name}">{name}: {html.escape(result["title"])}{quick}</h2>
<p class="source">{html.escape(result["source"])};
<a href="{name}/result.json">result.json</a> <a href="{name}/data.csv">data.csv</a> {png}</p>
{document.picture((folder / "figure.svg").read_bytes(), result["id"])}
{table}
<ul>{notes}</ul>"""


def calibrated_table(values, results):
    """Fitted values whose rows have results."""
    there = {result["id"] for result in results}
    lines = []
    for value in values:
        rows = [f"{name} {key}".strip() for name, key in value.rows if name in there]
        if rows:
            lines.append(document.line([value.name, value.value, value.source, ", ".join(rows)]))
    table = document.table(["name", "value", "source", "rows that it fits"], lines)
    return f"<h2>Calibrated values</h2>\n{table}" if lines else ""


def wrong_table(out):
    """Plants of --against-wrong-models, where they were played: a line an ID, then those that no row notices."""
    lines = wrong.read_table(out)
    if not lines:
        return ""
    own = [document.line(line.cells(), {wrong.ALIVE: "FAILED", wrong.KILLED: "passed"}.get(line.end, ""))
           for line in lines]
    return (f'<h2 id="wrong_models">Wrong models: plants that make a hard row fail</h2>\n'
            f'<p class="source"><a href="{wrong.TABLE}">{wrong.TABLE}</a></p>\n'
            f"{document.table(wrong.SUMMARY, [document.line(cells) for cells in wrong.summary(lines)])}\n"
            f"<details><summary>every plant</summary>{document.table(wrong.COLUMNS, own)}</details>")


def statement_table(results, no_papers):
    counts = statements.by_paper([result for result in results if "changed" not in result], no_papers)
    if not counts["all"].judged:
        return ""
    return document.table(["paper", "statements"],
                          [document.line([name, count.text()]) for name, count in counts.items()])


def summary(results):
    lines = []
    for result in results:
        counts = {}
        for row in result["rows"]:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        worst = next((kind for kind in ("FAILED", "missed", "changed")
                      if any(verdict.startswith(kind) for verdict in counts)), "passed")
        name = html.escape(result["id"])
        lines.append(f'<tr class="{worst}"><td><a href="#{name}">{name}</a></td><td>{html.escape(result["title"])}</td>'
                     f"<td>{told}</td></tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def write(out, ids, no_papers=(), calibrated=()):
    """Of all IDs that have results in `out`, in the order of `ids`. `no_papers`: folders that are no paper;
    `calibrated`: all fitted values."""
    results = [json.loads((out / name / "result.json").read_text(encoding="utf-8"))
               for name in ids if (out / name / "result.json").is_file()]
    body = "\n".join(section(out / result["id"], result) for result in results)
    text = document.whole("Tsuji: what the papers state, measured on the models",
                          "What the papers state, measured on the models",
                          f"{statement_table(results, no_papers)}\n{summary(results)}\n"
                          f"{calibrated_table(calibrated, results)}\n{wrong_table(out)}\n{body}")
    out.mkdir(parents=True, exist_ok=True)
    index = out / "index.html"
    folders.write_text(index, text)
    return index
