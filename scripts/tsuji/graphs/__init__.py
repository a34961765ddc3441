# SPDX-License-Identifier: Apache-2.0
"""Graph files of other tools as topology files of `network`."""
