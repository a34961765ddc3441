# SPDX-License-Identifier: Apache-2.0
"""Sends messages to and fro between two of 32 nodes by Paralib, MPI, and Paralib with a system call that flushes them
from the cache; each once more with software that takes no time."""

from reproduction import Findings, Row, within, within_percent

from . import machine

TITLE = "One-way latency against size, 32 nodes"
SOURCE = "Kanoh 2000, section 6.1 and fig. 6"
SIZES, QUICK = [8, 16, 32, 64, 128, 192, 224, 232, 256, 384, 512, 1024], [8, 16, 256]
SERIES = {  # label: library, dirty, system call
    "Paralib": ("paralib", True, False),
    "Paralib, clean": ("paralib", False, False),
    "MPI": ("mpi", True, False),
    "MPI, clean": ("mpi", False, False),
    "Paralib + system call": ("paralib", True, True),
}
ROWS = [
    Row("paralib_8", "Paralib, 8 B", "4.9 us", within(4.9, 0.05), unit="us", points=((0, 8, 4.9),),
        runs=("Paralib 8",)),
    Row("mpi_8", "MPI, 8 B", "9.1 us", within(9.1, 0.05), unit="us", points=((0, 8, 9.1),), runs=("MPI 8",)),
    Row("inline", "Paralib, 16 B above 8 B, which are inline; the message just written", "about 0.3 us",
        within_percent(0.3, 5), unit="us", runs=("Paralib 8", "Paralib 16")),
    Row("inline_clean", "the same with a message that is clean in the cache", "-", unit="us",
        reading_of=("inline",), runs=("Paralib, clean 8", "Paralib, clean 16")),
    Row("system_call", "a system call that flushes the message, 8 B", "about 13 us", within_percent(13, 5), unit="us",
        points=((0, 8, 4.9 + 13),), by_definition=True, runs=("Paralib 8", "Paralib + system call 8")),
    Row("system_call_longest", "the same with the longest message of the figure", "figure", unit="us"),
    Row("paralib_software", "Paralib, 8 B: software, hardware", "-", unit="us"),
    Row("mpi_software", "MPI, 8 B: software, hardware", "-", unit="us"),
    Row("short", "short headers, FIFOs of one packet (calibrated, too): Paralib and MPI, 8 B", "4.9 us, 9.1 us",
        unit="us", number=[4.9, 9.1], reading_of=("paralib_8", "mpi_8"), runs=("short headers *",)),
    Row("short_inline", "the same: Paralib, 16 B above 8 B", "about 0.3 us", unit="us", number=0.3,
        reading_of=("inline",), runs=("short headers *",)),
    Row("mpi_step", "MPI's largest step between two sizes of the figure: from, to (B), by (us)", "no step is told",
        runs=("MPI [0-9]*",)),
]


def plan(setting):
    runs = {f"{label} {size}{' hardware' if alone else ''}": machine.ping_pong(
                size, dirty, workload__system_call=call, **({key.replace(".", "__"): value
                                                             for key, value in machine.NO_SOFTWARE.items()}
                                                            if alone else {}))
            for label, (_, dirty, call) in SERIES.items() for size in (QUICK if setting.quick else SIZES)
            for alone in (False, True)}
    runs.update({f"short headers {size}": machine.ping_pong(size, config=machine.SHORT_HEADERS) for size in QUICK[:2]})
    return runs


def evaluate(setting, results):
    sizes = QUICK if setting.quick else SIZES
    table = []
    for label, (library, _, _) in SERIES.items():
        for size in sizes:
            whole, hardware = (results[f"{label} {size}{end}"].metric(f"{library}_latency_us")
                               for end in ("", " hardware"))
            table.append({"series": label, "bytes": size, "latency_us": whole, "software_us": whole - hardware,
                          "hardware_us": hardware})
    at = {(line["series"], line["bytes"]): line for line in table}
    latency = {point: line["latency_us"] for point, line in at.items()}
    call = {size: latency["Paralib + system call", size] - latency["Paralib", size] for size in sizes}
    steps = [(before, after, latency["MPI", after] - latency["MPI", before]) for before, after in zip(sizes, sizes[1:])]
    values = {"paralib_8": latency["Paralib", 8], "mpi_8": latency["MPI", 8],
              "inline": latency["Paralib", 16] - latency["Paralib", 8],
              "inline_clean": latency["Paralib, clean", 16] - latency["Paralib, clean", 8],
              "system_call": call[8], "system_call_longest": call[sizes[-1]],
              "short": [results["short headers 8"].metric(f"{library}_latency_us") for library in ("paralib", "mpi")],
              "short_inline": results["short headers 16"].metric("paralib_latency_us")
              - results["short headers 8"].metric("paralib_latency_us"),
              "mpi_step": list(max(steps, key=lambda step: step[2]))}
    for name, label in (("paralib", "Paralib"), ("mpi", "MPI")):
        values[f"{name}_software"] = [at[label, 8]["software_us"], at[label, 8]["hardware_us"]]
    notes = ["hardware is the latency with software times of 0 (platforms/cenju4/software.yaml), software the rest; a "
             "poll loop's 100 ns "
             "count as hardware", "a message of 8 B by Paralib is inline: nothing is read from the sender's memory"]
    return Findings(values, table, lambda figure: draw(figure, table, sizes), notes)


def draw(figure, table, sizes):
    left, right = figure.subplots(1, 2)
    for label in SERIES:
        lines = [line for line in table if line["series"] == label]
        style = "--" if "clean" in label else "o-"
        color = f"C{['Paralib', 'MPI', 'Paralib + system call'].index(label.removesuffix(', clean'))}"
        left.plot(sizes, [line["latency_us"] for line in lines], style, color=color, markersize=4, linewidth=1,
                  label=label)
        right.plot(sizes, [line["hardware_us"] for line in lines], style, color=color, markersize=4, linewidth=1,
                   label=label)
    left.set_title("whole", fontsize=9)
    right.set_title("hardware alone", fontsize=9)
    for axes in (left, right):
        machine.size_axis(axes, sizes)
        axes.set_ylabel("one-way latency (us)")
        axes.set_ylim(bottom=0)
    left.legend(fontsize=7)
    figure.suptitle(TITLE, fontsize=10)
