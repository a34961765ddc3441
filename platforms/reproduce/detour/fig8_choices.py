# SPDX-License-Identifier: Apache-2.0
"""Fig. 8 under each alternative assumption."""

from . import fig8
from .figures import Choices

TITLE = fig8.TITLE + ": alternative assumptions"
SOURCE = fig8.SOURCE
CHOICES = Choices(fig8.FIGURE, 8)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
