# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG and PNG: the same data gives the same bytes."""

from .errors import RunFailed

LOOK = {"font.size": 9, "axes.grid": True, "grid.linewidth": 0.3, "axes.axisbelow": True, "legend.fontsize": 8}


def write_figure(path, salt, draw, size=(7, 4.2), kinds=("svg", "png")):
    """PATH.svg and PATH.png, or one of these `kinds`, of `draw(figure)`, without a date and with identifiers made from `salt`. `size` is in inches. RunFailed
    where there is no matplotlib."""
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
