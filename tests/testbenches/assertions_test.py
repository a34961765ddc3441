#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog assertions that scripts/attach_rtl --assertions makes of a description: each rule holds and fails in
Icarus. usage: assertions_test.py PROJECT"""

import pathlib
import subprocess
import sys
import unittest

from benches import FolderTest

PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
ATTACH = PROJECT / "testbenches/router/attach"

# Inputs and outputs of a port, each a vector over three ports.
PINS = {"credits": "credit: [vcs]", "valid_ready": "ready: [vcs]", "on_off": "off: [vcs]"}
BACK = {"credits": "credit", "valid_ready": "ready", "on_off": "off"}

DESCRIPTION = """name: stub
verilator: {{files: [stub.v]}}
top: stub
clock: clk
reset: {{pin: rst, active: high}}
errors: [fault]
ports: {{rtl: [west, east, local], network: [west, east, local]}}
flow: {flow}
vcs: 2
{more}
in:
  valid: "in_valid[{{index}}]"
  vc: "in_vc[{{index}}]"
  payload: "in_data[{{index}}*8 +: 8]"
  destination: "in_to[{{index}}*4 +: 4]"
  {back}: "in_{back}[{{index}}*2 +: 2]"
{in_fields}
out:
  valid: "out_valid[{{index}}]"
  vc: "out_vc[{{index}}]"
  payload: "out_data[{{index}}*8 +: 8]"
  destination: "out_to[{{index}}*4 +: 4]"
  {back}: "out_{back}[{{index}}*2 +: 2]"
{out_fields}
"""
ENDS = '  is_head: "{side}_head[{{index}}]"\n  is_tail: "{side}_tail[{{index}}]"'
LENGTH = '  length: {{bits: "{side}_length[{{index}}*3 +: 3]", minus: 1}}'

WIDTHS = {"valid": 3, "vc": 3, "data": 24, "to": 12, "head": 3, "tail": 3, "length": 9}


def of_port(name, port, bits, value):
    return f"{name}[{port * bits} +: {bits}] = {value};"


class Rules(FolderTest):
    def made(self, flow="credits", fields=ENDS, more=""):
        back = BACK[flow]
        widths = {f"{side}_{name}": width for side in ("in", "out") for name, width in WIDTHS.items()}
        widths.update({"in_" + back: 6, "out_" + back: 6})
        outputs = [name for name in widths if name.startswith("out_") != name.endswith("_" + back)]
        pins = ", ".join(f"{'output' if name in outputs else 'input'} wire [{width - 1}:0] {name}"
                         for name, width in widths.items())
        # Inputs without a meaning are constants.
        used = {f"{side}_{name}" for side in ("in", "out") for name in ("valid", "vc", "data", "to", back)}
        ends = [name for name in ("head", "tail", "length") if f"_{name}[" in fields]
        used |= {f"{side}_{name}" for side in ("in", "out") for name in ends}
        static = [name for name in widths if name not in used and name not in outputs]
        more += "\nbuffer_flits: 2" if flow == "credits" else ""
        more += f"\nstatic: {{{', '.join(f'{name}: 0' for name in static)}}}" if static else ""
        zeros = "".join(f"assign {name} = 0;\n" for name in (*outputs, "fault"))
        (self.folder / "stub.v").write_text(
            f"module stub (input wire clk, input wire rst, output wire fault, {pins});\n{zeros}endmodule\n")
        text = DESCRIPTION.format(flow=flow, back=back, more=more, in_fields=fields.format(side="in"),
                                  out_fields=fields.format(side="out"))
        (self.folder / "stub.yaml").write_text(text)
        done = self.assertions("stub.yaml", "--assertions", self.folder / "rules.sv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.widths = {**widths, "fault": 1}

    def assertions(self, *words):
        return subprocess.run([sys.executable, ATTACH / "main.py", PROJECT, PROJECT / "build", *words],
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def played(self, *cycles):
        """What the rules say of these values of pins, a text for each cycle, after two cycles of reset with all of
        them high."""
        names = ", ".join(f".{name}({name})" for name in self.widths)
        zeros = "".join(f"{name} = 0; " for name in self.widths)
        steps = "".join(f"    {text}\n    #2 {zeros}\n" for text in cycles)
        (self.folder / "bench.sv").write_text(
            "module bench;\n  reg clk = 0, rst = 1;\n"
            + "".join(f"  reg [{width - 1}:0] {name} = ~0;\n" for name, width in self.widths.items())
            + f"  stub_assertions rules (.clk(clk), .rst(rst), {names});\n  always #1 clk = ~clk;\n"
            f"  initial begin\n    #4 rst = 0; {zeros}\n{steps}    #4 $finish;\n  end\nendmodule\n")
        for command in (["iverilog", "-g2012", "-o", "bench", "bench.sv", "rules.sv"], ["vvp", "bench"]):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        said = [line.split(": ", 2)[2] for line in (done.stdout + done.stderr).splitlines()
                if line.startswith("ERROR: ")]
        return said

    @staticmethod
    def flit(side, port, vc, head=0, tail=0, data=7):
        return (of_port(f"{side}_valid", port, 1, 1) + of_port(f"{side}_vc", port, 1, vc)
                + of_port(f"{side}_head", port, 1, head) + of_port(f"{side}_tail", port, 1, tail)
                + of_port(f"{side}_data", port, 8, data))

    def back(self, side, port, vc, name="credit"):
        return of_port(f"{side}_{name}", port * 2 + vc, 1, 1)

    def test_credits(self):
        self.made()
        flit, back = self.flit, self.back
        packet = [flit("out", 1, 1, 1, 0), flit("out", 1, 1, 0, 1)]
        self.assertEqual(self.played(*packet, back("out", 1, 1), flit("out", 1, 1, 1, 1)), [])
        self.assertEqual(self.played(*packet, flit("out", 1, 0, 1, 1)), [])  # another virtual channel
        late = "out of port east, virtual channel 1: a flit without a credit"
        self.assertEqual(self.played(*packet, flit("out", 1, 1, 1, 1)), [late])
        # A registered output cannot have seen the credit of the same cycle.
        self.assertEqual(self.played(*packet, flit("out", 1, 1, 1, 1) + back("out", 1, 1)), [late])
        self.assertEqual(self.played(flit("out", 0, 0, 1, 1), back("out", 0, 0), back("out", 0, 0)),
                         ["out of port west, virtual channel 0: a credit without a flit"])
        self.assertEqual(self.played(back("in", 2, 1)),
                         ["in of port local, virtual channel 1: a credit without a flit"])
        self.assertEqual(self.played(flit("in", 2, 0, 1, 1) + back("in", 2, 0)), [])
        self.assertEqual(self.played(*[flit("in", 2, 0, 1, 1)] * 2, flit("in", 2, 0, 1, 1) + back("in", 2, 0)), [])
        self.assertEqual(self.played(*[flit("in", 2, 0, 1, 1)] * 3),
                         ["in of port local, virtual channel 0: a flit without a credit"])
        self.made(more="outputs: combinational")
        self.assertEqual(self.played(*packet, flit("out", 1, 1, 1, 1) + back("out", 1, 1)), [])

    def test_order(self):
        self.made()
        flit = self.flit
        wrong = "out of port west, virtual channel 0: a head within a packet, or a flit without its head"
        self.assertEqual(self.played(flit("out", 0, 0, 1, 0), flit("out", 0, 1, 1, 1), flit("out", 0, 0, 0, 1)), [])
        self.assertEqual(self.played(flit("out", 0, 0, 1, 0), flit("out", 0, 0, 1, 1)), [wrong])
        self.assertEqual(self.played(flit("out", 0, 0, 0, 1)), [wrong])
        self.assertEqual(self.played(flit("in", 0, 0, 0, 1)), [wrong.replace("out of", "in of")])

    def test_lengths(self):
        self.made(fields=LENGTH)

        def flit(length):
            return of_port("out_valid", 0, 1, 1) + of_port("out_length", 0, 3, length)
        # Without is_head the flit after a packet is the next head.
        self.assertEqual(self.played(flit(1), flit(5)), [])
        self.made(fields=LENGTH + "\n" + ENDS.split("\n")[0])
        head = of_port("out_head", 0, 1, 1)
        self.assertEqual(self.played(flit(1) + head, flit(5)), [])
        wrong = "out of port west, virtual channel 0: a head within a packet, or a flit without its head"
        self.assertEqual(self.played(flit(1) + head, flit(1) + head), [wrong])
        self.assertEqual(self.played(flit(0) + head, flit(0)), [wrong])  # a packet of one flit

    def test_ready(self):
        self.made("valid_ready")
        flit, ready = self.flit, self.back("out", 0, 0, "ready")
        head = flit("out", 0, 0, 1, 1)
        self.assertEqual(self.played(head, head, head + ready, flit("out", 0, 0, 1, 1, 9) + ready), [])
        changed = "out of port west, virtual channel 0: a flit changes before it is taken"
        self.assertEqual(self.played(head, flit("out", 0, 0, 1, 1, 9) + ready), [changed])
        self.assertEqual(self.played(head, ""), [changed])
        # A flit that is not taken is not one more of its packet.
        first = flit("out", 0, 0, 1, 0)
        self.assertEqual(self.played(first, first + ready, flit("out", 0, 0, 0, 1) + ready), [])

    def test_channels(self):
        """Each channel has separate rules, for its virtual channels."""
        sides = {}
        for name, vcs in (("req", 2), ("rsp", 1)):
            vc = f', vc: "{name}_{{side}}_vc[{{{{index}}}}]"' if vcs == 2 else ""
            sides[name] = "".join(
                f'    {side}: {{valid: "{name}_{side}_valid[{{index}}]", '
                f'payload: "{name}_{side}_data[{{index}}*8 +: 8]", destination: "{name}_{side}_to[{{index}}*4 +: 4]", '
                f'ready: "{name}_{side}_ready[{{index}}*{vcs} +: {vcs}]"' + vc.format(side=side) + "}\n"
                for side in ("in", "out"))
        self.widths = {f"{name}_{side}_{pin}": width for name, vcs in (("req", 2), ("rsp", 1)) for side in ("in", "out")
                       for pin, width in (("valid", 3), ("data", 24), ("to", 12), ("ready", 3 * vcs),
                                          *((("vc", 3),) if vcs == 2 else ()))}
        outputs = [name for name in self.widths if ("_out_" in name) != name.endswith("ready")]
        pins = ", ".join(f"{'output' if name in outputs else 'input'} wire [{width - 1}:0] {name}"
                         for name, width in self.widths.items())
        (self.folder / "stub.v").write_text(
            f"module stub (input wire clk, input wire rst, {pins});\n"
            + "".join(f"assign {name} = 0;\n" for name in outputs) + "endmodule\n")
        (self.folder / "stub.yaml").write_text(
            "name: stub\nverilator: {files: [stub.v]}\ntop: stub\nclock: clk\nreset: {pin: rst, active: high}\n"
            "ports: {rtl: [west, east, local], network: [west, east, local]}\nflow: valid_ready\nchannels:\n"
            f"  req:\n    vcs: 2\n{sides['req']}  rsp:\n{sides['rsp']}")
        done = self.assertions("stub.yaml", "--assertions", self.folder / "rules.sv")
        self.assertEqual(done.returncode, 0, done.stderr)
        waits = {name: of_port(f"{name}_out_valid", 1, 1, 1) + of_port(f"{name}_out_data", 1, 8, 7)
                 for name in ("req", "rsp")}
        changed = "a flit changes before it is taken"
        self.assertEqual(self.played(waits["req"] + waits["rsp"]),
                         [f"out of port east, channel req, virtual channel 0: {changed}",
                          f"out of port east, channel rsp, virtual channel 0: {changed}"])
        self.assertEqual(self.played(waits["req"] + "req_out_ready = 6'b000100;"), [])
        self.assertEqual(self.played(waits["req"] + "rsp_out_ready = 3'b010;"),
                         [f"out of port east, channel req, virtual channel 0: {changed}"])
        self.assertEqual(self.played(waits["req"] + "req_out_vc = 3'b010;"),
                         [f"out of port east, channel req, virtual channel 1: {changed}"])
        self.assertEqual(self.played("rsp_out_valid = 3'bx00;"), ["out of port local, channel rsp: X in valid"])

    def test_off(self):
        self.made("on_off", more="reserve_flits: 2")
        one, off = self.flit("out", 2, 1, 1, 1), self.back("out", 2, 1, "off")
        self.assertEqual(self.played(one + off, one + off, "", one, one + off, one + off), [])
        self.assertEqual(self.played(one + off, one + off, one + off),
                         ["out of port local, virtual channel 1: a flit too many after off"])

    def test_unknown_values_and_errors(self):
        self.made()
        self.assertEqual(self.played("out_valid = 3'bx00;"), ["out of port local: X in valid"])
        self.assertEqual(self.played("in_credit = 6'b00x000;"), ["in of port east: X in credit"])
        self.assertEqual(self.played(self.flit("out", 0, 0, 1, 1, "8'bx")), ["out of port west: X in a flit"])
        self.assertEqual(self.played("out_data = 24'bx;"), [])  # no flit is there
        self.assertEqual(self.played("fault = 1;"), ["fault is 1"])

    def test_files(self):
        self.made()
        (self.folder / "own.sv").write_text("module own; endmodule\n")
        for file, problem in (("own.sv", "is not of attach_rtl's making"),
                              ("no/where.sv", "No such file or directory")):
            done = self.assertions("stub.yaml", "--assertions", file)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"attach_rtl: --assertions: {problem} (got '{file}'); accepted: ", done.stderr)
        self.assertEqual(self.assertions("stub.yaml", "--assertions", "rules.sv").returncode, 0)


if __name__ == "__main__":
    unittest.main()
