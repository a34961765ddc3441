# SPDX-License-Identifier: Apache-2.0
"""HTML pages that need nothing beside themselves."""

from __future__ import annotations

import base64
import html
from typing import Any

STYLE = """body { font: 15px/1.4 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 0.8em 0; } td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; }
.passed { background: #dfd; } .FAILED { background: #fbb; font-weight: bold; } .missed { background: #fe9; }
img { max-width: 100%; } .source { color: #666; } h2 { margin-top: 2em; border-top: 1px solid #ccc; padding-top: 0.6em; }"""  # noqa: E501  # noqa: E501  # noqa: E501


def picture(svg: bytes, name: str) -> str:
    """`svg`: the picture's bytes."""
    return f'<img alt="{html.escape(name)}" src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}">'


def heads(names: list[str]) -> str:
    return "<tr>" + "".join(f"<th>{html.escape(str(name))}</th>" for name in names) + "</tr>"


def line(cells: list[Any] | tuple[str, Any], kind: str = "") -> str:
    """A row of a table; `kind` is its class in STYLE."""
    shown = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
    return f'<tr class="{html.escape(kind)}">{shown}</tr>' if kind else f"<tr>{shown}</tr>"


def table(names: list[str], lines: list[str]) -> str:
    return "<table>" + "\n".join([heads(names), *lines]) + "\n</table>"


def whole(title: str, head: str, body: str, style: str = "") -> str:
    """`title` is the window's, `head` the page's first line; `style` comes after STYLE."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>{STYLE}{style}</style></head><body>
<h1>{html.escape(head)}</h1>
{body}
</body></html>
"""
