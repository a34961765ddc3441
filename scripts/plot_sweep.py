"""Draws sweeps over offered load: latency and accepted load. Called by scripts/plot_sweep and by --sweep-load.

Exit status 0, 2 for a CSV that is none, 3 where matplotlib is missing. The same CSV gives the same bytes of SVG.
"""

import argparse
import csv
import pathlib
import sys


def read(path):
    """The columns of a sweep as lists of numbers, None where a run has no value."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    wanted = ["load", "offered", "accepted", "latency_mean", "latency_p99", "saturated"]
    if not rows or any(name not in rows[0] for name in wanted):
        raise ValueError(f"not a sweep: columns {', '.join(wanted)} are needed")
    return {name: [float(row[name]) if row[name] else None for row in rows] for name in wanted}


def pairs(sweep, x, y, saturated=None):
    """Where both are known, and `saturated` is as asked."""
    points = zip(sweep[x], sweep[y], sweep["saturated"])
    kept = [(a, b) for a, b, c in points if a is not None and b is not None and saturated in (None, bool(c))]
    return [a for a, _ in kept], [b for _, b in kept]


def draw_latency(axes, sweep, name, color):
    # The first saturated point belongs to the curve: it shows how steep it is. Beyond, latency is a matter of how
    # long the run was.
    x, y = pairs(sweep, "load", "latency_mean", False)
    beyond_x, beyond_y = pairs(sweep, "load", "latency_mean", True)
    axes.plot(x + beyond_x[:1], y + beyond_y[:1], "o-", color=color, markersize=3, label=f"{name}mean")
    x, y = pairs(sweep, "load", "latency_p99", False)
    axes.plot(x, y, "^--", color=color, markersize=3, linewidth=0.8, label=f"{name}99 % below")
    return max(y, default=0)


def draw(sweeps, title):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tsuji"  # identifiers that do not change from run to run
    from matplotlib import pyplot

    figure, (latency, accepted) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 8))
    highest = 0
    for index, (name, sweep) in enumerate(sweeps):
        color = f"C{index}"
        label = f"{name}: " if len(sweeps) > 1 else ""
        highest = max(highest, draw_latency(latency, sweep, label, color))
        x, y = pairs(sweep, "load", "accepted")
        accepted.plot(x, y, "o-", color=color, markersize=3, label=name if len(sweeps) > 1 else "accepted")
        x, _ = pairs(sweep, "load", "accepted", False)
        if x:
            for axes in (latency, accepted):
                axes.axvline(max(x), color=color, linestyle=":", linewidth=0.8)
            accepted.annotate(f"{max(x):g}", (max(x), 0), (4, 4 + 10 * index), textcoords="offset points", color=color,
                              fontsize=8)
    if highest > 0:
        latency.set_ylim(0, 1.1 * highest)
    ends = accepted.get_xlim()
    accepted.plot([0, ends[1]], [0, ends[1]], color="gray", linewidth=0.6)
    accepted.set_xlim(0, ends[1])
    accepted.set_ylim(bottom=0)
    latency.set_ylabel("packet latency (cycles)")
    accepted.set_ylabel("accepted (flits/node/cycle)")
    accepted.set_xlabel("offered load (flits/node/cycle); dotted: largest load of which 95 % is accepted")
    for axes in (latency, accepted):
        axes.grid(True, linewidth=0.3)
        axes.legend(loc="upper left", fontsize=8)
    if title:
        latency.set_title(title)
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(prog="plot_sweep")
    parser.add_argument("csv", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", metavar="NAME", help="write NAME.svg and NAME.png")
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    try:
        # A sweep's own folder says which one it is.
        sweeps = [(path.resolve().parent.name, read(path)) for path in arguments.csv]
    except (OSError, ValueError) as error:
        print(f"plot_sweep: {error}", file=sys.stderr)
        return 2
    try:
        figure = draw(sweeps, arguments.title)
    except ImportError as error:
        print(f"{error}: install Debian's package python3-matplotlib, or call scripts/plot_sweep", file=sys.stderr)
        return 3
    out = arguments.o or str(arguments.csv[0].parent / "sweep")
    figure.savefig(out + ".svg", metadata={"Date": None})
    figure.savefig(out + ".png", dpi=120)
    return 0


if __name__ == "__main__":
    sys.exit(main())
