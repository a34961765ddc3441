# SPDX-License-Identifier: Apache-2.0
"""Tateshita 2009: prediction routers on fat trees."""

from reproduction import Paper, Section

PAPER = Paper("Tateshita 2009", "Low-latency fat trees with prediction routers", {
    "1": Section("Introduction"),
    "2.1": Section("The prediction router"),
    "2.2": Section("Prediction algorithms"),
    "3.1": Section("Serial links"),
    "3.2": Section("Hint bits"),
    "4.1": Section("On-chip network: conditions"),
    "4.1.1": Section("On-chip network: routers"),
    "4.1.2": Section("On-chip network: latency"),
    "4.1.3": Section("On-chip network: hit rate"),
    "4.1.4": Section("On-chip network: depth of the pipeline"),
    "4.2.1": Section("System-area network: routers"),
    "4.2.2": Section("System-area network: latency"),
    "4.2.3": Section("System-area network against on-chip network"),
    "4.2.4": Section("System-area network: size of a flit"),
    "5": Section("Related work"),
    "6": Section("Conclusion"),
})
IDS = ["pipeline", "fig7", "fig8", "fig9", "fig10", "fig11", "lookup", "topologies"]
