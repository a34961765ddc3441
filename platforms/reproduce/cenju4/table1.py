# SPDX-License-Identifier: Apache-2.0
"""Every protocol once, between two nodes of 32: what their programs find in memory, notifications and logs."""

from reproduction import Findings, Row, exactly, holds

from . import machine

TITLE = "The ten protocols of the network interface"
SOURCE = "Kanoh 2000, sections 4.1 and 4.3, and table 1"
# Which of memory, notification and log a protocol shows. Requests leave no log; a swap notifies nobody; messages, and
# here an atomic add, are detected by the pointer, or the value, that their receiver polls.
SHOWS = {"remote DMA": "mnl", "address register 0": "mnl", "address register 1": "mnl", "address register 2": "mnl",
         "message 0": "ml",
         "message 1": "ml", "atomic add": "ml", "remote read": "mn", "swap": "m", "compare & swap": "mn"}
COLUMNS = {"m": "memory", "n": "notification", "l": "log"}
ROWS = [
    Row("protocols", "protocols that were played", "10", exactly(10), section="4.1"),
    Row("memory", "memory as the table says", "table 1", holds(), section="4.1"),
    Row("notifications", "notifications as the table says", "table 1", holds(), section="4.1"),
    Row("logs", "log entries: protocol, source, length, address", "section 4.3", holds(), section="4.3"),
]


def plan(_setting):
    return {"protocols": machine.run("protocols", {}, 0.1)}


def evaluate(_setting, results):
    table = results["protocols"].table("protocols")
    found = {row["protocol"]: row for row in table}

    def right(letter):
        return set(found) == set(SHOWS) and all(
            found[name][COLUMNS[letter]] == ("right" if letter in shown else "-") for name, shown in SHOWS.items())

    values = {"protocols": len(found), "memory": right("m"), "notifications": right("n"), "logs": right("l")}
    return Findings(values, table, lambda figure: draw(figure, table),
                    ["the programs compare their own words; what is not shown is no part of the protocol"])


def draw(figure, table):
    axes = figure.subplots()
    axes.axis("off")
    cells = [[row[column] for column in COLUMNS.values()] for row in table]
    colours = {"right": "#d5efd5", "wrong": "#f5c6c6", "-": "#ffffff"}
    drawn = axes.table(cells, rowLabels=[row["protocol"] for row in table], colLabels=list(COLUMNS.values()),
                       loc="center",
                       cellLoc="center", cellColours=[[colours[cell] for cell in row] for row in cells])
    drawn.scale(1, 1.6)
    axes.set_title(TITLE, fontsize=10)
