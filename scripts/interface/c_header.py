# SPDX-License-Identifier: Apache-2.0
"""The description as a header of C99 for software on a node's processor."""

import textwrap
from typing import List

from .description import ACCESS, SOURCE, Block, Description, Map, Structure

HEAD = f"""/* SPDX-License-Identifier: Apache-2.0 */
/* Made of {SOURCE} by scripts/nic_interface. C99 and C++11.
 *
 * TSUJI_NAME(n) of a register is its offset from the start of its map; n is the number of the block or of the register
 * where there are several. Fields have a _SHIFT and a _MASK in place. Structures are in memory, little-endian. A 32-bit
 * processor writes a register of 64 bits by its lower word alone, which leaves the upper one unchanged.
 */
#ifndef TSUJI_NIC_H
#define TSUJI_NIC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define TSUJI_ASSERT(name, condition) static_assert(condition, #name)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TSUJI_ASSERT(name, condition) _Static_assert(condition, #name)
#else
#define TSUJI_ASSERT(name, condition) typedef char tsuji_assert_##name[(condition) ? 1 : -1]
#endif

/* Value of a field in a word, and word with a value in a field: TSUJI_GET(word, PARCEL_HEADER_LENGTH). */
#define TSUJI_GET(word, field) (((word) & TSUJI_##field##_MASK) >> TSUJI_##field##_SHIFT)
#define TSUJI_PUT(value, field) (((uint64_t)(value) << TSUJI_##field##_SHIFT) & TSUJI_##field##_MASK)
"""


def comment(text: str) -> List[str]:
    """A comment, broken into lines."""
    lines = textwrap.wrap(text, 114, break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        return [f"/* {lines[0]} */"]
    return [f"/* {lines[0]}", *(f" * {line}" for line in lines[1:-1]), f" * {lines[-1]} */"]


def define(name: str, value: str) -> str:
    """A macro."""
    return f"#define TSUJI_{name} {value}"


def literal(value: int) -> str:
    """A number without a sign."""
    return f"UINT64_C({value:#x})" if value >= 1 << 32 else f"{value:#x}u"


def fields(owner: str, words: List[List]) -> List[str]:
    """Shifts and masks of fields that are not whole words."""
    lines = []
    for word in words:
        for one in word:
            if one.whole:
                continue
            name = f"{owner}_{one.name}".upper()
            lines += [*comment(one.text), define(name + "_SHIFT", str(one.low)),
                      define(name + "_MASK", f"UINT64_C({one.mask:#x})")]
    return lines


def block_struct(of: Map, block: Block) -> List[str]:
    """The registers of a block as a structure, with its gaps."""
    lines = ["typedef struct {"]
    kind, place, gaps = f"volatile uint{of.width}_t", 0, 0
    for one in sorted(block.registers, key=lambda register: register.offset):
        if one.offset > place:
            lines.append(f"  {kind} unused{gaps}[{(one.offset - place) // of.step}];")
            gaps += 1
        const = "const " if one.access == "ro" else ""
        lines.append(f"  {const}{kind} {one.name}{f'[{one.count}]' if one.count > 1 else ''};")
        place = one.offset + one.count * of.step
    lines.append(f"}} tsuji_{block.name}_registers;")
    return lines + [f"TSUJI_ASSERT({block.name}_{one.name}, "
                    f"offsetof(tsuji_{block.name}_registers, {one.name}) == {one.offset:#x});"
                    for one in block.registers]


def of_map(of: Map) -> List[str]:
    """Registers of a map."""
    lines = ["", *comment(f"Map {of.name}: {of.text}"), define(of.space.upper(), literal(of.bytes))]
    for block in of.blocks:
        lines += ["", *comment(block.text), define(block.name.upper() + "_BASE", literal(block.base))]
        if block.count > 1:
            lines += [define(block.name.upper() + "_STRIDE", literal(block.stride)),
                      define(block.name.upper() + "_COUNT", literal(block.count))]
        lines += [define(name.upper(), literal(number)) for name, number, _ in block.members]
        for one in block.registers:
            arguments = [name for name, many in (("set", block.count > 1), ("n", one.count > 1)) if many]
            place = literal(block.base + one.offset)
            place += f" + {literal(block.stride)} * (set)" if block.count > 1 else ""
            place += f" + {literal(of.step)} * (n)" if one.count > 1 else ""
            name = one.name.upper() + (f"({', '.join(arguments)})" if arguments else "")
            lines += [*comment(f"{one.text} ({ACCESS[one.access]})"),
                      define(name, f"({place})" if arguments else place)]
            if any(field.bits > 1 for field in one.fields):
                lines += fields(one.name, [one.fields])
        lines += block_struct(of, block)
    return lines


def of_structure(of: Structure) -> List[str]:
    """A structure in memory."""
    lines = ["", *comment(of.text), "typedef struct {"]
    offsets = []
    for number, word in enumerate(of.words):
        if len(word) == 1 and word[0].whole:
            name = word[0].name
            lines.append(f"  uint64_t {name}; /* {word[0].text} */")
        else:
            name = f"word{number}" if word else f"unused{number}"
            lines.append(f"  uint64_t {name};")
        offsets.append((name, 8 * number))
    lines.append(f"}} tsuji_{of.name};")
    lines.append(f"TSUJI_ASSERT({of.name}, sizeof(tsuji_{of.name}) == {of.bytes});")
    lines += [f"TSUJI_ASSERT({of.name}_{name}, offsetof(tsuji_{of.name}, {name}) == {offset});"
              for name, offset in offsets]
    return lines + fields(of.name, of.words)


def text(of: Description) -> str:
    """The whole header."""
    lines = [HEAD, define("INTERFACE_VERSION", literal(of.version))]
    for one in of.constants:
        lines += [*comment(one["text"]), define(one["name"].upper(), literal(one["value"]))]
    for values in of.enumerations:
        lines += ["", *comment(values.text), f"enum tsuji_{values.name} {{"]
        last = len(values.values) - 1
        for at, (name, number, meaning) in enumerate(values.values):
            lines.append(f"  TSUJI_{values.name.upper()}_{name.upper()} = {number}{',' if at < last else ''} "
                         f"/* {' '.join(meaning.split())} */")
        lines.append("};")
    for structure in of.structures:
        lines += of_structure(structure)
    for one in of.maps:
        lines += of_map(one)
    return "\n".join([*lines, "", "#endif", ""])
