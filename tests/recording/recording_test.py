#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""From MPI sources to replays: scripts/record_trace on every kernel, on every call that it knows and on those that it
refuses.

usage: recording_test.py CLASS PROJECT NETWORK CENJU4    exit 77: SMPI is not installed
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PROJECT, NETWORK, CENJU4 = (pathlib.Path(word) for word in sys.argv[2:5])
sys.path.insert(0, str(PROJECT / "tests/platforms"))
import machine  # noqa: E402

HERE = PROJECT / "tests/recording"
SKIPPED = 77
TOOLS = ("smpicc", "smpirun", "zstd", "addr2line")


class Recorded(machine.MachineTest):
    def record(self, source, *arguments, ranks=4, options=(), name="recorded.ti.zst", **environment):
        command = [PROJECT / "scripts/record_trace", "-n", str(ranks), "-o", name, *options, source,
                   *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=300, **environment)

    def trace(self, *arguments, name="recorded.ti.zst", **options):
        """Lines of each rank of a program that is recorded."""
        self.ended(self.record(*arguments, name=name, **options))
        return self.lines(name)

    def text(self, name):
        return subprocess.run(["zstd", "-dc", self.folder / name], capture_output=True, text=True, check=True).stdout

    def lines(self, name):
        ranks = {}
        for line in self.text(name).splitlines():
            rank, operation = line.split(" ", 1)
            ranks.setdefault(int(rank), []).append(operation)
        return [ranks[rank] for rank in range(len(ranks))]

    def replays(self, ranks, name="recorded.ti.zst", **keys):
        """The trace plays on a mesh and on a Cenju-4, whatever is an eager message."""
        keys = {"workload.kind": "trace", "workload.trace": self.folder / name, **keys}
        machine.EXECUTABLE = NETWORK
        for eager in (0, 1 << 20):
            done = self.passes(keys={**keys, "topology.radices": f"[{ranks}]", "nic.eager_bytes": eager})
            self.assertEqual(done.metric("packets_sent"), done.metric("packets_delivered"))
        machine.EXECUTABLE = CENJU4
        self.passes(keys={**keys, "network.nodes": ranks})


class Kernels(Recorded):
    def test_every_kernel_is_recorded_from_its_source_and_replayed(self):
        kernels = sorted((PROJECT / "platforms/kernels").glob("*.c"))
        self.assertLess(1, len(kernels))
        for kernel in kernels:
            with self.subTest(kernel=kernel.name):
                lines = self.trace(kernel, 64, 2, ranks=16)
                self.assertEqual(len(lines), 16)
                self.replays(16)

    def test_the_repository_s_traces_are_recorded_again_to_the_same_lines(self):
        """By the very commands of platforms/traces/README.md. Each zstd compresses to other bytes."""
        text = (PROJECT / "platforms/traces/README.md").read_text()
        commands = re.findall(r"^    scripts/record_trace -n (\d+) -o (\S+) (\S+) (.*)$", text, re.MULTILINE)
        self.assertEqual(len(commands), 7)
        for ranks, trace, kernel, arguments in commands:
            self.trace(PROJECT / kernel, *arguments.split(), ranks=ranks)
            self.assertTrue(self.text("recorded.ti.zst") == self.text(PROJECT / trace),
                            f"{trace} is recorded to other lines")


class EveryCall(Recorded):
    """One recording, of 16 ranks; tags tell the parts of the program apart."""

    RANKS = 16

    def test_every_call(self):
        ranks = self.trace(HERE / "every_call.c", ranks=self.RANKS)
        self.trace(HERE / "every_call.c", ranks=self.RANKS, name="again.ti.zst")
        self.assertEqual((self.folder / "recorded.ti.zst").read_bytes(), (self.folder / "again.ti.zst").read_bytes())
        self.sources(ranks)
        self.waits(ranks)
        self.flops_and_types(ranks)
        self.single_calls(ranks)
        self.collectives(ranks)
        self.communicators(ranks)
        self.replays(self.RANKS)

    def test_every_call_that_the_recorder_wraps_is_tried(self):
        text = (PROJECT / "scripts/recording/recorder.c").read_text()
        makers = "BLOCKING_SEND|REQUEST_CALL|SOME|BOTH|COMBINE|MAKES_COMMUNICATOR|ENDS_COMMUNICATOR"
        wrapped = set(re.findall(r"\bWRAP\((?:int|double|void|unsigned), (\w+),", text)) - {"name", "sister"}
        wrapped |= (set(re.findall(rf"\b(?:{makers})\((MPI_\w+)",
                                   text)) | set(re.findall(r"\bBOTH\(MPI_\w+, (MPI_\w+)", text)))
        self.assertLess(80, len(wrapped))
        called = (HERE / "every_call.c").read_text()
        untried = [name for name in wrapped if not re.search(rf"\b({name}|{name.removeprefix('smpi_')})\(", called)]
        self.assertEqual(untried, [])

    def part(self, lines, first, last):
        """Messages and waits with one of these tags."""
        def tag(words):
            return (int(words[3 if words[0] == "wait" else 2])
                    if words[0] in ("send", "recv", "isend", "irecv", "wait") else -1)
        return [line for line in lines if first <= tag(line.split()) <= last]

    def sources(self, ranks):
        # The later a rank computes, the later its message.
        order = sorted(range(1, self.RANKS), key=lambda rank: 7 * rank % self.RANKS)
        self.assertEqual(self.part(ranks[0], 30, 39 + self.RANKS)[: len(order)],
                         [f"recv {rank} {30 + rank} 4000 6" for rank in order])
        posted = self.part(ranks[0], 40, 40)
        posted = [line for line in posted if line.startswith("irecv") and line.endswith(" 4000 6")]
        self.assertEqual({int(line.split()[1]) for line in posted}, set(range(1, self.RANKS)))

    def waits(self, ranks):
        lines = self.part(ranks[0], 20, 22)
        self.assertEqual(lines[6:], ["wait 15 0 21", "wait 15 0 22"])
        at = ranks[0].index("irecv 15 23 100 6")
        self.assertEqual(ranks[0][at - 1 : at + 6], ["waitall 4", *["irecv 15 23 100 6"] * 2, *["send 1 23 100 6"] * 2,
                                                     "waitall 2",
                                                     "compute 23"])
        completions = self.part(ranks[1], 50, 55)
        self.assertEqual(sum(not line.startswith("wait") for line in completions), 12)
        self.assertLess(1, sum(line.startswith("wait ") for line in completions))

    def flops_and_types(self, ranks):
        # Fractions: 0.740993 and twice 0.75.
        stated = 1234567 + 9007199254 + 2 + 100 + 1000 + 2000 + 3000 + 400
        # A send whose request is freed is open until the end, and no `waitall` before it.
        self.assertEqual(ranks[1][-8:], [f"compute {stated}", "irecv 0 90 480 6", "isend 2 90 480 6", "wait 0 1 90",
                                         "wait 1 2 90",
                                         "compute 1000000000", "wait 1 2 84", "finalize"])

    def single_calls(self, ranks):
        at = ranks[2].index("isend 3 60 77 6")
        self.assertEqual(ranks[2][at + 1 : at + 4], ["recv 1 60 77 6", "compute 60", "wait 2 3 60"])
        self.assertEqual(ranks[0][ranks[0].index("recv 15 11 10 6") + 1], "waitall 2", "the sends at MPI_Buffer_detach")
        self.assertEqual(self.part(ranks[0], 10, 11), ["isend 1 10 24 6", "isend 1 11 10 6", "recv 15 10 24 6",
                                                       "recv 15 11 10 6"])
        self.assertEqual(self.part(ranks[0], 70, 74), ["irecv 15 70 160 6", "isend 1 70 80 6", "irecv 1 71 80 6",
                                                       "isend 15 71 80 6",
                                                       "isend 1 72 80 6", "wait 0 1 72", "irecv 0 74 80 6",
                                                       "isend 0 74 80 6"])
        persistent = self.part(ranks[0], 80, 85)
        self.assertEqual(persistent.count("irecv 15 80 32 6"), 3)
        self.assertEqual(persistent.count("isend 1 80 32 6"), 3)
        self.assertFalse(self.part(ranks[0], 85, 85), "a receive that was taken back")
        self.assertEqual(persistent[-2:], ["recv 15 84 4 6", "wait 0 1 84"])

    def collectives(self, ranks):
        n = self.RANKS
        sizes = [12 * rank for rank in range(n)]
        words = " ".join(map(str, sizes))
        counted = f"alltoallv {n * sizes[2]} {' '.join([str(sizes[2])] * n)} {sum(sizes)} {words} 6 6"
        for operation in ("barrier", f"bcast 120 {n - 1} 6", f"reduce 124 0 {n - 1} 6", "allreduce 128 0 6",
                          "alltoall 132 132 6 6",
                          "alltoall 144 144 6 6"):
            self.assertIn(operation, ranks[2])
        self.assertEqual(ranks[2].count(counted), 3, "Alltoallv, Alltoallw and Allgatherv")
        # To the root: 34 numbers of each, then those of the ranks that have any.
        into = [line.split() for line in ranks[n - 1][ranks[n - 1].index("alltoall 132 132 6 6"):]
                if line.startswith("recv")]
        self.assertEqual([one[3] for one in into[: 2 * n - 3]], ["136"] * (n - 1) + [str(size) for size in sizes[1:-1]])
        # In order: every rank's own part of a scatter, all numbers up a tree, one's own down; along the ranks.
        one = [line.split() for line in ranks[1][ranks[1].index("alltoall 132 132 6 6"):]
               if line.split()[0] in ("send", "recv")]
        self.assertEqual([(words[0], words[1], words[3]) for words in one[:12]], [
            ("send", str(n - 1), "136"), ("send", str(n - 1), "12"), ("recv", str(n - 1), "140"),
            ("recv", str(n - 1), "12"),
            ("send", "0", str(sum(sizes))), ("recv", "0", "12"), ("send", "0", str(n * 148)), ("recv", "0", "148"),
            ("recv", "0", "152"), ("send", "2", "152"), ("recv", "0", "156"), ("send", "2", "156")])

    def communicators(self, ranks):
        """Equal tags of two communicators, a part of the ranks, all ranks in another order."""
        n = self.RANKS
        others = [line.split() for line in ranks[0] if line.endswith((" 10 6", " 20 6")) and len(line.split()) == 5]
        first = [words for words in others if int(words[2]) > 2146435071][:4]
        self.assertEqual([words[0] for words in first], ["isend", "isend", "recv", "recv"])
        self.assertEqual((first[0][2], first[1][2]), (first[3][2], first[2][2]))
        self.assertNotEqual(first[0][2], first[1][2])
        # Ranks 14, 12, .. 0: a tree from the last of them, which is rank 0, to the first, the second and the fourth.
        down = [line.split() for line in ranks[0] if line.split()[0] == "send" and line.split()[3] == "120"]
        self.assertIn("8 12 14", " ".join(words[1] for words in down))
        self.assertIn("bcast 120 0 6", ranks[0])
        # From the member before, which is two ranks above; the last one's is the first.
        for rank in (0, 1, n - 2):
            source = (rank + 2) % n
            self.assertEqual([line.split()[1] for line in ranks[rank]
                              if line.split()[0] == "irecv" and line.endswith(" 100 6")
                              and len(line.split()[2]) == 10], [str(source)])
            self.assertEqual([line.split()[1] for line in ranks[rank]
                              if line.startswith("recv") and line.endswith(" 99 6")], [str(source)])
        sizes = [12 * (n - 1 - rank) for rank in range(n)]
        self.assertIn(f"alltoallv {n * sizes[0]} {' '.join([str(sizes[0])] * n)} {sum(sizes)} "
                      f"{' '.join(map(str, sizes))} 6 6", ranks[0])


TIMERS = """
static int running;
void timer_clear(int n) { running &= ~(1 << n); }
void timer_start(int n) { running |= 1 << n; }
void timer_stop(int n) { running &= ~(1 << n); }
"""
TIMED = """
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>
void timer_clear(int), timer_start(int), timer_stop(int);
static void work(int flops) { smpi_execute_flops(flops); MPI_Barrier(MPI_COMM_WORLD); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* does = argc > 1 ? argv[1] : "s1xc0swx";
  for (; *does; ++does) {
    if (*does == 'c') timer_clear(0);
    if (*does == 's') timer_start(0);
    if (*does == 'x') timer_stop(0);
    if (*does == '0') timer_start(1), work(10), timer_stop(1);
    if (*does == '1') work(111);
    if (*does == 'w') work(222);
  }
  MPI_Finalize();
  return 0;
}
"""


class Programs(Recorded):
    """Programs of several sources and languages, and those that makefiles build."""

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_fortran_is_recorded_to_the_lines_of_c(self):
        """Every call that Fortran may make; the programs check what they receive, too."""
        fortran = self.trace(HERE / "fortran_calls.f90", ranks=6)
        self.assertEqual(fortran, self.trace(HERE / "fortran_twin.c", ranks=6))
        self.assertEqual(fortran, self.trace(HERE / "fortran_calls.f90", "by MPI_Init_thread", ranks=6))
        self.assertLess(400, sum(len(lines) for lines in fortran))
        text = (PROJECT / "scripts/recording/recorder_fortran.c").read_text()
        wrapped = set(re.findall(r"^(?:FORTRAN|[A-Z_]+)\((mpi_\w+)_,", text, re.MULTILINE))
        self.assertLess(50, len(wrapped))
        called = (HERE / "fortran_calls.f90").read_text()
        self.assertEqual([name for name in wrapped if f"call {name}(" not in called], [])

    def test_fortran_calls_are_refused_with_name_and_line(self):
        for suffix, indent in (("f90", ""), ("f", "      ")):
            lines = ["program refused", "use mpi", "integer error, request", "call mpi_init(error)",
                     "call mpi_ibarrier(MPI_COMM_WORLD, request, error)",
                     "call mpi_send(error, 1, MPI_INTEGER, 0, 2146435072, 0, error)", "end program"]
            for call, at in (("mpi_ibarrier_", 5), ("MPI_Send", 6)):
                text = [line for number, line in enumerate(lines, 1) if number in (1, 2, 3, 4, at, 7)]
                source = self.write(f"refused.{suffix}", "".join(f"{indent}{line}\n" for line in text))
                done = self.ended(self.record(source, ranks=1), 2)
                self.assertIn(f"record_trace: refused.{suffix}:5: {call} at rank 0: ", done.stderr)

    def test_several_sources_with_flags_and_arguments(self):
        self.write("include/sizes.h", "#define BYTES 40\n")
        self.write("part/part.f90", "module part\ncontains\nsubroutine exchange(bytes) bind(c)\nuse mpi\n"
                   "integer, value :: bytes\ninteger :: error, rank, both(1000)\n"
                   "call mpi_comm_rank(MPI_COMM_WORLD, rank, error)\n"
                   "if (rank == 0) call mpi_send(both, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, error)\n"
                   "if (rank == 1) call mpi_recv(both, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &\n"
                   "error)\n"
                   "end subroutine\nend module\n")
        self.write("main.c", "#include <mpi.h>\n#include <stdlib.h>\n#include <sizes.h>\nvoid exchange(int bytes);\n"
                   "int main(int argc, char** argv) { MPI_Init(&argc, &argv); exchange(BYTES + MORE + atoi(argv[1]));"
                   " MPI_Finalize(); return 0; }\n")
        command = [PROJECT / "scripts/record_trace", "-n", "2", "-I", "include", "-DMORE=200", "-O1", "-lm",
                   "part/part.f90", "main.c", "--", "1000"]
        done = self.ended(subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=100))
        self.assertIn("part2.ti.zst: 2 ranks", done.stdout)
        self.assertEqual(self.lines("part2.ti.zst")[0], ["init", "send 1 7 1240 6", "finalize"])

    def test_the_section_of_a_timer(self):
        self.write("timers.c", TIMERS)
        self.write("timed.c", TIMED)
        sources = (self.folder / "timed.c", self.folder / "timers.c")
        self.assertEqual(self.section(sources, options=["--timer", "0"]), ["# roi_begin", "0 compute 222", "0 barrier",
                                                                           "# roi_end"])
        self.assertEqual(self.section(sources, options=["--timer", "1"]),
                         ["# roi_begin", "0 compute 10", "0 barrier", "# roi_end"])
        self.assertEqual(self.section(sources), [])
        for word, said in (("ss", "timer 0 starts again without a clear"), ("x", "timer 0 stops, and does not run"),
                           ("s", "timer 0 never stops"), ("1", "timer 0 never starts")):
            done = self.record(sources[0], sources[1], word, ranks=1, options=["--timer", "0"])
            self.assertIn(said, self.ended(done, 2).stderr)

    def section(self, sources, **options):
        self.ended(self.record(*sources, ranks=2, **options))
        lines = self.text("recorded.ti.zst").split("\n1 init\n")[0].splitlines()  # of rank 0
        marks = [at for at, line in enumerate(lines) if line.startswith("#")]
        return lines[marks[0]:marks[-1] + 1] if marks else []

    def makefile(self, target, *sources):
        compiled = "".join(f"{source}.o: {source}\n\t$({kind}) -c -O1 -o $@ $<\n" for source in sources
                           for kind in ["MPICC" if source.endswith(".c") else "MPIFC"])
        return (f"{target}: {' '.join(source + '.o' for source in sources)}\n"
                f"\tar rc parts.a {sources[-1]}.o\n\t$(FLINK) -o $@ {sources[0]}.o parts.a -lm\n{compiled}")

    def test_what_a_makefile_builds_is_recorded(self):
        """A main program in Fortran and a library in C; linked without the recorder it is refused."""
        self.write("main.f90", "program main\nuse mpi\ninteger error\ncall mpi_init(error)\ncall part()\n"
                   "call mpi_finalize(error)\nend program\n")
        self.write("part.c", "#include <mpi.h>\nvoid part_(void) { MPI_Barrier(MPI_COMM_WORLD); }\n")
        self.write("Makefile", self.makefile("main", "main.f90", "part.c"))
        compiler = PROJECT / "scripts/record_trace"
        for links, ends in ((f"{compiler} --compiler fortran", 0), ("smpif90", 2)):
            (self.folder / "main").unlink(missing_ok=True)
            subprocess.run(["make", f"MPICC={compiler} --compiler c", f"MPIFC={compiler} --compiler fortran",
                            f"FLINK={links}"], cwd=self.folder, check=True, capture_output=True, timeout=100)
            done = self.ended(self.record(self.folder / "main", ranks=3), ends)
        self.assertEqual(self.lines("recorded.ti.zst"), [["init", "barrier", "finalize"]] * 3)
        self.assertIn("nor a program that record_trace --compiler has linked", done.stderr)

    def test_benchmarks_with_nas_makefiles(self):
        """A folder with the makefiles' targets: each program is built in a copy, and recorded with its timer."""
        self.write("npb/sys/make.common", "")
        self.write("npb/config/make.def.template", "MPICC = none\n")
        self.write("npb/Makefile", "include config/make.def\nis ep:\n"
                   "\t$(CLINK) -o bin/$@.$(CLASS).x timed.c timers.c -DNAME=$@\n")
        self.write("npb/timers.c", TIMERS)
        self.write("npb/timed.c", TIMED.replace("s1xc0swx", "0swx"))
        before = sorted(path.name for path in (self.folder / "npb").rglob("*"))
        done = self.ended(self.record("--nas", "npb", "S", "is", "ep", ranks=2, name="traces"))
        self.assertEqual(before, sorted(path.name for path in (self.folder / "npb").rglob("*")))
        self.assertEqual([line.split(":")[0].rsplit("/")[-1] for line in done.stdout.splitlines()],
                         ["is.S.2.ti.zst", "ep.S.2.ti.zst"])
        for name in ("is", "ep"):
            text = self.text(f"traces/{name}.S.2.ti.zst")
            self.assertEqual(text.count("# roi_begin"), 2)
            section = text.split("# roi_begin\n")[1].split("# roi_end")[0]
            self.assertEqual([line for line in section.splitlines() if "compute" not in line], ["0 barrier"], name)
        for arguments, said in ((["--nas", "npb", "Z"], "Z: not a class"), (["--nas", "npb", "S", "cg"], "cg of "),
                                (["--nas", "npb", "S", "xy"], "not a benchmark"),
                                (["--measure", "--nas", "npb", "S"], "alone")):
            done = self.ended(self.record(*arguments, ranks=2, name="traces"), 2)
            self.assertIn(said, done.stderr)


class Refusals(Recorded):
    SOURCE = HERE / "refused_calls.c"

    def refused(self, name, *parts, ranks=2):
        done = self.ended(self.record(self.SOURCE, name, ranks=ranks), 2)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "recorded.ti.zst").exists())

    def test_calls_are_refused_with_name_and_line(self):
        lines = self.SOURCE.read_text().splitlines()
        cannot = "a call that a trace cannot express; scripts/handbook.d/topics/recording.md lists those that it can"
        for name, call, reason in (
            ("file", "MPI_File_open", cannot),
            ("past", "PMPI_Barrier", cannot),
            ("sample", "smpi_sample_cond", cannot),
            ("negative", "smpi_execute_flops", "-1 is not a number of flops"),
            ("nan", "smpi_execute", "nan is not a number of flops"),
            ("abort", "MPI_Abort", "the program gives up with error 7"),
            ("tag", "MPI_Send", "tag 2146435072 is too large (0..2146435071)"),
            ("fails", "MPI_Send", "the call failed (MPI error class"),
            ("huge", "MPI_Irecv", "4294967296 bytes are more than a replay takes (0..4294967295)"),
            ("freed", "MPI_Request_free", "nobody waits for the request"),
            ("cancelled", "MPI_Cancel", "only a receive can be taken back"),
            ("open", "MPI_Finalize", "a receive that nothing has completed"),
        ):
            with self.subTest(name=name):
                line = next(at for at, text in enumerate(lines, 1) if text.endswith("// " + name))
                self.refused(name, f"record_trace: {self.SOURCE}:{line}: {call} at rank 0: {reason}")

    def test_ranks_that_disagree_or_do_not_end_are_refused_after_the_run(self):
        self.refused("unreceived", "rank 1: 1 messages with tag 3 that rank 0 sends to it and it does not receive")
        self.refused("bytes",
                     "rank 1: collective operation 1 of a communicator is `bcast 0 20` here and `bcast 0 10` at rank 0")
        self.refused("exit", "rank 1 ends without MPI_Finalize")
        self.refused("status", "ended with status 3, and leaves no trace")

    def test_arguments_of_the_program_and_of_the_command(self):
        done = self.ended(self.record(self.SOURCE, "words", "a  * b", "", ranks=1))
        self.assertIn(f"[a  * b] [] {self.folder}\n", done.stdout)
        (self.folder / "a b").mkdir()
        shutil.copy(self.SOURCE, self.folder / "a b/x y.c")
        done = subprocess.run([PROJECT / "scripts/record_trace", "-n", "1", "a b/x y.c", "words", "1", "2"],
                              capture_output=True, text=True,
                              cwd=self.folder, env={**os.environ, "TMPDIR": str(self.folder / "a b"),
                                                    "SMPI_PRETEND_CC": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "x y1.ti.zst").exists())
        for number in ("0", "1025", "2000", "-1", "x", "1.5", "99999999999999999999"):
            done = self.record(self.SOURCE, ranks=number)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"record_trace: -n {number}: not a number of ranks (1..1024)\n"))
        for arguments, text in ((["gone.c"], "gone.c: not a file"),
                                ([HERE / "recording_test.py"],
                                 "neither a source (.c, .f, .F, .f90, .F90) nor a program"),
                                ([HERE], "not a file"),
                                ([self.SOURCE, "--cfg=smpi/x:1"], "--cfg=smpi/x:1: an argument that SimGrid takes")):
            done = self.ended(self.record(*arguments), 2)
            self.assertIn("record_trace: ", done.stderr)
            self.assertIn(text, done.stderr)
        done = self.ended(self.record(self.SOURCE, name="gone/x.ti.zst"), 2)
        self.assertIn("gone/x.ti.zst: cannot be written", done.stderr)

    def test_words_that_no_mode_takes(self):
        for arguments, text in (
                (["--compiler", "cobol"], "--compiler takes c or fortran"),
                (["--nas", ".", "S"], "not the MPI version of the NAS parallel benchmarks"),
                (["--timer", "1000", self.SOURCE], "--timer 1000: not the number of a timer (0..999)"),
                (["-O4", self.SOURCE], "unknown option -O4"), (["-I"], "-I takes a word"),
                ([self.SOURCE, "gone.c"], "gone.c: not a file")):
            done = subprocess.run([PROJECT / "scripts/record_trace", *arguments], capture_output=True, text=True,
                                  cwd=self.folder, timeout=100)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)

    def test_measured_times_have_two_digits(self):
        lines = self.trace(PROJECT / "platforms/kernels/cg.c", 64, 2, options=["--measure"])
        computes = [line.split()[1] for rank in lines for line in rank if line.startswith("compute")]
        self.assertTrue(computes)
        for flops in computes:
            self.assertRegex(flops, "^[1-9][0-9]0+$")
            self.assertLessEqual(1000, int(flops))


if __name__ == "__main__":
    more = ("gfortran", "make") if sys.argv[1] == "Programs" else ()
    missing = [tool for tool in TOOLS + more if shutil.which(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (section `record` of scripts/packages)")
        sys.exit(SKIPPED)
    del sys.argv[2:]
    unittest.main(defaultTest=sys.argv.pop(1))
