# SPDX-License-Identifier: Apache-2.0
"""Errors that end a build of the handbook."""


class Wrong(Exception):
    """A page, a program or a tool has a fault; each line of the text is one. Exit status 1."""
