# SPDX-License-Identifier: Apache-2.0
"""Each block timeout judged by a scan for deadlocks: false detections against the timeout, and sizes and ages of the
deadlocks, with three FA channels and with one, messages of 64 bytes."""

from reproduction import Findings, Row

from . import pictures, routers
from .exchange import Exchange, Measured

TITLE = "False detections of deadlock"
SOURCE = "in no paper (section 5.2 asks for a suitable detection)"
BYTES = 64
TIMEOUTS = [16, 32, 64, 128, 256, 512, 1024]  # cycles
SERIES = [("ud", 0), ("ud", 4)]
FA_CHANNELS = [3, 1]


def name(pattern, channels):
    return f"{pattern}, {channels} FA"


def exchange(pattern, channels):
    keys = {"router.vcs": channels + 1, "deadlock.classify_timeouts": True}
    return Exchange(name(pattern, channels), pattern, TIMEOUTS,
                    lambda timeout: (BYTES, {"router.block_timeout_cycles": timeout, **keys}),
                    quick=[16, 128], series=SERIES)


EXCHANGES = [exchange(pattern, channels) for channels in FA_CHANNELS for pattern in routers.PATTERNS]
ROWS = [
    *[Row(f"{pattern}_{channels}_{dead}", f"{name(pattern, channels)}, {dead} dead: false at timeouts "
          f"{', '.join(map(str, TIMEOUTS))}", "-",
          unit="% of timeouts") for channels in FA_CHANNELS for pattern in routers.PATTERNS for _, dead in SERIES],
    *[Row(f"knots_{channels}", f"deadlocks met by a timeout, {channels} FA: heads, the largest, the oldest", "-",
          unit="heads / packets / cycles")
      for channels in FA_CHANNELS],
]


def plan(setting):
    return {name: run for one in EXCHANGES for name, run in one.plan(setting.quick).items()}


def total(metric):
    return lambda router, result: result.metric(metric) or 0


WHATS = {"timeouts": total("timeouts_classified"), "in_deadlock": total("timeouts_in_knots"),
         "behind_deadlock": total("timeouts_behind_knots"),
         "false": total("timeouts_false"), "largest_packets": total("knot_packets_max"),
         "oldest_cycles": total("knot_age_cycles_max"),
         "recovered_share": routers.recovered_share, "bandwidth_mb_s": routers.bandwidth_mb}


def false_percent(found, dead, timeout):
    """Over all canonical sets; None: no head has timed out."""
    heads, false = (sum(found.spread(WHATS[key], "ud", dead, timeout)) for key in ("timeouts", "false"))
    return 100 * false / heads if heads else None


def most(found, key):
    return max(value for dead in (0, 4) for timeout in found.points
               for value in found.spread(WHATS[key], "ud", dead, timeout))


def evaluate(setting, results):
    found = {one.name: Measured(one, setting.quick, results) for one in EXCHANGES}
    values = {f"{pattern}_{channels}_{dead}": [false_percent(measured, dead, timeout) for timeout in measured.points]
              for channels in FA_CHANNELS for pattern in routers.PATTERNS
              for measured in (found[name(pattern, channels)],)
              for _, dead in SERIES}
    for channels in FA_CHANNELS:
        mine = [found[name(pattern, channels)] for pattern in routers.PATTERNS]
        heads = sum(sum(measured.spread(WHATS["in_deadlock"], "ud", dead, timeout))
                    for measured in mine for dead in (0, 4) for timeout in measured.points)
        values[f"knots_{channels}"] = [heads, *[max(most(measured, key) for measured in mine)
                                                for key in ("largest_packets", "oldest_cycles")]]
    table = [{"pattern_and_channels": key, **line} for key, measured in found.items()
             for line in measured.table(lambda timeout: {"timeout_cycles": timeout}, WHATS)]
    notes = ["false: the head is in no knot of waits and waits for none; over the canonical sets; -: no timeout"]
    return Findings(values, table, lambda figure: draw(figure, found), notes)


def draw(figure, found):
    figure.set_size_inches(10, 4.2)
    left, right = figure.subplots(1, 2)
    for index, (key, measured) in enumerate(found.items()):
        for dead in (0, 4):
            points = [(timeout, false_percent(measured, dead, timeout)) for timeout in measured.points]
            points = [point for point in points if point[1] is not None]
            label = key + (f", {dead} dead" if dead else "")
            if points:
                left.plot(*zip(*points), pictures.STYLES[dead], marker="o", markersize=3, color=f"C{index}",
                          label=label)
            right.plot(measured.points, [measured.mean(routers.bandwidth_mb, "ud", dead, timeout)
                                         for timeout in measured.points],
                       pictures.STYLES[dead], marker="o", markersize=3, color=f"C{index}", label=label)
    for axes, title in ((left, "false detections (% of timeouts)"), (right, "bandwidth of the network (MB/s)")):
        axes.set_xscale("log", base=2)
        axes.set_xticks(TIMEOUTS, [str(timeout) for timeout in TIMEOUTS])
        axes.set_xlabel("block timeout (cycles)")
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
    left.legend(fontsize=6)
