# SPDX-License-Identifier: Apache-2.0
"""Fig. 10 under each alternative assumption."""

from . import fig10
from .figures import Choices

TITLE = fig10.TITLE + ": alternative assumptions"
SOURCE = fig10.SOURCE
CHOICES = Choices(fig10.FIGURE, 10)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
