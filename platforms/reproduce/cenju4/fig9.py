# SPDX-License-Identifier: Apache-2.0
"""Every one of 32 nodes puts a block to every node: in one fixed order, staggered, by multicast; beside it one node to
one, and all of it with short headers and FIFOs of one packet, under which the paper's sentences do not hold
together."""

from reproduction import Findings, Row, above, at_least, holds, within, within_percent

from . import machine

TITLE = "N-to-N throughput a node against size, N = 32"
SOURCE = "Kanoh 2000, section 6.2 and fig. 9"
SIZES, QUICK = [64, 256, 1024, 4096, 16384, 65536, 262144, 524288], [1024, 4096]
METHODS = {"in_order": "A: fixed order", "staggered": "B: staggered", "multicast": "C: multicast"}
READINGS = {"": machine.CONFIG, "short headers, ": machine.SHORT_HEADERS}  # of packet sizes and FIFO depth
OTHER = "short headers, "
DEPTHS = [1, 2]
LARGEST, SMALL = SIZES[-1], 1024
QUICK_STAGGERED = [65536, 131072]  # beyond the quick sizes: where it is best, and where it has fallen
DEPTH_BYTES = 65536
CLEAN_ANSWER_NS = 160
ROWS = [
    Row("multicast", "multicast above one node to one, 512 KB", "the same", within(0, 4), unit="%",
        quick=False, runs=("multicast 524288", "one to one")),
    Row("multicast_64", "the same, 64 KB", "the same", within(0, 4), unit="%",
        runs=("multicast 65536", "one to one, 64 KB")),
    Row("one_to_one", "one node to one, 512 KB", "fig. 7, A: about 169 2^20 B/s (published separately)",
        within_percent(169, 5), unit="2^20 B/s", points=((0, 2**19, 169),), runs=("one to one",)),
    Row("links", "last links busy, multicast, 512 KB", "close to 100 %", at_least(95), unit="%",
        quick=False, number=100, runs=("multicast 524288",)),
    Row("links_64", "the same, 64 KB", "close to 100 %", at_least(95), unit="%",
        number=100, runs=("multicast 65536",)),
    Row("in_order", "fixed order lowest, at every size from 1 KB on", "low, as all send to one", holds()),
    Row("falls", "staggered: the best size above the largest, 512 KB (quick: 128 KB)", "falls as data grow", above(0),
        unit="%", runs=("staggered [0-9]*",)),
    Row("below", "staggered below multicast, 512 KB", "figure", above(0), unit="%", quick=False,
        runs=("staggered 524288", "multicast 524288")),
    Row("best", "the size (B) at which staggered is best", "figure"),
    Row("short_multicast", "short headers, FIFOs of one packet: multicast above one node to one, 512 KB", "the same",
        unit="%", reading_of=("multicast",), runs=("short headers, multicast 524288", "short headers, one to one")),
    Row("short_one_to_one", "short headers, FIFOs of one packet: one node to one, 512 KB", "about 169 2^20 B/s",
        unit="2^20 B/s", number=169, reading_of=("one_to_one",), runs=("short headers, one to one",)),
    Row("short_links", "short headers, FIFOs of one packet: last links busy, multicast, 512 KB", "close to 100 %",
        unit="%", number=100, reading_of=("links",), runs=("short headers, multicast 524288",)),
    Row("short_falls", "short headers, FIFOs of one packet: staggered, the best size above 512 KB",
        "falls as data grow", unit="%", reading_of=("falls",), runs=("short headers, staggered *",)),
    Row("all", "fixed order / staggered / multicast, 512 KB", "figure", unit="2^20 B/s"),
    Row("all_decimal", "fixed order / staggered / multicast, 512 KB", "figure", unit="10^6 B/s"),
    Row("software", "fixed order / staggered / multicast, 1 KB", "figure", unit="2^20 B/s"),
    Row("hardware", "the same with software that takes no time", "-", unit="2^20 B/s"),
    Row("depth_one_to_one", "one node to one, 64 KB, FIFOs of 1 / 2 packets", "-", unit="2^20 B/s"),
    Row("depth_multicast", "multicast, 64 KB, FIFOs of 1 / 2 packets", "-", unit="2^20 B/s"),
    Row("staggered_clean", "staggered, 512 KB: as it is / with dirty lines answered like clean ones", "-",
        unit="2^20 B/s"),
]


def exchange(method, size, config=machine.CONFIG, **keys):
    return machine.run("exchange", {"exchange_method": method, "exchange_bytes": size, "rounds": 1, **keys},
                       0.05 + size / 40000, config)


def plan(setting):
    runs = {f"{reading}{method} {size}": exchange(method, size, config) for reading, config in READINGS.items()
            for method in METHODS
            for size in (QUICK if setting.quick else SIZES)}
    runs.update({f"{method} hardware": exchange(method, SMALL, **machine.NO_SOFTWARE) for method in METHODS})
    runs[f"multicast {DEPTH_BYTES}"] = exchange("multicast", DEPTH_BYTES)
    runs["one to one, 64 KB"] = machine.ping_pong(DEPTH_BYTES, workload__source_offset=0,
                                                  sender__optimized_first_read=True)
    for reading, config in READINGS.items():
        runs[f"{reading}one to one"] = machine.ping_pong(LARGEST, config=config, workload__source_offset=0,
                                                         sender__optimized_first_read=True)
    if setting.quick:
        return {**runs, **{f"staggered {size}": exchange("staggered", size) for size in QUICK_STAGGERED}}
    for depth in DEPTHS:
        runs[f"one to one, depth {depth}"] = machine.ping_pong(DEPTH_BYTES, switch__fifo_packets=depth)
        runs[f"multicast, depth {depth}"] = exchange("multicast", DEPTH_BYTES, **{"switch.fifo_packets": depth})
    runs["staggered, clean"] = exchange("staggered", LARGEST, **{"memory.dirty_answer_ns": CLEAN_ANSWER_NS})
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    table = [line(label, size, results[f"{reading}{method} {size}"], reading) for reading in READINGS
             for method, label in METHODS.items()
             for size in sizes]
    at = {(entry["method"], entry["bytes"]): entry for entry in table}
    rates = {reading: {method: [at[reading + label, size]["mib_per_second"] for size in sizes]
                       for method, label in METHODS.items()}
             for reading in READINGS}
    rate = rates[""]
    values = {"in_order": all(rate["in_order"][place] < min(rate["staggered"][place], rate["multicast"][place])
                              for place, size in enumerate(sizes) if size >= SMALL),
              "software": [at[label, SMALL]["mib_per_second"] for label in METHODS.values()],
              "hardware": [results[f"{method} hardware"].metric("exchange_throughput_mib_s") for method in METHODS]}
    some = results[f"multicast {DEPTH_BYTES}"]
    one_to_one = machine.mib_per_second(DEPTH_BYTES, results["one to one, 64 KB"].metric("paralib_latency_us"))
    values.update(multicast_64=100 * (some.metric("exchange_throughput_mib_s") / one_to_one - 1),
                  links_64=100 * some.metric("exchange_last_links_busy"))
    alone = {reading: machine.mib_per_second(LARGEST, results[f"{reading}one to one"].metric("paralib_latency_us"))
             for reading in READINGS}
    staggered = rate["staggered"] + [results[f"staggered {size}"].metric("exchange_throughput_mib_s")
                                     for size in (QUICK_STAGGERED if setting.quick else [])]
    values.update(falls=100 * (max(staggered) / staggered[-1] - 1))
    values.update(one_to_one=alone[""], short_one_to_one=alone[OTHER])
    if not setting.quick:
        for prefix, reading in (("", ""), ("short_", OTHER)):
            own = rates[reading]
            values.update({f"{prefix}multicast": 100 * (own["multicast"][-1] / alone[reading] - 1),
                           f"{prefix}links": at[reading + METHODS["multicast"], LARGEST]["last_links_busy_percent"]})
        short = rates[OTHER]["staggered"]
        values["short_falls"] = 100 * (max(short) / short[-1] - 1)
        depth = [results[f"one to one, depth {depth}"].metric("paralib_latency_us") for depth in DEPTHS]
        values.update(below=100 * (1 - rate["staggered"][-1] / rate["multicast"][-1]),
                      best=max(sizes, key=lambda size: at[METHODS["staggered"], size]["mib_per_second"]),
                      all=[rate[method][-1] for method in METHODS],
                      all_decimal=[at[label, LARGEST]["mb_per_second"] for label in METHODS.values()],
                      depth_one_to_one=[machine.mib_per_second(DEPTH_BYTES, time) for time in depth],
                      depth_multicast=[results[f"multicast, depth {depth}"].metric("exchange_throughput_mib_s")
                                       for depth in DEPTHS],
                      staggered_clean=[rate["staggered"][-1],
                                       results["staggered, clean"].metric("exchange_throughput_mib_s")])
    notes = ["throughput: bytes that a node receives over the time from the common start to the end of the last node; "
             "every block is compared",
             "every node sends to itself, too, through the network",
             "one node to one: fig. 7, A, whose message has just been written",
             "short headers: of 6 flits, multicasts of 9, in place of 18; software calibrated for them "
             "(short_headers.yaml)"]
    return Findings(values, table, lambda figure: draw(figure, rates, sizes, alone), notes)


def line(label, size, result, reading):
    return {"method": reading + label, "bytes": size, "time_us": result.metric("exchange_time_us"),
            "mib_per_second": result.metric("exchange_throughput_mib_s"),
            "mb_per_second": result.metric("exchange_throughput_mb_s"),
            "last_links_busy_percent": 100 * result.metric("exchange_last_links_busy")}


def draw(figure, rates, sizes, alone):
    axes = figure.subplots()
    for reading, rate in rates.items():
        style, width = ("--", 0.7) if reading else ("o-", 1)
        for index, (method, label) in enumerate(METHODS.items()):
            axes.plot(sizes, rate[method], style, color=f"C{index}", markersize=4, linewidth=width,
                      label="" if reading else label)
        if reading in alone:
            axes.axhline(alone[reading], color="0.4", linestyle=":" if reading else "-", linewidth=width,
                         label=f"{reading}one node to one, 512 KB")
    axes.plot([], [], "--", color="0.4", linewidth=0.7, label="short headers, FIFOs of one packet")
    machine.size_axis(axes, sizes)
    axes.set_xlabel("block for each node (B)")
    axes.set_ylabel("received a node ($2^{20}$ B/s)")
    axes.set_ylim(0, 200)
    axes.legend()
    axes.set_title(TITLE, fontsize=10)
