# SPDX-License-Identifier: Apache-2.0
"""Properties of the twins of the base router and of the crosspoint switch in Verilog, proved for all inputs, all times
and all contents of registers before the first reset."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUTER = ("vc_router.v", "input_vc.v", "output_vc.v", "arbiter.v", "islip_vc_allocator.v", "islip_switch_allocator.v",
          "separable_vc_allocator.v", "separable_switch_allocator.v")
SOURCES = {"place": ("output_vc.v",), "line": ("input_vc.v",), "allocation": ("islip_vc_allocator.v",), "whole": ROUTER,
           "fifo": ("crosspoint_fifo.v",),
           "turn": ("output_arbiter.v",), "rounds": ("owed_rounds.v",)}
CROSSPOINT = ("fifo", "turn", "rounds")
FAST = {"RC_CYCLES": 0, "VA_CYCLES": 0, "ST_CYCLES": 0}

# Cycles of the base of an induction; a failure of the others is looked for in twice as many before an invariant is.
STEPS = 8


class Property:
    """Assertions of a module here, with its parameters. By k-induction (z3) or by an inductive invariant, which ABC
    finds."""

    def __init__(self, name, top, asserts, induction=False, **parameters):
        self.name, self.top, self.asserts = name, top, asserts
        self.induction, self.parameters = induction, parameters
        self.folder = HERE.parents[1] / ("crosspoint" if top in CROSSPOINT else "router")

    def describe(self):
        sets = ", ".join(f"{key} {value}" for key, value in self.parameters.items())
        return f"{self.top}.sv, {self.asserts}" + (f"; {sets}" if sets else "")


PROPERTIES = (
    Property("credits_0", "place", "credits", True, CREDIT_CYCLES=0),
    Property("credits_1", "place", "credits", True, CREDIT_CYCLES=1),
    Property("credits_3", "place", "credits", True, CREDIT_CYCLES=3),
    Property("credits_atomic", "place", "credits", True, CREDIT_CYCLES=2, ATOMIC=1),
    Property("line_count", "line", "count"),
    Property("line_order", "line", "order"),
    Property("line_order_fast", "line", "order", RC_CYCLES=0, VA_CYCLES=0),
    Property("line_order_slow", "line", "order", RC_CYCLES=3, VA_CYCLES=2, BUFFER_FLITS=2),
    Property("va_grants", "allocation", "grants"),
    Property("va_grants_again", "allocation", "grants", PORTS=2, ITERATIONS=2),
    Property("router_errors", "whole", "errors"),
    Property("router_places", "whole", "places"),
    Property("router_freed", "whole", "freed"),
    Property("router_packets", "whole", "packets", VCS=1),
    Property("router_order", "whole", "order", VCS=1),
    Property("router_packets_vcs", "whole", "packets", **FAST),
    Property("fifo_room", "fifo", "room"),
    Property("fifo_freed", "fifo", "freed"),
    Property("fifo_order", "fifo", "order"),
    Property("turn_rooms", "turn", "rooms", True, PORTS=3),
    Property("turn_grants", "turn", "grants", True, PORTS=3),
    Property("rounds_kept", "rounds", "kept", True, SID=93),
)


class Broken(RuntimeError):
    """A tool failed."""


def run(folder, *command):
    """All that a tool says."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=folder)
    return result.stdout + result.stderr


def write_model(prop, sources, folder):
    """The module with the twin in it, flat: model.smt2 and model.aig. Registers begin with anything, memories too."""
    sets = " ".join(f"-set {name} {value}" for name, value in prop.parameters.items())
    files = " ".join(str(pathlib.Path(sources).resolve() / name) for name in SOURCES[prop.top])
    # async2sync finds nothing asynchronous here; in yosys 0.52 it also lowers $check cells, which write_smt2 refuses.
    script = [f"read_verilog -formal -sv -D P_{prop.asserts} {prop.folder / 'proof' / prop.top}.sv",
              f"read_verilog {files}"]
    script += [f"chparam {sets} {prop.top}"] if sets else []
    script += [f"prep -flatten -top {prop.top}", "async2sync", "memory_map -formal", "opt -full",
               "formalff -clk2ff -ff2anyinit",
               "setundef -undriven -anyseq", "setundef -anyseq", "opt_clean", "write_smt2 -wires model.smt2", "techmap",
               "opt -fast",
               "dffunmap", "simplemap", "aigmap", "setundef -anyseq", "opt_clean",
               "write_aiger -I -B -zinit -no-startoffset model.aig"]
    (folder / "model.ys").write_text("\n".join(script) + "\n", encoding="utf-8")
    for name in HERE.glob("*.hex"):
        (folder / name.name).write_bytes(name.read_bytes())
    said = run(folder, "yosys", "-q", "model.ys")
    if "ERROR" in said or not (folder / "model.aig").exists():
        raise Broken(f"{prop.name}: {said}")


def solve(folder, steps, *more):
    """Whether z3 finds assertions kept, and what yosys-smtbmc says."""
    said = run(folder, "yosys-smtbmc", "-s", "z3", "--unroll", "-t", steps, *more, "model.smt2")
    if "Status: " not in said:
        raise Broken(said)
    return "Status: PASSED" in said, said


def by_induction(folder):
    """(verdict, words, cycle of a failure)."""
    kept, said = solve(folder, STEPS)
    if not kept:
        return "FAILED", "", int(re.findall(r"Checking assertions in step (\d+)", said)[-1])
    kept, said = solve(folder, STEPS, "-i")
    if not kept:
        return "bounded", f"to {STEPS} cycles", None
    k = STEPS - int(re.findall(r"Trying induction in step (\d+)", said)[-1])
    return "proved", f"by induction, k = {k}", None


def by_invariant(folder, seconds):
    """The same. A failure is looked for first: most are shallow, and a search for an invariant that is none takes
    long."""

    def ask(question):
        said = run(folder, "yosys-abc", "-c",
                   f"read_aiger model.aig; fold; strash; orpos; scleanup; scorr; dc2; {question}")
        failed = re.search(r"asserted in frame (\d+)", said)
        return said, ("FAILED", "", int(failed.group(1))) if failed else None

    _, failed = ask(f"bmc3 -F {2 * STEPS} -T {min(seconds, 10)}")
    if failed:
        return failed
    said, failed = ask(f"pdr -T {seconds}")
    # ABC of yosys 0.52 says so of an output that is reduced to 0, unless asked for each output's verdict.
    if "UNDECIDED" in said:
        said, _ = ask("pdr -a -T 1")
    if "Property proved" in said or "Proved = 1." in said:
        clauses = re.search(r"invariant with (\d+) clauses was successful", said)
        return "proved", f"by an invariant of {clauses.group(1) if clauses else 0} clauses", None
    if not failed:
        said, failed = ask(f"bmc3 -T {seconds}")
    if failed:
        return failed
    frames = re.search(r"No output asserted in (\d+) frames", said)
    if not frames:
        raise Broken(said)
    return "bounded", f"to {frames.group(1)} cycles", None


def draw(folder, cycle, wave):
    """The failure, found again by z3, as a waveform; what it says of it."""
    kept, said = solve(folder, cycle + 1, "--dump-vcd", wave)
    asserts = re.search(r"Assert failed in \w+: (\S+)", said)
    if kept or not asserts:
        raise Broken(f"z3 does not find what ABC finds in cycle {cycle}: {said}")
    return asserts.group(1).rpartition("/")[2]


def check(prop, sources, seconds, wave=None):
    """(verdict, words) of a property; `wave`: file for the waveform of a failure."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(prop, sources, folder)
        verdict, words, cycle = by_induction(folder) if prop.induction else by_invariant(folder, seconds)
        if verdict == "FAILED":
            words = f"in cycle {cycle}"
            if wave:
                wave.parent.mkdir(parents=True, exist_ok=True)
                words += f": {draw(folder, cycle, wave.resolve())}, waveform: {wave}"
    return verdict, words


def parse(words):
    names = [prop.name for prop in PROPERTIES]
    parser = argparse.ArgumentParser(prog="prove_rtl", description=__doc__)
    parser.add_argument("properties", nargs="*", metavar="PROPERTY", help="all of them by default: " + ", ".join(names))
    parser.add_argument("--list", action="store_true", help="the properties, and stop")
    parser.add_argument("--seconds", type=int, default=300, metavar="N",
                        help="for a proof (300); then it is bounded, as long again")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("TSUJI_BUILD")
                                                                         or "build") / "proofs", metavar="DIR",
                        help="place of waveforms (build/proofs)")
    parser.add_argument("--sources", type=pathlib.Path, metavar="DIR",
                        help="the twin's Verilog (testbenches/router, testbenches/crosspoint)")
    options = parser.parse_args(words)
    for name in options.properties:
        if name not in names:
            parser.error(f"{name}: there is no such property; accepted: {', '.join(names)}")
    if options.seconds < 1:
        parser.error(f"--seconds: too short (got {options.seconds}); accepted: 1 or more")
    chosen = [prop for prop in PROPERTIES if not options.properties or prop.name in options.properties]
    missing = [name for prop in chosen for name in SOURCES[prop.top]
               if options.sources and not (options.sources / name).exists()]
    if missing:
        parser.error(f"--sources: there is no {missing[0]} (got {options.sources}); accepted: a folder with the twin's "
                     "Verilog")
    return options


def main(words):
    options = parse(words)
    chosen = [prop for prop in PROPERTIES if not options.properties or prop.name in options.properties]
    kept = True
    for prop in chosen:
        if options.list:
            print(f"{prop.name:20} {prop.describe()}")
            continue
        try:
            verdict, said = check(prop, options.sources or prop.folder, options.seconds,
                                  options.out / f"{prop.name}.vcd")
        except Broken as error:
            print(f"prove_rtl: {error}", file=sys.stderr)
            return 1
        print(f"{prop.name:20} {verdict} {said}", flush=True)
        kept = kept and verdict != "FAILED"
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
