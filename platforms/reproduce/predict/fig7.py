# SPDX-License-Identifier: Apache-2.0
"""Sweeps the load of the (4,4,3) tree with routers of three stages, normal and predicting, with buffers of 4 flits (the
paper's) and of 8. All pairs one by one tell, as in fig. 8, that SS's predictions are those of the enumeration, of which
no two in a switch are the same."""

from reproduction import Findings, Row, above, at_most, exactly, holds, within

from . import curves, fig8, trees, zero_load

TITLE = "Latency against load, (4,4,3) fat tree"
SOURCE = "Tateshita 2009, sections 4.1.2 and 5, and fig. 7"
CLOCK_LOSS_PERCENT = 6  # cited by the paper from Matsutani 2009
SERIES = {
    "normal": ("normal", {}),
    "normal_opposite": ("normal, opposite port up", {"routing.up_port": "one_to_one"}),
    "lookahead": ("look-ahead routing", {"router.rc_cycles": 0}),
    "up": ("UP", {"prediction.kind": "up"}),
    "straight": ("SS", {"prediction.kind": "straight"}),
    "oracle": ("oracle", {"prediction.kind": "oracle"}),
}
BUFFERS = [4, 8]
LOW = ("normal 4 low", "straight 4 low")
BOTH = ("normal 4 *", "straight 4 *")
ROWS = [
    Row("low_least", "SS below normal up to load 0.05, the least", "20 %, also at small loads", within(20, 3),
        unit="%", section="4.1.2", runs=LOW),
    Row("low_most", "and the most", "20 %", within(20, 3), unit="%", section="4.1.2", runs=LOW),
    Row("below", "SS below normal at every load that both carry", "figure", holds(), section="4.1.2", runs=BOTH),
    Row("saturation_loss", "highest stable load of normal, less the lowest saturated one of SS", "saturation rises",
        at_most(0),
        unit="flits/node/cycle", quick=False, section="4.1.2", runs=BOTH),
    Row("saturation_gain", "highest stable load of SS, less the lowest saturated one of normal", "rises", above(0),
        unit="flits/node/cycle",
        quick=False, section="4.1.2", runs=BOTH),
    Row("conflicts", "inputs of a switch that predict the same output, SS", "no conflicts", exactly(0),
        unit="inputs", section="4.1.2"),
    Row("saturation", "highest stable and lowest saturated load, normal and SS", "figure", unit="flits/node/cycle",
        section="4.1.2", runs=BOTH),
    Row("gain_8", "SS below normal at load 0.05, buffers of 8 flits", "-", unit="%",
        reading_of=("low_least",), runs=("normal 8 low", "straight 8 low")),
    Row("gain_high", "SS below normal at load 0.2 and 0.4", "figure", unit="%", section="4.1.2", runs=BOTH),
    *[Row(f"gain_{name}", f"{label}: below normal at load 0.05", "-", unit="%") for name, (label, _) in SERIES.items()
      if name not in ("normal", "straight")],
    Row("slow_clock", "SS below normal at load 0.05, in ns with a clock 6 % slower", "6 % (cited)", unit="%",
        section="5", runs=LOW),
    Row("zero_load", "SS below normal without load: all pairs; without waits for credits", "-", unit="%"),
]
OCN = "platforms/reproduce/predict/ocn.yaml"


def chosen(setting):
    names = ["normal", "straight"] if setting.quick else SERIES
    return [(name, flits) for flits in ([4] if setting.quick else BUFFERS) for name in names]


def sweep(name, flits):
    keys = {"traffic.packet_flits": zero_load.FLITS, **SERIES[name][1]}
    if flits != 4:
        keys["router.buffer_flits"] = flits
    return curves.Sweep(OCN, keys, "0.1:0.6:11:saturation" if flits == 4 else "0.1:0.7:13:saturation")


def plan(setting):
    runs = {f"pairs {kind}": fig8.run(setting, kind, 3) for kind in ("straight", "none")}
    for name, flits in chosen(setting):
        runs.update(sweep(name, flits).plan(f"{name} {flits}", setting.quick))
    return runs


def conflicts(packets):
    """Inputs that predict an output of another one, given that all packets' hits are those of
    trees.predicted_ports()."""
    if fig8.wrong_pairs("straight", 3, packets):
        return None
    return sum(len(ports) - len(set(ports)) for ports in (trees.predicted_ports(4, top) for top in (False, True)))


def evaluate(setting, results):
    found = {(name, flits): curves.Curve(f"{name} {flits}", results) for name, flits in chosen(setting)}
    normal, straight = found["normal", 4], found["straight", 4]
    low = straight.gains(normal, curves.low_loads(normal))
    alone = {kind: zero_load.packets(results[f"pairs {kind}"]) for kind in ("straight", "none")}
    latency = {kind: sum(packet[-1] for packet in packets) / len(packets) for kind, packets in alone.items()}
    hits, visits = trees.means("straight", 4, 3)
    undisturbed = 4 * visits + 1 + zero_load.FLITS  # RC, VSA, ST and a link at each router, a link more, and the flits
    gain = straight.gains(normal, [0.05])[0]
    values = {
        "low_least": min(low), "low_most": max(low),
        "below": all(value > 0 for value in straight.gains(normal, curves.below_saturation(normal, straight))),
        "conflicts": conflicts(alone["straight"]),
        "slow_clock": 100 * (1 - (1 - gain / 100) / (1 - CLOCK_LOSS_PERCENT / 100)),
        "zero_load": [100 * (1 - latency["straight"] / latency["none"]), 100 * 2 * hits / undisturbed]}
    if not setting.quick:
        values.update({"saturation_loss": normal.saturation - straight.saturated,
                       "saturation_gain": straight.saturation - normal.saturated,
                       "saturation": [normal.saturation, normal.saturated, straight.saturation, straight.saturated],
                       "gain_8": found["straight", 8].gains(found["normal", 8], [0.05])[0],
                       "gain_high": straight.gains(normal, [0.2, 0.4])})
        values.update({f"gain_{name}": found[name, 4].gains(normal, [0.05])[0]
                       for name in SERIES if name not in ("normal", "straight")})
    table = curves.table([({"series": name, "buffer_flits": flits}, curve) for (name, flits), curve in found.items()])
    notes = ["normal: port up round robin; opposite: the one that SS predicts; look-ahead: RC of the next router "
             "beside VSA, no stage",
             "a load is carried when it is below the accepted load at saturation"]
    return Findings(values, table, lambda figure: draw(figure, found), notes)


def draw(figure, found):
    buffers = sorted({flits for _, flits in found})
    panels = figure.subplots(1, len(buffers), sharey=True, squeeze=False)[0]
    for axes, flits in zip(panels, buffers):
        for index, (name, (label, _)) in enumerate(SERIES.items()):
            if (name, flits) not in found:
                continue
            points = found[name, flits].points
            loads, latencies = [entry["load"] for entry in points], [entry["latency_cycles"] for entry in points]
            axes.plot(loads, latencies, "o-", color=f"C{index}", markersize=3, linewidth=1, label=label)
            if name == "straight":
                axes.plot(loads, [latency / (1 - CLOCK_LOSS_PERCENT / 100) for latency in latencies], ":",
                          color=f"C{index}",
                          linewidth=1, label="SS, clock 6 % slower")
        axes.set_ylim(10, 70)
        axes.set_xlim(0, 0.7)
        axes.set_xlabel("load (flits/node/cycle)")
        axes.set_title(f"buffers of {flits} flits")
    panels[0].set_ylabel("mean latency (cycles of 1 ns)")
    panels[0].legend()
    figure.suptitle(TITLE)
