# SPDX-License-Identifier: Apache-2.0
"""Sends messages to and fro between two of 32 nodes: from a cache line's border, from within a line, and the latter
with optimized reads. Throughput is size over half of the round trip."""

import dataclasses

from reproduction import Findings, Row, holds, within, within_percent

from . import machine

TITLE = "One-to-one throughput against size, 32 nodes"
SOURCE = "Kanoh 2000, section 6.1 and fig. 7"
SIZES, QUICK = [2**power for power in range(10, 21)], [1024, 65536, 524288]
JUDGED = 512 * 1024  # a parcel's largest size
OFFSET = 8
CASES = {"A": (0, True), "B": (OFFSET, False), "C": (OFFSET, True)}  # source offset, optimized reads
NAMES = {"A": "A: aligned", "B": "B: unaligned", "C": "C: unaligned, optimized reads"}
LIBRARIES = {"paralib": "Paralib", "mpi": "MPI"}
RATE = "2^20 B/s"
FLUSHED_ANSWER_NS = 360
PERIOD_PS = 12500
ROWS = [
    Row("a", "A, 512 KB", "about 169 2^20 B/s (published separately)", within_percent(169, 5), unit=RATE,
        points=((0, 2**19, 169), (1, 2**19, 169)), runs=("A 524288 dirty",)),
    Row("c_minus_b", "C - B, 512 KB", "about 30 Mbyte/s", within(30, 8), unit=RATE,
        runs=("B 524288 dirty", "C 524288 dirty")),
    Row("c_minus_b_flushed", f"the same, where the line just taken out dirty answers in {FLUSHED_ANSWER_NS} ns",
        "about 30 Mbyte/s", unit=RATE, number=30, reading_of=("c_minus_b",), runs=("* flushed",)),
    Row("order", "A >= C > B, at every size and by both libraries", "figure", holds(), runs=("* dirty",)),
    Row("dirty_read", "A, 512 KB, where reads of dirty lines are the slowest part: network and interface at twice "
        "their clock", "about 200 Mbytes/s (128 B in 410 ns + 16 cycles)", within_percent(200, 5), unit=RATE,
        section="4.2",
        runs=("reads alone",)),
    Row("meet", "largest distance of the libraries, 512 KB", "the same", within(0, 3), unit="%"),
    Row("all", "A / B / C, 512 KB", "figure", unit=RATE),
    Row("all_decimal", "A / B / C, 512 KB", "figure", unit="10^6 B/s"),
    Row("clean", "A / B / C of messages that are clean in the cache", "-", unit=RATE),
    Row("period", "cycles a packet of 256 B, A / B / C", "-", unit="cycles"),
    Row("short", "short headers, FIFOs of one packet: A, 512 KB", "about 169 2^20 B/s", unit=RATE, number=169,
        reading_of=("a",), runs=("short headers",)),
    Row("software", "A: software's share of the time, 1 KB, Paralib and MPI", "-", unit="%"),
]
CYCLES_PER_US = 80


def plan(setting):
    sizes = QUICK if setting.quick else SIZES
    runs = {f"{case} {size} {'dirty' if dirty else 'clean'}": machine.ping_pong(
                size, dirty, workload__source_offset=offset, sender__optimized_first_read=optimized)
            for case, (offset, optimized) in CASES.items() for size in sizes for dirty in (True, False)}
    alone = {key.replace(".", "__"): value for key, value in machine.NO_SOFTWARE.items()}
    for case in ("B", "C"):
        offset, optimized = CASES[case]
        runs[f"{case} flushed"] = machine.ping_pong(JUDGED, workload__source_offset=offset,
                                                    sender__optimized_first_read=optimized,
                                                    memory__flushed_answer_ns=FLUSHED_ANSWER_NS)
    runs["hardware"] = machine.ping_pong(1024, workload__source_offset=0, sender__optimized_first_read=True, **alone)
    aligned = machine.ping_pong(JUDGED, workload__source_offset=0, sender__optimized_first_read=True)
    runs["reads alone"] = dataclasses.replace(aligned, keys={**aligned.keys, "clock_period_ps": PERIOD_PS // 2})
    if not setting.quick:
        runs["short headers"] = machine.ping_pong(JUDGED, config=machine.SHORT_HEADERS, workload__source_offset=0,
                                                  sender__optimized_first_read=True)
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    us = {(case, size, data, library): results[f"{case} {size} {data}"].metric(f"{library}_latency_us")
          for case in CASES for size in sizes for data in ("dirty", "clean") for library in LIBRARIES}
    table = [{"case": case, "bytes": size, "cache": data, "library": LIBRARIES[library], "one_way_us": time,
              "mib_per_second": machine.mib_per_second(size, time), "mb_per_second": machine.mb_per_second(size, time)}
             for (case, size, data, library), time in us.items()]
    rate = {point: machine.mib_per_second(point[1], time) for point, time in us.items()}
    hardware = results["hardware"]
    values = {"order": all(rate["A", size, "dirty", library] >= rate["C", size, "dirty",
                                                                     library] > rate["B", size, "dirty", library]
                           for size in sizes for library in LIBRARIES),
              "software": [100 * (1 - hardware.metric(f"{library}_latency_us") / us["A", 1024, "dirty", library])
                           for library in LIBRARIES]}
    dirty = {case: rate[case, JUDGED, "dirty", "paralib"] for case in CASES}
    values.update(a=dirty["A"], c_minus_b=dirty["C"] - dirty["B"], all=list(dirty.values()),
                  all_decimal=[machine.mb_per_second(JUDGED, us[case, JUDGED, "dirty", "paralib"]) for case in CASES],
                  clean=[rate[case, JUDGED, "clean", "paralib"] for case in CASES],
                  meet=max(100 * abs(rate[case, JUDGED, "dirty", "mpi"] / dirty[case] - 1) for case in CASES))
    flushed = {case: machine.mib_per_second(JUDGED, results[f"{case} flushed"].metric("paralib_latency_us"))
               for case in ("B", "C")}
    values["dirty_read"] = machine.mib_per_second(JUDGED, results["reads alone"].metric("paralib_latency_us"))
    values["c_minus_b_flushed"] = flushed["C"] - flushed["B"]
    if not setting.quick:
        values.update(short=machine.mib_per_second(JUDGED, results["short headers"].metric("paralib_latency_us")),
                      period=[packet_cycles(us, case) for case in CASES])
    notes = [f"A begins on a line's border, B and C {OFFSET} B behind it; the destination is aligned",
             "the message has just been written, as the paper assumes of most (section 4.2), so its lines are dirty; "
             "thin lines: clean ones",
             "periods are differences between 64 and 128 KB, where the message fits into the cache with all else"]
    return Findings(values, table, lambda figure: draw(figure, rate, sizes), notes)


def packet_cycles(us, case):
    """Of every packet more, whatever a message takes once."""
    small, large = 64 * 1024, 128 * 1024
    return (us[case, large, "dirty", "paralib"] - us[case, small, "dirty",
                                                     "paralib"]) * CYCLES_PER_US / ((large - small) / 256)


def draw(figure, rate, sizes):
    for axes, (library, label) in zip(figure.subplots(1, 2), LIBRARIES.items()):
        for index, case in enumerate(CASES):
            axes.plot(sizes, [rate[case, size, "dirty", library] for size in sizes], "o-", color=f"C{index}",
                      markersize=3, linewidth=1,
                      label=NAMES[case])
            axes.plot(sizes, [rate[case, size, "clean", library] for size in sizes], "--", color=f"C{index}",
                      linewidth=0.6)
        axes.set_title(label, fontsize=9)
        machine.size_axis(axes, sizes)
        axes.set_ylabel("throughput ($2^{20}$ B/s)")
        axes.set_ylim(0, 200)
        axes.legend(fontsize=7)
    figure.suptitle(f"{TITLE}; dashed: clean in the cache", fontsize=10)
