# SPDX-License-Identifier: Apache-2.0
"""Fig. 7 under each alternative assumption."""

from . import fig7
from .figures import Choices

TITLE = fig7.TITLE + ": alternative assumptions"
SOURCE = fig7.SOURCE
CHOICES = Choices(fig7.FIGURE, 7)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
