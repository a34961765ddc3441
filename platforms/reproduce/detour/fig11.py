# SPDX-License-Identifier: Apache-2.0
"""Share of messages in recovery against message size at three block timeouts: a matrix-transpose exchange, without
faults and with 4 dead nodes."""

from . import recovered

TITLE = "Messages in recovery against message size, transpose"
SOURCE = "Yoshinaga 2004, section 5.2 and fig. 11"
FIGURE = recovered.figure("transpose")
ROWS, plan, evaluate = FIGURE.rows, FIGURE.plan, FIGURE.evaluate
