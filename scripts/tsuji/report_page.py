# SPDX-License-Identifier: Apache-2.0
"""HTML of the pages of results: one file with its data, its style, and d3."""

from __future__ import annotations

import html
import json
import pathlib
from typing import Any

ASSETS = pathlib.Path(__file__).resolve().parent / "assets"
PARTS = ("parts", "charts", "network")
PARTS_OF = {"run": ("story", "ranks", "events"), "study": ("effects",)}  # scripts of one kind of page
# A page loads nothing; a name in its data that would be a script is text.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def embedded(data: Any) -> str:
    """JSON that no HTML parser takes for the end of its element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page(kind: str, data: dict[str, Any], library: str) -> str:
    """`kind` names the page's own script; `data` has its title."""
    scripts = [library] + [asset(f"{name}.js") for name in (*PARTS, *PARTS_OF.get(kind, ()), kind)]
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(data["title"])} - Tsuji</title>
<style>{asset("report.css")}</style></head>
<body><main id="page"><h1>{html.escape(data["title"])}</h1></main>
<div id="tip" role="status" aria-live="polite"></div>
<script type="application/json" id="data">{embedded(data)}</script>
{"".join(f"<script>{script}</script>{chr(10)}" for script in scripts)}</body></html>
"""


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
