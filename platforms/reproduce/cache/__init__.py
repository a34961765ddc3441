# SPDX-License-Identifier: Apache-2.0
"""Hirasawa 2020: routing-table caches in HPC switches."""

IDS = ["table1", "fig3", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "eq7",
       "fig7_sweep", "fig8_sweep", "fig9_sweep"]
