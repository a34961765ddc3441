# SPDX-License-Identifier: Apache-2.0
"""Replays applications on 64 nodes whose network interfaces hold the translations of 1 to 64 pages on either side."""

from reproduction import Findings, Row

from . import machine

TITLE = "Applications against page-table walks, 64 nodes"
SOURCE = "in no paper"
NODES, PAPER = 64, 4  # the paper's TLBs have four pages
PROGRAMS, QUICK_PROGRAMS = ["is.A.64", "mg.A.64", "ft.A.64"], ["is.S.64"]
ENTRIES, QUICK = [1, 2, 4, 8, 16, 64], [1, 4]
ROWS = [Row(f"{program.split('.')[0]}_{what}", f"{program}: {text}, TLBs of 1 / 4 / 64 pages", "-", unit=unit)
        for program in PROGRAMS for what, text, unit in (("time", "time of the slowest rank", "ms"),
                                                         ("walks", "walks of 1,000 translations", ""))]


def plan(setting):
    return {f"{program} {entries}": machine.run(
                "trace", {"network.nodes": NODES, "npb": program, "npb_steps": 1, "compute_scale": 0,
                          "sender.tlb_entries": entries,
                          "receiver.tlb_entries": entries}, 1 if setting.quick else 5, config="")
            for program in (QUICK_PROGRAMS if setting.quick else PROGRAMS)
            for entries in (QUICK if setting.quick else ENTRIES)}


def evaluate(setting, results):
    programs, sizes = (QUICK_PROGRAMS, QUICK) if setting.quick else (PROGRAMS, ENTRIES)
    table = []
    for program in programs:
        for entries in sizes:
            result = results[f"{program} {entries}"]
            walks = sum(result.metric(f"{side}_page_walks") for side in ("sender", "receiver"))
            table.append({"program": program, "tlb_pages": entries, "time_ms": result.metric("trace_time_us") / 1000,
                          "translations": sum(result.metric(f"{side}_translations") for side in ("sender", "receiver")),
                          "walks": walks})
    values = {}
    if not setting.quick:
        for program in programs:
            lines = [line for line in table if line["program"] == program and line["tlb_pages"] in (1, PAPER, 64)]
            name = program.split(".")[0]
            values[f"{name}_time"] = [line["time_ms"] for line in lines]
            values[f"{name}_walks"] = [1000 * line["walks"] / line["translations"] for line in lines]
    notes = ["skeletons of the NAS benchmarks, one step, without computing: communication alone",
             "walks and translations are those of Sender and Receiver of all nodes; a task's pages are scattered over "
             "memory"]
    return Findings(values, table, lambda figure: draw(figure, table, programs, sizes), notes)


def draw(figure, table, programs, sizes):
    left, right = figure.subplots(1, 2)
    for index, program in enumerate(programs):
        lines = [line for line in table if line["program"] == program]
        left.plot(sizes, [line["time_ms"] / lines[-1]["time_ms"] for line in lines], "o-", color=f"C{index}",
                  markersize=4, linewidth=1,
                  label=program)
        right.plot(sizes, [100 * line["walks"] / line["translations"] for line in lines], "o-", color=f"C{index}",
                   markersize=4, linewidth=1,
                   label=program)
    left.set_ylabel(f"time over that with {sizes[-1]} pages")
    right.set_ylabel("walks (% of translations)")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, sizes)
        axes.set_xlabel("pages in each TLB")
        axes.set_ylim(bottom=0)
    left.legend()
    figure.suptitle(TITLE, fontsize=10)
