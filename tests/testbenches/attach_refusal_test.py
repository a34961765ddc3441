#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bad descriptions of a router's RTL: each is refused by scripts/attach_rtl with file, line and column, the value and
what fits.

usage: attach_refusal_test.py PROJECT

A case replaces a piece of an example's description; the character @ in the new text is the place of the refusal, and no
part of it.
"""

import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import unittest

import yaml
from benches import FolderTest

PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(PROJECT / "testbenches/router/attach"))

import pins  # noqa: E402
from reader import describe  # noqa: E402
from places import Refused  # noqa: E402

EXAMPLES = PROJECT / "testbenches/router/examples"
READ = {}  # pins by Verilator's arguments: the RTL stays the same


def read_once(arguments, folder, *top, verilate=pins.verilate):
    key = (*arguments, *top[:1])
    if key not in READ:
        READ[key] = verilate(arguments, folder, *top)
    return READ[key]


class Refusals(FolderTest):
    def setUp(self):
        super().setUp()
        self.enterPatch()

    def enterPatch(self):
        pins.verilate, before = read_once, pins.verilate
        self.addCleanup(setattr, pins, "verilate", before)

    def refused(self, text, example):
        """The refusal of this description, and the place that @ marks."""
        at = text.find("@")
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        for file in (EXAMPLES / example).iterdir():
            if not (self.folder / file.name).exists():
                shutil.copy(file, self.folder)
        file = self.folder / "changed.yaml"
        file.write_text(text.replace("@", ""), encoding="utf-8")
        with self.assertRaises(Refused) as refusal:
            describe(str(file))
        said = str(refusal.exception)
        place = f"{file}:{line}:{column}: " if at >= 0 else f"{file}:"
        self.assertTrue(said.startswith(place), f"{place} is not the place of\n{said}")
        self.assertRegex(said, r" \(got '.*'\); accepted: .", said)
        return said

    def check(self, example, cases):
        good = (EXAMPLES / example / f"{example}.yaml").read_text(encoding="utf-8")
        good = good.replace("../", f"{EXAMPLES}/")
        for old, new, *parts in cases:
            with self.subTest(new=new):
                self.assertEqual(good.count(old), 1, old)
                said = self.refused(good.replace(old, new), example)
                for part in parts:
                    self.assertIn(part, said)


class Channels(Refusals):
    def test_channels(self):
        self.check("channels", [
            ("flow: valid_ready\n", "flow: valid_ready\nvcs: @2\n", "vcs: each of the channels has it (got '2')"),
            ("flow: valid_ready\n", "flow: valid_ready\nheads: @{x: [2:0]}\n", "heads: each of the channels has it"),
            ("  rsp:\n", "  rsp:\n    flow: @credits\n",
             "channels.rsp.flow: channels with several kinds of flow control (got 'credits'); accepted: valid_ready"),
            ("  rsp:\n", "  rsp:\n    vcs: @17\n", "channels.rsp.vcs: out of range"),
            ("  rsp:\n", "  rsp:\n    buffer_flits: @4\n", "channels.rsp.buffer_flits: unknown key"),
            ("  rsp:\n    in:", "  r-sp:\n    @in:", "channels.r-sp: not a name"),
            ('"rsp_valid_i[{index}]"', '@"req_valid_i[{index}]"', "overlaps channels.req.in.valid of line"),
            ("    heads: {y: [5:3], x: [2:0]}\n", "", "nothing tells the RTL where a packet goes"),
            ('ready: "rsp_ready_o[{index}]"', 'ready: @"rsp_ready_o"', "the field has 5 bits"),
        ])

    def test_one_channel(self):
        text = (EXAMPLES / "channels/channels.yaml").read_text(encoding="utf-8").replace("../", f"{EXAMPLES}/")
        first = text.index("  rsp:\n")
        said = self.refused(text[:first].replace("channels:  #", "channels: #").replace("  req:", "  @req:")
                            + text[text.index("network:\n"):], "channels")
        self.assertIn("channels: there are no several channels (got '1')", said)


class Lookahead(Refusals):
    def test_keys(self):
        self.check("lookahead", [
            ("vcs: 4\n", "vcs: 4\nvcz: @3\n", "vcz: unknown key, did you mean 'vcs'?"),
            ("active: low, cycles: 2}", "active: low, cycle: @4}",
             "reset.cycle: unknown key, did you mean 'reset.cycles'?"),
            ("vcs: 4\n", "vcs: 4\n@vcs: 3\n", "vcs: the key is there twice", "the first is in line"),
            ("vcs: 4\n", "vcs: @17\n", "vcs: out of range (got '17'); accepted: an integer 1..16"),
            ("vcs: 4\n", "vcs: @many\n", "vcs: out of range (got 'many')"),
            ("buffer_flits: 4", "buffer_flits: @0", "accepted: an integer 1..5461"),
            ("active: low", "active: @no", "accepted: high or low"),
            ("flow: credits", "flow: @ready", "flow: no such word (got 'ready'); accepted: credits or valid_ready"),
            ("top: lookahead_router\n", "", "top: the key is missing"),
            ("name: lookahead", "name: @look-ahead", "not a name"),
            ("name: lookahead", "name: @test", "a name that CMake has taken (got 'test')"),
            ("ports:\n", "port:\n", "port: unknown key, did you mean 'ports'?"),
            ("heads: {", "head: @{", "head: unknown key, did you mean 'heads'?"),
            ("flow: credits", "flow: credits\nkinds: @4", "kinds: not a section"),
            ("vcs: 4\n", "vcs: {4: [@}\n", "got 'no YAML'"),
            ("vcs: 4\n", "vcs: 4\nregisters_between: @true\n", "has no effect with flow credits"),
            ("vcs: 4\n", "vcs: 4\nsettle_cycles: @4\n", "has no effect without stands_when_empty"),
            ("vcs: 4\n", "vcs: 4\nkinds: @{body: 0, head: 1, tail: 2, both: 3}\n",
             "has no effect without a field kind"),
        ])

    def test_files_of_c_alone(self):
        (self.folder / "called.cpp").write_text("", encoding="utf-8")
        self.check("lookahead",
                   [("files: [lookahead_router.v, la_pool.v, la_round_robin.v]", "@files: [called.cpp]",
                     "verilator: no RTL",
                     "files, or a list by -f in arguments")])

    def test_pins(self):
        self.check("lookahead", [
            ("clock: clk_i", "clock: @clk", "clock: the top module has no pin 'clk' (got 'clk'); accepted: clk_i"),
            ("clock: clk_i", "clock: @credit_o", "the pin is an output", "accepted: an input"),
            ("clock: clk_i", "clock: @credit_i", "the pin has 20 bits (got 'credit_i'); accepted: 1 bit"),
            ('valid: "flit_valid_i[{index}]"', 'valid: @"flit_valid_o[{index}]"', "the pin is an output",
             "flit_valid_i"),
            ('valid: "flit_valid_i[{index}]"', 'valid: @"flit_valid_i"', "the field has 5 bits",
             "accepted: 1: one bit"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"', 'vc: @"flit_vc_i[{index}*3 +: 2]"',
             "flit_vc_i[9:10] is outside of the pin, which is 10 bits",
             "flit_vc_i[0:9]"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"', 'vc: @"flit_vc_i[{index}*2+1:{index}*2]"',
             "flit_vc_i[1:0] is in the other bit order"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"', 'vc: @"flit_vc_i[{index}*2]"', "1 bits, too few for 4 virtual channels",
             "accepted: 2 bits or more"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"', 'vc: @"flit_vc_i[{lane}*2 +: 2]"',
             "an unknown placeholder 'lane'"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"', 'vc: @"flit_vc_i[{index}*W +: 2]"', "not an index"),
            ('credit: "credit_o[{index}*4 +: 4]"', 'credit: @"credit_o[{index}*4 +: 3]"', "the field has 3 bits",
             "accepted: 4: a bit a virtual channel"),
            ("errors: [fault_o]", "errors: [@fault_i]", "no pin 'fault_i'", "fault_o"),
            ("errors: [fault_o]", "errors: [@flit_o]", "errors: the field has 320 bits", "64 bits at most"),
            ("place: {x: here_x_i, y: here_y_i}", "place: {x: here_x_i, y: @flit_i}", "the field has 320 bits",
             "64 bits at most"),
            ("place: {x: here_x_i, y: here_y_i}", "@place: {x: here_x_i}".replace("@", ""),
             "nothing drives the input 'here_y_i'"),
            ("vcs: 4\n", "vcs: 4\nstatic: {clk_i: @1}\n", "overlaps clock of line"),
            ("place: {x: here_x_i, y: here_y_i}", "static: {here_x_i: @8, here_y_i: 0}",
             "static.here_x_i: out of range (got '8')", "0..7"),
        ])

    def test_fields(self):
        self.check("lookahead", [
            ("x: [3:5]", "x: @[2:5]", "heads.x: overlaps heads.output of line",
             "in bit flit_i[2], in of port local (got '[2:5] and [0:2]'"),
            ("payload: [20:63]}", "payload: @[57:63]}", "7 bits, too few to name the flits inside",
             "accepted: 8 bits or more"),
            ("bodies: {payload: [0:43]}", "bodies: {payload: @[0:6]}", "7 bits, too few"),
            ("payload: [20:63]}", "payload: @[20:64]}", "not bits of the flit, which is 64 bits", "[0:63]"),
            ("x: [3:5]", "x: @[-1:1]", "not bits of the flit"),
            ("x: [3:5]", "x: @[5:3]", "not bits of the flit", "[0:63]"),
            ("output: [0:2]", "output: @[0:1]", "2 bits, too few for 5 ports", "accepted: 3 bits or more"),
            ("heads: {output: [0:2], x: [3:5], y: [6:8], length: [9:14], payload: [20:63]}",
             "heads: {length: [9:14], payload: [20:63]}",
             "nothing tells the RTL where a packet goes"),
            ("x: [3:5], y: [6:8]", "y: @[6:8]", "heads.y: the coordinate y without x"),
            ("x: [3:5], y: [6:8]", "destination: [3:5], router: @[6:8]", "the head has a node and a router"),
            ('  flit: "flit_i[{index}*64 +: 64]"\n', "", "bits of a flit, and in of port local has none"),
            ('flit: "flit_i[{index}*64 +: 64]"', 'flit: @"flit_i[{index}*60 +: 64]"',
             "in of port north overlaps in of port local in flit_i"),
            ('vc: "flit_vc_o[{index}*2 +: 2]"\n', "\n", "no virtual channel, and there are 4"),
            ('  credit: "credit_i[{index}*4 +: 4]"\n', "", "out.credit: the key is missing"),
        ])

    def test_ports_and_virtual_channels(self):
        self.check("lookahead", [
            ("network: [east,", "network: [@up,",
             "the RTL has no such port (got 'up'); accepted: local, north, east, south, west"),
            ("network: [east, west,", "network: [east, @east,", "the port stands at two of the network's"),
            ("network: [east, west, north, south, local]", "network: @[east, west]",
             "too few ports for a network (got '2')"),
            ("rtl: [local, north,", "rtl: [@local, local,", "two ports of one name"),
            ('vc: "flit_vc_i[{index}*2 +: 2]"\n  flit', 'flit',
             "in of port local has no virtual channel, and there are 4"),
            ('credit: "credit_o[{index}*4 +: 4]"', 'credit: @"credit_o[{index}*4 +: 2]"\n  credit_vc: '
             '"credit_o[{index}*4+2 +: 2]"',
             "the field has 2 bits", "accepted: 1: one bit"),
            ("top: lookahead_router", 'top: @""', "not a word"),
            ("vcs: 4\n", "vcs: 5\n", "in.credit: the field has 4 bits", "accepted: 5: a bit a virtual channel"),
        ])

    def test_resets(self):
        self.check("lookahead", [
            ("reset: {pin: rst_ni, active: low, cycles: 2}", "reset: {pin: @[rst_ni, clk_i], active: low}",
             "reset.pin: more than one reset (got 'rst_ni, clk_i'); accepted: one pin"),
            ("reset: {pin: rst_ni, active: low, cycles: 2}",
             "reset: {pin: rst_ni, active: low, cycles: 2}\n@reset: {pin: clk_i, active: low}",
             "reset: the key is there twice"),
            ("reset: {pin: rst_ni, active: low, cycles: 2}", "reset: {pin: @clk_i, active: low}",
             "reset.pin: overlaps clock of line"),
        ])

    def test_a_second_reset_of_the_rtl_is_driven_by_nothing(self):
        rtl = (EXAMPLES / "lookahead/lookahead_router.v").read_text(encoding="utf-8")
        (self.folder / "two.v").write_text(rtl.replace("  input  wire         rst_ni,\n",
                                                       "  input wire rst_ni,\n  input wire rst2_ni,\n"))
        good = (EXAMPLES / "lookahead/lookahead.yaml").read_text(encoding="utf-8")
        said = (self.refused(good.replace("[lookahead_router.v,", "[two.v,").replace("vcs: 4\n",
                                                                                     "vcs: 4\nstatic: @{}\n"),
                             "lookahead"))
        self.assertIn("nothing drives the input 'rst2_ni'; there is one reset and one clock, and this one is like "
                      "rst_ni", said)


class Table(Refusals):
    def test_tables(self):
        good = (EXAMPLES / "twin/twin.yaml").read_text(encoding="utf-8")
        good = good.replace("../..", str(PROJECT / "testbenches/router")).replace(
            "row: table_row,", 'row: "table_row[4:0]", candidate: "table_row[5]", candidates: 2,')
        output, vcs = 'output: "table_entry[15:0]"', 'vcs: "table_entry[31:16]"'
        for old, new, told in (
                (vcs, 'vcs: @"table_entry[18:16]"', "the field has 3 bits, too few for 4 virtual channels"),
                (output, 'output: @"table_entry[1:0]"', "the field has 2 bits, too few for 5 ports"),
                (f", {vcs}}}", "}", "several candidates, and nodes with fewer have no mark (got '2')"),
                ('candidate: "table_row[5]", ', "", "several candidates, and their numbers have no bits (got '2')"),
                ("candidates: 2", "candidates: @3", None), ("candidates: 2", "candidates: @33", "an integer 2..32"),
                ("candidates: 2", "candidates: @1", "table.candidates: out of range (got '1')"),
                ('candidate: "table_row[5]", candidates: 2', 'candidate: @"table_row[5]"',
                 "table.candidate: has no effect without candidates"),
                ('candidate: "table_row[5]", candidates: 2', 'lesser: @"table_row[5]"',
                 "table.lesser: has no effect without candidates"),
                ("candidates: 2", "candidate_count: @2", "table.candidate_count: unknown key, did you mean"),
                ("valid: table_valid, ", "", "table: an incomplete table")):
            with self.subTest(new=new):
                self.assertEqual(good.count(old), 1, old)
                if told:
                    self.assertIn(told, self.refused(good.replace(old, new), "twin"))
                else:
                    self.assertIn("the field has 1 bits, too few for 3 candidates",
                                  self.refused(good.replace(old, new.replace("@", "")), "twin"))
        self.assertEqual(describe(self.good(good)).candidates, 2)

    def good(self, text):
        (self.folder / "good.yaml").write_text(text, encoding="utf-8")
        return str(self.folder / "good.yaml")


class Handshake(Refusals):
    def test_valid_ready(self):
        self.check("handshake", [
            ("flow: valid_ready\n", "flow: valid_ready\nvcs: 2\n",
             "in of port home has no virtual channel, and there are 2"),
            ("flow: valid_ready\n", "flow: valid_ready\nbuffer_flits: @4\n", "has no effect with flow valid_ready"),
            ("flow: valid_ready\n", "flow: valid_ready\noutputs: @registered\n", "has no effect with flow valid_ready"),
            ('  ready: "rx_ready[{index}]"\n', '  credit: @"rx_ready[{index}]"\n  ready: "rx_ready[{index}]"\n',
             "in.credit: unknown key"),
            ("kinds: {body: 0, tail: 1, head: 2, both: 3}", "kinds: {body: 0, tail: 1, head: @1, both: 3}",
             "two kinds of flits with one code"),
            ("kinds: {body: 0, tail: 1, head: 2, both: 3}", "kinds: {body: 0, tail: 1, head: 2, both: @4}",
             "out of range (got '4')"),
            ("kinds: {body: 0, tail: 1, head: 2, both: 3}", "kinds: @{body: 0, tail: 1, head: 2}",
             "kinds.both: the key is missing"),
            ("flits: {kind: [55:54],", "flits: {is_head: @[55:54],", "the field has 2 bits", "accepted: 1: one bit"),
            ('flit: "rx_{port}"', 'flit: @"rx_{port}_flit"', "no pin 'rx_home_flit'", "rx_home"),
        ])

    def test_keys_of_other_flows(self):
        self.check("lookahead", [
            ("flow: credits\n", "flow: credits\nreserve_flits: @1\n", "reserve_flits: has no effect with flow credits"),
            ("flow: credits\n", "flow: credits\nlimits: {credit_cycles: @0}\n", "limits.credit_cycles: out of range"),
            ("flow: credits\n", "flow: credits\nlimits: {credits: @3}\n",
             "limits.credits: unknown key, did you mean 'limits.credit_cycles'?"),
            ("length: [9:14]", "length: {bits: [9:14], minus: @-1}", "heads.length.minus: out of range (got '-1')"),
            ("length: [9:14]", "length: @{minus: 1}", "heads.length.bits: the key is missing"),
            ("clock: clk_i", "clock: [clk_i, @clk_b]", "no pin 'clk_b'"),
            ("clock: clk_i", "clock: [clk_i, {pin: rst_ni, times: @0}]", "clock.times: out of range (got '0')"),
            ("buffer_flits: 4", "buffer_flits: @{local: 4}", "buffer_flits.north: the key is missing"),
            ("buffer_flits: 4", "buffer_flits: {local: 4, north: 4, east: 4, south: 4, west: 4, up: @4}",
             "buffer_flits.up: unknown key"),
            ("flow: credits\n", "flow: @on\n", "no such word (got 'on'); accepted: credits or valid_ready or on_off"),
        ])
        self.check("handshake", [
            ("flow: valid_ready\n", "flow: valid_ready\nnetwork: @3\n", "network: not a section"),
            ("place: {x: column, y: row}", "static: {column: 0, row: 0}\nplace: {parameters: @{}}",
             "place.parameters: no parameters"),
            ("place: {x: column, y: row}", "static: {column: 0, row: 0}\nplace: {parameters: {x: WIDTH, z: @DEPTH}}",
             "place.parameters.z: the network has 2 dimensions"),
            ("place: {x: column, y: row}", "place: {x: column, y: row, parameters: @{router: R}}\n"
             "network: {topology: {radices: [32, 32]}}",
             "there are too many (got '1024'); accepted: network.topology.radices with 256 routers at most"),
            ("place: {x: column, y: row}", "place: {x: column, y: row}\nnetwork: @[3]", "network: not a section"),
        ])

    def test_on_and_off(self):
        self.check("on_off", [
            ('  off: "off_o[{index}*2 +: 2]"', '  on: "off_o[{index}*2 +: 2]"',
             "out.off: not the wire of in (got 'off'); accepted: on in both, or off in both"),
            ('  off: "off_i[{index}*2 +: 2]"\n', "", "out: 0 wires with flow on_off"),
            ("reserve_flits: 1", "reserve_flits: @65",
             "reserve_flits: out of range (got '65'); accepted: an integer 0..64"),
            ("flow: on_off\n", "flow: on_off\nbuffer_flits: @4\n", "buffer_flits: has no effect with flow on_off"),
            ('off: "off_o[{index}*2 +: 2]"', 'off: @"off_o[{index}*2 +: 1]"', "the field has 1 bits",
             "accepted: 2: a bit a virtual channel"),
        ])

    def around(self, *changes):
        """The description AROUND with replaced pieces, of which the new one has the place of the refusal."""
        (self.folder / "around.sv").write_text(AROUND_RTL, encoding="utf-8")
        text = AROUND
        for old, new in changes:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return self.refused(text, "handshake")

    def test_pins_of_arrays_structs_and_interfaces(self):
        for old, new, said in (
                ('valid: "rx[{index}+3].valid"', 'valid: @"rx[{index}+3].value"',
                 "rx[0+3] has no member 'value' (got 'rx[{index}+3].value'); accepted: rx[0+3].valid, rx[0+3].flit"),
                ('valid: "rx[{index}+3].valid"', 'valid: @"rx[{index}+4].valid"', "rx[6] is outside of the array"),
                ('valid: "rx[{index}+3].valid"', 'valid: @"rx[{index}+3].valid.bit"', "no struct"),
                ('valid: "rx[{index}+3].valid"', 'valid: @"rx[{index}+3].valid rest"', "not the end of a name"),
                ('valid: "{port}.valid"', 'valid: @"{port}"',
                 "west is an interface (got '{port}'); accepted: one of its signals: west.valid, west.flit, west.room"),
                ("  SHIFT: ", "  SHIFTS: @", "'SHIFTS'"),
                ('east: "link_if', 'east: @"link', "'link'"),
                ("interfaces: {", "parameters_: @{", "unknown key, did you mean 'parameters'?"),
                ("arguments: []", "arguments: [-GSHIFT=3]", "sets this parameter, too"),
                ("top: around", "top: @around",
                 "the key interfaces, with an instance for each port that is an interface")):
            with self.subTest(new=new):
                changes = [(old, new)]
                if "-G" in new:
                    changes.append(("  SHIFT: ", "  SHIFT: @"))
                if new == "top: @around":
                    changes = [(AROUND[AROUND.index("parameters:"):AROUND.index("clock:")], ""), (old, new)]
                self.assertIn(said, self.around(*changes))


# Ports of each kind: arrays of structs, interfaces, and a type that is a parameter.
AROUND_RTL = """
package around_pkg; typedef struct packed {logic [1:0] kind; logic [2:0] to; logic [15:0] data;} flit_t;
  typedef struct packed {logic valid; flit_t flit;} link_t; endpackage
interface link_if #(parameter int BITS = 1)(); logic valid; logic [0:BITS-1] flit; logic room;
  modport sender(output valid, flit, input room); endinterface
module around import around_pkg::*; #(parameter int SHIFT[1:0] = '{0, 0}, parameter type here_t = logic)
  (input logic clk, rst, input here_t here, input link_t rx [5:3], output logic [0:2] room,
   link_if.sender west, link_if.sender east, link_if.sender home);
  assign room = {west.room, east.room, home.room};
  assign {west.valid, west.flit} = rx[3]; assign {east.valid, east.flit} = rx[4];
  assign {home.valid, home.flit} = rx[5];
endmodule
"""
AROUND = """name: around
verilator: {files: [around.sv], arguments: []}
top: around
parameters:
  SHIFT: "'{2, 1}"
  here_t: place_t
declarations: |
  typedef struct packed {logic [4:0] number; logic spare;} place_t;
interfaces: {west: "link_if #(21)", east: "link_if #(.BITS(21)) ()", home: "link_if#(21)"}
clock: clk
reset: {pin: rst, active: high}
place: {router: here.number}
static: {here.spare: 1}
ports: {rtl: [west, east, home], network: [west, east, home]}
flow: valid_ready
registers_between: true
in:
  valid: "rx[{index}+3].valid"
  ready: "room[{index}]"
  kind: "rx[{index}+3].flit.kind"
  router: "rx[{index}+3].flit.to"
  payload: "rx[{index}+3].flit.data[15:0]"
out:
  valid: "{port}.valid"
  ready: "{port}.room"
  kind: "{port}.flit[0:1]"
  router: "{port}.flit[2:4]"
  payload: "{port}.flit[5:20]"
kinds: {body: 0, tail: 1, head: 2, both: 3}
"""


class Taken(FolderTest):
    """Good descriptions, and what is made of them."""

    def bits(self, field):
        return field.slice.pin.name, field.slice.low, field.slice.width, field.first_high

    def test_vectors_with_the_most_significant_bit_first(self):
        about = describe(str(EXAMPLES / "lookahead/lookahead.yaml"))
        self.assertEqual((about.reset_high, about.reset_cycles, about.vcs, about.buffer_flits, about.flow),
                         (False, 2, 4, 4, "credits"))
        self.assertEqual((about.ports, about.order), (["local", "north", "east", "south", "west"], [2, 4, 1, 3, 0]))
        self.assertEqual((about.follow_inputs, about.stands_when_empty, about.kinds), (False, False, [0, 0, 0, 0]))
        side = about.sides[2]["in"]  # east
        self.assertEqual(self.bits(side["valid"]), ("flit_valid_i", 2, 1, False))
        self.assertEqual(self.bits(side["vc"]), ("flit_vc_i", 4, 2, False))              # [4:5] of [0:9]
        self.assertEqual(self.bits(side["credit"]), ("credit_o", 8, 4, True))            # [8:11] of [0:19]
        self.assertEqual(self.bits(side["output"]), ("flit_i", 319 - 130, 3, False))     # [128:130] of [0:319]
        self.assertEqual(self.bits(side["payload"]), ("flit_i", 319 - 191, 44, False))   # [148:191]
        self.assertEqual(self.bits(side["body_payload"]), ("flit_i", 319 - 171, 44, False))
        self.assertEqual(self.bits(about.sides[0]["out"]["length"]), ("flit_o", 319 - 14, 6, False))
        self.assertEqual(sorted(about.files), ["la_pool.v", "la_round_robin.v", "lookahead_router.v"])

    def test_vectors_with_the_least_significant_bit_last(self):
        about = describe(str(EXAMPLES / "handshake/handshake.yaml"))
        self.assertEqual((about.reset_high, about.reset_cycles, about.kinds), (True, 4, [0, 2, 1, 3]))
        side = about.sides[1]["out"]  # north
        self.assertEqual(self.bits(side["valid"]), ("tx_valid", 1, 1, False))
        self.assertEqual(self.bits(side["ready"]), ("tx_ready", 1, 1, False))
        self.assertEqual(self.bits(side["y"]), ("tx_north", 51, 3, False))
        self.assertEqual(self.bits(side["kind"]), ("tx_north", 54, 2, False))
        twin = (EXAMPLES / "twin/twin.yaml").read_text(encoding="utf-8").replace("../..",
                                                                                 str(PROJECT / "testbenches/router"))
        twin = twin.replace("in_data[{index}*44 +: 44]",
                            "in_data[{index}*44+43 -: 44]").replace("flow: credits",
                                                                    "flow: credits\noutputs: combinational")
        file = self.folder / "twin.yaml"
        file.write_text(twin, encoding="utf-8")
        about = describe(str(file))
        self.assertEqual((about.reset_high, about.follow_inputs, about.stands_when_empty), (True, True, True))
        self.assertEqual(self.bits(about.sides[3]["in"]["payload"]), ("in_data", 132, 44, False))
        self.assertEqual(self.bits(about.sides[3]["in"]["credit"]), ("in_credit", 12, 4, False))
        self.assertEqual(self.bits(about.table["vcs"]), ("table_entry", 16, 16, False))

    def test_arrays_structs_and_interfaces_are_vectors_of_a_top_module(self):
        (self.folder / "around.sv").write_text(AROUND_RTL, encoding="utf-8")
        file = self.folder / "around.yaml"
        file.write_text(AROUND, encoding="utf-8")
        about = describe(str(file))
        self.assertEqual((about.top, about.files), ("around_top", ["around.sv"]))
        self.assertEqual({name: (pin.direction, pin.range) for name, pin in about.pins.items()}, {
            "clk": ("input", "[0:0]"), "rst": ("input", "[0:0]"), "here": ("input", "[5:0]"),
            "rx": ("input", "[65:0]"), "room": ("output", "[0:2]"),
            **{f"{port}_{name}": kind for port in ("west", "east", "home")
               for name, kind in (("valid", ("output", "[0:0]")), ("flit", ("output", "[0:20]")),
                                  ("room", ("input", "[0:0]")))}})
        self.assertEqual(self.bits(about.place["router"]), ("here", 1, 5, False))
        self.assertEqual((self.bits(about.static[0][0]), about.static[0][1]), (("here", 0, 1, False), 1))
        side = about.sides[1]["in"]  # rx[4]
        self.assertEqual({role: self.bits(field) for role, field in side.items()}, {
            "valid": ("rx", 43, 1, False), "kind": ("rx", 41, 2, False), "router": ("rx", 38, 3, False),
            "payload": ("rx", 22, 16, False), "ready": ("room", 1, 1, False)})
        side = about.sides[2]["out"]
        self.assertEqual(self.bits(side["payload"]), ("home_flit", 0, 16, False))
        self.assertEqual(self.bits(side["kind"]), ("home_flit", 19, 2, False))

    def test_parameters_of_two_routers_side_by_side(self):
        """Loops are looked for with the parameters that arguments set, and circles of always blocks are named."""
        path = self.folder / "handshake"
        shutil.copytree(EXAMPLES / "handshake", path)
        rtl, file = path / "hs_top.sv", path / "handshake.yaml"
        good, text = rtl.read_text(encoding="utf-8"), file.read_text(encoding="utf-8")
        head = "module hs_top\n  import hs_pkg::*;\n("
        self.assertEqual((good.count(head), good.count(".tx_ready(tx_ready_of)"), good.count("endmodule")), (1, 1, 1))
        sized = good.replace(head, head.replace("(", "#(parameter int CIRCLE = 0) ("))
        # A bit of circle[1] is no function of itself.
        circle = ("  logic [1:0] circle[2];\n  always_comb circle[1] = CIRCLE ? {circle[0][0], tx_ready[0]} : 0;\n"
                  "  always_comb circle[0] = CIRCLE ? {circle[1][0], circle[1][0]} : 0;\n"
                  "  assign tx_spare = circle[0][1];\nendmodule")
        rtl.write_text(sized.replace("endmodule", circle).replace("output logic [PORTS-1:0]    rx_ready",
                                                                  "output logic tx_spare,\n  "
                                                                  "output logic [PORTS-1:0]    rx_ready"),
                       encoding="utf-8")
        for value, said in ((0, []), (1, ["circle"])):
            file.write_text(text.replace("arguments: [--trace]", f"arguments: [-GCIRCLE={value}]").replace(
                "flow: valid_ready", "flow: valid_ready\nregisters_between: true"), encoding="utf-8")
            about = describe(str(file))
            self.assertEqual([name for name in said if not any(name in one for one in about.circles)], [])
            self.assertEqual(bool(about.circles), bool(said))
            done = subprocess.run([sys.executable, PROJECT / "testbenches/router/attach/main.py", "project", "build",
                                   file, "--check"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("'-fno-split' in verilator.arguments" in done.stderr, bool(said), done.stderr)
        file.write_text(text.replace("arguments: [--trace]", "arguments: [-GCIRCLE=0]"), encoding="utf-8")
        self.assertEqual(describe(str(file)).circles, [])

    def test_a_constant_of_a_wide_pin_is_its_low_bits(self):
        path = self.folder / "lookahead"
        shutil.copytree(EXAMPLES / "lookahead", path)
        rtl, file = path / "lookahead_router.v", path / "lookahead.yaml"
        rtl.write_text(rtl.read_text(encoding="utf-8").replace("wire         rst_ni,\n",
                                                               "wire rst_ni,\n  input wire [99:0] mode_i,\n"))
        file.write_text(file.read_text(encoding="utf-8") + "static: {mode_i: 0xffffffffffffffff}\n", encoding="utf-8")
        ((field, value),) = describe(str(file)).static
        self.assertEqual((self.bits(field), value), (("mode_i", 0, 64, False), 2 ** 64 - 1))

    def test_files_of_verilator_itself_are_none_of_the_routers(self):
        names = ["<built-in>", "/usr/share/verilator/include/verilated_std.sv",
                 "/usr/share/verilator/include/verilated_std_waiver.vlt", "rtl/top.sv"]
        path = self.folder / "Vtop.xml"
        path.write_text("<verilator_xml><files>" + "".join(f'<file filename="{name.replace("<", "&lt;")}"/>'
                                                           for name in names)
                        + '</files><netlist><module topModule="1"/><typetable/></netlist></verilator_xml>',
                        encoding="utf-8")
        self.assertEqual(pins.read_pins(path), ({}, ["rtl/top.sv"]))

    def test_types_and_names_of_pins(self):
        (self.folder / "top.sv").write_text(
            "package p; typedef struct packed {logic [3:0] a; logic b;} s; typedef union packed {logic [4:0] v; s w;} "
            "u; endpackage\n"
            "module top(input p::s record, input p::u either, input logic [4:0][0:7] matrix, input p::s [2:1] "
            "records,\n"
            "  input logic unpacked[3], input logic [7:-2] below, input logic [0:0] one, input integer number, input "
            "logic two__under,\n"
            "  input logic \\esc+aped , output logic [1:4] out); assign out = 0; endmodule\n", encoding="utf-8")
        found, files = pins.verilate(["--top-module", "top", "top.sv"], self.folder)
        self.assertEqual(files, ["top.sv"])
        self.assertEqual({name: (pin.range, pin.width, pin.packed) for name, pin in found.items()}, {
            "record": ("[4:0]", 5, True), "either": ("[4:0]", 5, True), "matrix": ("[39:0]", 40, True),
            "records": ("[9:0]", 10, True),
            "unpacked": ("[2:0]", 3, False), "below": ("[7:-2]", 10, True), "one": ("[0:0]", 1, True),
            "number": ("[31:0]", 32, True),
            "two__under": ("[0:0]", 1, True), "esc+aped": ("[0:0]", 1, True), "out": ("[1:4]", 4, True)})
        self.assertEqual((found["two__under"].variable, found["esc+aped"].variable), ("two___05Funder", "esc__02baped"))
        self.assertEqual([pins.indices(text) for text in ("-2", "7:-2", "2*(3+1) -: 4", "9/2 +: 1")],
                         [(-2, -2, ""), (7, -2, ""), (8, 4, "-"), (4, 1, "+")])
        self.assertEqual([found[name].type.bit(index)
                          for name, index in (("below", -2), ("below", 7), ("out", 1), ("out", 4))],
                         [0, 9, 3, 0])


class Damaged(Refusals):
    """Whatever a description has become, it is taken or refused at a place."""
    WORDS = ["", "-1", "[]", "{}", "[a, b]", "null", "clk", "flit_i", '"x[{index}"', '"{0}"', '"{index!r}"',
             '"flit_i[{index}**9]"',
             '"flit_i[1/0]"', '"flit_i[:]"', '"flit_i[0 +: 0]"', "&a", "*a", "? a", "[[1]]", "[-1:2]", '"{index[0]}"',
             '"flit_i["',
             "99999999999999999999"]

    def test_words_lines_and_characters(self):
        random_numbers = random.Random(1)
        good = (EXAMPLES / "lookahead/lookahead.yaml").read_text(encoding="utf-8")
        shutil.copytree(EXAMPLES / "lookahead", self.folder, dirs_exist_ok=True)
        file, refusals = self.folder / "damaged.yaml", 0
        for _ in range(200):
            text = good
            for _ in range(random_numbers.choice([1, 1, 2])):
                start, end = random_numbers.choice([word.span()
                                                    for word in re.finditer(r'"[^"]*"|\[[^]]*\]|[\w./-]+', text)])
                middle = random_numbers.choice([random_numbers.choice(self.WORDS),
                                                text[start:end] + random_numbers.choice("[]{}:,#&*!|>%@")])
                text = text[:start] + middle + text[end:]
            file.write_text(text, encoding="utf-8")
            try:
                describe(str(file))
            except Refused as refusal:
                refusals += 1
                self.assertRegex(str(refusal), r"^\S+damaged.yaml:\d+:\d+: ", text)
        self.assertGreater(refusals, 100)


class Loops(Refusals):
    """Valid or ready that go through a router within a cycle."""
    TEXT = (EXAMPLES / "handshake/handshake.yaml").read_text(encoding="utf-8")

    def queue(self, name, old, new):
        """The description with a changed queue in a separate file."""
        good = (EXAMPLES / "handshake/hs_fifo.sv").read_text(encoding="utf-8")
        self.assertEqual(good.count(old), 1)
        (self.folder / name).write_text(good.replace(old, new), encoding="utf-8")
        return self.TEXT.replace("hs_fifo.sv", name)

    def test_two_routers_side_by_side(self):
        for old, new, said in (("in_ready = count != (BITS + 1)'(DEPTH)",
                                "in_ready = count != (BITS + 1)'(DEPTH) || out_ready", ".rx_ready"),
                               ("out.valid = count != '0", "out.valid = count != '0 || in.valid", "router.front")):
            with self.subTest(new=new):
                text = self.queue("through.sv", old, new)
                message = self.refused(text.replace("flow: valid", "flow: @valid"), "handshake")
                self.assertIn("two such routers side by side are a loop without a register", message)
                self.assertIn(said, message)
                file = self.folder / "taken.yaml"
                file.write_text(text + "registers_between: true\n", encoding="utf-8")
                describe(str(file))

    def test_pins_of_one_bit(self):
        ports = ("a", "b", "n")
        pins_of = ", ".join(f"input [5:5] v_{p}, output r_{p}, input [45:0] f_{p}, output v2_{p}, input r2_{p}, output "
                            f"[45:0] f2_{p}" for p in ports)
        rest = " ".join(f"assign v2_{p} = full; assign f2_{p} = 0;" for p in ports)
        text = re.sub(r"files: .*", "files: [bits.sv]", self.TEXT).replace("top: hs_top", "top: bits")
        text = re.sub(r"place: .*\n|kinds: .*\n", "", text).partition("ports:")[0] + (
            "ports: {rtl: [a, b, n], network: [a, b, n]}\nflow: @valid_ready\nin: {valid: 'v_{port}', ready: "
            "'r_{port}', flit: 'f_{port}'}\n"
            "out: {valid: 'v2_{port}', ready: 'r2_{port}', flit: 'f2_{port}'}\nflits: {payload: [45:2]}\nheads: {x: "
            "[1:0]}\n")
        for ready, loop in (("!full", False), ("!full || r2_b", True)):
            (self.folder / "bits.sv").write_text(
                f"module bits(input clk, rst, {pins_of}); reg full; always @(posedge clk) full <= !rst && v_a && v_b "
                f"&& v_n;\n{rest}\n"
                + " ".join(f"assign r_{p} = {ready};" for p in ports) + " endmodule\n", encoding="utf-8")
            READ.clear()
            if loop:
                self.assertIn("a loop without a register", self.refused(text, "handshake"))
            else:
                (self.folder / "good.yaml").write_text(text.replace("@", ""), encoding="utf-8")
                describe(str(self.folder / "good.yaml"))


class Rtl(Refusals):
    """RTL that Verilator refuses."""

    def enterPatch(self):
        pass

    def test_verilators_message_stands_at_our_line(self):
        (self.folder / "la_pool.v").write_text("module la_pool;\n  assign = 3;\nendmodule\n")
        self.check("lookahead", [
            ("files: [lookahead_router.v, la_pool.v,", "files: [lookahead_router.v, @la_pool.v,",
             "the RTL does not verilate: la_pool.v:2: syntax error", "got 'la_pool.v'")])

    def test_what_is_not_there(self):
        self.check("lookahead", [
            ("files: [lookahead_router.v,", "files: [@lookahead.v,", "there is no such file (got 'lookahead.v')"),
            ("top: lookahead_router", "top: @router", "Specified --top-module 'router' was not found"),
            ("arguments: [--default-language, 1364-2005]", "arguments: [@--trace-fst]",
             "attach_rtl chooses the format of waveforms (got '--trace-fst')"),
            ("arguments: [--default-language, 1364-2005]",
             "arguments: [--default-language, 1364-2005, -DVCS=4, @-GDEPHT=4]", "not found in the design: DEPHT"),
            ("place: {x: here_x_i, y: here_y_i}",
             "place: {x: here_x_i, y: here_y_i, parameters: {x: @COLUMN}}", "not found in the design: COLUMN"),
            ("arguments: [--default-language, 1364-2005]", "arguments: [@--cc]",
             "attach_rtl gives this argument itself"),
            ("arguments: [--default-language, 1364-2005]", "arguments: [@--no-such-option]",
             "the RTL does not verilate", "no-such-option"),
        ])


class CommandLine(FolderTest):
    def test_exit_status_and_text(self):
        file = self.folder / "bad.yaml"
        file.write_text("name: x\ntop: [\n", encoding="utf-8")
        done = subprocess.run([str(PROJECT / "scripts/attach_rtl"), "bad.yaml"], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(done.stderr.startswith("attach_rtl: bad.yaml:3:1: "), done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bad.yaml"])

    def test_a_folder_with_a_project_of_somebody_else_stays_as_it_is(self):
        other = self.folder / "CMakeLists.txt"
        other.write_text("project(mine)\n", encoding="utf-8")
        for out, said in ((self.folder, f"--out: {other} is not of attach_rtl's making"),
                          (other, "--out: File exists")):
            done = self.ended(subprocess.run([sys.executable, "-m", "main", str(PROJECT), "/nowhere",
                                              str(EXAMPLES / "handshake/handshake.yaml"),
                                              "--out", str(out)], capture_output=True, text=True, check=False,
                                             env={**os.environ,
                                                  "PYTHONPATH": str(PROJECT / "testbenches/router/attach")}), 2)
            self.assertIn(said, done.stderr)
            self.assertEqual(other.read_text(encoding="utf-8"), "project(mine)\n")

    def test_the_handbook_shows_the_example(self):
        readme = (PROJECT / "scripts/handbook.d/readers/rtl_engineer.md").read_text(encoding="utf-8")
        shown = yaml.safe_load(readme.partition("```yaml\n")[2].partition("```")[0])
        example = yaml.safe_load((EXAMPLES / "lookahead/lookahead.yaml").read_text(encoding="utf-8"))
        self.assertEqual({"what": example["what"], **shown}, example)

    def test_the_examples_are_taken(self):
        for example in ("lookahead", "handshake"):
            describe(str(EXAMPLES / example / f"{example}.yaml"))


if __name__ == "__main__":
    unittest.main()
