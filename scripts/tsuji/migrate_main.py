# SPDX-License-Identifier: Apache-2.0
"""scripts/migrate: see scripts/handbook.d/readers/developer.md, Names that users hold."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import sys

from .errors import Refused
from .migrate import migrated


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="migrate", description="Writes the names of today into configurations, "
                                     "studies and C++ sources "
                                     "that have names of before. Comments and layout stay.")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE",
                        help="YAML, or a C++ source by its suffix")
    parser.add_argument("--check", action="store_true",
                        help="changes nothing; exit status 1 if a file has a name of before")
    return parser.parse_args(words)


def read(path: pathlib.Path) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        said = problem.strerror if isinstance(problem, OSError) else "not UTF-8"
        raise Refused("", "", f"cannot be read: {said}", path, "configurations, studies and C++ sources") from None


def write(path: pathlib.Path, text: str) -> None:
    """The file as a whole or not at all, with the rights that it has."""
    goal = path.resolve()
    staging = goal.with_name(f".{goal.name}.partial")
    try:
        with open(staging, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        shutil.copymode(goal, staging)
        os.replace(staging, goal)
    finally:
        staging.unlink(missing_ok=True)


def main(words: list[str]) -> int:
    arguments = parse(words)
    try:
        # All of them first: a call that refuses a file changes none.
        moved = [(path, *migrated(read(path), path)) for path in arguments.files]
        for path, text, changes in moved:
            if changes and not arguments.check:
                write(path, text)
            for change in changes:
                print(change)
    except Refused as refusal:
        print(f"migrate: {refusal}", file=sys.stderr)
        return 2
    except OSError as failure:
        print(f"migrate: {failure}", file=sys.stderr)
        return 1
    return int(arguments.check and any(changes for _, _, changes in moved))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
