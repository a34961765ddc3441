"""Every one of 32 nodes puts a block to every node: in one fixed order, staggered, by multicast; beside it one node to one."""

from reproduction import Findings, Row, above, at_least, holds, within

from . import machine

TITLE = "N-to-N throughput a node against size, N = 32"
SOURCE = "Kanoh 2000, section 6.2 and fig. 9"
SIZES, QUICK = [64, 256, 1024, 4096, 16384, 65536, 262144, 524288], [1024, 4096]
METHODS = {"in_order": "A: fixed order", "staggered": "B: staggered", "multicast": "C: multicast"}
DEPTHS = [1, 2]
LARGEST, SMALL = SIZES[-1], 1024
DEPTH_BYTES = 65536
CLEAN_ANSWER_NS = 160
ROWS = [
    Row("multicast", "multicast above one node to one, 512 KB", "the same", within(0, 5), unit="%", quick=False),
    Row("links", "last links busy, multicast, 512 KB", "close to 100 %", at_least(95), unit="%", quick=False),
    Row("in_order", "fixed order lowest, at every size from 1 KB on", "low, as all send to one", holds()),
    Row("falls", "staggered: the best size above 512 KB", "falls as data grow", above(0), unit="%", quick=False),
    Row("best", "the size (B) at which staggered is best", "figure"),
    Row("all", "fixed order / staggered / multicast, 512 KB", "figure", unit="2^20 B/s"),
    Row("all_decimal", "fixed order / staggered / multicast, 512 KB", "figure", unit="10^6 B/s"),
    Row("software", "fixed order / staggered / multicast, 1 KB", "figure", unit="2^20 B/s"),
    Row("hardware", "the same with software that takes no time", "-", unit="2^20 B/s"),
    Row("one_to_one", "one node to one, 512 KB", "the same as multicast", unit="2^20 B/s"),
    Row("depth_one_to_one", "one node to one, 64 KB, FIFOs of 1 / 2 packets", "-", unit="2^20 B/s"),
    Row("depth_multicast", "multicast, 64 KB, FIFOs of 1 / 2 packets", "-", unit="2^20 B/s"),
    Row("staggered_clean", "staggered, 512 KB: as it is / with dirty lines answered like clean ones", "-", unit="2^20 B/s"),
]


def exchange(method, size, **keys):
    return machine.run("exchange", {"exchange_method": method, "exchange_bytes": size, "rounds": 1, **keys}, 0.05 + size / 40000)


def plan(setting):
    runs = {f"{method} {size}": exchange(method, size) for method in METHODS for size in (QUICK if setting.quick else SIZES)}
    runs.update({f"{method} hardware": exchange(method, SMALL, **machine.NO_SOFTWARE) for method in METHODS})
    if setting.quick:
        return runs
    runs["one to one"] = machine.ping_pong(LARGEST, workload__source_offset=0, sender__optimized_first_read=True)
    for depth in DEPTHS:
        runs[f"one to one, depth {depth}"] = machine.ping_pong(DEPTH_BYTES, switch__fifo_packets=depth)
        runs[f"multicast, depth {depth}"] = exchange("multicast", DEPTH_BYTES, **{"switch.fifo_packets": depth})
    runs["staggered, clean"] = exchange("staggered", LARGEST, **{"memory.dirty_answer_ns": CLEAN_ANSWER_NS})
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    table = []
    for method in METHODS:
        for size in sizes:
            result = results[f"{method} {size}"]
            table.append({"method": METHODS[method], "bytes": size, "time_us": result.metric("exchange_time_us"),
                          "mib_per_second": result.metric("exchange_throughput_mib_s"),
                          "mb_per_second": result.metric("exchange_throughput_mb_s"),
                          "last_links_busy_percent": 100 * result.metric("exchange_last_links_busy")})
    at = {(line["method"], line["bytes"]): line for line in table}
    rate = {method: [at[label, size]["mib_per_second"] for size in sizes] for method, label in METHODS.items()}
    values = {"in_order": all(rate["in_order"][place] < min(rate["staggered"][place], rate["multicast"][place])
                              for place, size in enumerate(sizes) if size >= SMALL),
              "software": [at[label, SMALL]["mib_per_second"] for label in METHODS.values()],
              "hardware": [results[f"{method} hardware"].metric("exchange_throughput_mib_s") for method in METHODS]}
    alone = None
    if not setting.quick:
        alone = machine.mib_per_second(LARGEST, results["one to one"].metric("paralib_latency_us"))
        best = max(range(len(sizes)), key=lambda place: rate["staggered"][place])
        depth = [results[f"one to one, depth {depth}"].metric("paralib_latency_us") for depth in DEPTHS]
        values.update(multicast=100 * (rate["multicast"][-1] / alone - 1), links=at[METHODS["multicast"], LARGEST]["last_links_busy_percent"],
                      falls=100 * (rate["staggered"][best] / rate["staggered"][-1] - 1), best=sizes[best],
                      all=[rate[method][-1] for method in METHODS],
                      all_decimal=[at[label, LARGEST]["mb_per_second"] for label in METHODS.values()], one_to_one=alone,
                      depth_one_to_one=[machine.mib_per_second(DEPTH_BYTES, time) for time in depth],
                      depth_multicast=[results[f"multicast, depth {depth}"].metric("exchange_throughput_mib_s") for depth in DEPTHS],
                      staggered_clean=[rate["staggered"][-1], results["staggered, clean"].metric("exchange_throughput_mib_s")])
    notes = ["throughput: bytes that a node receives over the time from the common start to the end of the last node; every block is compared",
             "every node sends to itself, too, through the network", "one node to one: fig. 7, A, whose message has just been written"]
    return Findings(values, table, lambda figure: draw(figure, rate, sizes, alone), notes)


def draw(figure, rate, sizes, alone):
    axes = figure.subplots()
    for index, (method, label) in enumerate(METHODS.items()):
        axes.plot(sizes, rate[method], "o-", color=f"C{index}", markersize=4, linewidth=1, label=label)
    if alone:
        axes.axhline(alone, color="0.4", linestyle="--", linewidth=0.8, label="one node to one, 512 KB")
    machine.size_axis(axes, sizes)
    axes.set_xlabel("block for each node (B)")
    axes.set_ylabel("received a node ($2^{20}$ B/s)")
    axes.set_ylim(0, 200)
    axes.legend()
    axes.set_title(TITLE, fontsize=10)
