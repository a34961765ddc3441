# SPDX-License-Identifier: Apache-2.0
"""Sends data from one of 32 nodes to another and as many back, the addresses at both ends d words of 32 bits apart: d
there, 32 - d back. The network interface shifts them, or the processor copies them first, with and without optimized
reads. Throughput is size over half of the round trip."""

from reproduction import Findings, Row, holds, within

from . import machine

TITLE = "Throughput between odd words against size, 32 nodes"
SOURCE = "Kanoh 2000, sections 5.1.3 and 6.1, fig. 8"
SIZES, QUICK = [1024, 4096, 16384, 65536, 262144, 524288], [16384, 524288]
JUDGED = 512 * 1024  # a parcel's largest size
WORDS, QUICK_WORDS = list(range(1, 32, 2)), [1, 3, 15, 31]
GROUPS = {"A": ("hardware", True), "B": ("hardware", False), "C": ("software", True),
          "D": ("software", False)}  # optimized reads
NAMES = {"A": "A: interface, optimized reads", "B": "B: interface", "C": "C: processor, optimized reads",
         "D": "D: processor"}
ONE_WORD = (1, 31)  # of difference, there or back
RATE = "2^20 B/s"
ROWS = [
    Row("optimized", "A / C, 512 KB, mean over the differences", "about 2", within(2, 0.2), section="6.1",
        runs=("A * 524288", "C * 524288")),
    Row("plain", "B / D, 512 KB, mean over the differences", "about 2", within(2, 0.2), section="6.1",
        runs=("B * 524288", "D * 524288")),
    Row("one_word", "one word of difference lies between A's others and B, from 16 KB on", "holds", holds(),
        section="6.1", runs=("A *", "B *")),
    Row("faster", "the interface is faster than the processor, at every size and difference", "figure", holds(),
        section="5.1.3"),
    Row("rates", "A / B / C / D, 512 KB, mean over the differences but one word", "figure", unit=RATE, section="6.1",
        runs=("* 524288",)),
    Row("one", "A, 512 KB, 1 and 31 words", "between A and B", unit=RATE, section="6.1",
        runs=("A 1 524288", "A 31 524288")),
    Row("spread", "A / B / C / D, 512 KB, largest over smallest difference but one word", "figure",
        section="6.1", runs=("* 524288",)),
]


def differences(setting):
    return QUICK_WORDS if setting.quick else WORDS


def sizes_of(setting):
    return QUICK if setting.quick else SIZES


def plan(setting):
    return {f"{group} {words} {size}": machine.run(
                "dma", {"dma_bytes": size, "dma_returns": True, "dma_source_offset": 4 * words,
                        "library.realignment": realignment,
                        "sender.optimized_first_read": optimized}, 0.1 + size / 1e6)
            for group, (realignment, optimized) in GROUPS.items() for words in differences(setting)
            for size in sizes_of(setting)}


def evaluate(setting, results):
    points = [(group, words, size) for group in GROUPS for words in differences(setting) for size in sizes_of(setting)]
    rate = {point: results["{} {} {}".format(*point)].metric("dma_throughput_mib_s") for point in points}
    table = [{"group": group, "difference_words": words, "bytes": size, "mib_per_second": rate[group, words, size],
              "mb_per_second": rate[group, words, size] * machine.MIB / 1e6} for group, words, size in points]

    def of(group, size, one_word=False):
        return [rate[group, words, size] for words in differences(setting) if (words in ONE_WORD) == one_word]

    values = {"one_word": all(max(of("B", size)) < one < min(of("A", size))
                              for size in sizes_of(setting) if size >= 16384
                              for one in of("A", size, True)),
              "faster": all(rate[fast, words, size] > rate[slow, words, size] for fast, slow in ("AC", "BD")
                            for words in differences(setting) for size in sizes_of(setting))}
    mean = {group: sum(of(group, JUDGED)) / len(of(group, JUDGED)) for group in GROUPS}
    values.update(optimized=ratio(rate, "A", "C", differences(setting)),
                  plain=ratio(rate, "B", "D", differences(setting)), rates=list(mean.values()),
                  one=of("A", JUDGED, True),
                  spread=[max(of(group, JUDGED)) / min(of(group, JUDGED)) for group in GROUPS])
    notes = ["the data at node 0 lie d words behind a line's border, those at node 1 on one; data are dirty in the "
             "cache of their sender",
             "back goes a word of its own first, as the destination is odd then",
             "the words behind borders of source pages go once more from the interface; copies lie half a line off "
             "their destination"]
    return Findings(values, table, lambda figure: draw(figure, rate, sizes_of(setting), differences(setting)), notes)


def ratio(rate, fast, slow, differences_of_words):
    """Mean over the differences."""
    ratios = [rate[fast, words, JUDGED] / rate[slow, words, JUDGED] for words in differences_of_words]
    return sum(ratios) / len(ratios)


def draw(figure, rate, sizes, words):
    axes = figure.subplots()
    for index, group in enumerate(GROUPS):
        for each in words:
            one = each in ONE_WORD and group == "A"
            label = NAMES[group] if each == 3 else "A, one word of difference" if one and each == 1 else None
            axes.plot(sizes, [rate[group, each, size] for size in sizes], "--" if one else "-",
                      color="black" if one else f"C{index}",
                      linewidth=0.8, label=label)
    machine.size_axis(axes, sizes)
    axes.set_ylabel("throughput ($2^{20}$ B/s)")
    axes.set_ylim(0, 200)
    axes.legend(fontsize=7)
    figure.suptitle(f"{TITLE}; differences of 1, 3, .. 31 words", fontsize=10)
