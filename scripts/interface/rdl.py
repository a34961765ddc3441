# SPDX-License-Identifier: Apache-2.0
"""The description as SystemRDL 2.0 (Accellera, January 2018)."""

from typing import List

from .description import SOURCE, Description, Field, Map, Register, Structure

WRITES = {"rw": "sw = rw;", "ro": "sw = r;", "rw1c": "sw = rw; onwrite = woclr;", "clear": "sw = rw; onwrite = wclr;",
          "act": "sw = w;"}


def quoted(text: str) -> str:
    """A string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def field(one: Field, indent: str, properties: str = "") -> str:
    """A field with its place."""
    values = f" encode = {one.values}_e;" if one.values else ""
    inside = f"{properties}{values} desc = {quoted(one.text)};".strip()
    return f"{indent}field {{ {inside} }} {one.name}[{one.low + one.bits - 1}:{one.low}];"


def register(of: Map, one: Register) -> List[str]:
    """A register with its fields, or one field of its whole width."""
    fields = one.fields or [Field("value", 0, of.width, True, one.text, None)]
    many = f"[{one.count}]" if one.count > 1 else ""
    step = f" += {of.step:#x}" if one.count > 1 else ""
    return ["    reg {", f"      desc = {quoted(one.text)};",
            *(field(each, "      ", WRITES[one.access]) for each in fields),
            f"    }} {one.name}{many} @ {one.offset:#x}{step};"]


def of_map(of: Map, name: str) -> List[str]:
    """An address map."""
    lines = ["", f"addrmap {name}_{of.name} {{", f"  desc = {quoted(of.text)};", f"  default regwidth = {of.width};",
             f"  default accesswidth = {of.width};", "  default hw = rw;"]
    for block in of.blocks:
        many = f"[{block.count}]" if block.count > 1 else ""
        step = f" += {block.stride:#x}" if block.count > 1 else ""
        lines += ["  regfile {", f"    desc = {quoted(block.text)};"]
        for one in block.registers:
            lines += register(of, one)
        lines.append(f"  }} {block.name}{many} @ {block.base:#x}{step};")
    return [*lines, "};"]


def of_structure(of: Structure, place: int) -> List[str]:
    """A structure as a memory with virtual registers."""
    lines = ["  external mem {", f"    desc = {quoted(of.text)};", f"    mementries = {len(of.words)};",
             "    memwidth = 64;"]
    for number, word in enumerate(of.words):
        if not word:
            continue
        name = word[0].name if len(word) == 1 and word[0].whole else f"word{number}"
        lines += ["    reg {", "      regwidth = 64;", *(field(one, "      ", "sw = rw;") for one in word),
                  f"    }} {name}_word @ {8 * number:#x};"]
    return [*lines, f"  }} {of.name} @ {place:#x};"]


def text(of: Description) -> str:
    """The whole text."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// Made of {SOURCE} by scripts/nic_interface. SystemRDL 2.0."]
    for values in of.enumerations:
        width = max(number for _, number, _ in values.values).bit_length()
        used = {one.values: one.bits for structure in of.structures for word in structure.words for one in word}
        used.update({one.values: one.bits for each in of.maps for block in each.blocks for r in block.registers
                     for one in r.fields})
        if values.name not in used:
            continue
        lines += ["", f"// {values.text}", f"enum {values.name}_e {{"]
        lines += [f"  {name}_v = {max(width, 1)}'d{number} {{ desc = {quoted(' '.join(meaning.split()))}; }};"
                  for name, number, meaning in values.values]
        lines.append("};")
    for one in of.maps:
        lines += of_map(one, of.name)
    lines += ["", "// Structures in memory, a memory for each; addresses only keep them apart.",
              f"addrmap {of.name}_formats {{", "  desc = \"Formats of parcels, packets, tables and the boot block.\";"]
    for number, structure in enumerate(of.structures):
        lines += of_structure(structure, 0x1000 * number)
    return "\n".join([*lines, "};", ""])
