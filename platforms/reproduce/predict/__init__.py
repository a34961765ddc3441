# SPDX-License-Identifier: Apache-2.0
"""Tateshita 2009: prediction routers on fat trees."""

IDS = ["pipeline", "fig7", "fig8", "fig9", "fig10", "fig11", "lookup", "topologies"]
