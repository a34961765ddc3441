# SPDX-License-Identifier: Apache-2.0
"""Folders that are replaced in one step, and a lock that says who writes below a folder."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import pathlib
import shutil
from collections.abc import Iterator
from typing import Any, TextIO

from .errors import Refused

AT_FDCWD, RENAME_EXCHANGE = -100, 2


def exchange(first: Any, second: Any) -> None:
    """Two folders change their names."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE) != 0:
        problem = ctypes.get_errno()
        raise OSError(problem, os.strerror(problem), str(second))


@contextlib.contextmanager
def replaced(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """A hidden folder to write into, which takes the place of `folder` at the end; after a failure all is as before."""
    staging = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        yield staging
        if folder.exists():
            exchange(staging, folder)
        else:
            staging.rename(folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def write_text(path: pathlib.Path, text: str) -> None:
    """The file as a whole or not at all."""
    staging = path.with_name(f".{path.name}.partial")
    try:
        staging.write_text(text, encoding="utf-8")
        staging.rename(path)
    finally:
        staging.unlink(missing_ok=True)


class Held(Exception):
    """Another process has the lock."""


class Lock:
    """Of a folder, as long as this process lives. Its file says who has it."""

    def __init__(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = open(folder / ".lock", "a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.seek(0)
            holder = self.file.read().strip() or "another process"
            raise Held(f"{folder}: another call writes there: {holder}") from None
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()} on {os.uname().nodename}\n")
        self.file.flush()


def locked(out: pathlib.Path) -> TextIO:
    """The lock of the folder of --out, until it is closed. Refused where another call has it, or where it cannot be
    written."""
    try:
        return Lock(out).file
    except Held as held:
        raise Refused("", "--out", str(held),
                      accepted="another folder, or this one when that call has ended") from None
    except OSError as problem:
        raise Refused("", "--out", f"cannot be written: {problem.strerror}", out,
                      "a folder that can be written") from None
