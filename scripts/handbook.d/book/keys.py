# SPDX-License-Identifier: Apache-2.0
"""Reference of the keys: a page a section, from what the programs print of themselves."""

import json
import re
from dataclasses import dataclass
from typing import Dict, List

from .errors import Wrong
from .program import printed
from .text import code, escaped, slug

PLATFORMS = ("network", "cenju4", "soc", "lookup_study", "compact_study")
SEARCHED = re.compile(r"[a-z_]+(\.[a-z_0-9]+)+")


@dataclass(frozen=True)
class Key:
    """A key of a platform, as --list-keys and --json-schema describe it."""

    name: str
    meaning: str
    details: str    # type, unit, default, accepted values
    needs: str      # condition with which it has an effect, or ""


def listed(text: str) -> Dict[str, Key]:
    """The keys of a --list-keys, three lines each, in order."""
    lines = text.splitlines()
    found = {}
    for name, meaning, details in zip(lines[::3], lines[1::3], lines[2::3]):
        if name.startswith(" ") or not details.startswith("    type: "):
            raise Wrong(f"--list-keys: not the three lines of a key: {name!r}, {meaning!r}, {details!r}")
        found[name] = Key(name, meaning.strip(), details.strip(), "")
    return found


def conditions(schema: dict, prefix: str = "") -> Dict[str, str]:
    """The condition of each key of a schema that has one: 'only with ...'."""
    found = {}
    for name, of in schema.get("properties", {}).items():
        whole = prefix + name
        if of.get("type") == "object" and "properties" in of:
            found.update(conditions(of, whole + "."))
            continue
        condition = re.search(r"; only with (.*)$", of.get("description", ""))
        if condition:
            found[whole] = condition.group(1)
    return found


def of_platform(build: str, platform: str) -> Dict[str, Key]:
    """All keys of a platform."""
    program = f"{build}/platforms/{platform}"
    needs = conditions(json.loads(printed(program, "--json-schema")))
    return {name: Key(name, key.meaning, key.details, needs.get(name, ""))
            for name, key in listed(printed(program, "--list-keys")).items()}


def section(name: str) -> str:
    """The section of a key, and of keys without one."""
    return name.split(".")[0] if "." in name else "without_section"


def linked(name: str, known: Dict[str, str], up: str = "") -> str:
    """A key's name as code, and as a link where it is known."""
    return f"[{code(name)}]({up}{known[name]})" if name in known else code(name)


def places(keys: Dict[str, Dict[str, Key]]) -> Dict[str, str]:
    """For each key of any platform its page and anchor, from the folder of the pages of keys."""
    return {name: f"{section(name)}.md#{slug(name)}" for of in keys.values() for name in of}


def sentence(text: str, known: Dict[str, str]) -> str:
    """A text of the programs as Markdown, in which names of keys are links."""
    parts = re.split(r"([a-z_]+(?:\.[a-z_0-9]+)+)", text)
    return "".join(linked(part, known) if part in known else escaped(part) for part in parts)


def describe(name: str, keys: Dict[str, Dict[str, Key]], known: Dict[str, str]) -> List[str]:
    """The paragraphs of a key: one description, or one for each platform where they differ."""
    by_text: Dict[Key, List[str]] = {}
    for platform, of in keys.items():
        if name in of:
            by_text.setdefault(of[name], []).append(platform)
    lines = [f"## {code(name)}", ""]
    for key, platforms in by_text.items():
        of = ", ".join(platforms)
        lines += [f"{sentence(key.meaning, known)}.", "", f"- {escaped(key.details)}"]
        lines += [f"- has an effect with {sentence(key.needs, known)}"] if key.needs else []
        lines += [f"- of {of}", ""]
    return lines


def pages(keys: Dict[str, Dict[str, Key]]) -> Dict[str, str]:
    """The pages below reference/keys: one a section and their list."""
    known = places(keys)
    sections: Dict[str, List[str]] = {}
    for of in keys.values():
        for name in of:
            names = sections.setdefault(section(name), [])
            if name not in names:
                names.append(name)
    found = {}
    rows = []
    for one, names in sections.items():
        heading = "Keys without a section" if one == "without_section" else f"Keys of `{one}`"
        body = [line for name in names for line in describe(name, keys, known)]
        found[f"{one}.md"] = "\n".join([f"# {heading}", "", *body])
        of = ", ".join(platform for platform in keys if any(section(name) == one for name in keys[platform]))
        rows.append(f"| [{heading}]({one}.md) | {len(names)} | {of} |")
    count = len(known)
    found["index.md"] = "\n".join([
        "# Keys", "",
        f"All {count} keys of the configurations, as the programs describe them: what a key sets, its type, unit, "
        "default and range, and the words of other keys with which it has an effect. A key that is set without such "
        "an effect is refused. "
        "`build/platforms/network --list-keys WORD` lists the keys with a word.", "",
        "| section | keys | platforms |", "|---|---|---|", *rows, "",
        "```{toctree}", ":hidden:", ":maxdepth: 1", "", *[name[:-3] for name in found], "```", ""])
    return found
