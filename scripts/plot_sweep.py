"""Draws sweeps over offered load: latency and accepted load. Called by scripts/plot_sweep and by --sweep-load.

Exit status 0, 2 for a CSV that is none, 3 where matplotlib is missing. The same CSV gives the same bytes of SVG.
"""

import argparse
import csv
import pathlib
import sys

# A module that needs nothing of its package, for a call without the packages that the others need.
sys.path.append(str(pathlib.Path(__file__).resolve().parent / "tsuji"))

from latency_axis import set_latency_axis  # noqa: E402

WANTED = ("load", "offered", "accepted", "latency_mean", "latency_p99", "saturated")
MORE = ("latency_mean_confidence95", "latency_p50", "latency_p95", "latency_p999", "latency_is_lower_bound")


def read(path):
    """The columns of a sweep as lists of numbers, None where a run has no value."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or any(name not in rows[0] for name in WANTED):
        raise ValueError(f"not a sweep: columns {', '.join(WANTED)} are needed")
    return {name: [float(row[name]) if row.get(name) else None for row in rows] for name in WANTED + MORE}


def pairs(sweep, y, keep=lambda point: True):
    """Loads and values where the value is known and `keep` holds of the row (a dictionary)."""
    points = [dict(zip(sweep, values)) for values in zip(*sweep.values())]
    kept = [point for point in points if point[y] is not None and keep(point)]
    return [point["load"] for point in kept], [point[y] for point in kept]


def steady(point):
    return not point["saturated"]


def exact(point):
    return not point["latency_is_lower_bound"]


def draw_latency(axes, sweep, name, color, percentiles):
    """The curve up to saturation. Of the saturated points only the first one is shown, hollow: it shows how steep the
    curve is; beyond, latency is a matter of how long the run was."""
    values = []
    x, y = pairs(sweep, "latency_mean", steady)
    beyond = [column[:1] for column in pairs(sweep, "latency_mean", lambda point: point["saturated"])]
    axes.plot(x + beyond[0], y + beyond[1], "-", color=color, linewidth=1.2)
    values += y + beyond[1]
    told = any(half is not None for half in sweep["latency_mean_confidence95"])
    given = lambda point: steady(point) and (point["latency_mean_confidence95"] is not None or not told)
    x, y = pairs(sweep, "latency_mean", lambda point: exact(point) and given(point))
    axes.plot(x, y, "o", color=color, markersize=3.5, label=f"{name}mean")
    x, y = pairs(sweep, "latency_mean", lambda point: steady(point) and exact(point) and not given(point))
    if x:
        axes.plot(x, y, "s", color=color, markersize=5, markerfacecolor="white", label=f"{name}mean, no interval")
    x, y = pairs(sweep, "latency_mean", lambda point: steady(point) and not exact(point))
    if x:
        axes.plot(x, y, "^", color=color, markersize=6, markerfacecolor="white", label=f"{name}mean, at least")
    if beyond[0]:
        axes.plot(*beyond, "o", color=color, markersize=5, markerfacecolor="white", label=f"{name}mean, saturated")
    if told:
        x, half = pairs(sweep, "latency_mean_confidence95", steady)
        _, y = pairs(sweep, "latency_mean", lambda point: given(point))
        low, high = [a - b for a, b in zip(y, half)], [a + b for a, b in zip(y, half)]
        axes.fill_between(x, low, high, color=color, alpha=0.25, linewidth=0)
        # A band of one point, and one that is thinner than the line, are seen by their ends.
        axes.errorbar(x, y, half, fmt="none", ecolor=color, elinewidth=0.8, capsize=2.5, label=f"{name}mean, 95 % interval")
    for column, style, label in percentiles:
        x, y = pairs(sweep, column, steady)
        if x:
            axes.plot(x, y, linestyle=style, color=color, linewidth=0.8, label=f"{name}{label} % within")
            values += y
    return values


def draw_accepted(axes, sweep, color, label):
    x, y = pairs(sweep, "accepted")
    axes.plot(x, y, "-", color=color, linewidth=1.2)
    x, y = pairs(sweep, "accepted", steady)
    axes.plot(x, y, "o", color=color, markersize=3.5, label=label)
    beyond = pairs(sweep, "accepted", lambda point: point["saturated"])
    if beyond[0]:
        axes.plot(*beyond, "o", color=color, markersize=5, markerfacecolor="white", label=f"{label}, saturated")
    return x


def draw(sweeps, title):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "tsuji"  # identifiers that do not change from run to run
    from matplotlib import pyplot

    figure, (latency, accepted) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 8), height_ratios=(3, 2))
    one = len(sweeps) == 1
    percentiles = [("latency_p50", ":", "50"), ("latency_p95", "-.", "95"), ("latency_p99", "--", "99"),
                   ("latency_p999", (0, (1, 4)), "99.9")]
    values = []
    for index, (name, sweep) in enumerate(sweeps):
        color = f"C{index}"
        values += draw_latency(latency, sweep, "" if one else f"{name}: ", color, percentiles if one else percentiles[2:3])
        x = draw_accepted(accepted, sweep, color, "accepted" if one else name)
        if x and len(x) < len(sweep["load"]):
            for axes in (latency, accepted):
                axes.axvline(max(x), color=color, linestyle=":", linewidth=0.8)
            accepted.annotate(f"{max(x):g}", (max(x), 0), (4, 4 + 10 * index), textcoords="offset points", color=color,
                              fontsize=8)
    set_latency_axis(latency, values)
    ends = (0, 1.02 * max(max(sweep["load"]) for _, sweep in sweeps))
    accepted.plot(ends, ends, color="gray", linewidth=0.6, label="all that is offered")
    accepted.set_xlim(*ends)
    accepted.set_ylim(bottom=0)
    latency.set_ylabel("packet latency (cycles)")
    accepted.set_ylabel("accepted (flits/node/cycle)")
    accepted.set_xlabel("offered load (flits/node/cycle); dotted: largest load shown of which 95 % is accepted")
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
    try:
        figure.savefig(out + ".svg", metadata={"Date": None})
        figure.savefig(out + ".png", dpi=120)
    except OSError as error:
        print(f"plot_sweep: {out}: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
