# SPDX-License-Identifier: Apache-2.0
"""Stages of a packet's flits in one input of a router, out of the platform network's waveform with waves.slots."""

NAMES = ["", "wait", "RC", "VA", "SA", "ST", "Des", "Ser"]  # as the waveform numbers them
PREDICTIONS = ["", "hit", "wrong", "lost", "no room", "not idle", "none"]
COLORS = {"RC": "C0", "VA": "C1", "SA": "C2", "VSA": "C2", "ST": "C3", "Des": "C4", "Ser": "C5", "wait": "0.9"}


def arrivals(wave, port, packet):
    """For each flit of the packet the time at which it is on the port's wires."""
    return [time for time, flit in wave.spans(f"{port}.flit") if flit.startswith(f"{packet}.")]


def predictions(wave, port):
    """Fates of the port's heads, in turn."""
    return [PREDICTIONS[value] for _, value in wave.spans(f"{port}.prediction")]


def of_packet(wave, port, packet, cycles, period_ps, lag=1):
    """For each flit the stage in each of `cycles` cycles, the first one `lag` cycles after the head was on the port's
    wires: 1 for the buffer of a link of one cycle."""
    slots = [name for name in wave.changes if name.startswith(f"{port}.vc") and ".slot" in name]
    heard = arrivals(wave, port, packet)
    begin, taken, rows = heard[0] + lag * period_ps, set(), []
    for time in heard:
        # Flits come one after the other: the next place that is no longer empty.
        filled = min((when, name) for name in slots for when, stage in wave.changes[name]
                     if stage and when >= time + lag * period_ps and name not in taken and not wave.at(name, when - 1))
        taken.add(filled[1])
        rows.append([NAMES[stage] for stage in wave.row(filled[1],
                                                        [begin + column * period_ps for column in range(cycles)])])
    return rows


def draw(axes, flits, cycles):
    """A bar for each cycle of each flit."""
    for flit, row in enumerate(flits):
        for cycle, stage in enumerate(row):
            if stage:
                axes.barh(flit, 1, left=cycle, height=0.8, color=COLORS[stage], edgecolor="white")
                axes.text(cycle + 0.5, flit, stage, ha="center", va="center",
                          color="0.5" if stage == "wait" else "white",
                          fontsize=9 if cycles <= 8 else 6)
    bodies = [f"body {number}" for number in range(1, len(flits) - 1)]
    axes.set_yticks(range(len(flits)), ["head", *bodies, "tail"] if len(flits) > 1 else ["head"])
    axes.invert_yaxis()
    axes.set_xlim(0, cycles)
