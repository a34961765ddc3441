"""One HTML page with every figure and verdict of an output folder, which needs nothing beside itself."""

import base64
import html
import json

from tsuji import folders

from . import changes
from .findings import CELL_NAMES
from .rows import show

STYLE = """body { font: 15px/1.4 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.8em 0; } td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; }
.passed { background: #dfd; } .FAILED { background: #fbb; font-weight: bold; } .missed { background: #fe9; }
img { max-width: 100%; } .source { color: #666; } h2 { margin-top: 2em; border-top: 1px solid #ccc; padding-top: 0.6em; }"""


def cells(row):
    base = f" (base {show(row['base'])})" if "base" in row else ""
    return [row["text"], row["paper"], f"{show(row['measured'])} {row['unit']}".strip() + base, row["accepted"] or "-",
            row["strength"], row["verdict"]]


def row_line(row):
    shown = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells(row))
    return f'<tr class="{html.escape(row["verdict"].split()[0])}">{shown}</tr>'


def section(folder, result):
    picture = base64.b64encode((folder / "figure.svg").read_bytes()).decode()
    heads = "".join(f"<th>{name}</th>" for name in CELL_NAMES)
    rows = "\n".join(row_line(row) for row in result["rows"])
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in result["notes"])
    name = html.escape(result["id"])
    quick = " (--quick)" if result["quick"] else ""
    if "changed" in result:
        quick += html.escape(f" with {changes.name(result['changed'])}")
    return f"""<h2 id="{name}">{name}: {html.escape(result["title"])}{quick}</h2>
<p class="source">{html.escape(result["source"])};
<a href="{name}/result.json">result.json</a> <a href="{name}/data.csv">data.csv</a> <a href="{name}/figure.png">figure.png</a></p>
<img alt="{name}" src="data:image/svg+xml;base64,{picture}">
<table><tr>{heads}</tr>
{rows}
</table>
<ul>{notes}</ul>"""


def summary(results):
    lines = []
    for result in results:
        counts = {}
        for row in result["rows"]:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        worst = "FAILED" if "FAILED" in counts else "missed" if "missed" in counts else "changed" if "changed" in counts else "passed"
        name = html.escape(result["id"])
        lines.append(f'<tr class="{worst}"><td><a href="#{name}">{name}</a></td><td>{html.escape(result["title"])}</td>'
                     f"<td>{told}</td></tr>")
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def write(out, ids):
    """Of all IDs that have results in `out`, in the order of `ids`."""
    results = [json.loads((out / name / "result.json").read_text(encoding="utf-8"))
               for name in ids if (out / name / "result.json").is_file()]
    body = "\n".join(section(out / result["id"], result) for result in results)
    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Tsuji: what the papers state, measured on the models</title>
<style>{STYLE}</style></head><body>
<h1>What the papers state, measured on the models</h1>
{summary(results)}
{body}
</body></html>
"""
    out.mkdir(parents=True, exist_ok=True)
    index = out / "index.html"
    folders.write_text(index, text)
    return index
