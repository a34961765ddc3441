# SPDX-License-Identifier: Apache-2.0
"""The description of the network interface (models/tsuji/nic/interface.yaml), read and checked."""

import pathlib
import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import yaml

SOURCE = "models/tsuji/nic/interface.yaml"
ACCESS = {
    "rw": "read and write",
    "ro": "read only",
    "rw1c": "read; writing 1 clears a bit",
    "clear": "read; a write clears",
    "act": "a write acts; reads give 0",
}
WORD = 64


class Wrong(Exception):
    """A description that contradicts itself."""


@dataclass
class Field:
    """Bits of a word or register; `whole`: all of them, without a position in the description."""

    name: str
    low: int
    bits: int
    whole: bool
    text: str
    values: Optional[str]  # name of an enumeration

    @property
    def mask(self) -> int:
        """Ones at the field's place."""
        return ((1 << self.bits) - 1) << self.low


@dataclass
class Enumeration:
    """Numbers with a name and a meaning each."""

    name: str
    text: str
    values: List[Any]
    type: Optional[str] = None      # of C++
    constant: Optional[str] = None  # constants of C++ with this prefix in place of a type
    header: Optional[str] = None    # of C++, where the type is declared already


@dataclass
class Register:
    """A register, or `count` neighbours."""

    name: str
    offset: int
    access: str
    text: str
    count: int
    fields: List[Field]


@dataclass
class Block:
    """Registers at base + n * stride for n < count."""

    name: str
    base: int
    text: str
    registers: List[Register]
    stride: int
    count: int
    counted: Optional[str]
    base_name: Optional[str]
    members: List[Any]


@dataclass
class Map:
    """A register map."""

    name: str
    text: str
    width: int
    bytes: int
    space: str
    blocks: List[Block]

    @property
    def step(self) -> int:
        """Bytes of a register."""
        return self.width // 8


@dataclass
class Structure:
    """Words in memory."""

    name: str
    text: str
    words: List[List[Field]]

    @property
    def bytes(self) -> int:
        """Size."""
        return len(self.words) * WORD // 8


@dataclass
class Description:
    """All of it."""

    name: str
    text: str
    version: int
    constants: List[Any]
    enumerations: List[Enumeration]
    maps: List[Map]
    structures: List[Structure]

    def enumeration(self, name: str) -> Enumeration:
        """The enumeration of that name."""
        return next(one for one in self.enumerations if one.name == name)


def line(text: str) -> str:
    """A text without line ends."""
    return " ".join(str(text).split())


def take(data: Dict[str, Any], where: str, needed: str, optional: str = "") -> Dict[str, Any]:
    """The keys of a mapping; Wrong for unknown and missing ones."""
    known = needed.split() + optional.split()
    for key in data:
        if key not in known:
            raise Wrong(f"{where}: unknown key (got {key!r}); accepted: {', '.join(known)}")
    for key in needed.split():
        if key not in data:
            raise Wrong(f"{where}: no key {key!r}")
    name = data.get("name")
    if name is not None and not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise Wrong(f"{where}: name (got {name!r}); accepted: lower case, digits, underscores")
    return data


def read_fields(listed: List[Any], width: int, where: str, enumerations: Dict[str, Any]) -> List[Field]:
    """Fields that do not overlap."""
    fields: List[Field] = []
    used = 0
    for data in listed:
        take(data, where, "name text", "bits enumeration")
        here = f"{where}: {data['name']}"
        bits = str(data.get("bits", f"{width - 1}:0"))
        if not re.fullmatch(r"\d+(:\d+)?", bits):
            raise Wrong(f"{here}: bits (got {bits!r}); accepted: HIGH:LOW or BIT")
        high, low = (int(one) for one in (bits.split(":") * 2)[:2])
        values = data.get("enumeration")
        if not low <= high < width:
            raise Wrong(f"{here}: bits (got {bits!r}); accepted: within {width - 1}:0")
        if values is not None and values not in enumerations:
            raise Wrong(f"{here}: no enumeration {values!r}")
        field = Field(data["name"], low, high - low + 1, "bits" not in data, line(data["text"]), values)
        if used & field.mask:
            raise Wrong(f"{here}: bits (got {bits!r}) are those of another field")
        used |= field.mask
        fields.append(field)
    return fields


def read_register(data: Dict[str, Any], width: int, where: str, enumerations: Dict[str, Any]) -> Register:
    """A register; `flags` make a field of one bit for each value of an enumeration."""
    take(data, where, "name offset access text", "count fields flags")
    here = f"{where}: {data['name']}"
    if data["access"] not in ACCESS:
        raise Wrong(f"{here}: access (got {data['access']!r}); accepted: {', '.join(ACCESS)}")
    if data["offset"] % (width // 8):
        raise Wrong(f"{here}: offset (got {data['offset']:#x}); accepted: multiples of {width // 8}")
    fields = read_fields(data.get("fields", []), width, here, enumerations)
    if "flags" in data:
        if data["flags"] not in enumerations:
            raise Wrong(f"{here}: no enumeration {data['flags']!r}")
        fields = [Field(name, number, 1, False, line(text), None)
                  for name, number, text in enumerations[data["flags"]]["values"]]
    return Register(data["name"], data["offset"], data["access"], line(data["text"]), data.get("count", 1), fields)


def read_map(data: Dict[str, Any], enumerations: Dict[str, Any]) -> Map:
    """A map whose registers do not overlap."""
    take(data, data["name"], "name width bytes text space blocks")
    made = Map(data["name"], line(data["text"]), data["width"], data["bytes"], data["space"], [])
    used: Dict[int, str] = {}
    for block in data["blocks"]:
        take(block, data["name"], "name base text registers", "stride count counted base_of_all members")
        registers = [read_register(one, made.width, block["name"], enumerations) for one in block["registers"]]
        count, stride = block.get("count", 1), block.get("stride", 0)
        made.blocks.append(Block(block["name"], block["base"], line(block["text"]), registers, stride, count,
                                 block.get("counted"), block.get("base_of_all"), block.get("members", [])))
        for place in (block["base"] + n * stride + one.offset + i * made.step
                      for n in range(count) for one in registers for i in range(one.count)):
            if place in used or place + made.step > made.bytes:
                raise Wrong(f"{block['name']}: a register at {place:#x}, which is "
                            f"{used.get(place) or 'outside the map'}")
            used[place] = f"a register of {block['name']}"
    return made


def read(project: pathlib.Path) -> Description:
    """Reads the description; Wrong where it contradicts itself."""
    data = yaml.safe_load((project / SOURCE).read_text(encoding="utf-8"))
    take(data, SOURCE, "name version text constants enumerations maps structures")
    listed = {}
    enumerations = []
    for one in data["enumerations"]:
        take(one, "enumerations", "name text values", "type constant in")
        numbers = [number for _, number, _ in one["values"]]
        if numbers != sorted(set(numbers)):
            raise Wrong(f"{one['name']}: numbers do not rise")
        listed[one["name"]] = one
        enumerations.append(Enumeration(one["name"], line(one["text"]), one["values"], one.get("type"),
                                        one.get("constant"), one.get("in")))
    for one in data["constants"]:
        take(one, "constants", "name value text")
    structures = []
    for one in data["structures"]:
        take(one, "structures", "name text words")
        words = [read_fields(word, WORD, f"{one['name']}: word {n}", listed) for n, word in enumerate(one["words"])]
        names = [field.name for word in words for field in word]
        if len(names) != len(set(names)):
            raise Wrong(f"{one['name']}: two fields have one name")
        structures.append(Structure(one["name"], line(one["text"]), words))
    return Description(data["name"], line(data["text"]), data["version"], data["constants"], enumerations,
                       [read_map(one, listed) for one in data["maps"]], structures)
