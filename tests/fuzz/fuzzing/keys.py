# SPDX-License-Identifier: Apache-2.0
"""The keys of an executable, as its --list-keys prints them."""

import dataclasses
import re

DESCRIPTION = re.compile(r"^    type: ([\w ]+)(?:; unit: (.*?))?; default: (.*?); accepted: (.*)$")
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
RANGE = re.compile(NUMBER + r"\.\." + NUMBER)
LARGEST = 2 ** 64 - 1
GLUE = {"a", "an", "integer", "number", "of", "at", "least", "or"}  # around a range; other words are values ("auto")


@dataclasses.dataclass(frozen=True)
class Key:
    """One key: its type, its bounds and its words."""

    name: str
    meaning: str
    type: str
    unit: str
    default: str
    least: float = 0
    most: float = LARGEST
    fewest: int = 0  # elements of a list
    longest: int = 0
    words: tuple = ()
    other_words: tuple = ()  # instead of a number or a truth value: "auto"

    @property
    def section(self):
        return self.name.rpartition(".")[0]


class UnknownForm(Exception):
    """--list-keys says something that the fuzzer does not understand; it must learn it."""


def parse_key(name, meaning, description):
    found = DESCRIPTION.match(description)
    if found is None:
        raise UnknownForm(f"{name}: {description!r}")
    kind, unit, default, accepted = found.groups()
    kind = kind.removesuffix(" or word")
    common = {"name": name, "meaning": meaning, "type": kind, "unit": unit or "", "default": default}
    if kind == "bool":
        words = tuple(word for word in re.findall(r"[a-z_]+", accepted) if word not in ("true", "false", "or"))
        return Key(words=("true", "false"), other_words=words, **common)
    if kind == "word":
        return Key(words=word_list(name, accepted), **common)
    if kind in ("text", "path"):
        return Key(words=word_list(name, meaning) if meaning.startswith("one of ") else (), **common)
    ranges = [(number(low), number(high)) for low, high in RANGE.findall(accepted)]
    if kind == "list" and len(ranges) == 2:
        (fewest, longest), (least, most) = ranges
        return Key(least=least, most=most, fewest=fewest, longest=longest, **common)
    words = tuple(word for word in re.findall(r"[a-z_]+", RANGE.sub("", accepted)) if word not in GLUE)
    if kind in ("integer", "number") and len(ranges) == 1:
        return Key(least=ranges[0][0], most=ranges[0][1], other_words=words, **common)
    at_least = re.match(r"an integer of at least (\d+)", accepted)
    if kind == "integer" and at_least:
        return Key(least=int(at_least.group(1)), other_words=words, **common)
    raise UnknownForm(f"{name}: {description!r}")


def word_list(name, text):
    listed = text.removeprefix("one of ").partition(":")[0]
    words = tuple(word.strip() for word in listed.split(","))
    if not all(re.fullmatch(r"\w+", word) for word in words):
        raise UnknownForm(f"{name}: no list of words: {text!r}")
    return words


def number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def parse_keys(text):
    """Name to Key, in the order of the list."""
    keys = {}
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        paragraph = [lines[at]]
        at += 1
        while at < len(lines) and lines[at].startswith("    "):
            paragraph.append(lines[at])
            at += 1
        if len(paragraph) != 3 or paragraph[0] != paragraph[0].strip():
            raise UnknownForm(f"a paragraph of --list-keys: {paragraph}")
        key = parse_key(paragraph[0], paragraph[1].strip(), paragraph[2])
        keys[key.name] = key
    return keys


def idle_keys(resolved):
    """Keys that a resolved configuration lists as comments, because they decide nothing in it."""
    return set(re.findall(r"^# ([a-z_0-9.]+): ", resolved, re.MULTILINE))


def resolved_values(resolved, keys):
    """Name to text of every key that a resolved configuration sets."""
    values, sections = {}, []
    for line in resolved.splitlines():
        found = re.match(r"^( *)(\w+):(.*)$", line)
        if not found:
            continue
        depth = len(found.group(1)) // 2
        sections = sections[:depth] + [found.group(2)]
        name = ".".join(sections)
        if name in keys:
            values[name] = without_comment(found.group(3).strip())
    return values


def without_comment(value):
    return value if value.startswith('"') else value.partition("  # ")[0].strip()
