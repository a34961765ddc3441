# SPDX-License-Identifier: Apache-2.0
"""Fig. 12 under each alternative assumption."""

from . import fig12
from .figures import Choices

TITLE = fig12.TITLE + ": alternative assumptions"
SOURCE = fig12.SOURCE
CHOICES = Choices(fig12.FIGURE, 12)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
