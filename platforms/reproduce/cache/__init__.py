# SPDX-License-Identifier: Apache-2.0
"""Hirasawa 2020: routing-table caches in HPC switches."""

from reproduction import Paper, Section

PAPER = Paper("Hirasawa 2020", "Routing-table caches in HPC switches", {
    "1": Section("Introduction"),
    "2.1": Section("Content addressable memory (CAM)"),
    "2.2": Section("Microarchitecture of a switch"),
    "2.3": Section("Routing-table caches"),
    "3.1": Section("How a routing-table cache works"),
    "3.2": Section("Structure of the cache"),
    "4.1": Section("Conflict misses: conditions"),
    "4.2": Section("Conflict misses: uniform traffic", "p. 5-6"),
    "4.3": Section("Conflict misses: NAS parallel benchmarks", "p. 6-7"),
    "5.1": Section("Applications: conditions", "p. 6-7"),
    "5.2": Section("Applications: case study 1", "p. 6-7"),
    "5.3": Section("Applications: case study 2", "p. 7-8"),
    "6.1": Section("Zero-load latency: conditions", "p. 8-9"),
    "6.2": Section("Cache hit rate", "p. 8-9"),
    "6.3": Section("Zero-load latency", "p. 8-9"),
    "6.4.1": Section("Longest latency: job size", "p. 8-9"),
    "6.4.2": Section("Longest latency: cache entries", "p. 8-9"),
    "7.1": Section("Power", "p. 9-10"),
    "7.2": Section("Switching capacity", "p. 10"),
    "8": Section("Conclusion", "p. 10"),
})
IDS = ["table1", "update", "fig3", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "eq7",
       "fig7_sweep", "fig9_sweep"]
