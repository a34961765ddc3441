# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG and PNG: the same data gives the same bytes."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

from .errors import RunFailed

LOOK: dict[str, Any] = {"font.size": 9, "axes.grid": True, "grid.linewidth": 0.3, "axes.axisbelow": True,
                        "legend.fontsize": 8}


def write_figure(path: pathlib.Path, salt: str, draw: Callable[..., Any], size: tuple[float, float] = (7, 4.2),
                 kinds: tuple[str, str] = ("svg", "png")) -> None:
    """PATH.svg and PATH.png, or one of these `kinds`, of `draw(figure)`, without a date and with identifiers made from
    `salt`. `size` is in inches. RunFailed where there is no matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise RunFailed(f"pictures need matplotlib ({problem}); install Debian's package python3-matplotlib") from None
    with matplotlib.rc_context({"svg.hashsalt": salt, **LOOK}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        for kind in kinds:
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(path.with_name(f"{path.name}.{kind}"), dpi=110, metadata=metadata)
