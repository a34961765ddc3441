# SPDX-License-Identifier: Apache-2.0
"""Replaces scripts/plot_sweep.py where the picture must fail."""

import sys

print("out of ink", file=sys.stderr)
sys.exit(3)
