# SPDX-License-Identifier: Apache-2.0
"""Pages of an output folder: index.html, a page a paper (paper_page), a list of runs an ID."""

import html
import json

from tsuji import document, folders

from . import measured, paper_page, statements, wrong
from .findings import SCHEMA_VERSION


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


def paper_lines(material):
    """A line a folder of IDs: statements that hold, those that fail, when and how long."""
    counts = statements.by_paper([result for result in material.results.values() if "changed" not in result],
                                 material.committed.no_papers)
    for name, paper in material.committed.papers.items():
        results = material.of(name)
        if not results:
            continue
        failed = sum(row["verdict"].startswith("FAILED") for result in results for row in result["rows"])
        noted = [measured.read(material.out / result["id"]) for result in results]
        dates = sorted({one["date"] for one in noted if one["date"]})
        title = f"{paper.name}: {paper.title}" if paper else f"{name}: in no paper"
        told = counts[name].text() if name in counts else "-"
        yield (f'<tr class="{"FAILED" if failed else "passed"}"><td><a href="{name}.html">{html.escape(title)}</a></td>'
               f"<td>{len(results)}</td><td>{told}</td><td>{failed or '-'}</td>"
               f'<td><span class="measured">{dates[-1] if dates else "-"}</span></td><td><span class="measured">'
               f"{measured.minutes(sum(one['seconds'] for one in noted))}</span></td></tr>")


def id_lines(material):
    """A line an ID: verdicts, date, minutes and seeds."""
    for result in material.results.values():
        counts = {}
        for row in result["rows"]:
            word = paper_page.verdict(row)[0]
            counts[word] = counts.get(word, 0) + 1
        told = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
        worst = next((kind for kind in ("FAILED", "missed", "changed")
                      if any(word.startswith(kind) for word in counts)), "passed")
        noted = measured.read(material.out / result["id"])
        name = html.escape(result["id"])
        paper = name.split(".")[0]
        yield (f'<tr class="{worst}"><td><a href="{paper}.html#{name}">{name}</a></td>'
               f"<td>{html.escape(result['title'])}</td><td>{told}</td>"
               f'<td><span class="measured">{noted["date"] or "-"}</span></td>'
               f'<td><span class="measured">{measured.minutes(noted["seconds"])}</span></td>'
               f"<td>{html.escape(measured.seeds_text(result.get('seeds', {})) or '-')}</td></tr>")


def older_text(names):
    """IDs whose results an earlier version of the project has written."""
    return f"<p>Not shown, to be measured again: {html.escape(', '.join(names))}.</p>" if names else ""


def body(material):
    revisions = sorted({revision for result in material.results.values() for revision in result.get("revisions", [])})
    total = statements.by_paper([result for result in material.results.values() if "changed" not in result],
                                material.committed.no_papers)["all"]
    head = f"<p><b>{total.text()}</b>; revision {html.escape(', '.join(revisions) or '-')}.</p>"
    table = document.table(["paper", "IDs", "statements", "fail", "date", "minutes of runs"],
                           list(paper_lines(material)))
    ids = document.table(["ID", "title", "verdicts", "date", "minutes of runs", "seeds"], list(id_lines(material)))
    return "\n".join([head, table, "<h2>IDs</h2>", ids,
                      calibrated_table(material.committed.calibrated, material.results.values()),
                      wrong_table(material.out)])


def write(out, runs, ids, committed):
    """index.html, a page a paper, and a list of runs an ID, of all IDs that have results in `out`, in the order of
    `ids`. `runs`: the folder of the kept runs; `committed`: the lists."""
    results = {name: json.loads((out / name / "result.json").read_text(encoding="utf-8"))
               for name in ids if (out / name / "result.json").is_file()}
    older = [name for name, result in results.items() if result["schema_version"] != SCHEMA_VERSION]
    results = {name: result for name, result in results.items() if name not in older}
    material = paper_page.Material(out, runs, results, paper_page.readings_of(results.values()), committed)
    out.mkdir(parents=True, exist_ok=True)
    for name in committed.papers:
        if material.of(name):
            folders.write_text(out / f"{name}.html", paper_page.of_paper(material, name))
    for result in results.values():
        folders.write_text(out / result["id"] / "runs.html", paper_page.runs_page(material, result))
    index = out / "index.html"
    title = "What the papers state, measured on the models"
    text = older_text(older) + body(material)
    folders.write_text(index, document.whole(f"Tsuji: {title.lower()}", title, text, paper_page.STYLE))
    return index
