#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attached RTL: routers with other links, channels and keys.

usage: attach_links_test.py PROJECT BUILD FOLDER CASE, as attach_rig.py says; CASE is
  links on and off, ready for each virtual channel, places as parameters, few bits of payload, keys of the network
"""

import json
import shutil

from attach_rig import EXAMPLES, FLIT, FOLDER, HEAVY, SOON_COMPILED, Attached, attach, main, play, run
from benches import metrics_of


READY = '''
module ready_top import hs_pkg::*; (input logic clk, rst, input logic [2:0] row, column, input logic [4:0] rx_valid, rx_vc,
  input logic [99:0] rx, output logic [9:0] rx_ready, output logic [9:0] tx_valid, output logic [99:0] tx, input logic [9:0] tx_ready);
  link_t in[2][PORTS], out[2][PORTS];
  logic in_ready[2][PORTS], out_ready[2][PORTS];
  logic [4:0] last;
  for (genvar p = 0; p < PORTS; p++) begin : g_port
    logic [1:0] may, take;
    for (genvar v = 0; v < 2; v++) begin : g_vc
      assign in[v][p].valid = rx_valid[p] && rx_vc[p] == 1'(v);
      assign {in[v][p].flit.kind, in[v][p].flit.to, in[v][p].flit.data} = {rx[20*p +: 8], 36'd0, rx[20*p + 8 +: 12]};
      assign rx_ready[2*p + v] = in_ready[v][p];
      assign may[v] = out[v][p].valid && tx_ready[2*p + v];
      assign out_ready[v][p] = take[v];
    end
    assign take = may == 2'b11 ? (last[p] ? 2'b01 : 2'b10) : may;
    assign tx_valid[2*p +: 2] = take;
    assign tx[20*p +: 20] = take[1] ? {out[1][p].flit.data[11:0], out[1][p].flit.kind, out[1][p].flit.to}
                                    : {out[0][p].flit.data[11:0], out[0][p].flit.kind, out[0][p].flit.to};
    always_ff @(posedge clk) if (take != 0) last[p] <= take[1];
  end
  for (genvar v = 0; v < 2; v++) begin : g_router
    hs_router router (.clk, .rst, .here('{row: row, column: column}), .rx(in[v]), .rx_ready(in_ready[v]), .tx(out[v]),
                      .tx_ready(out_ready[v]));
  end
endmodule
'''  # noqa: E501
READY_YAML = '''
name: ready
verilator: {files: [hs_pkg.sv, hs_fifo.sv, hs_router.sv, ready_top.sv], arguments: []}
top: ready_top
clock: clk
reset: {pin: rst, active: high}
place: {x: column, y: row}
ports: {rtl: [h, n, e, s, w], network: [e, w, n, s, h]}
flow: valid_ready
vcs: 2
in: {valid: "rx_valid[{index}]", vc: "rx_vc[{index}]", ready: "rx_ready[{index}*2 +: 2]", flit: "rx[{index}*20 +: 20]"}
out: {valid: "tx_valid[{index}*2 +: 2]", ready: "tx_ready[{index}*2 +: 2]", flit: "tx[{index}*20 +: 20]"}
flits: {kind: [7:6], payload: [19:8]}
kinds: {body: 0, tail: 1, head: 2, both: 3}
heads: {y: [5:3], x: [2:0]}
'''


class Links(Attached):
    def on_off(self, name, *changes):
        """The executable of the example, with changes of its files."""
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        for example in ("handshake", "on_off"):
            shutil.copytree(EXAMPLES / example, folder / example)
        for file, old, new in changes:
            path = folder / "on_off" / file
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            path.write_text(text.replace(old, new), encoding="utf-8")
        return attach(folder / "on_off/on_off.yaml", f"{name}_rtl", *SOON_COMPILED)

    def test_on_off_with_the_place_as_a_parameter(self):
        executable = self.on_off("on_off_here")
        for words in (("traffic.last_cycle=1500",),
                      ("traffic.load_flits_per_node_cycle=0.9", "traffic.last_cycle=600"),
                      ("router.buffer_flits=2", "traffic.packet_flits=1", "traffic.last_cycle=600", "--seed", "2")):
            with self.subTest(words=words):
                packets, models, rtl = self.score(executable, *words)
                self.assertGreater(packets, 300)
                self.assertNotEqual(models, rtl)
        self.shadowed(executable, "router=all", "topology.radices=[3,2]", "router.buffer_flits=2")
        self.delayed(executable, "topology.radices=[3,2]")

    def test_stalls_sweeps_and_applications(self):
        executable = self.on_off("on_off_here")
        mean = {}
        for stall in ("0", "0.5", "0.5"):
            self.ended(play(executable, "--rtl", "router=all", "--stall", stall, "traffic.last_cycle=1500"))
            metrics = metrics_of(FOLDER / "out")
            self.assertGreater(metrics["packets_delivered"], 300)
            self.assertIn(mean.setdefault(stall, metrics["latency_cycles_mean"]), [metrics["latency_cycles_mean"]])
        self.assertGreater(mean["0.5"], mean["0"] * 1.2)
        done = self.ended(play(executable, "--stall", "0.5"), 2)
        self.assertIn("rtl.stall", done.stderr)
        done = self.ended(play(executable, "--rtl", "router=all", "--sweep-load", "0.1:0.3:2",
                               "traffic.last_cycle=1500"))
        self.assertNotIn("can't open file", done.stderr)
        self.assertEqual(metrics_of(FOLDER / "out")["sweep_runs"], 2)
        self.ended(play(executable, "--rtl", "router=all", "topology.radices=[3,2]", "workload.kind=collective"))
        self.assertGreater(metrics_of(FOLDER / "out")["rtl_flits"], 1000)

    def channels(self, name, *changes):
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        for example in ("handshake", "channels"):
            shutil.copytree(EXAMPLES / example, folder / example)
        for file, old, new in changes:
            path = folder / "channels" / file
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            path.write_text(text.replace(old, new), encoding="utf-8")
        return attach(folder / "channels/channels.yaml", f"{name}_rtl", *SOON_COMPILED)

    def test_channels_of_requests_and_responses(self):
        executable = self.channels("channels")
        # Without classes each channel has packets of all.
        packets, models, rtl = self.score(executable, "classes.list=", "traffic.last_cycle=1500", "--seed", "2")
        self.assertGreater(packets, 300)
        self.assertNotEqual(models, rtl)
        for words in (("traffic.last_cycle=1500",), ("topology.radices=[3,3]", *HEAVY, "traffic.last_cycle=600")):
            with self.subTest(words=words):
                self.ended(play(executable, "--rtl", "router=all", *words))
                table = json.loads((FOLDER / "out/result.json").read_text(encoding="utf-8"))["tables"]["classes"]
                delivered = [column["name"] for column in table["columns"]].index("packets_delivered")
                requests, responses = (row[delivered] for row in table["rows"])
                self.assertGreater(requests, 300)
                self.assertEqual(requests, responses)
        self.shadowed(executable, "router=all")
        self.delayed(executable)
        # Both channels have flits, and no response waits for a request.
        self.ended(play(executable, "--rtl", "router=5", "rtl.wave=true", "--waves", "--waves-format", "vcd",
                        "waves.routers=[]", "traffic.last_cycle=500"))
        groups = (FOLDER / "out/rtl.gtkw").read_text(encoding="utf-8")
        for signal in ("r5.port2.req.in.valid", "r5.port2.rsp.out.valid", "r5.port2.vc1.in_ready"):
            self.assertIn(signal + "\n", groups)
        wave = (FOLDER / "out/rtl.vcd").read_text(encoding="utf-8")
        self.assertNotIn("s? ", wave)
        for words, said in ((("router.vcs=3", "classes.list="),
                             "router.vcs: more virtual channels than the RTL has (got '3'); accepted: 1..2"),
                            (("topology.kind=torus", "classes.list=", "routing.dateline=switching"),
                             "routing.kind: a head that comes to router 0 by virtual channel ")):
            with self.subTest(words=words):
                self.assertIn(said, self.ended(play(executable, *words, "--rtl", "router=all"), 2).stderr)

    def test_a_flit_of_another_channel_is_told(self):
        top = "ch_top.sv"
        executable = self.channels(
            "crossed", (top, "{req_out[p].valid, rsp_out[p].valid};", "{rsp_out[p].valid, req_out[p].valid};"),
            (top, "= req_out[p].flit;", "= rsp_out[p].flit;"),
            (top, "{rsp_out[p].flit.data[11:0], rsp_out[p].flit.kind, rsp_out[p].flit.to",
             "{req_out[p].flit.data[11:0], req_out[p].flit.kind, req_out[p].flit.to"))
        done = self.ended(play(executable, "--rtl", "router=all"), 1)
        self.assertRegex(done.stderr, FLIT + "it came in by channel (req|rsp) and leaves by channel (req|rsp)")

    def test_a_faster_clock_beside_the_first(self):
        folder = FOLDER / "clocks"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        for file, old, new in (
                ("hs_top.sv", "  input  logic                rst,", "  input  logic clk_b, clk_c, rst,"),
                ("hs_top.sv", "endmodule", """  int b, c, last_b, last_c;
  always_ff @(posedge clk_b) b <= b + 1;
  always_ff @(posedge clk_c) c <= c + 1;
  always_ff @(posedge clk) begin
    last_b <= b;
    last_c <= c;
    if (!rst && last_c != 0 && b - last_b != 1) $error("clk_b has %0d edges", b - last_b);
    if (!rst && last_c != 0 && c - last_c != 3) $error("clk_c has %0d edges", c - last_c);
  end
endmodule"""),
                ("handshake.yaml", "clock: clk", "clock: [clk, clk_b, {pin: clk_c, times: 3}]")):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        executable = attach(folder / "handshake.yaml", "clocks_rtl", *SOON_COMPILED)
        self.score(executable, "topology.radices=[3,2]", "traffic.last_cycle=500")

    def test_buffers_of_each_port(self):
        folder = FOLDER / "depths"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "lookahead", folder)
        file = folder / "lookahead.yaml"
        text = file.read_text(encoding="utf-8")
        self.assertEqual(text.count("buffer_flits: 4"), 1)
        depths = "buffer_flits: {local: 1, north: 2, east: 4, south: 3, west: 1}"
        file.write_text(text.replace("buffer_flits: 4", depths), encoding="utf-8")
        executable = attach(file, "depths_rtl", *SOON_COMPILED)
        self.few(executable)

    def test_keys_of_the_network_are_those_of_the_description(self):
        executable = self.on_off("on_off_here")
        keys = self.ended(run(executable, "--print-config", "all")).stdout
        self.assertRegex(keys, r"(?m)^  radices: \[3, 2\]")
        self.assertRegex(keys, r"(?m)^  buffer_flits: 6")
        # A file of the user's comes after them.
        (FOLDER / "mine.yaml").write_text("router: {buffer_flits: 7}\n", encoding="utf-8")
        keys = self.ended(run(executable, "mine.yaml", "--print-config", "all")).stdout
        self.assertRegex(keys, r"(?m)^  buffer_flits: 7")
        self.assertRegex(keys, r"(?m)^  radices: \[3, 2\]")
        for words, said in ((("topology.radices=[4,4]",),
                             "topology.radices: the RTL has its place as a parameter, and was made for others "
                             "(got '4,4'); accepted: 3,2"),
                            (("router.buffer_flits=1",),
                             "router.buffer_flits: the RTL sends 1 flits after off (got '1'); accepted: 2 and more")):
            done = self.ended(play(executable, *words, "--rtl", "router=all"), 2)
            self.assertIn(said, done.stderr)

    def test_a_wrong_key_of_the_network_is_told_at_its_line(self):
        with self.assertRaises(AssertionError) as told:
            self.on_off("on_off_key", ("on_off.yaml", "buffer_flits: 6", "buffer_flit: 6"),
                        ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        self.assertRegex(str(told.exception), r"on_off.yaml:\d+:12: router.buffer_flit: unknown key")

    def test_flits_after_off(self):
        executable = self.on_off("on_off_more", ("on_off.yaml", "reserve_flits: 1", "reserve_flits: 3"),
                                 ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        done = self.ended(play(executable, "--rtl", "router=all", *HEAVY), 1)
        self.assertRegex(done.stderr, r"router \d \(on_off\), cycle \d+: .*oo_top.sv:\d+: .*a flit is lost")
        executable = self.on_off("on_off_deaf", ("oo_top.sv", "tx[0][p].valid && !off_i[2*p]}", "tx[0][p].valid}"),
                                 ("on_off.yaml", "radices: [3, 2]", "radices: [2, 2]"))
        done = self.ended(play(executable, "--rtl", "router=all", *HEAVY), 1)
        self.assertRegex(done.stderr, FLIT + "it has no place: the virtual channel is off, and more than 1 flits have")

    def test_ready_for_each_virtual_channel(self):
        folder = FOLDER / "ready"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        (folder / "ready_top.sv").write_text(READY, encoding="utf-8")
        (folder / "ready.yaml").write_text(READY_YAML, encoding="utf-8")
        executable = attach(folder / "ready.yaml", "ready_rtl", *SOON_COMPILED)
        self.few(executable)
        done = self.ended(play(executable, "router.vcs=3", "--rtl", "router=all"), 2)
        self.assertIn("router.vcs: more virtual channels than the RTL has (got '3'); accepted: 1..2", done.stderr)

    def test_a_length_without_the_head_and_twelve_bits_of_payload(self):
        folder = FOLDER / "minus"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "lookahead", folder)
        for file, old, new in (
                ("lookahead_router.v", "<= front[i*64 + 9 +: 6]", "<= front[i*64 + 9 +: 6] + 6'd1"),
                ("lookahead.yaml", "length: [9:14], payload: [20:63]}",
                 "length: {bits: [9:14], minus: 1}, payload: [52:63]}"),
                ("lookahead.yaml", "bodies: {payload: [0:43]}", "bodies: {payload: [0:11]}")):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, old)
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        executable = attach(folder / "lookahead.yaml", "minus_rtl", *SOON_COMPILED)
        self.few(executable)
        done = self.ended(play(executable, "traffic.packet_flits=65", "--rtl", "router=all"), 2)
        self.assertIn("traffic.packet_flits: the RTL's length has 6 bits (got '65'); accepted: 1..64", done.stderr)
        self.ended(play(executable, "traffic.packet_flits=64", "--rtl", "router=all", "traffic.last_cycle=300"))


# Checks of the router with this number in the fifth cycle, and before and after the run.


if __name__ == "__main__":
    main()
