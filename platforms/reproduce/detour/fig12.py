# SPDX-License-Identifier: Apache-2.0
"""Share of messages in recovery against message size at three block timeouts: messages to random nodes, without
faults and with 4 dead nodes."""

from . import recovered

TITLE = "Messages in recovery against message size, random"
SOURCE = "Yoshinaga 2004, section 5.2 and fig. 12"
FIGURE = recovered.figure("random")
ROWS, plan, evaluate = FIGURE.rows, FIGURE.plan, FIGURE.evaluate
