# SPDX-License-Identifier: Apache-2.0
"""The description as headers of the models: nic/registers.h and nic/interface_values.h."""

import textwrap
from typing import Any, List

from .description import SOURCE, Description, Map, Structure

MADE = f"// Made of {SOURCE} by scripts/nic_interface."
WIDTH = 107  # .clang-format breaks lines at 110


def comment(text: str, indent: str = "", mark: str = "///") -> List[str]:
    """A comment, broken into lines."""
    return textwrap.wrap(" ".join(str(text).split()), WIDTH, initial_indent=f"{indent}{mark} ",
                         subsequent_indent=f"{indent}{mark} ", break_long_words=False, break_on_hyphens=False)


def constant(name: str, value: Any, kind: str = "std::uint64_t", indent: str = "") -> str:
    """A constant's definition."""
    return f"{indent}inline constexpr {kind} {name} = {value};"


def header(includes: List[str], body: List[str]) -> str:
    """A whole header."""
    return "\n".join(["// SPDX-License-Identifier: Apache-2.0", MADE, "#pragma once", "", *includes, "",
                      "namespace tsuji::nic {", *body, "", "}  // namespace tsuji::nic", ""])


def of_map(of: Map) -> List[str]:
    """Offsets of a register map."""
    lines = ["", *comment(of.text, mark="//"), "/// Size of these registers' address space.",
             constant(of.space, f"{of.bytes:#x}")]
    for block in of.blocks:
        lines += ["", *comment(block.text)]
        if block.base_name:
            lines.append(constant(block.base_name, f"{block.base:#06x}"))
        if block.counted:
            lines += [f"/// Distance in bytes between the blocks `{block.name}`.",
                      constant(block.name + "_stride", f"{block.stride:#06x}"),
                      f"/// Number of blocks `{block.name}`.", constant(block.counted, block.count, "unsigned")]
        for name, number, text in block.members:
            lines += [*comment(text), constant(name, number, "unsigned")]
        for one in block.registers:
            many = f" Register n of {one.count} is at + {of.step} n." if one.count > 1 else ""
            lines += [*comment(one.text + many),
                      constant(one.name + ("0" if one.count > 1 else ""), f"{one.offset:#05x}")]
    return lines


def registers(of: Description) -> str:
    """nic/registers.h."""
    lines: List[str] = []
    for one in of.maps:
        lines += of_map(one)
    for values in of.enumerations:
        if values.constant:
            lines += ["", *comment(values.text, mark="//")]
            for name, number, text in values.values:
                lines += [*comment(text), constant(f"{values.constant}_{name}", number)]
    return header(["#include <cstdint>"], lines)


FIELD = """
/// Bits low .. low + bits - 1 of word `word` of a structure or register.
struct Field {
  unsigned word = 0;   ///< Word of 8 bytes, from 0 on.
  unsigned low = 0;    ///< Lowest bit in the word.
  unsigned bits = 64;  ///< Width.
  /// Largest value.
  constexpr std::uint64_t largest() const { return ~std::uint64_t{0} >> (64 - bits); }
  /// Value of the field in a word.
  constexpr std::uint64_t of(std::uint64_t value) const { return value >> low & largest(); }
  /// Word with the value, which must fit, in this field, and 0 in all others.
  constexpr std::uint64_t word_of(std::uint64_t value) const { return value << low; }
};"""


def of_structure(name: str, text: str, words: List[Any], size: int) -> List[str]:
    """Positions of a structure's fields."""
    lines = ["", *comment(text), f"namespace {name} {{"]
    if size:
        lines += ["/// Size of the structure.", constant("bytes", size, "unsigned")]
    for word, fields in enumerate(words):
        for one in fields:
            lines += [*comment(one.text), constant(one.name + f"{{{word}, {one.low}, {one.bits}}}", "", "Field")
                      .replace(" = ;", ";")]
    return [*lines, f"}}  // namespace {name}"]


def structure(of: Structure) -> List[str]:
    """Positions of a structure in memory."""
    return of_structure(of.name, of.text, of.words, of.bytes)


def values(of: Description) -> str:
    """nic/interface_values.h."""
    lines = [""]
    for one in of.constants:
        large = one["value"] >= 1 << 32
        lines += [*comment(one["text"]),
                  constant(one["name"], f"{one['value']:#x}" if large else one["value"],
                           "std::uint64_t" if large else "unsigned")]
    lines += [*comment("Version of the description that this header was made of."),
              constant("interface_version", of.version, "unsigned")]
    for one in of.enumerations:
        if one.type is None or one.header is not None:
            continue
        lines += ["", *comment(one.text), f"enum class {one.type} : std::uint8_t {{"]
        for name, number, text in one.values:
            lines += [*comment(text, "  "), f"  {name} = {number},"]
        lines.append("};")
    lines += [FIELD, "", "/// Positions of bits, a namespace for each structure in memory and each register with "
              "fields.",
              "namespace fields {"]
    for one in of.structures:
        lines += structure(one)
    for of_one in of.maps:
        for block in of_one.blocks:
            for register in block.registers:
                if any(field.bits > 1 for field in register.fields):
                    lines += of_structure(register.name, f"Register `{register.name}`. {register.text}",
                                          [register.fields], 0)
    return header(["#include <cstdint>"], [*lines, "", "}  // namespace fields"])


def table(of: Description) -> str:
    """Offset and access of each register of the first map, for a test."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", MADE, "#pragma once", "", "#include <cstdint>", "#include <map>",
             "#include <string>", "", "namespace tsuji::test {", "", "// clang-format off",
             "/// Access of each register of the description, by its offset.",
             "inline const std::map<std::uint64_t, std::string> described_registers{"]
    one = of.maps[0]
    for block in one.blocks:
        for n in range(block.count):
            for register in block.registers:
                lines += [f'    {{{block.base + n * block.stride + register.offset + i * one.step:#06x}, '
                          f'"{register.access}"}},' for i in range(register.count)]
    return "\n".join([*lines, "};", "", "}  // namespace tsuji::test", ""])
