#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A project outside of the tree, built against an installation alone: platforms/example, copied.

usage: installation_test.py PROJECT BUILD FOLDER CASE
BUILD holds the built libraries of PROJECT, FOLDER is a scratch folder that the cases share, "build" being the first:
  build    installs, moves the installation to FOLDER/"a prefix", configures and builds FOLDER/example
  executables  the machines of the installation take their traces and their plot script from it
  scripts  the installed scripts play, draw, compare, migrate and record without the project's folder
  run      the example's machine runs, with topology, routing, pattern and traffic of its own
  refuse   wrong values of the example's own keys are refused with file, line and column
  headers  each public header is compiled alone (`headers_at_once`: all of them in one source), and an old one says the
  new one study    the installed Python package plays a study of the example
  c        the example's program in C, another one by pkg-config, and the bench in Icarus
  pkg_config, package, python  a program by pkg-config, Debian's package, the Python package by pip
  tables   a program defines the library's tables itself, under their own names, with a kind of its own
  logger   a project with a logger and definitions of spdlog of its own
  shared   shared libraries have a SONAME, and a project, pkg-config and a program with tables of its own link with
           them; static libraries of position-independent code are linked into a shared one of a project
  standard projects of another C++ standard than SystemC's are refused when they are configured
  optional CMake says what it leaves out and builds the rest without it, and SystemC's C++ standard is the one that
  links embed    a project that takes PROJECT as a subdirectory is configured, without its tests and without warnings
  that are
           errors, as they are in the presets
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import jsonschema
import yaml

EMBEDDING = """cmake_minimum_required(VERSION 3.25)
project(embedding LANGUAGES C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_subdirectory({project} tsuji)
add_executable(embedding main.cpp)
target_link_libraries(embedding PRIVATE tsuji::tsuji)
"""


OWN_TABLES = """#include <iostream>
#include <systemc>

#include "tsuji/network/config/network_config.h"

int sc_main(int, char**) {
  tsuji::network::NetworkConfig config;
  config.topology.kind = "pair";
  config.resolve();
  const auto topology = tsuji::network::make_topology(config.topology, 3);
  const auto routing = tsuji::network::make_routing(config.routing, topology, config.network.vcs);
  config.validate();
  config.lookup.validate_with(topology, *routing, config.routing.kind);
  std::cout << topology.name() << " of " << topology.routers() << ", " << config.routing.kind << "\\n";
  return 0;
}
"""

OWN_KIND = """#include "tsuji/graph/topology_kinds.h"

struct Pair {
  tsuji::graph::Topology make(tsuji::Cycle cycles) const {
    return {"pair", {2, 2}, {{{0, 0}, {1, 0}, cycles}}, {{{0, 1}, {0, 1}}, {{1, 1}, {1, 1}}}, {}};
  }
};

namespace tsuji::graph {
void add_pair(TopologyKinds& kinds) { kinds.add<Pair>("pair"); }
}
"""


# Of spdlog: other definitions than those of the libraries, and a logger of the same name as theirs.
LOGGER = """#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include <iostream>
#include <sstream>

#include "tsuji/session/network_main.h"

int sc_main(int count, char** words) {
  std::ostringstream lines;
  const auto own = std::make_shared<spdlog::logger>("tsuji", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
  own->set_pattern("%n|%l|%v");
  own->set_level(spdlog::level::trace);
  spdlog::set_default_logger(own);
  SPDLOG_TRACE("before {}", 1);
  const int status = tsuji::session::network_main(count, words, {});
  SPDLOG_TRACE("after {}", 2);
  own->flush();
  std::cout << lines.str();
  return status != 0 ? status : spdlog::default_logger() == own ? 0 : 1;
}
"""

LIBRARY = """#include "tsuji/graph/cube.h"
#include "tsuji/network/config/network_plan.h"

extern "C" unsigned routers_of_a_mesh() {
  tsuji::network::NetworkConfig config;
  config.topology.of<tsuji::graph::CubeConfig>().radices = {5, 3};
  config.resolve();
  return tsuji::network::NetworkPlan(config).topology.routers();
}
"""


class Failure(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Failure(text)


def run(*command, status=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    require(done.returncode == status,
            f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def as_the_libraries(tree):
    """Settings for a project that links libraries built in `tree`: its compiler, and its sanitizers."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (tree / "CMakeCache.txt").read_text(), re.MULTILINE))
    flags = cache.get("CMAKE_CXX_FLAGS_" + cache["CMAKE_BUILD_TYPE"].upper(), "")
    settings = ["-DCMAKE_CXX_COMPILER=" + cache["CMAKE_CXX_COMPILER"]]
    return settings + (["-DCMAKE_CXX_FLAGS=" + flags] if "-fsanitize" in flags else [])


def configure(source, build, *settings):
    """The words of every compilation."""
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *launcher, *settings)
    return [shlex.split(entry["command"]) for entry in json.loads((build / "compile_commands.json").read_text())]


class Cases:
    def __init__(self, project, build, folder):
        self.project, self.tree, self.folder = project, build, folder
        self.prefix, self.source, self.build_folder = folder / "a prefix", folder / "example", folder / "build"
        self.example = self.build_folder / "example"

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        stage = self.folder / "stage"
        run("cmake", "--install", self.tree, "--prefix", "/opt/tsuji", env={**os.environ, "DESTDIR": str(stage)})
        (stage / "opt/tsuji").rename(self.prefix)
        for file in (path for path in self.prefix.rglob("*") if path.is_file()):
            for word in (f"{self.project}/", f"{self.tree}/", "/opt/tsuji"):
                require(word.encode() not in file.read_bytes(), f"{file} names {word}")
        targets = (self.prefix / "lib/cmake/tsuji/tsuji-targets.cmake").read_text()
        defined = {word for words in re.findall(r'INTERFACE_COMPILE_DEFINITIONS "([^"]*)"', targets)
                   for word in words.split(";")}
        require(all(word.startswith("TSUJI_CXX_STANDARD=") for word in defined), f"definitions for users: {defined}")
        self.check_share()
        for header in ("graph/topology.h", "host/library/paralib.h", "platform/command_line.h"):
            require((self.prefix / "include/tsuji" / header).is_file(), f"{header} is not installed")
        shutil.copytree(self.project / "platforms/example", self.source)
        words = configure(self.source, self.build_folder, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                          *as_the_libraries(self.tree))
        for command in words:
            require(not any(word.startswith("-W") for word in command), f"warnings of this project's own: {command}")
            require(not any(word.startswith(f"-I{self.project}/{folder}") for word in command
                            for folder in ("models", "platforms")), f"the source tree is included: {command}")
        run("cmake", "--build", self.build_folder)

    def check_share(self):
        """Examples and schemas: each example of the platform network fits its schema."""
        share = self.prefix / "share/tsuji"
        for machine in {path.name for path in (self.prefix / "bin").iterdir()} - {"skeleton", "tsuji"}:
            schema = json.loads((share / f"schemas/{machine}.json").read_text())
            require(schema["properties"], f"{machine} has no schema")
        schema = json.loads((share / "schemas/network.json").read_text())
        examples = sorted(path for path in (share / "platforms/network").rglob("*.yaml")
                          if not path.stem.endswith("_faults"))  # sets of faults
        require(len(examples) >= 10, f"{examples}")
        for path in examples:
            jsonschema.validate(yaml.safe_load(path.read_text()), schema)

    def pkg_config(self):
        """A program without CMake."""
        source = self.folder / "pkg_config"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        (source / "main.cpp").write_text(
            '#include <iostream>\n#include <systemc>\n#include "tsuji/platform/command_line.h"\n'
            '#include "tsuji/graph/cube.h"\nint sc_main(int, char**) {\n'
            '  std::cout << tsuji::graph::make_torus({4, 4}, 1, 1).routers() << "\\n";\n  return 0;\n}\n')
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig"),
                       "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        words = shlex.split(run("pkg-config", "--cflags", "--libs", "tsuji", env=environment))
        require(not any(word.startswith(("-DSPDLOG", "-DR123", "-DSC_")) for word in words), f"{words}")
        cache = (self.tree / "CMakeCache.txt").read_text()
        compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)
        run_path = [] if list((self.prefix / "lib").glob("*.a")) else [f"-Wl,-rpath,{self.prefix / 'lib'}"]
        run(compiler, source / "main.cpp", "-o", source / "main", *words, *run_path)
        require(run(source / "main", env=environment) == "16\n", "another torus")

    def c(self):
        """Models for programs in C and for benches in Verilog, without C++ and SystemC of the user's own."""
        source, libraries = self.source / "reference", self.prefix / "lib"
        require(run(self.build_folder / "reference", cwd=source) == "4 cycles from pin to pin\n", "another latency")
        require("router.yaml" in run(self.build_folder / "reference", cwd=self.folder, status=2), "no refusal")
        words = shlex.split(run("pkg-config", "--cflags", "--libs", "tsuji_c",
                                env={**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}))
        run("gcc", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", source / "router.c", "-o",
            self.folder / "router", *words, f"-Wl,-rpath,{libraries}")
        require("4 cycles" in run(self.folder / "router", cwd=source), "another latency by pkg-config")
        twin = sorted((self.project / "testbenches/router").glob("*.v"))
        run("iverilog", "-g2012", "-o", self.folder / "bench", "-s", "router_bench", "-Prouter_bench.CYCLES=500",
            source / "router_bench.sv", self.prefix / "share/tsuji/verilog/tsuji_reference.sv", *twin)
        said = run("vvp", "-M", libraries / "tsuji", "-m", "tsuji_vpi", self.folder / "bench", cwd=source)
        require("equal in 500 cycles" in said, said)

    def package(self):
        """Debian's form, unpacked at another place."""
        place = self.folder / "deb"
        shutil.rmtree(place, ignore_errors=True)
        run("cpack", "--config", self.tree / "CPackConfig.cmake", "-G", "DEB", "-B", place)
        packages = list(place.glob("tsuji_*.deb"))
        require(len(packages) == 1, f"{packages}")
        fields = run("dpkg-deb", "--field", packages[0])
        require("Package: tsuji" in fields and re.search(r"^Depends:.*libstdc\+\+6", fields, re.MULTILINE)
                and "libsystemc-dev" in fields, fields)
        run("dpkg-deb", "-x", packages[0], place / "root")
        said = run(place / "root/usr/bin/network", "--out", self.folder / "packaged", "--set",
                   "topology.radices=[8, 8]", "--set", "workload.kind=trace", "--set", "workload.compute_scale=0")
        require("ranks on" in said, said)

    def python(self):
        """The package by pip, as its pyproject says, from the installation."""
        target, copy = self.folder / "python", self.folder / "python_source"
        for folder in (target, copy):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.prefix / "lib/python3/dist-packages/tsuji", copy)  # pip builds beside the sources
        run(sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--target",
            target, copy)
        words = "import tsuji.statistics as s, tsuji\nprint(s.mean_confidence95([2, 2])[0], tsuji.__file__)"
        said = run(sys.executable, "-c", words, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(target)})
        require(said.startswith("2.0 ") and str(target) in said, said)
        require((target / "tsuji/assets/report.css").is_file(), "no assets")
        missing = [path for path in (source.relative_to(copy) for source in copy.rglob("*.py"))
                   if "build" not in path.parts and not (target / "tsuji" / path).is_file()]
        require(not missing, f"pyproject.toml leaves out {missing}")

    def executables(self):
        """Machines of the installation take their traces and their plot script from it."""
        network, share = self.prefix / "bin/network", self.prefix / "share/tsuji"
        require(sorted(path.name for path in (self.prefix / "bin").iterdir())
                == ["cenju4", "compact_study", "lookup_study", "network", "skeleton", "soc", "tsuji"],
                "not all machines are installed")
        trace, script = share / "platforms/traces/cg64.ti.zst", share / "scripts/plot_sweep.py"
        kept = trace.read_bytes(), script.read_bytes()
        trace.write_text("0 init\n0 send 1 0 8 6\n0 finalize\n1 init\n1 recv 0 0 8 6\n1 finalize\n")
        script.write_text("import sys\nfor half in ('.svg', '.png'):\n    open(sys.argv[-1] + half, "
                          "'w').write('installed')\n")
        try:
            said = run(network, "--out", self.folder / "trace", "--set", "workload.kind=trace", "--set",
                       "topology.radices=[2, 2]")
            require("2 ranks on" in said, said)
            run(network, "--out", self.folder / "sweep", "--sweep-load", "0.05:0.1:2", "--set",
                "topology.radices=[2, 2]",
                "--set", "measure.warmup_cycles=10", "--set", "measure.cycles=100")
            require((self.folder / "sweep/sweep.svg").read_text() == "installed", "another script has drawn")
            # A study plays copies of the executables.
            (self.folder / "replay.yaml").write_text("platform: network\nset: {workload.kind: trace, topology.radices: "
                                                     "'[2, 2]'}\nmetrics: [trace_operations]\n")
            self.script("study", "replay.yaml", "--out", "replayed", cwd=self.folder)
            require("\n1,1,0,6.0," in (self.folder / "replayed/points.csv").read_text(), "another trace was played")
        finally:
            trace.write_bytes(kept[0])
            script.write_bytes(kept[1])

    def script(self, *words, **options):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("TSUJI_", "PYTHONPATH"))}
        return run(self.prefix / "bin/tsuji", *words, env={**environment, "PYTHONDONTWRITEBYTECODE": "1"}, **options)

    def scripts(self):
        """In a folder of the caller's with a space in its name, through a link to the program."""
        place = self.folder / "a place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        said = self.script("--help")
        attach = "attach_rtl " if (self.prefix / "lib/cmake/tsuji/tsuji-rtl.cmake").is_file() else ""
        require(f"Scripts: against_booksim {attach}check_certificate compare convert_trace explore import_booksim "
                "import_graph interference migrate plot_latency plot_sweep record_trace report reproduce skeleton "
                "study \n" in said, said)
        require("tsuji: no such script (got 'lib.sh'); accepted: " in self.script("lib.sh", status=2),
                "lib.sh is a script")
        for script, told in [("study", "usage: study "), ("compare", "usage: compare "),
                             ("migrate", "migrate FILE... [--check]"),
                             ("record_trace", "record_trace [-n RANKS]"),
                             ("against_booksim", "usage: against_booksim ")]:
            require(self.script(script, "--help", cwd=place).startswith(told), f"{script} has no help")
        (place / "old.yaml").write_text("platform: network\nset: {topology.radices: '[2, 2]', workload.load_cycles: "
                                        "200}\n"
                                        "curve: {loads: [0.05, 0.1], saturation: false}\nmetrics: "
                                        "[latency_cycles_mean]\n")
        require(": workload.load_cycles -> measure.cycles" in self.script("migrate", "old.yaml", cwd=place),
                "nothing is migrated")
        require("2 runs in the first round" in self.script("study", "old.yaml", "--dry-run", cwd=place), "no dry run")
        self.script("study", "old.yaml", cwd=place)
        runs = sorted((place / "out/study/old/runs").iterdir())
        require(len(runs) == 2 and (place / "out/study/old/pictures/curve_latency_cycles_mean.svg").is_file(),
                f"{runs}")
        require("traffic.load_flits_per_node_cycle" in self.script("compare", *runs, cwd=place), "nothing is compared")
        self.script("plot_latency", *(path / "result.json" for path in runs), "-o", "both", cwd=place)
        run(self.prefix / "bin/network", "--sweep-load", "0.05:0.1:2", "--set", "topology.radices=[2, 2]", "--set",
            "measure.cycles=100",
            "--out", "swept", cwd=place)
        self.script("plot_sweep", "swept/sweep.csv", "-o", "again", cwd=place)
        require((place / "again.svg").read_bytes() == (place / "swept/sweep.svg").read_bytes(),
                "two pictures of a sweep differ")
        self.script("skeleton", "cg.S.4", "-o", "s.ti.zst", cwd=place)
        self.script("convert_trace", "s.ti.zst", "-o", "t.ti.zst", cwd=place)
        require((place / "both.png").is_file() and (place / "t.ti.zst").is_file(), f"{list(place.iterdir())}")
        if shutil.which("smpicc"):
            (place / "ring.c").write_text("#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); "
                                          "MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }\n")
            require("2 ranks, " in self.script("record_trace", "-n", "2", "ring.c", cwd=place), "nothing is recorded")
        share = self.prefix / "share/tsuji"
        named = re.findall(r"scripts/[\w./]+\.md", (share / "scripts/recording/recorder.c").read_text())
        require(named and all((share / page).is_file() for page in named), f"a refusal names {named}, not installed")
        link = place / "link"
        link.symlink_to(self.prefix / "bin/tsuji")
        require("no certificate" in run(link, "check_certificate", "old.yaml", status=2, cwd=place),
                "no script through a link")

    def metrics(self, *settings, file="example.yaml"):
        """Of a file, or of the defaults, with these settings."""
        words = [file] if file else []
        words += [word for setting in settings for word in ("--set", setting)]
        run(self.example, *words, "--out", self.folder / "changed", cwd=self.source)
        result = json.loads((self.folder / "changed/result.json").read_text())
        return {name: metric["value"] for name, metric in result["metrics"].items()}

    def run(self):
        """12 routers with 4 nodes, 20 rounds of 8 packets."""
        out = self.folder / "out"
        run(self.example, "example.yaml", "--out", out, cwd=self.source)
        result = json.loads((out / "result.json").read_text())
        metrics = {name: metric["value"] for name, metric in result["metrics"].items()}
        require(metrics["packets_delivered"] == metrics["measured_packets"] == 48 * 20 * 8, f"{metrics}")
        require(metrics["latency_cycles_longest"] >= metrics["latency_cycles_p999"], f"{metrics}")
        # The last round begins in cycle 1901.
        require(1901 < metrics["simulated_cycles"] <= 3000, f"{metrics}")
        config = result["config"]
        require(config["topology"]["routers"] == 12 and config["routing"]["detour_percent"] == 50
                and config["traffic"]["shift"] == 4, f"{config}")
        run(self.example, "example.yaml", "--out", self.folder / "direct", "--set", "routing.detour_percent=0",
            cwd=self.source)
        direct = json.loads((self.folder / "direct/result.json").read_text())["metrics"]
        # Four nodes share the one direct link to their partners, which detours relieve.
        require(direct["latency_cycles_mean"]["value"] > metrics["latency_cycles_mean"], f"{direct} {metrics}")
        # Each key of the exchange alone: fewer packets, later rounds; and lengths that are drawn for it.
        fewer = self.metrics("exchange.packets=3")
        require(fewer["packets_delivered"] == 48 * 20 * 3, f"{fewer}")
        later = self.metrics("exchange.period_cycles=300", "measure.cycles=6000")
        require(later["packets_delivered"] == 48 * 20 * 8
                and later["latency_cycles_longest"] < metrics["latency_cycles_longest"], f"{later}")
        shorter = self.metrics("traffic.packet_flits=1")
        require(shorter["latency_cycles_mean"] < metrics["latency_cycles_mean"], f"{shorter} {metrics}")
        # Links that fail take packets, all of them where every packet is between routers.
        torn = self.metrics("link.faults=" + ",".join(f"{link}@1" for link in range(66)), "routing.detour_percent=0")
        require(torn["packets_delivered"] == 0 and torn["packets_dropped"] == 48 * 20 * 8
                and torn["latency_cycles_mean"] is None, f"{torn}")
        run(self.example, out / "resolved.yaml", "--out", self.folder / "again")
        again = json.loads((self.folder / "again/result.json").read_text())["metrics"]
        for name, value in metrics.items():
            require(name == "wall_seconds" or again[name]["value"] == value,
                    f"{name} is another one from resolved.yaml")
        keys = run(self.example, "--list-keys").splitlines()
        for key in ("topology.routers", "routing.detour_percent", "traffic.shift", "exchange.rounds"):
            require(keys.count(key) == 1, f"--list-keys has no {key}")
        schema = json.loads(run(self.example, "--json-schema"))
        jsonschema.validate(yaml.safe_load((self.source / "example.yaml").read_text()), schema)
        require(schema["properties"]["exchange"]["properties"]["rounds"]["type"] == "integer",
                "the schema has no exchange.rounds")
        auto = run(self.example, "--print-config", "all")
        require("kind: two_hop" in auto, f"auto is no two_hop\n{auto}")
        cached = run(self.example, "--out", self.folder / "cached", "--set", "lookup.kind=cached",
                     "--set", "lookup.replacement=most_recently_used", "--set", "router.sa_allocator=lowest_input")
        require("full mesh of 8 routers" in cached, cached)
        stored = self.metrics("router.kind=one_buffer", "topology.kind=fly", "buffers.first_cycle=4000", file=None)
        require(stored["measured_packets"] > 1000 and 0 < stored["buffer_writes"] < stored["flit_hops"], f"{stored}")
        (self.folder / "messages.txt").write_text("0 send 1\n1 recv 0\n")
        traced = self.metrics("workload.kind=trace", f"workload.trace={self.folder}/messages.txt",
                              "workload.trace_format=messages", "workload.message_bytes=100", file=None)
        require(traced["trace_messages"] == 1 and traced["trace_message_bytes"] == 100, f"{traced}")

        # What the platform network has: a proof, a sweep, waveforms.
        require("free of deadlock" in run(self.example, "example.yaml", "--check-deadlock", cwd=self.source),
                "no proof")
        run(self.example, "--out", self.folder / "swept", "--sweep-load", "0.05:0.1:2", "--set", "measure.cycles=500")
        points = json.loads((self.folder / "swept/result.json").read_text())["tables"]["sweep"]["rows"]
        require([row[0] for row in points] == [0.05, 0.1], f"{points}")
        require(all(row[-1] > 0 and row[-2] > 0 for row in points), f"no columns of the two instruments: {points}")
        run(self.example, "example.yaml", "--out", self.folder / "waves", "--waves", "--waves-format",
            "vcd", cwd=self.source)
        require("$scope module r0 $end" in (self.folder / "waves/network.vcd").read_text(), "no waveform of router 0")

        # A parallel program of the user's own on the platform cenju4.
        ring = self.build_folder / "ring"
        require("ring_time_us" not in run(ring, "--list-keys") and "workload.ring_bytes" in run(ring, "--list-keys"),
                "no key of the ring")
        times = {}
        for ring_bytes in (8, 4096):
            run(ring, "--out", self.folder / "ring", "--set", "network.nodes=16", "--set",
                f"workload.ring_bytes={ring_bytes}")
            metrics = json.loads((self.folder / "ring/result.json").read_text())["metrics"]
            times[ring_bytes] = metrics["ring_time_us"]["value"]
        # Kanoh 2000, fig. 6 and 7: a message of 8 bytes takes 9.1 us, and long ones pass at some 169 * 2^20 B/s.
        require(9 < times[8] < times[4096] - 4088 / 180, f"{times}")
        words = run(ring, "--out", self.folder / "ring", "--set", "workload.ring_bytes=12", status=2)
        require("a multiple of 8" in words, words)

    def compile_words(self):
        """The compiler's words for a source of a project of the user's, but for source and object."""
        words = configure(self.source, self.folder / "words", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                          *as_the_libraries(self.tree))[0]
        end = words.index("-o")
        require(words[end + 2] == "-c", f"another form of the compiler's words: {words}")
        return [word for word in words[:end] if not word.endswith("ccache")] + ["-fsyntax-only", "-x", "c++", "-"]

    def public_headers(self):
        text = (self.prefix / "share/tsuji/models/public_headers.txt").read_text()
        return [line.split()[0] for line in text.splitlines() if line and line[0] not in "#["]

    def headers(self):
        words, headers = self.compile_words(), self.public_headers()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for _ in pool.map(lambda header: run(*words, input=f'#include "tsuji/{header}"\nint main() {{}}\n'),
                              headers):
                pass

    def headers_at_once(self):
        words, headers = self.compile_words(), self.public_headers()
        require(len(headers) > 40, f"{len(headers)} public headers")
        version = ("#if TSUJI_VERSION < TSUJI_VERSION_NUMBER(0, 1, 0) || TSUJI_VERSION >= TSUJI_VERSION_NUMBER(1, 0, "
                   "0)\n#error version\n#endif\n")
        one = "".join(f'#include "tsuji/{header}"\n' for header in reversed(headers))
        run(*words, input=one + version + "static_assert(tsuji::version_major * 10000 + tsuji::version_minor * 100 + "
            "tsuji::version_patch == TSUJI_VERSION);\n")
        renamed = [line.split() for line in (self.prefix / "share/tsuji/models/renamed.txt").read_text().splitlines()
                   if line.startswith("header ")]
        require(renamed, "no header has an old name any more: take one of the test's own")
        for _, since, old, new in renamed[:2]:
            said = run(*words, input=f'#include "{old}"\n', status=1)
            require(f"{old} is called {new} since {since}; tsuji migrate FILE writes the new name" in said, said)

    def study(self):
        """Runs of the example by the installed package."""
        platforms = self.folder / "platforms"
        platforms.mkdir(exist_ok=True)
        shutil.copy(self.example, platforms / "example")
        (self.folder / "study.yaml").write_text("platform: example\nconfig: example/example.yaml\naxes: "
                                                "{routing.detour_percent: [0, 50]}\n"
                                                "metrics: [packets_delivered, simulated_cycles]\n")
        package = self.prefix / "lib/python3/dist-packages"
        words = run(sys.executable, "-m", "tsuji.study_main", "study.yaml", "--platforms", platforms, "--out",
                    self.folder / "studied",
                    cwd=self.folder, env={**os.environ, "PYTHONPATH": str(package)})
        require("2 designs, 2 runs" in words, words)
        # The package knows the names of before, in its installation, too.
        asked = ("import tsuji.renames as r\nassert r.find('key', 'workload.load_cycles').new == 'measure.cycles'\n"
                 "print(r.PATH)")
        words = run(sys.executable, "-c", asked, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(package)})
        require(words.strip() == str(self.prefix / "share/tsuji/models/renamed.txt"), words)
        rows = (self.folder / "studied/points.csv").read_text().splitlines()
        require([row.split(",")[:4] for row in rows[1:]] == [["0", "1", "1", "0"], ["50", "1", "1", "0"]]
                and ",7680.0," in rows[1] + rows[2], f"{rows}")

    def refuse(self):
        for text, place, said in [
                ("topology:\n  routers: 1\n", "2:12",
                 "topology.routers: out of range (got '1'); accepted: an integer 2..256"),
                ("routing: {detour_percent: 101}\n", "1:27", "routing.detour_percent: out of range (got '101')"),
                ("routing: {detour_percent: 1}\nrouter: {vcs: 1}\n", "2:15", "router.vcs: "),
                ("topology: {routers: 200, nodes_per_router: 21}\n", "1:44",
                 "topology.nodes_per_router: too many nodes"),
                ("topology: {kind: torus}\nrouting: {kind: indirect}\n", "2:17", "did you mean 'two_hop'?"),
                ("exchange: {round: 3}\n", "1:12", "exchange.round: unknown key, did you mean 'exchange.rounds'?"),
                ("clock_period_ps: 1000000000\ntraffic: {kind: exchange}\nexchange: {rounds: 1000000, period_cycles: "
                 "4612}\n", "3:44", "accepted: 1..4611"),
                ("topology: {kind: mesh, routers: 3}\n", "1:33", "has no effect with topology.kind mesh")]:
            file = self.folder / "wrong.yaml"
            file.write_text(text)
            words = run(self.example, "wrong.yaml", "--out", self.folder / "wrong", status=2, cwd=self.folder)
            require(words.startswith(f"example: wrong.yaml:{place}: ") and said in words, f"{text}: {words}")
        require(not (self.folder / "wrong").exists(), "a refused run leaves a folder")

    def tables(self):
        """Copies of all tables that the build makes, one of them with a kind more."""
        source = self.folder / "tables"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        for table in self.tree.glob("models/tsuji/**/*_table.cpp"):
            shutil.copy(table, source)
        table = source / "topology_kinds_table.cpp"
        for before, more in [("\nTopologyKinds ", "void add_pair(TopologyKinds&);\n"),
                             ("  return ", "  add_pair(kinds);\n")]:
            table.write_text(table.read_text().replace(before, more + before))
        (source / "main.cpp").write_text(OWN_TABLES)
        (source / "pair.cpp").write_text(OWN_KIND)
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES "
                                               "CXX)\nfind_package(tsuji REQUIRED)\n"
                                               "file(GLOB sources *.cpp)\nadd_executable(user ${sources})\n"
                                               "target_link_libraries(user PRIVATE tsuji::tsuji)\n")
        configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *as_the_libraries(self.tree))
        run("cmake", "--build", source / "build")
        words = run(source / "build/user", env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
        require(words == "pair of 2, up_down\n", words)

    def logger(self):
        """Header only, which has a copy of spdlog in the project's code, and with Debian's library."""
        for form in ("spdlog_header_only", "spdlog"):
            source = self.folder / "logger"
            shutil.rmtree(source, ignore_errors=True)
            source.mkdir(parents=True)
            (source / "main.cpp").write_text(LOGGER)
            (source / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\nfind_package(tsuji REQUIRED)\n"
                "find_package(spdlog REQUIRED)\nadd_executable(user main.cpp)\n"
                "target_compile_definitions(user PRIVATE SPDLOG_ACTIVE_LEVEL=0 SPDLOG_NO_THREAD_ID)\n"
                f"target_link_libraries(user PRIVATE tsuji::tsuji spdlog::{form})\n")
            configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *as_the_libraries(self.tree))
            run("cmake", "--build", source / "build")
            words = run(source / "build/user", "--out", source / "out", "--set", "topology.radices=[2, 2]", "--set",
                        "measure.cycles=100", cwd=source)
            require(words.endswith("tsuji|trace|before 1\ntsuji|trace|after 2\n"), f"{form}: {words}")
            require((source / "out/result.json").is_file(), f"{form}: no run")

    def in_a_library(self):
        """A shared library of a project of the user's that has static libraries of this one in it."""
        source = self.folder / "library"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        (source / "library.cpp").write_text(LIBRARY)
        (source / "main.cpp").write_text('#include <systemc>\nextern "C" unsigned routers_of_a_mesh();\n'
                                         'int sc_main(int, char**) { return routers_of_a_mesh() == 15 ? 0 : 1; }\n')
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\nfind_package(tsuji REQUIRED)\n"
            "add_library(user SHARED library.cpp)\ntarget_link_libraries(user PRIVATE tsuji::tsuji)\n"
            "target_link_options(user PRIVATE -Wl,-z,defs)\nadd_executable(main main.cpp)\n"
            "target_link_libraries(main PRIVATE user tsuji::tsuji)\n")
        configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *as_the_libraries(self.tree))
        run("cmake", "--build", source / "build")
        needed = run("readelf", "-d", source / "build/libuser.so")
        require("libtsuji_" not in needed, f"not in the library: {needed}")
        run(source / "build/main")

    def shared(self):
        """A second build, whose project, pkg-config and own tables are the cases of before."""
        folder = self.folder / "shared"
        tree = folder / "tree"
        run("cmake", "-G", "Ninja", "-S", self.project, "-B", tree, "-DBUILD_SHARED_LIBS=ON", "-DTSUJI_TESTS=OFF",
            "-DCMAKE_UNITY_BUILD=ON", "-DVERILATOR=OFF", *as_the_libraries(self.tree))
        run("cmake", "--build", tree, "--target", "models/all", "platform_objects/network/all")
        shared = Cases(self.project, tree, folder / "installation")
        shared.build()
        libraries = shared.prefix / "lib"
        require(not list(libraries.glob("*.a")), "static libraries beside shared ones")
        version = re.search(r"project\(tsuji VERSION (\d+\.\d+)(\.\d+)",
                            (self.project / "CMakeLists.txt").read_text())
        files = sorted(path for path in libraries.glob("libtsuji_*.so*") if not path.is_symlink())
        require(len(files) > 20, f"{files}")
        for path in files:
            name, _, of = path.name.partition(".so.")
            require(of == "".join(version.groups()), f"{path} has another version")
            told = run("readelf", "-d", path)
            soname = f"{name}.so.{version.group(1)}"
            require(f"Library soname: [{soname}]" in told, told)
            require("Library runpath: [$ORIGIN:$ORIGIN/../lib]" in told, told)
            for link in (f"{name}.so", soname):
                require((libraries / link).resolve() == path.resolve(), f"{link} leads elsewhere")
        # A co-simulation has a second copy of this writer.
        exported = run("nm", "-D", "--defined-only", libraries / "libtsuji_observe.so")
        require("open_fst" in exported and "fstWriterCreate" not in exported, "libtsuji_observe exports the FST writer")
        needed = run("readelf", "-d", shared.example)
        require(f"Shared library: [libtsuji_session.so.{version.group(1)}]" in needed
                or f"Shared library: [libtsuji_platform.so.{version.group(1)}]" in needed, needed)
        run(shared.prefix / "bin/network", "--out", folder / "out", "--waves", "--set", "topology.radices=[2, 2]",
            "--set", "measure.cycles=100")
        shared.refuse()
        shared.pkg_config()
        shared.tables()
        # The same objects as static libraries.
        run("cmake", "-S", self.project, "-B", tree, "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        run("cmake", "--build", tree, "--target", "models/all", "platform_objects/network/all")
        static = Cases(self.project, tree, folder / "static")
        stage = static.folder / "stage"
        run("cmake", "--install", tree, "--prefix", "/opt/tsuji", env={**os.environ, "DESTDIR": str(stage)})
        (stage / "opt/tsuji").rename(static.prefix)
        static.in_a_library()

    def standard(self):
        """Of all targets: at configure; of one: where it is compiled."""
        source = self.folder / "standard"
        for of_all, of_one, refuses, said in [("", "", "", ""), ("set(CMAKE_CXX_STANDARD 17)\n", "", "", ""),
                                              ("set(CMAKE_CXX_STANDARD 20)\n", "", "configure",
                                               "set(CMAKE_CXX_STANDARD 17)"),
                                              ("", "target_compile_features(user PRIVATE cxx_std_20)\n", "build",
                                               "the C++ standard of this tsuji")]:
            shutil.rmtree(source, ignore_errors=True)
            source.mkdir(parents=True)
            (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES CXX)\n"
                                                   + of_all +
                                                   "find_package(tsuji REQUIRED)\nadd_library(user STATIC user.cpp)\n"
                                                   "target_link_libraries(user PRIVATE tsuji::graph)\n" + of_one)
            (source / "user.cpp").write_text('#include "tsuji/graph/topology.h"\n')
            words = run("cmake", "-G", "Ninja", "-S", source, "-B", source / "build",
                        f"-DCMAKE_PREFIX_PATH={self.prefix}",
                        *as_the_libraries(self.tree), status=int(refuses == "configure"))
            if refuses != "configure":
                words = run("cmake", "--build", source / "build", status=int(refuses == "build"))
            require(said in words, f"{of_all}{of_one}: {words}")

    def optional(self):
        """Configured without gtkwave's FST writer, Verilator and Catch2; nothing is built."""
        build = self.folder / "optional"
        shutil.rmtree(build, ignore_errors=True)
        words = run("cmake", "-G", "Ninja", "-S", self.project, "-B", build, "-DTSUJI_FSTAPI_DIR=OFF",
                    "-DVERILATOR=OFF",
                    "-DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON", *as_the_libraries(self.tree))
        for part, lacking in [("waveforms in FST", "verilator"),
                              ("RTL twins, their testbenches and tests", "verilator"), ("all tests", "catch2")]:
            require(re.search(rf"^-- tsuji: {part} left out: .*Debian's package {lacking}", words, re.MULTILINE), words)
        sources = {pathlib.Path(entry["file"]).name
                   for entry in json.loads((build / "compile_commands.json").read_text())}
        require("network.cpp" in sources and not sources & {"fstapi.c", "fst_sink.cpp", "bench_main.cpp",
                                                            "sc_catch_main.cpp"}, sources)
        require("no_fst_sink.cpp" in sources, sources)
        standard = re.search(r"TSUJI_SYSTEMC_LINKS_AS_CXX(\d+):INTERNAL=TRUE",
                             (build / "CMakeCache.txt").read_text()).group(1)
        require(f"-std=c++{standard}" in (build / "compile_commands.json").read_text(),
                "another standard than the one that links")
        words = run("cmake", build, "-DTSUJI_TESTS=ON", "-DBUILD_SHARED_LIBS=ON", status=1)
        require("TSUJI_TESTS: tests are linked with static libraries only" in " ".join(words.split()), words)
        words = run("cmake", build, "-DTSUJI_TESTS=OFF", "-DBUILD_SHARED_LIBS=ON", "-DVERILATOR=verilator")
        require("testbenches and tests left out: BUILD_SHARED_LIBS" in words, words)
        run("cmake", build, "-DBUILD_SHARED_LIBS=OFF")
        other = "20" if standard == "17" else "17"
        words = run("cmake", build, f"-DCMAKE_CXX_STANDARD={other}", status=1)
        require(f"does not link with a program of C++{other}." in words, words)

    def embed(self):
        source = self.folder / "embedding"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        (source / "CMakeLists.txt").write_text(EMBEDDING.format(project=self.project))
        (source / "main.cpp").write_text('#include "tsuji/graph/cube.h"\nint main() {}\n')
        words = configure(source, source / "build")
        ours = [command for command in words if command[-1] == str(source / "main.cpp")]
        require(len(ours) == 1, f"{ours}")
        require(not any(word.startswith(("-W", "-DSPDLOG", "-DR123", "-DSC_")) for word in ours[0]), f"{ours}")
        core = [command for command in words if command[-1].endswith("/random.cpp")]
        require("-DR123_USE_SSE=0" in core[0] and "-DSC_INCLUDE_DYNAMIC_PROCESSES" in core[0], f"{core}")
        require(not any("-Werror" in command for command in words), "warnings are errors")
        presets = json.loads((self.project / "CMakePresets.json").read_text())["configurePresets"]
        require(all(preset["cacheVariables"].get("TSUJI_WERROR") == "ON" for preset in presets),
                "presets take warnings")
        require(not any(f"{self.project}/tests" in word for command in words for word in command), "tests are built")


def main():
    project, build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    try:
        getattr(Cases(project, build, folder), sys.argv[4])()
    except Failure as failure:
        sys.exit(f"{failure}")


if __name__ == "__main__":
    main()
