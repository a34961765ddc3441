# SPDX-License-Identifier: Apache-2.0
"""Facts of keys: table.txt, written by hand, and PLATFORM.json, made from --json-schema and the sources of the
bindings."""

import dataclasses
import fnmatch
import json
import pathlib
import re
import shlex

FOLDER = pathlib.Path(__file__).resolve().parent
PROJECT = FOLDER.parents[1]
PLATFORMS = ("network", "cenju4", "soc", "lookup_study", "compact_study")

# keys.add("a.b", member, ...), with member.setting() of a config::Automatic, or a local function that binds keys of one
# section: ns("b", member, ...).
BINDING = re.compile(r"(\w+)\(\s*(section \+ )?\"([a-z_0-9.]+)\",\s*([A-Za-z_][\w.:]*?)(?:\.setting\(\))?\s*,")
OF_SECTION = re.compile(r"(\w+) = \[[^]]*\]\([^)]*\) \{\s*keys\.add\w*\(std::string\(\"(\w+\.)\"\)")
# Functions that bind the same keys under several sections.
WITH_SECTION = re.compile(r"void (\w+)\([^)]*const std::string& section\)")
CALL_WITH_SECTION = r"\b{}\(keys, [\w.]+, \"(\w+)\"\)"
ENUMERATOR = re.compile(r"\{\"(\w+)\",\s*(?:\w+::)+(\w+)\}")
REFERENCE = re.compile(r"& (\w+) = ([\w.]+);")


@dataclasses.dataclass(frozen=True)
class Line:
    """`value` changes the results of `run`. Without a value, `reason` says why no short run shows the key; `key` may be
    a pattern."""

    platform: str
    key: str
    value: str = ""
    run: str = ""
    reason: str = ""


def settings(text):
    return dict(word.split("=", 1) for word in shlex.split(text))


def read(path=FOLDER / "table.txt"):
    """All lines, and the third column of each key that has one."""
    lines, hints, names, platform = [], {}, {}, ""
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        if re.fullmatch(r"\[\w+\]", text):
            platform = text[1:-1]
            continue
        name, colon, run = text.partition(": ")
        if colon and name.isupper():
            names[name] = " ".join(names.get(word, word) for word in run.split())
            continue
        what, second, hint, *more = (*(part.strip() for part in text.split(" | ")), "", "")
        if not second or any(more):
            raise SystemExit(f"{path}, line {number}: not KEY=VALUE | RUN or KEY... | REASON, and | HINT after it or "
                             f"not")
        if "=" in what:
            run = " ".join(names.get(word, word) for word in second.split())
            found = [Line(platform, key, value, run) for key, value in settings(what).items()]
        else:
            found = [Line(platform, key, reason=second) for key in what.split()]
        lines += found
        hints.update({line.key: hint for line in found if hint})
    return lines, hints


def without_line(keys, lines):
    """The keys that no line names."""
    return [key for key in keys if not any(fnmatch.fnmatchcase(key, line.key) for line in lines)]


def leaves(section, name=""):
    """Dotted key to its part of a JSON schema."""
    found = {}
    for word, part in section["properties"].items():
        found.update(leaves(part, name + word + ".") if "properties" in part else {name + word: part})
    return found


def needs(part):
    """Conditions of a key, of which all must hold: alternatives of (selector, words); no words: any text but ""."""
    conditions = []
    for text in part["description"].split("; only with ")[1:]:
        uses = [use.replace(",", "").split() for use in text.split(" or ")]
        conditions.append([(selector, [] if words == ["set"] else [word.strip('"') for word in words])
                           for selector, *words in uses])
    return conditions


def sources():
    """Texts of models and platforms that bind keys of programs; those of `pins` are devices'."""
    paths = sorted(path for folder in ("models", "platforms")
                   for path in (PROJECT / folder).rglob("*.cpp") if not {"example", "pins"} & set(path.parts))
    return [text for path in paths for text in [path.read_text(encoding="utf-8")] if "keys.add" in text]


def words():
    """Words of keys with the names of their enumerators."""
    return [(word, value) for text in sources() for word, value in ENUMERATOR.findall(text)]


def sections_of_calls(function):
    """The sections that a function's calls name, which binds its keys under each of them."""
    call = re.compile(CALL_WITH_SECTION.format(WITH_SECTION.findall(function)[-1]))
    return sorted({section for text in sources() for section in call.findall(text)})


def members():
    """Key to the members that bindings fill, by name in the source."""
    found = {}
    for text in sources():
        for binding in BINDING.finditer(text):
            function = text[text.rfind("\n}\n", 0, binding.start()) + 1 : binding.start()]
            sections = [section for name, section in OF_SECTION.findall(function) if name == binding[1]]
            if not sections and not re.fullmatch("add(_choice|_path|_or_word)?", binding[1]):
                continue
            first, dot, rest = binding[4].partition(".")
            whole = dict(REFERENCE.findall(function)).get(first, first) + dot + rest
            for section in sections_of_calls(function) if binding[2] else sections[-1:] or [""]:
                found.setdefault(section + binding[3], set()).add(whole)
    return {key: " or ".join(sorted(names)) for key, names in found.items()}


def committed(schema):
    """Text of PLATFORM.json: a line a key."""
    fills = members()
    lines = [f"{json.dumps(key)}: {json.dumps({'member': fills.get(key, ''), **part}, ensure_ascii=False)}"
             for key, part in leaves(schema).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
