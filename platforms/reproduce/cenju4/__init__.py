# SPDX-License-Identifier: Apache-2.0
"""Cenju-4: its network interface and its multistage network, as message passing programs see them."""

IDS = ["switch", "table1", "fig6", "fig7", "fig8", "fig9", "fig10", "collectives", "fifo", "fairness", "pages",
       "machines", "all"]
