# SPDX-License-Identifier: Apache-2.0
"""Gains of prediction on the (4,4,3) tree when the route takes 1, 2 or 27 cycles (a look-up that hits, and one that
misses in a cache of Hirasawa 2020), or what such caches of 32 entries make of it, for each means against wrong flits.
Without load a hit saves the look-up and VSA, or VSA alone where flits wait for the answer."""

from reproduction import Findings, Row, Run, exactly

from . import trees, zero_load

TITLE = "Gain against the time of a look-up"
SOURCE = "in no paper; means of Tateshita 2009, sections 2.1, 3.2 and 5"
OCN = "platforms/reproduce/predict/ocn.yaml"
LOOKUPS, LOADS = [1, 2, 27, "cached"], [0.005, 0.05, 0.1, 0.2]
CACHED = {"lookup.kind": "cached", "lookup.entries": 32, "routing.up_port": "one_to_one"}
# By prediction.check: predictor, and the text.
MEANS = {"kill": ("straight", "SS, wrong flits are killed"), "leak": ("straight", "SS, wrong flits leak"),
         "wait": ("straight", "SS, flits wait for the answer"), "hint": ("up", "UP, hint bits")}
SERIES = [(check, cycles) for check in MEANS for cycles in LOOKUPS if check != "kill" or cycles == 1]  # kill: within ST
KNOWN = [(check, cycles) for check, cycles in SERIES if cycles != "cached"]
ROWS = [Row(f"{check}_{cycles}", f"{MEANS[check][1]}, look-up of {cycles if cycles != 'cached' else '2 or 27'}: below "
            f"normal at load {LOADS[0]} and {LOADS[1]}; closed form",
            "-", unit="%") for check, cycles in SERIES]
ROWS.append(Row("closed_form",
                "single packets between all pairs, buffers of 8 flits: latencies other than the closed form", "-",
                exactly(0),
                unit="packets"))


def timing(cycles):
    return CACHED if cycles == "cached" else {"router.rc_cycles": cycles}


def run(setting, cycles, load, prediction):
    keys = {"traffic.packet_flits": zero_load.FLITS, "traffic.load_flits_per_node_cycle": load, **timing(cycles),
            "measure.warmup_cycles": 5000, "measure.cycles": 10_000 if setting.quick else int(3000 / load),
            **prediction}
    return Run("network", OCN, keys, seconds=0.5)


def loads(setting):
    return LOADS[:2] if setting.quick else LOADS


def alone(setting, check, cycles):
    keys = {"prediction.kind": MEANS[check][0], "prediction.check": check, "router.rc_cycles": cycles,
            "router.buffer_flits": 8}
    return zero_load.run(setting, OCN, "pairs", zero_load.every_pair(64), keys, 0.3, apart=400)


def plan(setting):
    runs = {f"alone {check} {cycles}": alone(setting, check, cycles) for check, cycles in KNOWN}
    for load in loads(setting):
        for cycles in LOOKUPS:
            runs[f"normal {cycles} {load}"] = run(setting, cycles, load, {})
        for check, cycles in SERIES:
            runs[f"{check} {cycles} {load}"] = run(setting, cycles, load,
                                                   {"prediction.kind": MEANS[check][0], "prediction.check": check})
    return runs


def latency_cycles(cycles, visits, hits, check):
    """RC, VSA, ST and a link at each router, a link more, and the flits; a hit saves RC and VSA, or VSA alone."""
    return (cycles + 3) * visits + 1 + zero_load.FLITS - hits * (1 if check == "wait" else cycles + 1)


def closed_form_percent(check, cycles):
    if cycles == "cached":
        return None
    hits, visits = trees.means(MEANS[check][0], 4, 3)
    return 100 * (1 - latency_cycles(cycles, visits, hits, check) / latency_cycles(cycles, visits, 0, check))


def others(check, cycles, packets):
    """Packets whose latency is not that of the digits of their ends."""
    found = 0
    for packet in packets:
        ends = [trees.digits(int(packet[end]), 4, 3) for end in ("source", "destination")]
        visits, hits = trees.visits(trees.turn_level(*ends)), trees.hits(MEANS[check][0], *ends, 4)
        found += int(packet["latency_cycles"]) != latency_cycles(cycles, visits, hits, check)
    return found


def evaluate(setting, results):
    table = []
    for check, cycles in SERIES:
        for load in loads(setting):
            normal, own = results[f"normal {cycles} {load}"], results[f"{check} {cycles} {load}"]
            latencies = [result.metric("latency_cycles_mean") for result in (normal, own)]
            saturated = normal.metric("saturated") == 1
            table.append({"means": check, "lookup_cycles": cycles, "load": load, "normal_cycles": latencies[0],
                          "predicted_cycles": latencies[1],
                          "gain_percent": None if saturated else 100 * (1 - latencies[1] / latencies[0]),
                          "closed_form_percent": closed_form_percent(check, cycles),
                          "hit_rate_percent": 100 * own.metric("prediction_hit_rate")})
    gains = {(line["means"], line["lookup_cycles"], line["load"]): line["gain_percent"] for line in table}
    values = {f"{check}_{cycles}": [*(gains[check, cycles, load] for load in LOADS[:2]),
                                    closed_form_percent(check, cycles)]
              for check, cycles in SERIES}
    values["closed_form"] = sum(others(check, cycles, results[f"alone {check} {cycles}"].packets())
                                for check, cycles in KNOWN)

    def draw(figure):
        axes = figure.subplots()
        shown = loads(setting)
        for place, (check, cycles) in enumerate(SERIES):
            for index, load in enumerate(shown):
                axes.bar(place + 0.2 * (index - (len(shown) - 1) / 2), gains[check, cycles, load] or 0, 0.2,
                         color=f"C{index}",
                         label=f"load {load}" if place == 0 else None)
            if cycles == "cached":
                continue
            axes.plot([place - 0.45, place + 0.45], [closed_form_percent(check, cycles)] * 2, "k--", linewidth=0.8,
                      label="closed form without load" if place == 0 else None)
        axes.set_xticks(range(len(SERIES)), [f"{trees.KINDS[MEANS[check][0]]}\n{check}\n{cycles}"
                                             for check, cycles in SERIES])
        axes.set_xlabel("predictor, means against wrong flits, cycles of the look-up (cached: 2 or 27)")
        axes.set_ylabel("latency saved (%)")
        axes.set_title(TITLE)
        axes.legend()

    notes = ["normal: the same look-up without prediction; closed form: without load and without waits for credits, "
             "which buffers of 4 flits "
             "have", "no gain where the normal router saturates: a head holds its virtual channel for a look-up of 27 "
             "cycles",
             "cached: caches of 32 entries, 64 destinations; UP spares the look-ups on the way up, where most of the "
             "misses are"]
    return Findings(values, table, draw, notes)
