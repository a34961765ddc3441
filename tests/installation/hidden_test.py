#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of an installation, while neither the project's folder nor the build's can be seen.

usage: hidden_test.py PROJECT BUILD PREFIX commands|rtl
Copies the installation PREFIX to another folder, hides PROJECT and BUILD under empty file systems in a mount namespace,
and calls each program of PREFIX/bin and each script of `tsuji --help`; `rtl` builds a router's RTL into a network.
Exit status 77: this machine permits no mount namespace.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from installation_test import Failure, require, run

SKIPPED = 77
# The words hide PROJECT and BUILD ($1 and $2) and go to FOLDER ($3).
HIDE = """for tree in "$1" "$2"; do
  [ ! -d "$tree" ] || mount -t tmpfs none "$tree" || exit
done
cd "$3"
shift 3
exec "$@"
"""
FILES = {
    "ring.edges": "0 1\n1 2\n2 3\n3 0\n",
    "old.yaml": "topology: {radices: [2, 2]}\nworkload.load_cycles: 200\n",
    "two.jobs": "one: {workload: {kind: synthetic}, job: {nodes: 8}}\n"
                "two: {workload: {kind: synthetic}, job: {nodes: 8}}\n",
    "two.yaml": "topology: {radices: [4, 4]}\nworkload: {kind: jobs, jobs: two.jobs}\n",
    "study.yaml": "platform: network\nset: {topology.radices: '[2, 2]', measure.cycles: 200}\n"
                  "axes: {router.vcs: [2, 4]}\nmetrics: [latency_cycles_mean]\n",
    "question.yaml": "title: Which one?\nset: {topology: {radices: [2, 2]}}\nspace: {router.vcs: [2, 4]}\n"
                     "load: {uniform: {traffic.load_flits_per_node_cycle: 0.1}}\nmust: {latency_cycles_p99: {at_most: "
                     "150 cycles}}\nminimize: [latency_cycles_mean, buffer_bits]\n",
    "ring.c": "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); "
              "MPI_Finalize(); }\n",
}
SMALL = ["--set", "topology.radices=[4, 4]", "--set", "measure.cycles=300"]
# In this order: the words, and what each must leave or print.
PROGRAMS = {
    "network": [(["--out", "network", *SMALL], "network/result.json"),
                (["--out", "wide", "--set", "router.vcs=2", *SMALL], "wide/result.json"),
                (["--out", "swept", "--sweep-load", "0.05:0.1:2", *SMALL], "swept/sweep.csv"),
                (["--out", "detour", "--set", "topology.kind=torus", "--set", "routing.kind=detour_ud", *SMALL,
                  "--certificate", "certificate.json"], "certificate.json")],
    "cenju4": [(["--out", "cenju4"], "cenju4/result.json")],
    "compact_study": [(["--out", "compact"], "compact/result.json")],
    "lookup_study": [(["--out", "lookup"], "lookup/result.json")],
    "skeleton": [(["cg.S.4"], "printed: 0 init")],
    "soc": [(["--out", "soc"], "soc/result.json")],
    "tsuji": [(["--help"], "printed: Scripts: ")],
}
SCRIPTS = {
    "against_booksim": [(["--help"], "printed: usage: against_booksim")],
    "attach_rtl": [(["handshake/handshake.yaml", "--check"], "handshake")],
    "check_certificate": [(["certificate.json"], "printed: certificate.json")],
    "skeleton": [(["cg.S.4", "-o", "skeleton.ti.zst"], "skeleton.ti.zst")],
    "convert_trace": [(["skeleton.ti.zst", "-o", "converted.ti.zst"], "converted.ti.zst")],
    "study": [(["study.yaml"], "out/study/study/points.csv")],
    "compare": [(["network", "wide"], "printed: router.vcs")],
    "explore": [(["question.yaml", "--dry-run"], "printed: 2 designs")],
    "import_booksim": [(["topology=mesh", "k=4", "n=2", "routing_function=dor"], "printed: kind: \"mesh\"")],
    "import_graph": [(["--format", "edge_list", "ring.edges"], "printed: router 3")],
    "interference": [(["two.yaml", "--seeds", "1"], "out/interference/interference.json")],
    "migrate": [(["old.yaml"], "printed: workload.load_cycles -> measure.cycles")],
    "plot_latency": [(["network/result.json", "-o", "latency"], "latency.svg")],
    "plot_sweep": [(["swept/sweep.csv", "-o", "sweep"], "sweep.svg")],
    "record_trace": [(["-n", "2", "ring.c"], "printed: 2 ranks, ")],
    "report": [(["network"], "network/report.html")],
    "reproduce": [(["--list"], "printed: detour.fig5"),
                  (["--quick", "detour.fig5"], "out/reproduce-quick/detour.fig5/result.json")],
}
D3 = pathlib.Path("/usr/share/nodejs/d3/dist/d3.min.js")
LACKING = {"record_trace": shutil.which("smpicc") is None, "report": not D3.is_file(),
           "attach_rtl": shutil.which("verilator") is None or shutil.which("iverilog") is None}


class Hidden:
    def __init__(self, project, build, prefix, folder):
        self.hidden, self.place = [project, build], folder / "a place"
        self.prefix = folder / "another prefix"
        for tree in self.hidden:
            require(tree not in self.place.parents, f"{self.place} lies in {tree}: set TMPDIR")
        shutil.copytree(prefix, self.prefix, symlinks=True)
        shutil.copytree(project / "testbenches/router/examples/handshake", self.place / "handshake")
        for name, text in FILES.items():
            (self.place / name).write_text(text)
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("TSUJI_", "PYTHON"))}
        self.namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]

    def words(self, *words):
        return [*self.namespace, "bash", "-c", HIDE, "hide", *self.hidden, self.place, *words]

    def possible(self):
        done = subprocess.run(self.words("true"), capture_output=True, check=False)
        return done.returncode == 0

    def run(self, *words):
        return run(*self.words(*words), env=self.environment)

    def call(self, name, words, wanted, command):
        said = self.run(*command, *words)
        if wanted.startswith("printed: "):
            require(wanted[len("printed: "):] in said, f"{name} {words}: {said}")
        else:
            require((self.place / wanted).exists(), f"{name} {words} leaves no {wanted}: {said}")

    def commands(self):
        require("CMakeLists.txt" not in self.run("ls", "-A", self.hidden[0]), "the project's folder is not hidden")
        programs = sorted(path.name for path in (self.prefix / "bin").iterdir())
        require(programs == sorted(PROGRAMS), f"a program without a call here: {programs}")
        tsuji = self.prefix / "bin/tsuji"
        scripts = self.run(tsuji, "--help").split("Scripts: ")[1].split()
        require(scripts == sorted(SCRIPTS) or scripts == sorted(set(SCRIPTS) - {"attach_rtl"}),
                f"a script without a call here: {scripts}")
        for name, calls in PROGRAMS.items():
            for words, wanted in calls:
                self.call(name, words, wanted, [self.prefix / "bin" / name])
        for name in [name for name in SCRIPTS if name in scripts and not LACKING.get(name)]:
            for words, wanted in SCRIPTS[name]:
                self.call(name, words, wanted, [tsuji, name])
        self.check_results()

    def check_results(self):
        points = (self.place / "out/study/study/points.csv").read_text().splitlines()
        require(len(points) == 3, f"{points}")
        rows = json.loads((self.place / "out/reproduce-quick/detour.fig5/result.json").read_text())["rows"]
        require(rows and all(row["verdict"] == "passed" for row in rows), f"{rows}")
        if not LACKING["report"]:
            # One file with the run's own figures, which needs no other.
            page = (self.place / "network/report.html").read_text()
            result = json.loads((self.place / "network/result.json").read_text())
            packets = int(result["metrics"]["packets_delivered"]["value"])
            require(str(packets) in page, "a page without the run's packets")
            require('src="http' not in page and str(self.prefix) not in page, "the page needs other files")

    def rtl(self):
        """The Verilator and the libraries that are installed build a network of somebody's RTL."""
        self.run(self.prefix / "bin/tsuji", "attach_rtl", "handshake/handshake.yaml")
        self.run(self.place / "handshake_rtl/build/handshake", "--out", "mesh", "--set", "measure.cycles=200")
        result = json.loads((self.place / "mesh/result.json").read_text())
        require(result["metrics"]["packets_delivered"]["value"] > 0, f"{result['metrics']}")


def main():
    project, build, prefix = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    with tempfile.TemporaryDirectory(prefix="tsuji installation ") as folder:
        try:
            hidden = Hidden(project, build, prefix, pathlib.Path(folder).resolve())
            if not hidden.possible():
                print("skipped: no mount namespace, with which the project's folder can be hidden")
                return SKIPPED
            getattr(hidden, sys.argv[4])()
        except Failure as failure:
            sys.exit(f"{failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
