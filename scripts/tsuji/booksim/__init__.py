# SPDX-License-Identifier: Apache-2.0
"""Runs of BookSim2, replayed packet by packet: platforms/reproduce/booksim/README.md."""
