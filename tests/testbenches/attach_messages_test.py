#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Attached RTL: what the RTL says itself.

usage: attach_messages_test.py PROJECT BUILD FOLDER CASE, as attach_rig.py says; CASE is
  messages what the RTL itself prints and checks, and DPI
"""

import re
import shutil

from attach_rig import EXAMPLES, FOLDER, SOON_COMPILED, attach, main, play
from benches import FolderTest, metrics_of


CHECKS = '''
`timescale 1ns / 1ps
module checks (input logic clk, rst, input logic [3:0] number);
  import "DPI-C" context function int called(input int value);
  export "DPI-C" function back;
  function int back(input int value);
    return value + int'(number);
  endfunction
  int cycle;
  logic turns, hit;
  wire here = !rst && cycle == 5;
  initial $display("%m begins");
  final $display("%m ends");
  final if (number == 6) $error("flits are left");
  assign turns = number == 7 && here ? ~turns : 1'b0;
  own: assert property (@(posedge clk) disable iff (rst) !(number == 3 && here)) else $error("not here");
  always_ff @(posedge clk) begin
    cycle <= rst ? 0 : cycle + 1;
    if (here)
      case (number)
        0: $display("%m at %0t", $realtime);
        1: $error("in cycle %0d", cycle);
        2: $fatal(1, "for good");
        4: $finish;
        5: $display("%m was told %0d", called(cycle));
        9: $stop;
        10: begin
          $error("the first");
          $error("the second");
        end
        11: $warning("no more than that");
        12: begin
          $write("be");
          $write("fore\\n");
          $error;
        end
        default: ;
      endcase
    if (number == 8 && rst) $error("too early at %0t", $realtime);
    unique case (1'b1)
      number == 13 && here: hit <= 1'b1;
      number[3:2] == 2'b11 && number[1:0] == 2'b01 && here: hit <= 1'b0;
      default: hit <= 1'b0;
    endcase
  end
endmodule
'''
CALLED = '''
#include <cstdio>
#include <svdpi.h>
#include "Vhandshake__Dpi.h"
int called(int value) {
  std::printf("a call of %s\\n", svGetNameFromScope(svGetScope()));
  return back(2 * value);
}
'''


def line_of(text):
    """Number of the line of CHECKS."""
    return [line.strip() for line in CHECKS.split("\n")].index(text) + 1


class Messages(FolderTest):
    """In the RTL's own words, with router and cycle."""

    @classmethod
    def setUpClass(cls):
        folder = FOLDER / "checked"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EXAMPLES / "handshake", folder)
        for file, old, new in (("hs_top.sv", "endmodule",
                                "  checks checks (.clk, .rst, .number({row[1:0], column[1:0]}));\nendmodule"),
                               ("handshake.yaml", "files: [", "files: [checks.sv, called.cpp, ")):
            text = (folder / file).read_text(encoding="utf-8")
            assert text.count(old) == 1, old
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        (folder / "checks.sv").write_text(CHECKS, encoding="utf-8")
        (folder / "called.cpp").write_text(CALLED, encoding="utf-8")
        cls.executable = attach(folder / "handshake.yaml", "checked_rtl", *SOON_COMPILED)

    def run_of(self, routers, *words):
        rtl = ("--rtl", f"router={routers}") if routers else ()
        return play(self.executable, *rtl, "topology.radices=[4,4]", "traffic.last_cycle=100", "measure.cycles=101",
                    "--quiet", *words)

    def test_a_failed_check_ends_the_run(self):
        error = "Assertion failed in r{0}.hs_top.checks"
        second = line_of('$error("the second");')
        for router, where, *texts in (
                (1, '1: $error("in cycle %0d", cycle);', error + ": in cycle 5"),
                (2, '2: $fatal(1, "for good");', error + ": for good"),
                (3, "own: assert property (@(posedge clk) disable iff (rst) !(number == 3 && here)) else $error(\"not "
                 "here\");",
                 error + ".own: not here"),
                (4, "4: $finish;", "$finish"),
                (9, "9: $stop;", "$stop"),
                (10, '$error("the first");', error + f": the first; checks.sv:{second}: " + error + ": the second"),
                (12, "$error;", error),
                # In the words of Verilator 5.006 and of 5.032.
                (13, "unique case (1'b1)", error + ": synthesis parallel_case, but multiple matches found",
                 error + ": unique case, but multiple matches found for '1'h1'")):
            for words in ((), ("rtl.assertions=stop",)):
                with self.subTest(router=router, words=words):
                    done = self.ended(self.run_of(router, *words), 1)
                    said = (f"handshake: model failure: router {router} (handshake), cycle 5: "
                            f"checks.sv:{line_of(where)}: ")
                    self.assertIn(done.stderr, [said + text.replace("{0}", str(router)) + "\n" for text in texts])
                    self.assertEqual(done.stdout, f"r{router}.hs_top.checks begins\n" + "before\n" * (router == 12)
                                     + f"r{router}.hs_top.checks ends\n")

    def test_a_check_before_and_after_the_run(self):
        done = self.ended(self.run_of(8), 1)
        self.assertRegex(done.stderr, r"^handshake: model failure: router 8 \(handshake\), cycle 0: in the reset: "
                         r"checks.sv:\d+: .*: too early at 0\n$")
        done = self.ended(self.run_of(6), 1)
        self.assertRegex(done.stderr, r"^handshake: model failure: router 6 \(handshake\), cycle 1\d\d: at the end: "
                         r"checks.sv:\d+: .*: flits are left\n$")
        self.assertEqual(done.stdout.count("r6.hs_top.checks ends"), 1)

    def test_signals_that_never_settle_end_the_run(self):
        for words in ((), ("rtl.assertions=warn",)):
            done = self.ended(self.run_of(7, *words), 1)
            self.assertRegex(done.stderr,
                             r"^handshake: model failure: router 7 \(handshake\), cycle [45]: \S+:\d+: .* did not "
                             r"converge\.\n$")

    def test_warnings_go_on(self):
        done = self.ended(self.run_of("0+1+2+3+4+5+6+8+9+10+11+12+13+14+15", "rtl.assertions=warn"))
        told = done.stderr.splitlines()
        self.assertIn(f"handshake: warning: router 4 (handshake), cycle 5: checks.sv:{line_of('4: $finish;')}: $finish",
                      told)
        routers = [int(re.fullmatch(r"handshake: warning: router (\d+) \(handshake\), cycle \d+: .*", text)[1])
                   for text in told]
        self.assertEqual(sorted(set(routers)), [1, 2, 3, 4, 6, 8, 9, 10, 12, 13])
        self.assertEqual(routers.count(10), 2)
        self.assertEqual(routers.count(8), 4)  # one a cycle of the reset
        self.assertEqual(sum(text.endswith("too early at 0") for text in told), 4)
        self.assertEqual(metrics_of(FOLDER / "out")["rtl_failed_checks"], len(told))
        models = self.ended(self.run_of(""))
        self.assertNotIn("checks", models.stdout)

    def test_text_time_and_calls(self):
        period = self.ended(self.run_of("0+5+11+14", "clock_period_ps=3000"))
        self.assertEqual(period.stderr, "")
        for text in ("r0.hs_top.checks at 16500", "a call of r5.hs_top.checks", "r5.hs_top.checks was told 15",
                     "no more than that",
                     "r14.hs_top.checks begins", "r14.hs_top.checks ends"):
            self.assertIn(text + "\n", period.stdout)

    def test_all_routers_are_destroyed_in_peace(self):
        for _ in range(2):
            done = self.ended(self.run_of("0+5+11+14+15", "rtl.wave=true"))
            self.assertEqual(done.stdout.count("ends\n"), 5)

    def test_a_wrong_word_is_refused(self):
        for routers, word, said in (("1", "none", "unknown word (got 'none'); accepted: one of stop, warn"),
                                    ("", "warn", "accepted: rtl.places")):
            done = self.ended(self.run_of(routers, f"rtl.assertions={word}"), 2)
            self.assertIn(f"handshake: --set rtl.assertions={word}: rtl.assertions: ", done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
