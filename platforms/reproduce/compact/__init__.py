# SPDX-License-Identifier: Apache-2.0
"""Compact Tables: routing tables with few entries on random graphs with short wires."""

IDS = ["table", "fig1", "fig2", "livelock", "layers", "growth", "load", "application"]
