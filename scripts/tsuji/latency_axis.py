"""The axis of latencies that many pictures have. Uses nothing else of the package."""

# A curve whose values differ by less is read better on a linear axis.
LOGARITHMIC_FROM = 4


def set_latency_axis(axes, values):
    """Logarithmic where the values ask for it, with whole numbers beside it."""
    from matplotlib import ticker

    values = [value for value in values if value > 0]
    if not values:
        return
    low, high = min(values), max(values)
    if high < LOGARITHMIC_FROM * low:
        axes.set_ylim(0, 1.1 * high)
        return
    axes.set_yscale("log")
    axes.set_ylim(0.8 * low, 1.25 * high)
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5), numticks=30))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
