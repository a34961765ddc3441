# SPDX-License-Identifier: Apache-2.0
"""The description as the handbook's reference page."""

from typing import List

from .description import ACCESS, SOURCE, Description, Field, Map, Structure


def bits(one: Field) -> str:
    """Place of a field."""
    return f"{one.low}" if one.bits == 1 else f"{one.low + one.bits - 1}:{one.low}"


def meaning(one: Field) -> str:
    """Text of a field, with its enumeration."""
    link = f" ([`{one.values}`](#{one.values.replace('_', '-')}))" if one.values else ""
    return one.text.replace("|", "\\|") + link


def of_map(of: Map) -> List[str]:
    """Registers of a map."""
    lines = [f"## Map {of.name.replace('_', ' ')}", "",
             f"{of.text} Registers of {of.width} bits, {of.bytes:#x} bytes.", ""]
    for block in of.blocks:
        many = f", + {block.stride:#x} n for n < {block.count}" if block.count > 1 else ""
        lines += [f"### {block.name.replace('_', ' ')} at {block.base:#06x}{many}", "", block.text, "",
                  "| offset | register | access | meaning |", "|---|---|---|---|"]
        for one in block.registers:
            array = f" (n < {one.count}, + {of.step} n)" if one.count > 1 else ""
            lines.append(f"| {one.offset:#05x}{array} | `{one.name}` | {ACCESS[one.access]} | {one.text} |")
        lines.append("")
        for one in block.registers:
            if one.fields:
                lines += [f"Bits of `{one.name}`:", "", "| bits | field | meaning |", "|---|---|---|",
                          *(f"| {bits(each)} | `{each.name}` | {meaning(each)} |" for each in one.fields), ""]
    return lines


def of_structure(of: Structure) -> List[str]:
    """A structure in memory."""
    lines = [f"### {of.name.replace('_', ' ')}", "", f"{of.text} {of.bytes} bytes.", "",
             "| word | bits | field | meaning |", "|---|---|---|---|"]
    for number, word in enumerate(of.words):
        lines += [f"| {number} | {bits(one)} | `{one.name}` | {meaning(one)} |" for one in word]
    return [*lines, ""]


def text(of: Description) -> str:
    """The whole page."""
    lines = ["# Network interface", "", f"{of.text}, version {of.version} of the description. Made of `{SOURCE}`, as "
             "are the models' constants, `models/tsuji/nic/software/tsuji_nic.h` (C99) and `tsuji_nic.rdl` (SystemRDL) "
             "beside it. How software uses it: [A processor and its software](../topics/kit.md).", ""]
    for one in of.maps:
        lines += of_map(one)
    lines += ["## Structures in memory", "", "Words of 64 bits, little-endian. Fields that are not listed are 0.", ""]
    for structure in of.structures:
        lines += of_structure(structure)
    lines += ["## Values", ""]
    for values in of.enumerations:
        lines += [f"### {values.name.replace('_', ' ')}", "", values.text, "", "| number | name | meaning |",
                  "|---|---|---|",
                  *(f"| {number} | `{name}` | {' '.join(words.split())} |"
                    for name, number, words in values.values), ""]
    lines += ["### constants", "", "| name | value | meaning |", "|---|---|---|",
              *(f"| `{one['name']}` | {one['value'] if one['value'] < 1 << 20 else hex(one['value'])} "
                f"| {one['text']} |" for one in of.constants), ""]
    return "\n".join(lines)
