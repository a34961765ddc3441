# SPDX-License-Identifier: Apache-2.0
"""Fig. 11 under each alternative assumption."""

from . import fig11
from .figures import Choices

TITLE = fig11.TITLE + ": alternative assumptions"
SOURCE = fig11.SOURCE
CHOICES = Choices(fig11.FIGURE, 11)
ROWS, plan, evaluate = CHOICES.rows, CHOICES.plan, CHOICES.evaluate
