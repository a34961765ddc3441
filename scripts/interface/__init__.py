# SPDX-License-Identifier: Apache-2.0
"""The network interface's description, and what is made of it."""
