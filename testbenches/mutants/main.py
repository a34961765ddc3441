# SPDX-License-Identifier: Apache-2.0
"""Mutants of RTL twins: how many the default run of the bench finds; and its coverage of the twins' lines and
registers."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import coverage
import netlist
import proof

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from tsuji.progress import Progress  # noqa: E402  # pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("TSUJI_BUILD") or "build")
ENOUGH_PERCENT = 95
SHORT_CYCLES = 100_000
CHECKED_PROOFS = 3  # mutants that the bench finds and that must not be proved undetectable


class Report:
    """Verdicts of a device's mutants, and its text."""

    def __init__(self, device, mutants, found, proved):
        """`found`: how mutants show, by number; `proved`: why others cannot."""
        self.device, self.mutants, self.found, self.proved = device, mutants, found, proved

    @property
    def survivors(self):
        return [mutant for mutant in self.mutants if mutant.number not in self.found
                and mutant.number not in self.proved]

    @property
    def percent(self):
        judged = len(self.mutants) - len(self.proved)
        return 100 * len(self.found) / judged if judged else 100

    @property
    def enough(self):
        return self.percent >= ENOUGH_PERCENT

    def text(self):
        lines = []
        if self.proved:
            lines.append(f"{self.device}: set aside, proved undetectable:")
            lines += [f"  {mutant.number:4} {mutant.describe()}: {self.proved[mutant.number]}"
                      for mutant in self.mutants if mutant.number in self.proved]
        if self.survivors:
            lines.append(f"{self.device}: survivors:")
            lines += [f"  {mutant.number:4} {mutant.describe()}" for mutant in self.survivors]
        lines.append(f"{self.device}: {len(self.mutants)} mutants, {len(self.proved)} set aside, {len(self.found)} "
                     f"found of "
                     f"{len(self.mutants) - len(self.proved)}: {self.percent:.1f} %")
        return "\n".join(lines)


class Bench:
    """The bench of one device's mutants, built."""

    def __init__(self, program, device, seed, folder):
        self.program, self.folder = program, folder
        self.words = ["--device", device, "--seed", str(seed)]

    def run(self, number, cycles):
        """How a mutant shows: the first output that differs. None where it does not."""
        wave = self.folder / f"difference_{number}.fst"
        result = subprocess.run(["nice", "-n", "5", self.program, *self.words, "--cycles", str(cycles), "--mutant",
                                 str(number),
                                 "--difference-wave", wave], capture_output=True, text=True, check=False)
        for path in (wave, wave.with_suffix(".gtkw")):
            path.unlink(missing_ok=True)
        if result.returncode == 0:
            return None
        if result.returncode != 1 or not result.stdout:
            raise RuntimeError(f"mutant {number}: exit {result.returncode}\n{result.stdout}{result.stderr}")
        first = result.stdout.splitlines()[0]
        return first if ": cycle " in first else None  # else the run was too short for an output to move

    def run_all(self, numbers, cycles, jobs):
        """How each one shows, of those that do."""
        progress, results = Progress(len(numbers), "mutant"), []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for result in pool.map(lambda number: self.run(number, cycles), numbers):
                results.append(result)
                progress.update(len(results), f"{len(results)} of {len(numbers)} in {cycles} cycles, "
                                              f"{results.count(None)} not found")
        progress.wipe()
        return {number: result for number, result in zip(numbers, results) if result is not None}


def judge(bench, prover, mutants, cycles, jobs, patience=0.0):
    """Mutants found and mutants proved undetectable, by number. Most mutants are found by the first cycles of a run.
    The others are proved before the whole run, or after it if that takes less than `patience` seconds."""
    numbers = [mutant.number for mutant in mutants]
    begin = time.monotonic()
    wrong = bench.run_all([0], cycles, 1)
    whole_first = time.monotonic() - begin < patience
    if wrong:
        raise RuntimeError(f"the netlist without a mutant is not equal to the model: {wrong[0]}")
    found = bench.run_all(numbers, min(cycles, SHORT_CYCLES), jobs)
    # A proof that proves too much would set aside these, too.
    for number in list(found)[::max(1, len(found) // CHECKED_PROOFS)]:
        if prover(number, 2):
            raise RuntimeError(f"mutant {number} is proved undetectable, and found: {found[number]}")
    left = [number for number in numbers if number not in found]
    if whole_first:
        found.update(bench.run_all(left, cycles, jobs))
        left = [number for number in left if number not in found]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        proved = {number: why for number, why in zip(left, pool.map(prover, left)) if why}
    if not whole_first:
        found.update(bench.run_all([number for number in left if number not in proved], cycles, jobs))
    return found, proved


def build(options, target):
    subprocess.run(["nice", "-n", "5", "cmake", "--build", str(options.build), "-j", str(options.jobs), "--target",
                    target],
                   check=True, stdout=subprocess.DEVNULL)
    return options.build / "testbenches" / target


def mutate(options, device):
    """One device; the text goes to the terminal."""
    benches = options.build.resolve() / "testbenches"
    folder = benches / "mutants" / device
    folder.mkdir(parents=True, exist_ok=True)
    twin = netlist.Twin(benches / "devices" / f"{device}.json")
    drawn = netlist.draw(twin, options.mutants, options.seed, folder)
    mutants = [mutant for mutant in drawn if not options.only or mutant.number in options.only]
    netlist.write_all(drawn, folder, benches / "mutants" / f"{device}.v")
    program = build(options, f"{device}_mutant_bench")
    proof.write_logic(drawn, folder)
    logic = proof.Logic(folder / "logic.aag")

    def prover(number, seconds=options.proof_seconds):
        return proof.prove(logic, number, folder, seconds)

    with tempfile.TemporaryDirectory() as waves:
        bench = Bench(program, device, options.bench_seed, pathlib.Path(waves))
        found, proved = judge(bench, prover, mutants, options.cycles, options.jobs, options.proof_seconds)
    report = Report(device, mutants, found, proved)
    print(report.text(), flush=True)
    return report.enough


def cover(options, device, lines):
    """One device; what it runs is added to `lines`, for twins of one source that differ in parameters."""
    twin = netlist.Twin(options.build / "testbenches" / "devices" / f"{device}.json")
    program = build(options, f"{device}_coverage_bench")
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "coverage.dat"
        subprocess.run([program, "--device", device, "--cycles", str(options.cycles), "--seed", str(options.bench_seed),
                        "--coverage", data], check=True, stdout=subprocess.DEVNULL)
        own_lines, toggles = coverage.read(data)
        bits = coverage.of_registers(toggles, coverage.read_registers(twin, pathlib.Path(folder)))
        report = coverage.registers_report(device, bits)
        if report.percent < ENOUGH_PERCENT:  # a proof takes a minute
            report = coverage.registers_report(device, bits, coverage.read_constants(twin, pathlib.Path(folder)))
    lines.update(own_lines)
    print(report.text, flush=True)
    return report.percent >= ENOUGH_PERCENT


def cover_all(options):
    lines = collections.Counter()
    enough = [cover(options, device, lines) for device in options.devices]
    for report in coverage.lines_reports(lines):
        print(report.text)
        enough.append(report.percent >= ENOUGH_PERCENT)
    return enough


def parse(words, devices):
    parser = argparse.ArgumentParser(prog="mutate_rtl", description=__doc__)
    parser.add_argument("devices", nargs="+", metavar="DEVICE", help="all, or of " + ", ".join(devices))
    parser.add_argument("--coverage", action="store_true",
                        help="no mutants: coverage of registers' bits, and of lines by all devices named")
    parser.add_argument("--mutants", type=int, default=200, metavar="N", help="mutants of each twin (200)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the choice of mutants (1)")
    parser.add_argument("--only", type=int, action="append", default=[], metavar="N",
                        help="mutants with these numbers of the draw; may be repeated")
    parser.add_argument("--cycles", type=int, default=1_000_000, metavar="N", help="of the bench (1000000)")
    parser.add_argument("--bench-seed", type=int, default=1, metavar="S", help="of the bench's stimulus (1)")
    parser.add_argument("--proof-seconds", type=int, default=30, metavar="N",
                        help="for each of two questions about a mutant (30)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes side by side (2)")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.devices == ["all"]:
        options.devices = devices
    for device in options.devices:
        if device not in devices:
            parser.error(f"{device}: there is no such device; accepted: all, {', '.join(devices)}")
    for name in ("mutants", "cycles", "jobs", "proof_seconds"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')}: too small (got {getattr(options, name)}); accepted: 1 or more")
    for number in options.only:
        if not 1 <= number <= options.mutants:
            parser.error(f"--only: there is no such mutant (got {number}); accepted: 1 to {options.mutants}")
    if options.mutants >= 1 << netlist.CTRL_BITS:
        parser.error(f"--mutants: too many (got {options.mutants}); accepted: below {1 << netlist.CTRL_BITS}")
    return options


def main(words):
    build_folder = pathlib.Path(words[words.index("--build") + 1] if "--build" in words else BUILD)
    devices = sorted(path.stem for path in (build_folder / "testbenches" / "devices").glob("*.json"))
    options = parse(words, devices)
    try:
        results = cover_all(options) if options.coverage else [mutate(options, device) for device in options.devices]
    except (RuntimeError, subprocess.CalledProcessError) as error:
        print(f"mutate_rtl: {error}", file=sys.stderr)
        return 1
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
