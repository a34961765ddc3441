"""Stages of a packet's flits in one input of a router, out of the platform network's waveform with trace.slots."""

NAMES = ["", "wait", "RC", "VA", "SA", "ST", "Des", "Ser"]  # as the waveform numbers them
COLORS = {"RC": "C0", "VA": "C1", "SA": "C2", "VSA": "C2", "ST": "C3", "Des": "C4", "Ser": "C5", "wait": "0.9"}


def arrivals(wave, port, packet):
    """For each flit of the packet the time at which it is on the port's wires."""
    return [time for time, flit in wave.spans(f"{port}.flit") if flit.startswith(f"{packet}.")]


def of_packet(wave, port, packet, cycles, period_ps):
    """For each flit the stage in each of `cycles` cycles from the one in which the head is in the buffer."""
    slots = [name for name in wave.changes if name.startswith(f"{port}.vc") and ".slot" in name]
    heard = arrivals(wave, port, packet)
    begin = heard[0] + period_ps
    rows = []
    for time in heard:
        # One flit comes in a cycle, so one place is no longer empty.
        [slot] = [name for name in slots if wave.at(name, time + period_ps) and not wave.at(name, time + period_ps - 1)]
        rows.append([NAMES[stage] for stage in wave.row(slot, [begin + column * period_ps for column in range(cycles)])])
    return rows


def draw(axes, flits, cycles):
    """A bar for each cycle of each flit."""
    for flit, row in enumerate(flits):
        for cycle, stage in enumerate(row):
            if stage:
                axes.barh(flit, 1, left=cycle, height=0.8, color=COLORS[stage], edgecolor="white")
                axes.text(cycle + 0.5, flit, stage, ha="center", va="center", color="0.5" if stage == "wait" else "white")
    bodies = [f"body {number}" for number in range(1, len(flits) - 1)]
    axes.set_yticks(range(len(flits)), ["head", *bodies, "tail"] if len(flits) > 1 else ["head"])
    axes.invert_yaxis()
    axes.set_xlim(0, cycles)
