#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/prove_rtl: properties of twins are proved, and each of them fails with a bug planted in the
Verilog.

usage: prove_rtl_test.py PROJECT TOP
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from benches import FolderTest

PROJECT, TOP = pathlib.Path(sys.argv[1]), sys.argv[2]
ROUTER = PROJECT / "testbenches/router"
sys.path.insert(0, str(ROUTER / "proof"))
import prove  # noqa: E402  # pylint: disable=wrong-import-position

CHOSEN = [prop for prop in prove.PROPERTIES if prop.top == TOP]
SECONDS = 900  # also on a busy machine
# Property, file, text and its replacement.
PLANTED = (
    # A credit in the cycle in which a flit leaves is lost.
    ("credits_0", "output_vc.v", "if (send && !credit) away", "if (send) away"),
    ("credits_1", "output_vc.v", "if (send && !credit) away", "if (send) away"),
    # A credit is used a cycle early.
    ("credits_3", "output_vc.v", "if (!send && coming[CREDIT_CYCLES-2])", "if (!send && coming[0])"),
    # A virtual channel is taken while flits of the last packet are away.
    ("credits_atomic", "output_vc.v", "(ATOMIC == 0 || empty)", "(ATOMIC == 0 || empty || has_place)"),
    # A reset leaves it held.
    ("credits_1", "output_vc.v", "      held <= 1'b0;\n", ""),
    # A full buffer is reported a flit early; an arrival is not counted while another flit leaves.
    ("line_count", "input_vc.v", "count == FULL", "count + 1'b1 == FULL"),
    ("line_count", "input_vc.v", "if (leaves && !arrives) count", "if (leaves) count"),
    # A flit overtakes; the buffer has a place less; a write goes elsewhere; a reset leaves the place to read.
    ("line_order", "input_vc.v", "front = any ?", "front = any && !(arrives && count == 1) ?"),
    ("line_order", "input_vc.v", "write <= write == LAST ?", "write <= write + 1'b1 == LAST ?"),
    ("line_order", "input_vc.v", "      read <= {PLACE_BITS{1'b0}};\n", ""),
    ("line_order_fast", "input_vc.v", "if (leaves) read <=", "if (leaves && any) read <="),
    ("line_order_slow", "input_vc.v", "if (arrives && !leaves) count", "if (arrives) count"),
    # Flits leave without a place at the far end; a credit counts twice.
    ("router_places", "input_vc.v", "holds && here && has_place[", "holds && here || 1'b0 && has_place["),
    ("router_places", "output_vc.v", "if (!send && credit) away", "if (credit) away"),
    # A head does not take its virtual channel; a tail leaves it held, or a body does not.
    ("router_packets", "output_vc.v", "if (take) held <= 1'b1", "if (take) held <= held"),
    ("router_packets", "vc_router.v", ".release_((wins && crosses[FLIT_BITS-1])", ".release_((wins)"),
    ("router_packets_vcs", "output_vc.v", "if (take) held <= 1'b1", "if (take) held <= held"),
    ("router_packets_vcs", "vc_router.v", ".VCS(VCS), .ITERATIONS", ".VCS(1), .ITERATIONS"),
    # Virtual channels after the one served last have priority at every port; an offer that is not accepted, or one of
    # the second iteration, moves the pointer.
    ("va_grants", "islip_vc_allocator.v", "above[i] = last[i] && upper", "above[i] = upper"),
    ("va_grants", "islip_vc_allocator.v", "if ((moves_of[d*LINES+:LINES] & at[q*LINES+:LINES]) != {LINES{1'b0}})",
     "if (ports_picked[(q*VCS+d)*PORTS+:PORTS] != {PORTS{1'b0}})"),
    ("va_grants_again", "islip_vc_allocator.v", "if (n == 0) moved = granted", "moved = granted"),
    # A place is freed for no flit, or not freed; two flits leave at once for an output, or
    # from an input.
    ("router_freed", "vc_router.v", "? {LINES{1'b0}} : leaves", "? {LINES{1'b0}} : leaves | {LINES{in_valid[0]}}"),
    ("router_freed", "vc_router.v", "? {LINES{1'b0}} : leaves", "? {LINES{1'b0}} : leaves & ~(in_credit << 1)"),
    ("router_freed", "islip_switch_allocator.v", "pick = pick & (~pick + 1'b1);\n        for (i", "for (i"),
    ("router_freed", "islip_switch_allocator.v", "| (vc_pick & (~vc_pick + 1'b1));", "| vc_pick;"),
    # The router's buffers overtake; a flit stays on the wires until the next one comes.
    ("router_order", "input_vc.v", "front = any ?", "front = any && !(arrives && count == 1) ?"),
    ("router_order", "vc_router.v", "under_way[0+:SENT_BITS] <= crosses;",
     "if (crosses[SENT_BITS-1]) under_way[0+:SENT_BITS] <= crosses;"),
    # A flit in an empty buffer is an error.
    ("router_errors", "input_vc.v", "head_arrives == open", "head_arrives == (open || leaves)"),
    # The room wire does not count the packet that arrives; a slot is freed a cycle early; a packet's end leaves the
    # place to read.
    ("fifo_room", "crosspoint_fifo.v", "count < FULL - {2'd0, comes}", "count < FULL"),
    ("fifo_room", "crosspoint_fifo.v", "if (comes != pop) count", "if (comes) count"),
    ("fifo_freed", "crosspoint_fifo.v", "freed <= popped", "freed <= pop"),
    ("fifo_order", "crosspoint_fifo.v", "if (pop) begin\n        read_at <= {FLIT_BITS{1'b0}};", "if (pop) begin"),
    ("fifo_order", "crosspoint_fifo.v", "pop = absorb || (send && front[27])", "pop = absorb || send"),
    # A reservation stays with a head that has gone; it keeps nobody out; a grant needs room in one of its FIFOs.
    ("turn_rooms", "output_arbiter.v", "keeps = reserved && reserved_for != chosen", "keeps = reserved"),
    ("turn_rooms", "output_arbiter.v", "found = ready != 0", "found = from_turn != 0"),
    ("turn_grants", "output_arbiter.v", "unreserved = room & ~ports[u*PORTS+:PORTS]", "unreserved = room"),
    ("turn_grants", "output_arbiter.v", "asks[r] && (ports", "asks[r] && ports[r*PORTS+:PORTS] != (ports"),
    # A round is forgotten when the next is complete, or the parity of the oldest.
    ("rounds_kept", "owed_rounds.v", "(twice & ~taken) | (completed & still_once)", "twice & ~taken"),
    ("rounds_kept", "owed_rounds.v", "((parities ^ taken) & ~fresh)", "(parities & ~fresh)"),
)


def by_name(name):
    (prop,) = [prop for prop in prove.PROPERTIES if prop.name == name]
    return prop


class Proved(unittest.TestCase):
    def test_every_property_is_proved(self):
        for prop in CHOSEN:
            with self.subTest(property=prop.name):
                verdict, words = prove.check(prop, prop.folder, SECONDS)
                self.assertEqual(verdict, "proved", words)
                self.assertRegex(words, r"^by induction, k = \d$"
                                 if prop.induction else r"^by an invariant of \d+ clauses$")


class Invariants(FolderTest):
    """Of models in AIGER, beside those of the twin: an output that is always 0, and one that rises later than a first
    search looks."""

    def verdict(self, *lines):
        (self.folder / "model.aig").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return prove.by_invariant(self.folder, SECONDS)

    def test_an_output_that_is_reduced_to_0_is_proved(self):
        self.assertEqual(self.verdict("aig 0 0 0 0 0 1", 0), ("proved", "by an invariant of 0 clauses", None))

    def test_a_late_failure_has_its_cycle(self):
        late = 2 * prove.STEPS + 4
        # A chain of registers, into which a 1 goes.
        self.assertEqual(self.verdict(f"aig {late} 0 {late} 0 0 1", *(2 * node or 1 for node in range(late)), 2 * late),
                         ("FAILED", "", late))


class Planted(FolderTest):
    def plant(self, name, file, text, other):
        sources = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for path in by_name(name).folder.glob("*.v"):
            good = path.read_text(encoding="utf-8")
            if path.name == file:
                self.assertEqual(good.count(text), 1, f"{file} has no one '{text}' to plant a bug in")
                good = good.replace(text, other)
            (sources / path.name).write_text(good, encoding="utf-8")
        return sources

    def test_every_property_fails_with_a_planted_bug(self):
        for name, file, text, other in PLANTED:
            if by_name(name) in CHOSEN:
                with self.subTest(property=name, bug=other):
                    verdict, words = prove.check(by_name(name), self.plant(name, file, text, other), SECONDS)
                    self.assertEqual(verdict, "FAILED", words)
                    self.assertRegex(words, r"^in cycle \d+$")

    def test_every_property_has_a_planted_bug(self):
        self.assertEqual({prop.name for prop in prove.PROPERTIES}, {row[0] for row in PLANTED})

    def test_a_failure_is_told_with_assertion_and_waveform(self):
        name, file, text, other = next(row for row in PLANTED if by_name(row[0]) in CHOSEN)
        result = self.ended(subprocess.run([sys.executable, ROUTER / "proof/prove.py", name, "--sources",
                                            self.plant(name, file, text, other), "--out",
                                            self.folder / "waves"], capture_output=True, text=True, timeout=SECONDS,
                                           check=False), 1)
        found = re.fullmatch(rf"{name} +FAILED in cycle \d+: {by_name(name).top}\.sv:\S+, waveform: (\S+)\n",
                             result.stdout)
        self.assertTrue(found, result.stdout + result.stderr)
        self.assertIn("$var", pathlib.Path(found.group(1)).read_text(encoding="utf-8"))


class Bounded(unittest.TestCase):
    def test_without_time_for_a_proof_a_property_is_bounded(self):
        if TOP == "whole":
            verdict, words = prove.check(by_name("router_order"), ROUTER, 1)
            self.assertEqual(verdict, "bounded")
            self.assertGreaterEqual(int(re.fullmatch(r"to (\d+) cycles", words).group(1)), 3)


class Refused(FolderTest):
    def test_bad_arguments_are_refused_with_what_would_be_accepted(self):
        for words, part in ((["nothing"], "credits_0"), (["--seconds", "0"], "1 or more"),
                            (["--sources", "/nowhere"], "output_vc.v")):
            result = self.ended(subprocess.run([sys.executable, ROUTER / "proof/prove.py", *words], capture_output=True,
                                               text=True, timeout=60,
                                               check=False), 2)
            self.assertIn(part, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
