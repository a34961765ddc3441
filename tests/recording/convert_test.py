#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/convert_trace on the dialects that SimGrid's own replay takes: what they become, that it plays, and what is
refused.

usage: convert_test.py PROJECT NETWORK CENJU4    exit 77: zstd is not installed
"""

import pathlib
import shutil
import subprocess
import sys
import unittest

PROJECT, NETWORK, CENJU4 = (pathlib.Path(word) for word in sys.argv[1:4])
sys.path.insert(0, str(PROJECT / "tests/platforms"))
import machine  # noqa: E402

SKIPPED = 77


class Converted(machine.MachineTest):
    def convert(self, *files, options=()):
        command = [sys.executable, PROJECT / "scripts/recording/convert.py", *files, "-o", "out.ti.zst", *options]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder)

    def lines(self, *files, options=(), plays=()):
        """Operations of each rank that the files become; the executables in `plays` play them."""
        self.ended(self.convert(*files, options=options))
        text = subprocess.run(["zstd", "-dc", self.folder / "out.ti.zst"], capture_output=True, text=True,
                              check=True).stdout
        ranks = {}
        for line in text.splitlines():
            rank, operation = line.split(" ", 1) if line[0] != "#" else (str(max(ranks)), line)
            ranks.setdefault(int(rank), []).append(operation)
        for machine.EXECUTABLE in plays:
            keys = ({"network.nodes": len(ranks)} if machine.EXECUTABLE == CENJU4
                    else {"topology.radices": f"[{len(ranks)}]"})
            self.passes(keys={"workload.kind": "trace", "workload.trace": self.folder / "out.ti.zst", **keys})
        return [ranks[rank] for rank in range(len(ranks))]

    def refused(self, text, *parts, options=()):
        self.write("in.txt", text)
        (self.folder / "out.ti.zst").unlink(missing_ok=True)
        done = self.ended(self.convert("in.txt", options=options), 2)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "out.ti.zst").exists())

    def test_mixed_ranks_blank_lines_numbers_and_default_types(self):
        self.write("in.txt", "# a comment\n0 init\n1 init 1\n\n  0 comm_size 2\n0 compute 1e3\n1 compute 0.75\n0 send "
                   "1 7 1e2\n1 recv 0 7 100\n"
                             "1 compute 2.5e0\n1 send 0 8 3\n0 recv 1 8 24 6\n1 compute 0.75\n0 bcast 2e1 1 1\n1 bcast "
                   "10 1\n"
                             "0 allreduce 8 5e2 2\n1 allreduce 1 50\n0 reduce 80 0\n1 reduce 10 7\n0 sleep 1e-6\n0 "
                   "finalize\n1 finalize\n")
        self.assertEqual(self.lines("in.txt", plays=[NETWORK]), [
            ["init", "compute 1000", "send 1 7 100 6", "recv 1 8 24 6", "bcast 80 1 6", "allreduce 8 0 6",
             "compute 500", "reduce 80 0 0 6",
             "compute 1000", "finalize"],
            ["init", "recv 0 7 800 6", "compute 3", "send 0 8 24 6", "compute 1", "bcast 80 1 6", "allreduce 8 0 6",
             "compute 50",
             "reduce 80 0 0 6", "compute 7", "finalize"]])

    def test_a_file_a_rank_by_name_or_by_an_index(self):
        (self.folder / "parts").mkdir()
        self.write("parts/r0.txt", "0 send 1 5 8\n# roi_begin\n0 compute 5\n# roi_end\n")
        packed = self.folder / "parts/r1.txt"
        packed.write_bytes(subprocess.run(["zstd", "-c"], input=b"1 irecv 0 5 8\r\n1 wait 0 1 5\r\n",
                                          capture_output=True, check=True).stdout)
        self.write("parts/index", "r0.txt\n\nr1.txt\n")
        expected = [["init", "send 1 5 8 6", "# roi_begin", "compute 5", "# roi_end", "finalize"],
                    ["init", "irecv 0 5 8 6", "wait 0 1 5", "finalize"]]
        self.assertEqual(self.lines("parts/r1.txt", "parts/r0.txt"), expected)
        self.assertEqual(self.lines("parts/index", plays=[NETWORK]), expected)
        self.write("elsewhere", "parts/r0.txt\nparts/r1.txt\n")
        shutil.move(self.folder / "elsewhere", self.folder / "parts/elsewhere")
        self.assertEqual(self.lines("parts/elsewhere"), expected)
        self.refused("gone0.txt\ngone1.txt\n", "in.txt: an index of files, of which 'gone0.txt' is not there")

    def test_messages_without_tags_and_the_words_of_old_versions(self):
        self.write("in.txt",
                   "p0 init\np1 init\np0 Isend p1 1e2\np0 Irecv p1\np0 wait\np1 recv p0\np1 send p0 50 1\np0 allReduce "
                   "4 0\n"
                   "p1 allReduce 4 0\np0 allToAll 4 4\np1 allToAll 4 4\np0 waitAll\n")
        self.assertEqual(self.lines("in.txt", plays=[NETWORK]), [
            ["init", "isend 1 0 100 6", "irecv 1 0 200 6", "wait 1 0 0", "allreduce 4 0 6", "alltoall 4 4 6 6",
             "wait 0 1 0", "finalize"],
            ["init", "recv 0 0 100 6", "send 0 0 200 6", "allreduce 4 0 6", "alltoall 4 4 6 6", "finalize"]])
        # As many waits as requests: the newest of all.
        self.write("in.txt", "0 irecv 1 8\n0 isend 1 8\n0 wait\n0 wait\n1 recv 0 8\n1 send 0 8\n")
        self.assertEqual(self.lines("in.txt")[0][3:5], ["wait 0 1 0", "wait 1 0 0"])
        self.write("in.txt", "0 irecv 1 8\n0 isend 1 8\n0 wait\n1 recv 0 -1\n1 send 0 8\n")
        self.assertEqual(self.lines("in.txt"),
                         [["init", "irecv 1 0 8 6", "isend 1 0 8 6", "wait 1 0 0", "wait 0 1 0", "finalize"],
                          ["init", "recv 0 0 8 6", "send 0 0 8 6", "finalize"]])

    def test_lines_that_may_have_a_tag_have_one_unless_another_line_or_the_user_says_no(self):
        self.write("in.txt", "0 send 1 2 3\n1 recv 0 2 3\n")
        self.assertEqual(self.lines("in.txt")[0][1], "send 1 2 3 6")
        self.assertEqual(self.lines("in.txt", options=["--tags", "yes"])[0][1], "send 1 2 3 6")
        self.assertEqual(self.lines("in.txt", options=["--tags", "no"])[0][1], "send 1 0 4 6")
        self.write("in.txt", "0 send 1 2 3\n1 recv 0 2 3\n0 isend 1 4\n1 recv 0\n")
        self.assertEqual(self.lines("in.txt")[0][1], "send 1 0 4 6")
        for text in ("p0 send p1 2 3\np1 recv p0 2 3\n", "0 Isend 1 2 3\n1 recv 0 2 3\n",
                     "0 send 1 2 3\n1 irecv 0 2 3\n1 wait\n"):
            self.write("in.txt", text)
            self.assertEqual(self.lines("in.txt")[0][1].removeprefix("i"), "send 1 0 4 6")
        self.refused("0 send 1 0 3 6\n1 recv 0 3\n", "in.txt:2:3: messages with tags (in.txt:1) and without (in.txt:2)")
        self.refused("0 send 1 0 99\n1 recv 0 0 99\n", "in.txt:1:3: not a line of a trace without tags",
                     options=["--tags", "no"])

    def test_tests_and_waits(self):
        self.write("in.txt",
                   "0 irecv 1 1 8\n0 irecv 1 2 8\n0 test 1 0 1\n0 test 1 0 2\n0 compute 5\n0 test 1 0 1\n0 wait 1 0 2\n"
                   "1 isend 0 1 8\n1 isend 0 2 8\n1 waitall 1\n1 wait 1 0 2\n")
        self.assertEqual(self.lines("in.txt", plays=[NETWORK]), [
            ["init", "irecv 1 1 8 6", "irecv 1 2 8 6", "compute 5", "wait 1 0 1", "wait 1 0 2", "finalize"],
            ["init", "isend 0 1 8 6", "isend 0 2 8 6", "waitall 2", "finalize"]])
        self.refused("0 irecv 0 1 8\n0 isend 0 1 8\n0 wait 0 0 2\n",
                     "in.txt:3:3: a wait for a request that this rank does not have")
        self.refused("0 wait 1 2 2\n1 compute 1\n2 compute 1\n",
                     "in.txt:1:8: a wait for other ranks' message (got '1'; accepted: rank 0")

    def test_operations_that_the_format_does_not_have(self):
        """Four ranks: the bytes of each rank's sends, or the operation that it is written as."""
        all_of_them = ""
        for operation, expected in (
            ("gather 68 68 2 0 0", {(0, 544), (1, 544), (3, 544)}),
            ("gather 10 10", {(1, 10), (2, 10), (3, 10)}),
            ("scatter 5 5 1 1 1", {(1, 20)}),
            ("gatherV 7 7 7 7 7 3", {(0, 7), (1, 7), (2, 7)}),
            ("scatterV 1 2 3 4 {r} 0", {(0, 2), (0, 3), (0, 4)}),
            ("reduceScatter 1 2 3 4 9 1", {(1, 40), (2, 40), (3, 40), (0, 8), (0, 12), (0, 16), ("compute", 9)}),
            ("scan 6 4", {(0, 6), (1, 6), (2, 6), ("compute", 4)}),
            ("exscan 6 0 1", {(0, 24), (1, 24), (2, 24)}),
            ("sendRecv 6 {next} 6 {last}", {(0, 6), (1, 6), (2, 6), (3, 6)}),
            ("allGather 7 7 1 1", "alltoall 28 28 6 6"),
            ("allGatherV {r} 1 2 3 4", "alltoallv 8 2 2 2 2 10 1 2 3 4 6 6"),
            ("allGatherV {r} 1 2 3 4 1 1", "alltoallv 32 8 8 8 8 40 4 8 12 16 6 6"),
            ("allGatherV {r} 1 2 3 4 1 1 0 0 0 0", "alltoallv 32 8 8 8 8 40 4 8 12 16 6 6"),
            ("allGatherV {r} 1 2 3 4 0 0 0 0", "alltoallv 8 2 2 2 2 10 1 2 3 4 6 6"),
            ("allToAllV 99 2 2 2 2 99 2 2 2 2 1 1", "alltoallv 32 8 8 8 8 32 8 8 8 8 6 6"),
        ):
            with self.subTest(operation=operation):
                text = "".join(f"{rank} {operation}\n".format(r=rank + 1, next=(rank + 1) % 4, last=(rank - 1) % 4)
                               for rank in range(4))
                all_of_them += text
                self.write("in.txt", text)
                lines = self.lines("in.txt")
                if isinstance(expected, str):
                    self.assertEqual(lines[1][1], expected)
                    continue
                words = [(rank, line.split()) for rank in range(4) for line in lines[rank]]
                found = {(rank, int(one[3])) for rank, one in words if one[0] in ("send", "isend")}
                found |= {("compute", int(one[1])) for _, one in words if one[0] == "compute"}
                self.assertEqual(found, expected)
        self.write("in.txt", all_of_them)
        self.lines("in.txt", plays=[NETWORK, CENJU4])

    def test_refusals_say_place_value_and_what_is_accepted(self):
        self.refused("0 init\n0 dance\n", "convert_trace: in.txt:2:3: unknown operation (got 'dance'; accepted: ",
                     "sendrecv")
        self.refused("0 send 1 0 1.5\n1 init\n",
                     "in.txt:1:12: not a whole number in its range (got '1.5'; accepted: 0..9223372036854775807")
        self.refused("0 send 1 0 -5\n1 init\n", "in.txt:1:12: not a whole number")
        self.refused("0  send  1 0 1e6 60\n1 init\n",
                     "in.txt:1:18: not a datatype that has bytes (got '60'; accepted: ", "0..59")
        self.refused("0 send 1 0 1e9 0\n1 init\n", "in.txt:1:12: 8000000000 bytes are more than a replay takes",
                     "0..4294967295 bytes")
        self.refused("0 recv -333 0 8\n", "in.txt:1:8: not a rank (got '-333'; accepted: 0..0; the source that a "
                     "receive from any rank took")
        self.refused("0 send 1 0 8\n", "in.txt:1:8: not a rank (got '1'; accepted: 0..0")
        self.refused("1 init\n", "rank 0 has no operation")
        self.refused("x init\n", "in.txt:1:1: not a rank (got 'x'")
        self.refused("0 bcast\n", "in.txt:1:3: 0 arguments (got 'bcast'; accepted: bcast SIZE [ROOT [DATATYPE]])")
        self.refused("0 init\n0 finalize\n0 barrier\n", "in.txt:3:3: an operation after finalize")
        self.refused("0 alltoall 4 8\n1 alltoall 4 8\n",
                     "in.txt:1:14: 4 bytes to each rank and 8 from each (got '8'; accepted: equal")
        self.refused("0 barrier\n1 bcast 4\n", "in.txt:2: collective operation 1", "`bcast 4 bytes from 0`",
                     "`barrier` at in.txt:1")
        self.refused("0 barrier\n1 init\n", "rank 1: 0 collective operations of a communicator, and 1 at rank 0")
        self.refused("0 send 1 0 8\n1 init\n",
                     "rank 1: 1 messages with tag 0 that rank 0 sends to it and it does not receive")
        self.refused("0 recv 1\n1 init\n",
                     "in.txt:1:3: a receive without a size, of a message that rank 1 does not send")
        self.refused("", "in.txt: no operation")
        self.refused("0 compute 1e99\n", "in.txt:1:11: not a number of flops (got '1e99'")
        done = self.convert("gone.txt")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "convert_trace: gone.txt: cannot be read: No such file or directory\n"))

    def test_the_command_its_help_and_a_place_that_cannot_be_written(self):
        done = subprocess.run([PROJECT / "scripts/convert_trace", "--help"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("convert_trace IN..."))
        self.write("in.txt", "0 init\n")
        done = subprocess.run([PROJECT / "scripts/convert_trace", "in.txt", "-o", "out.zst"], capture_output=True,
                              text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"out.zst: 1 ranks, 2 operations, {(self.folder / 'out.zst').stat().st_size} bytes\n"))
        done = subprocess.run([PROJECT / "scripts/convert_trace", "in.txt", "-o", "gone/out.zst"], capture_output=True,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("convert_trace: gone/out.zst: cannot be written", done.stderr)


if __name__ == "__main__":
    if shutil.which("zstd") is None:
        print("skipped: zstd is not installed (section `convert` of scripts/packages)")
        sys.exit(SKIPPED)
    del sys.argv[1:4]
    unittest.main()
