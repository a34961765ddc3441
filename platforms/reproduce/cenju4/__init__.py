# SPDX-License-Identifier: Apache-2.0
"""Cenju-4: its network interface and its multistage network, as message passing programs see them."""

from reproduction import Paper, Section

PAPER = Paper("Kanoh 2000", "User-level network interface of the parallel computer Cenju-4", {
    "1": Section("Introduction"),
    "2": Section("Overview of Cenju-4"),
    "3": Section("Multistage network", "p. 1380-1381"),
    "4.1": Section("Functions of the network interface"),
    "4.2": Section("Sender"),
    "4.3": Section("Receiver"),
    "5.1.1": Section("Inline mode"),
    "5.1.2": Section("Optimized reads of data"),
    "5.1.3": Section("Transfers between odd words"),
    "5.2": Section("Protection"),
    "5.3": Section("Notification of events"),
    "5.4": Section("Interface of multicast and synchronization"),
    "6.1": Section("Measurements: one node to one"),
    "6.2": Section("Measurements: N nodes to N"),
    "6.3": Section("Measurements: barrier synchronization"),
    "7": Section("Related work"),
    "8": Section("Conclusion"),
})
IDS = ["switch", "table1", "fig6", "fig7", "fig8", "fig9", "fig10", "collectives", "fifo", "fairness", "pages",
       "machines", "all"]
