# SPDX-License-Identifier: Apache-2.0
"""Fig. 9 under each alternative assumption."""

from . import fig9
from .figures import Choices

TITLE = fig9.TITLE + ": alternative assumptions"
SOURCE = fig9.SOURCE
CHOICES = Choices(fig9.FIGURE, 9)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
