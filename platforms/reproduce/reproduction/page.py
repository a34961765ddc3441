# SPDX-License-Identifier: Apache-2.0
"""One HTML page with every figure and verdict of an output folder, which needs nothing beside itself."""

import html
import json

from tsuji import document, folders

from . import changes
from .findings import CELL_NAMES
from .rows import show


def cells(row):
    base = f" (base {show(row['base'])})" if "base" in row else ""
    return [row["text"], row["paper"], f"{show(row['measured'])} {row['unit']}".strip() + base, row["accepted"] or "-",
            row["strength"], row["verdict"]]


def row_line(row):
    return document.line(cells(row), row["verdict"].split()[0])


def section(folder, result):
    table = document.table(CELL_NAMES, [row_line(row) for row in result["rows"]])
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in result["notes"])
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


def summary(results):
    lines = []
    for result in results:
        counts = {}
        for row in result["rows"]:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        worst = ("FAILED" if "FAILED" in counts else "missed" if "missed" in counts else "changed"
                 if "changed" in counts else "passed")
        name = html.escape(result["id"])
        lines.append(f'<tr class="{worst}"><td><a href="#{name}">{name}</a></td><td>{html.escape(result["title"])}</td>'
                     f"<td>{told}</td></tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def write(out, ids):
    """Of all IDs that have results in `out`, in the order of `ids`."""
    results = [json.loads((out / name / "result.json").read_text(encoding="utf-8"))
               for name in ids if (out / name / "result.json").is_file()]
    body = "\n".join(section(out / result["id"], result) for result in results)
    text = document.whole("Tsuji: what the papers state, measured on the models",
                          "What the papers state, measured on the models",
                          f"{summary(results)}\n{body}")
    out.mkdir(parents=True, exist_ok=True)
    index = out / "index.html"
    folders.write_text(index, text)
    return index
