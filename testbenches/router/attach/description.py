# SPDX-License-Identifier: Apache-2.0
"""A router's description, checked against the pins of its RTL."""

import dataclasses
import math
import pathlib

import pins as rtl

LEAST_PAYLOAD_BITS = 8  # of a flit: its name inside a router
MOST_VCS, MOST_PORTS, MOST_FLITS, MOST_PLACES = 16, 64, 5461, 256
MOST_CANDIDATES = 32  # of a routing
OWN_ARGUMENTS = ("--cc", "--sc", "--exe", "--build", "--binary", "--xml-only", "--lint-only", "--Mdir", "-Mdir",
                 "--prefix", "--top-module", "--top", "--o")
TARGETS = ("all", "clean", "depend", "edit_cache", "help", "install", "package", "rebuild_cache", "test")

SECTIONS = ("name", "what", "verilator", "top", "parameters", "declarations", "interfaces", "clock", "reset", "place",
            "static", "errors", "table", "ports", "flow", "vcs", "buffer_flits",
            "reserve_flits", "outputs", "registers_between", "stands_when_empty", "settle_cycles", "limits", "in",
            "out", "flits", "heads", "bodies", "kinds", "channels", "network")
OF_CHANNELS = ("in", "out", "flits", "heads", "bodies")
BACK_OF = {"credits": ("credit", "credit_vc"), "valid_ready": ("ready",), "on_off": ("on", "off")}
FLOWS = tuple(BACK_OF)
AXES = ("x", "y", "z")
COMMON = ("is_head", "is_tail", "kind", "vc")
HEAD = ("destination", "router", "x", "y", "z", "output", "output_vcs", "length")
FLIT = COMMON + HEAD + ("payload",)
BACK = ("credit", "ready", "on", "off")  # against the flits
MASKS = (*BACK, "valid", "output_vcs", "vcs")
TABLE = ("valid", "row", "output", "vcs", "candidate", "lesser")
FOREIGN = (".c", ".cc", ".cpp", ".cxx")  # of DPI


@dataclasses.dataclass
class Field:
    """Bits and where the file names them."""
    slice: rtl.Slice
    value: object
    first_high: bool = False


@dataclasses.dataclass
class Description:
    """Everything that the generated source needs."""
    name: str = ""
    what: str = ""
    folder: pathlib.Path = None
    top: str = ""
    made_top: str = ""     # text of a module `top` around the described one; empty: `top` is the described one
    arguments: list = None
    files: list = None     # that Verilator has read
    circles: list = None   # signals of always blocks that are functions of each other
    foreign: list = None   # C and C++ files
    pins: dict = None
    clock: Field = None
    more_clocks: list = None  # (Field, rising edges a cycle)
    port_buffer_flits: list = None  # [port]; None: buffer_flits
    reset: Field = None
    reset_high: bool = True
    reset_cycles: int = 2
    place: dict = None     # router, x, y, z: Field
    parameters: dict = None  # router, x, y, z: name of a parameter of the top module
    radices: list = None   # of the mesh whose places the parameters are; None: no parameters
    network: str = ""      # keys of the network as YAML, each in its line and column of the description
    length_minus: int = 0
    reserve_flits: int = 1
    off_is_high: bool = False
    credit_limit_cycles: int = 64
    wait_limit_cycles: int = 1000
    static: list = None    # (Field, value)
    errors: list = None    # Field
    table: dict = None     # valid, row, output, vcs, candidate, lesser: Field
    candidates: int = 1    # of a head in the table
    ports: list = None     # names
    order: list = None     # [port of the network] number of the RTL's port
    flow: str = "credits"
    vcs: int = 1           # of all channels
    channels: list = None  # (name, Section of its pins, virtual channels); None: one channel, of the whole file
    buffer_flits: int = 8
    follow_inputs: bool = False
    stands_when_empty: bool = False
    settle_cycles: int = 16
    kinds: list = None     # body, head, tail, both
    sides: list = None     # [port]["in" or "out"][role]: Field; body_payload is a role; ports of each channel in turn

    def places(self):
        """Routers of the mesh that the RTL is made for."""
        return math.prod(self.radices)

    def place_arguments(self, router):
        """Verilator's arguments for one place; x counts first."""
        place, rest = {"router": router}, router
        for axis, radix in zip(AXES, self.radices):
            place[axis], rest = rest % radix, rest // radix
        return [f"-G{name}={place[key]}" for key, name in self.parameters.items()]


def bits_for(values):
    return max(1, (values - 1).bit_length())


def first_high(role, piece):
    """True if the first virtual channel of a mask is its highest bit."""
    return role in MASKS and piece.width > 1 and piece.ascending
