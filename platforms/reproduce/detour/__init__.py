# SPDX-License-Identifier: Apache-2.0
"""Yoshinaga 2004: Detour-UD, fault-tolerant adaptive routing with deadlock recovery, and its rivals."""

IDS = ["fig2", "fig3", "fig4", "fig5", "table1", "router", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "timeout",
       "theorem1", "livelock",
       "collapse", "distance", "vcs", "false", "sizes", "application", "reconfig", "loss", "fig7_choices",
       "fig8_choices", "fig9_choices", "fig10_choices",
       "fig11_choices", "fig12_choices"]
