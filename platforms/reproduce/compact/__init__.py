# SPDX-License-Identifier: Apache-2.0
"""Compact Tables: routing tables with few entries on random graphs with short wires."""

from reproduction import Paper, Section

PAPER = Paper("Compact Tables", "Compact routing tables for random networks with short wires", {
    "1": Section("Introduction"),
    "2": Section("Building the routing tables"),
    "3": Section("Routing"),
    "4": Section("Evaluation"),
    "5": Section("Conclusion"),
})
IDS = ["table", "fig1", "fig2", "livelock", "layers", "growth", "load", "application"]
