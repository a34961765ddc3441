# SPDX-License-Identifier: Apache-2.0
"""Yoshinaga 2004: Detour-UD, fault-tolerant adaptive routing with deadlock recovery, and its rivals."""

from reproduction import Paper, Section

PAPER = Paper("Yoshinaga 2004", "Fault-tolerant adaptive deadlock-recovery routing for k-ary n-cubes", {
    "1": Section("Introduction"),
    "2.1": Section("Fault-tolerant routing"),
    "2.2": Section("Adaptive routing by Detour-UD"),
    "2.3": Section("Routes out of tables"),
    "2.4": Section("Use of virtual channels"),
    "2.5": Section("Correctness of Detour-UD"),
    "3": Section("Reconfiguration of the network"),
    "3.1": Section("Steps of a reconfiguration"),
    "3.2": Section("Validity of the steps"),
    "4.1": Section("Structure of the Detour-UD router"),
    "4.2": Section("Routing algorithms compared"),
    "4.3": Section("Hardware cost compared"),
    "5": Section("Simulation: conditions"),
    "5.1": Section("Performance"),
    "5.2": Section("Effect of deadlock recovery"),
    "6": Section("Conclusion"),
})
IDS = ["fig2", "fig3", "fig4", "fig5", "table1", "router", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "timeout",
       "theorem1", "livelock",
       "collapse", "distance", "vcs", "false", "sizes", "application", "reconfig", "loss", "fig7_choices",
       "fig8_choices", "fig9_choices", "fig10_choices",
       "fig11_choices", "fig12_choices"]
