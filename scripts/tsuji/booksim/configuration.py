# SPDX-License-Identifier: Apache-2.0
"""Configurations of BookSim2: files of `KEY = VALUE;`, and words KEY=VALUE on top of them."""

from __future__ import annotations

import pathlib
import re

from ..errors import Refused

ENTRY = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?P<value>[^;=\s][^;=]*?)\s*;")


class Configuration:
    """Values by key, as texts; `places` has the file and line, or the word, of each."""

    def __init__(self) -> None:
        self.values, self.places = {}, {}

    def set(self, key: str, value: str, place: str) -> None:
        self.values[key], self.places[key] = value, place

    def text(self) -> str:
        """The file with these values."""
        return "".join(f"{key} = {value};\n" for key, value in self.values.items())

    def refused(self, key: str, problem: str, accepted: str) -> Refused:
        return Refused(self.places.get(key, "BookSim2's default"), key, problem, self.values.get(key), accepted)


def read(words: list[str]) -> Configuration:
    """Of a command line: paths of files and KEY=VALUE, later ones on top of earlier ones."""
    configuration = Configuration()
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            read_file(pathlib.Path(word), configuration)
        elif not re.fullmatch(r"\w+", key) or not value.strip():
            raise Refused("", word, "no key with a value", accepted="a file, or KEY=VALUE")
        else:
            configuration.set(key, value.strip(), "command line")
    return configuration


def read_file(path: pathlib.Path, configuration: Configuration) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(path, "", f"cannot be read: {problem}",
                      accepted="a configuration file of BookSim2, or KEY=VALUE") from None
    text = re.sub("//[^\n]*", "", text)
    at = 0
    while text[at:].strip():
        entry = ENTRY.match(text, at)
        line = text.count("\n", 0, at + len(text[at:]) - len(text[at:].lstrip())) + 1
        if entry is None:
            raise Refused(f"{path}:{line}", "", "not an entry", text[at:].strip().splitlines()[0], "KEY = VALUE;")
        configuration.set(entry["key"], entry["value"], f"{path}:{line}")
        at = entry.end()
