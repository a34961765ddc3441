#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts from outside: arguments and help, what they need and install, where they build, and whom they wait for.

They see a machine of the test's own: a PATH with the programs of a bare system and fakes of all others, which write
down how they are called. usage: scripts_test.py PROJECT
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
BARE = ("awk", "basename", "bash", "cat", "chmod", "cp", "dirname", "env", "flock", "grep", "id", "mkdir", "mktemp",
        "mv", "nice", "nproc", "realpath",
        "rm", "sed", "seq", "sh", "sleep", "sort", "tr", "wc", "xargs")
FAKES = ("apt-get", "ccache", "chromedriver", "chromium", "clang++", "clang-format", "clang-tidy", "cmake", "convert",
         "ctest", "dot", "doxygen", "dpkg-shlibdeps", "file", "gcc", "gfortran", "git", "gtkwave", "iverilog", "mpirun",
         "munge", "ninja", "sbatch", "setpriv", "smpicc", "sta", "valgrind", "verilator", "xvfb-run", "yosys", "z3",
         "zstd")
FSTAPI = "share/verilator/include/gtkwave/fstapi.c"
D3 = "share/nodejs/d3/dist/d3.min.js"
CELLS = "share/qflow/tech/osu018/osu018_stdcells.lib"


def sections():
    """Section to {package: (probe, use)} of scripts/packages."""
    found, name = {}, None
    for line in (PROJECT / "scripts/packages").read_text().splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line.strip() and not line.startswith("#"):
            package, probe, *use = line.split(maxsplit=2)
            found.setdefault(name, {})[package] = (probe, *use)
    return found


class Machine(unittest.TestCase):
    """A checkout's scripts in `checkout`, and programs in `tools`."""

    CHECKOUT = "checkout"

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="tsuji_scripts_")).resolve()
        self.addCleanup(shutil.rmtree, self.place)
        self.checkout = self.place / self.CHECKOUT
        # A copy: the calls must not depend on what is built here.
        shutil.copytree(PROJECT / "scripts", self.checkout / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.checkout / "platforms/study").mkdir(parents=True)
        # Files by their whole path are this machine's, too.
        packages = self.checkout / "scripts/packages"
        packages.write_text(re.sub(r"file:/usr/lib/llvm-\S+", f"file:{self.place}/gone|{self.place}/usr/*/clang_rt",
                                   packages.read_text()).replace("/usr/share/nodejs", f"{self.place}/usr/share/nodejs"))
        self.tools = self.place / "usr/bin"
        self.tools.mkdir(parents=True)
        for name in BARE:
            (self.tools / name).symlink_to(shutil.which(name))
        for name in FAKES:
            self.fake(name)
        (self.place / "usr" / FSTAPI).parent.mkdir(parents=True)
        (self.place / "usr" / FSTAPI).touch()
        (self.place / "usr/share/clang_rt").touch()
        (self.place / "usr" / D3).parent.mkdir(parents=True)
        (self.place / "usr" / D3).touch()
        (self.place / "usr" / CELLS).parent.mkdir(parents=True)
        (self.place / "usr" / CELLS).touch()
        # Headers, modules of pkg-config and of Python: all there but those in `missing`.
        (self.place / "missing").touch()
        self.fake("c++", f"while read -r line; do case $line in '\"'*) grep -qxF \"$line\" {self.place}/missing || "
                  f"echo \"$line\" ;; esac; done")
        self.fake("pkg-config", f"! grep -qxF '\"'\"$2\"'\"' {self.place}/missing")
        self.fake("snakemake", "true")
        self.fake("python3", f"""case "$1$2" in -c*find_spec*) shift 2; for name in "$@"; do
  grep -qxF '"'"$name"'"' {self.place}/missing || echo "$name"; done ;; *) exec {sys.executable} "$@" ;; esac""")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("TSUJI_", "PYTHON", "CXX", "VERILATOR_ROOT"))}
        self.environment |= {"PATH": str(self.tools), "TSUJI_PYTHON": "python3", "TSUJI_SNAKEMAKE": "snakemake",
                             "PYTHONDONTWRITEBYTECODE": "1"}

    def fake(self, name, does=None):
        path = self.tools / name
        path.unlink(missing_ok=True)  # never through a link to the real one
        path.write_text(f"#!/bin/sh\n{does or self.noted(name)}\n")
        path.chmod(0o755)

    def noted(self, name):
        return f'echo "{name} $*" >> "{self.place}/calls"'

    def lack(self, *names):
        """Programs, headers and modules that this machine does not have."""
        for name in names:
            if "/" not in name:
                (self.tools / name).unlink(missing_ok=True)
        with open(self.place / "missing", "a", encoding="utf-8") as missing:
            missing.writelines(f'"{name}"\n' for name in names)
        if "fstapi.c" in names:
            (self.place / "usr" / FSTAPI).unlink()

    def start(self, script, *arguments, **more):
        return subprocess.Popen([self.checkout / "scripts" / script, *arguments], env=self.environment,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **{"cwd": self.place, **more})

    def call(self, script, *arguments, **more):
        process = self.start(script, *arguments, **more)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(script, process.returncode, out, err), self.calls()

    def wait_for(self, happens):
        end = time.monotonic() + 300
        while not happens():
            self.assertLess(time.monotonic(), end, "this never happens")
            time.sleep(0.02)

    def calls(self):
        calls = self.place / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def configured(self, preset="release", folder=None):
        folder = folder or self.checkout / ("build" if preset == "release" else f"build-{preset}")
        return f"cmake --preset {preset} -B {folder} -DTSUJI_PYTHON={self.tools}/python3"

    def built(self, targets, folder=None):
        return f"cmake --build {folder or self.checkout / 'build'} --target {targets}"

    def machine_of(self, name="cenju4", does="true"):
        """A fake of what is built."""
        folder = self.checkout / "build/platforms"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)


class Arguments(Machine):
    def called_with(self, *arguments):
        done, calls = self.call("test", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return calls[-1].split()

    def test_help(self):
        for script in ("test", "run", "lint"):
            for option in (["--help"], ["-h"], ["-R", "x", "--help"]):
                done, calls = self.call(script, *option)
                self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
                self.assertTrue(done.stdout.startswith(f"{script} ["), done.stdout)
                self.assertNotIn("lib.sh", done.stdout)

    def test_against_booksim_builds_the_network_alone_and_nothing_for_its_help(self):
        done, calls = self.call("against_booksim", "--help")
        self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
        self.assertIn("--booksim DIR", done.stdout)
        done, calls = self.call("against_booksim", "--booksim", "gone", "k=4")
        self.assertEqual((done.returncode, calls), (2, [self.configured(), self.built("network")]))
        self.assertIn("against_booksim: --booksim: no executable `booksim` in it (got 'gone')", done.stderr)

    def test_import_booksim_builds_nothing(self):
        done, calls = self.call("import_booksim", "topology=mesh", "routing_function=dor")
        self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
        self.assertIn('topology:\n  kind: "mesh"\n', done.stdout)

    def test_import_graph_builds_nothing(self):
        (self.place / "pair.edges").write_text("0 1\n")
        done, calls = self.call("import_graph", str(self.place / "pair.edges"))
        self.assertEqual((done.returncode, done.stderr, calls), (0, "", []))
        self.assertIn("link 0 1\n", done.stdout)

    def test_a_study_builds_the_platforms_of_all_its_designs(self):
        study = self.place / "study.yaml"
        study.write_text("platform: network\naxes: {n: {a: {x: 1}, b: {platform: cenju4}, c: {platform: "
                         "network}}}\nmetrics: [m]\n")
        done, calls = self.call("study", str(study))
        self.assertEqual((done.returncode, calls), (2, [self.configured(), self.built("network cenju4")]))
        self.assertIn("study.yaml:1:11: platform: not an executable in", done.stderr)
        study.write_text("metrics: [m]\n")
        self.assertEqual(self.call("study", str(study))[1], calls, "a refused study builds nothing")

    def test_long_tests_only_when_asked(self):
        short = self.called_with()
        self.assertEqual(short[short.index("-LE") + 1], "^long$")
        self.assertNotIn("-LE", self.called_with("--long"))

    def test_other_arguments_go_to_ctest(self):
        self.assertEqual(self.called_with("-R", "link")[-4:], ["-LE", "^long$", "-R", "link"])
        self.assertEqual(self.called_with("-R", "link", "--long", "-V")[-3:], ["-R", "link", "-V"])

    def test_a_preset_is_configured_built_and_tested(self):
        for words in (["--preset", "clang", "-R", "link"], ["-R", "link", "--preset=clang"]):
            (self.place / "calls").unlink(missing_ok=True)
            done, calls = self.call("test", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            folder = self.checkout / "build-clang"
            self.assertEqual(calls[:2], [self.configured("clang"), self.built("all", folder)])
            self.assertTrue(calls[2].startswith(f"ctest --test-dir {folder} --output-on-failure "), calls)
            self.assertEqual(calls[2].split()[-4:], ["-LE", "^long$", "-R", "link"])
        self.assertIn(f"--test-dir {self.checkout}/build ", " ".join(self.called_with()))
        done, calls = self.call("test", "--preset")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "test: --preset: a preset of CMakePresets.json is missing\n"))

    def test_presets_have_a_folder_each_and_can_be_built_and_tested(self):
        presets = json.loads((PROJECT / "CMakePresets.json").read_text())
        folders = {one["name"]: one["binaryDir"] for one in presets["configurePresets"]}
        # As the scripts name them.
        self.assertEqual(folders, {name: "${sourceDir}/build" + ("" if name == "release" else f"-{name}")
                                   for name in folders})
        self.assertLessEqual({"release", "debug", "clang", "sanitize"}, set(folders))
        for kind in ("buildPresets", "testPresets"):
            self.assertEqual({one["name"]: one["configurePreset"] for one in presets[kind]},
                             {name: name for name in folders})


class Needs(Machine):
    def installed(self):
        return [call.split("--no-install-recommends ")[1].split() for call in self.calls() if " install -y " in call]

    def test_where_all_is_there_nothing_is_said_or_installed(self):
        self.lack("apt-get")  # and neither dpkg nor sudo
        self.machine_of("network")
        self.machine_of("cenju4", 'echo "ran $*"')
        done, calls = self.call("run", "--set", "a=b")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran --set a=b\n", ""))
        self.assertEqual(calls, [self.configured(), self.built("cenju4 network")])

    def test_what_is_missing_is_named_and_nothing_is_built(self):
        self.lack("apt-get", "cmake", "systemc", "CLI/CLI.hpp", "git")
        done, calls = self.call("run")
        self.assertEqual((done.returncode, calls), (1, []))
        for words in ("run: missing: program cmake (Debian's package cmake)",
                      "run: missing: module systemc (Debian's package libsystemc-dev)",
                      "run: missing: header CLI/CLI.hpp (Debian's package libcli11-dev)",
                      "run: goes on without program git (Debian's package git): the source's revision in results"):
            self.assertIn(words + "\n", done.stderr)
        self.assertEqual(done.stderr.count("missing:"), 3, done.stderr)

    def test_a_script_goes_on_without_what_it_can_do_without(self):
        self.lack("apt-get", "fstapi.c", "z3", "matplotlib", "ccache")
        done, calls = self.call("test")
        self.assertEqual((done.returncode, len(calls)), (0, 3), done.stderr)
        self.assertEqual(done.stderr.splitlines(), [
            "test: goes on without share verilator/include/gtkwave/fstapi.c (Debian's package verilator): waveforms in "
            "FST (VCD stays)",
            "test: goes on without program ccache (Debian's package ccache): compilations kept from an earlier build",
            "test: goes on without program z3 (Debian's package z3)",
            "test: goes on without python matplotlib (Debian's package python3-matplotlib)"])
        done, _ = self.call("prove_rtl", "--list")
        self.assertEqual(done.returncode, 1)
        self.assertIn("prove_rtl: missing: program z3", done.stderr)

    def test_tests_that_are_left_out_are_named_where_tests_are_run(self):
        self.fake("cmake", self.noted("cmake") + """
            echo "-- tsuji: tests that need z3 left out: no program z3"; echo "-- tsuji: waveforms in FST left out: no fstapi.c" """)  # noqa: E501
        self.machine_of("network")
        self.machine_of("cenju4")
        for script, told in (("test", ["z3", "FST"]), ("run", ["FST"])):
            with self.subTest(script):
                words = self.call(script)[0].stderr
                self.assertEqual([line.split(" left out")[0].split()[-1]
                                  for line in words.splitlines() if "left out" in line], told, words)

    def test_one_of_several_names_is_enough(self):
        self.lack("catch2/catch.hpp")
        self.assertEqual(self.call("test")[0].stderr, "")
        self.lack("catch2/catch_all.hpp")
        self.call("test")
        self.assertEqual(self.installed(), [["catch2"]])

    def test_run_installs_what_the_main_job_needs_and_nothing_else(self):
        packages = sections()
        everything = [name for of in packages.values() for probe, *_ in of.values()
                      for name in probe.split(":", 1)[1].split("|")]
        self.lack(*everything, "fstapi.c", "c++")
        del self.environment["TSUJI_PYTHON"], self.environment["TSUJI_SNAKEMAKE"]
        self.fake("apt-get")
        self.fake("nproc", "echo 3")
        done, _ = self.call("run")
        self.assertEqual(sorted(*self.installed()), sorted(packages["run"]))
        first, second = done.stderr.splitlines()[:2]
        self.assertRegex(first, rf"^run: first call: .*\d+ MB to fetch, \d+ MB on disk.* in {self.checkout}/build "
                         rf"\(about 2 min on 3 processors, \d+ MB\)$")
        self.assertEqual(second, "run: installs " + " ".join(sorted(packages["run"])))
        self.assertFalse({"yosys", "z3", "catch2", "python3-matplotlib", "ccache"} & set(packages["run"]))

    def test_apt_says_what_it_takes(self):
        self.lack("systemc")
        self.fake("apt-get", self.noted("apt-get") + """
case "$*" in *--assume-no*) echo 'Need to get 3 MB of archives.'; echo 'After this operation, 9 MB of additional disk space will be used.'; exit 1 ;; esac""")  # noqa: E501
        done, _ = self.call("run")
        self.assertIn("run: installs libsystemc-dev\nrun: Need to get 3 MB of archives.\nrun: After this operation, 9 "
                      "MB", done.stderr)
        self.assertEqual(self.installed(), [["libsystemc-dev"]])

    def test_packages_that_a_release_lacks_keep_no_others_out(self):
        self.lack("systemc", "yaml", "matplotlib")
        self.fake("apt-get", self.noted("apt-get") + """
case "$*" in *--assume-no*python3-yaml*) echo 'E: Unable to locate package python3-yaml'; exit 100 ;; esac""")
        done, _ = self.call("test")
        self.assertIn("test: this release has no package python3-yaml\n", done.stderr)
        self.assertEqual(self.installed(), [["libsystemc-dev", "python3-matplotlib"]])

    def test_packages_that_a_release_lacks_are_not_asked_for_again(self):
        self.lack("matplotlib")
        self.fake("apt-cache", 'case "$*" in *base-files*) echo base-files ;; esac')
        done, calls = self.call("test")
        self.assertIn("goes on without python matplotlib", done.stderr)
        self.assertFalse([call for call in calls if call.startswith("apt-get")])
        self.fake("apt-cache", "exit 0")  # lists that were never fetched
        self.call("test")
        self.assertEqual(self.installed(), [["python3-matplotlib"]])

    def test_packages_without_a_candidate_keep_no_others_out(self):
        self.lack("systemc", "yaml")
        self.fake("apt-get", self.noted("apt-get") + """
case "$*" in *--assume-no*) echo "E: Package 'python3-yaml' has no installation candidate"; exit 100 ;; esac""")
        self.call("test")
        self.assertEqual(self.installed(), [["libsystemc-dev"]])

    def test_what_apt_cannot_mend_is_named(self):
        self.lack("yaml")  # of an interpreter that is not Debian's
        done, calls = self.call("test")
        self.assertEqual((done.returncode, self.installed()), (1, [["python3-yaml"]]))
        self.assertIn("test: missing: python yaml (Debian's package python3-yaml)\n", done.stderr)
        self.assertFalse([call for call in calls if call.startswith("cmake")])

    def test_headers_are_found_by_a_c_compiler_where_there_is_no_other(self):
        """scripts/record_trace needs no C++."""
        (self.tools / "c++").rename(self.place / "c++")
        call = ["bash", "-c", "python=; source scripts/needs.sh; found_headers math.h gone.h"]
        for name, found in (("gcc", "math.h"), ("nothing", "")):
            self.fake(name, "cat > /dev/null; case \"$*\" in *'-x c '*) echo '\"math.h\"' ;; esac")
            done = subprocess.run(call, cwd=self.checkout, env=self.environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, found), done.stderr)
            (self.tools / name).unlink()

    def test_without_root_only_where_something_is_missing(self):
        self.fake("id", "echo 1000")
        self.assertEqual(self.call("test")[0].returncode, 0)
        self.lack("yaml-cpp")
        done, calls = self.call("test")
        self.assertEqual((done.returncode, len(calls)), (1, 3), "after the call before nothing is called")
        self.assertIn("test: missing: module yaml-cpp (Debian's package libyaml-cpp-dev)", done.stderr)
        self.fake("sudo", f'{self.noted("sudo")}; "$@"')
        self.call("test")
        self.assertEqual(self.installed()[0], ["libyaml-cpp-dev"])

    def test_a_preset_s_packages_are_installed_only_when_it_is_asked_for(self):
        self.lack("clang++")
        self.call("test")
        self.assertEqual(self.installed(), [])
        self.call("test", "--preset", "clang")
        self.assertEqual(self.installed(), [["clang"]])
        (self.place / "usr/share/clang_rt").unlink()
        self.call("test", "--preset", "clang")
        self.assertEqual(self.installed()[1:], [["clang", "libclang-rt-dev"]])

    def test_python_and_snakemake_are_those_of_the_environment(self):
        for name in ("PYTHON", "SNAKEMAKE"):
            with self.subTest(name):
                before = self.environment[f"TSUJI_{name}"]
                self.environment[f"TSUJI_{name}"] = "no_such"
                done, calls = self.call("test")
                self.assertEqual((done.returncode, done.stderr, calls),
                                 (2, f"test: TSUJI_{name}: no such program (got 'no_such')\n", []))
                self.environment[f"TSUJI_{name}"] = before
        own = self.place / "own"
        own.mkdir()
        (self.tools / "python3").rename(own / "python")
        self.environment["TSUJI_PYTHON"] = "own/python"  # of the folder of the call
        _, calls = self.call("test")
        self.assertEqual(calls[0], self.configured().replace(f"{self.tools}/python3", f"{own}/python"))

    def test_every_line_has_a_package_a_known_probe_and_one_in_a_preset_s_section(self):
        packages = sections()
        for section, of in packages.items():
            for package, (probe, *_) in of.items():
                self.assertIn(probe.split(":")[0], ("program", "module", "header", "python", "share", "file"),
                              f"{section}: {package}")
        used = {word for script in (PROJECT / "scripts").iterdir() if script.is_file() and script.name != "needs.sh"
                for line in script.read_text(encoding="utf-8").splitlines() for call in line.split(";")
                if call.strip().startswith("need ") for word in call.split("#")[0].split()[1:]}
        self.assertEqual(used - {"--", '"$preset"', "in", "esac", "*.zst)"} - set(packages), set())


class Folders(Machine):
    CHECKOUT = "a check out"

    def test_a_path_with_a_space_from_another_folder(self):
        (self.place / "a study.yaml").write_text("platform: network\nmetrics: [m]\n")
        self.assertIn(f"a study.yaml:1:11: platform: not an executable in {self.checkout}/build",
                      self.call("study", "a study.yaml")[0].stderr)
        (self.place / "calls").unlink()
        self.machine_of("network")
        self.machine_of("cenju4", 'pwd; echo "$1"')
        done, calls = self.call("run", "a b.yaml")
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.place}\na b.yaml\n"), done.stderr)
        self.assertEqual(calls, [self.configured(), self.built("cenju4 network")])

    def test_another_build_folder(self):
        self.environment["TSUJI_BUILD"] = "b uilt"  # of the folder of the call
        _, calls = self.call("test")
        self.assertEqual(calls[:2], [self.configured(folder=self.place / "b uilt"),
                                     self.built("all", self.place / "b uilt")])
        self.assertIn(f"--test-dir {self.place}/b uilt ", calls[2])
        _, calls = self.call("test", "--preset", "sanitize")
        self.assertEqual(calls[3:5], [self.configured("sanitize", self.place / "b uilt-sanitize"),
                                      self.built("all", self.place / "b uilt-sanitize")])
        self.assertFalse((self.checkout / "build").exists())

    def test_a_checkout_that_cannot_be_written(self):
        nobody = {"user": 65534} if os.getuid() == 0 else {}
        (self.place / "calls").touch()
        for path in (self.place, self.place / "calls"):
            path.chmod(0o777)
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        done, calls = self.call("run", **nobody)
        self.assertEqual((done.returncode, calls), (1, []), done.stderr)
        self.assertIn(f"run: {self.checkout}/build: cannot be written; TSUJI_BUILD=DIR builds in another folder\n",
                      done.stderr)
        self.environment["TSUJI_BUILD"] = str(self.place / "built")
        done, calls = self.call("test", **nobody)
        self.assertEqual((done.returncode, calls[:1]), (0, [self.configured(folder=self.place / "built")]), done.stderr)

    def test_scripts_in_python_take_the_build_folder(self):
        self.environment["TSUJI_BUILD"] = "/b"
        for folder, words, said in (
                ("scripts", "from tsuji.runs import PLATFORMS; print(PLATFORMS)", "/b/platforms"),
                ("scripts", "from bench_runs import BUILD; print(BUILD)", "/b"),
                ("platforms/reproduce", "from reproduction import main; print(main.parse([]).platforms)",
                 "/b/platforms"),
                ("tests/mutate", "from mutating import main; print(main.parse([]).build)", "/b-mutate"),
                ("testbenches/mutants", "import main; print(main.parse(['x'], ['x']).build)", "/b"),
                ("testbenches/router/proof", "import prove; print(prove.parse([]).out)", "/b/proofs")):
            done = subprocess.run([sys.executable, "-c", words],
                                  env={**self.environment, "PYTHONPATH": str(PROJECT / folder)}, cwd=self.place,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout.strip(), said, f"{folder}: {done.stderr}")

    def test_results_lie_below_the_folder_of_the_call_where_the_checkout_cannot_be_written(self):
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        for writable, out in ((True, self.checkout / "out"), (False, self.place / "out")):
            words = f"import os; os.access = lambda path, mode: {writable}\nfrom tsuji.runs import OUT; print(OUT)"
            done = subprocess.run([sys.executable, "-c", words],
                                  env={**self.environment, "PYTHONPATH": str(self.checkout / "scripts")},
                                  cwd=self.place,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout.strip(), str(out), done.stderr)


class Lint(Machine):
    def python(self, ends):
        """Python with all modules, whose tools end with this status."""
        self.fake("python3",
                  f"""case $1 in -c) shift 2; printf '%s\\n' "$@" ;; *) {self.noted("python3")}; exit {ends} ;; esac""")

    def test_named_python_is_read_and_nothing_is_configured_for_it(self):
        self.python(0)
        done, calls = self.call("lint", "a.py", "b c.py")
        self.assertEqual((done.returncode, done.stdout), (0, "flake8: 2 files clean\n"), done.stderr)
        self.assertEqual(calls, ["python3 -m flake8 a.py b c.py", "python3 -m mypy"])

    def test_other_files_are_not_read_as_python(self):
        self.python(0)
        _, calls = self.call("lint", "a.cpp")
        self.assertEqual([call for call in calls if call.startswith("python3")], [])
        self.assertIn(self.configured(), calls)

    def test_what_the_tools_find_is_an_error(self):
        self.python(1)
        done, calls = self.call("lint", "a.py", "a.cpp")
        self.assertEqual((done.returncode, calls), (1, ["python3 -m flake8 a.py"]))

    def test_all_python_of_the_checkout_is_read(self):
        self.python(0)
        self.fake("git", "echo scripts/x.py; echo a.cpp; echo tests/y.py")
        self.assertEqual(self.call("lint")[1][:2], ["python3 -m flake8 scripts/x.py tests/y.py", "python3 -m mypy"])


class Installed(Machine):
    """The scripts below PREFIX/share/tsuji, as `PREFIX/bin/tsuji` starts them."""

    CHECKOUT = "a prefix/share/tsuji"

    def setUp(self):
        super().setUp()
        self.bin = self.checkout.parents[1] / "bin"
        self.bin.mkdir()
        package = self.checkout.parents[1] / "lib/python3/dist-packages"
        package.mkdir(parents=True)
        (self.checkout / "scripts/tsuji").rename(package / "tsuji")
        (self.checkout / "scripts/tsuji").symlink_to(package / "tsuji")
        shutil.copy(self.checkout / "scripts/packaging/tsuji", self.bin)
        (self.bin / "skeleton").write_text('#!/bin/sh\necho "made $*"\n')
        (self.bin / "skeleton").chmod(0o755)
        (self.tools / "find").symlink_to(shutil.which("find"))

    def test_nothing_is_configured_and_what_builds_is_not_asked_for(self):
        self.lack("cmake", "ninja", "CLI/CLI.hpp", "systemc")
        done = subprocess.run([self.bin / "tsuji", "skeleton", "cg.A.4"], env=self.environment, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.calls()), (0, "made cg.A.4\n", "", []))

    def test_what_a_script_needs_itself_is_installed(self):
        self.lack("yaml")
        self.call("migrate", "x.yaml")
        self.assertTrue(any("install -y" in call and call.endswith(" python3-yaml") for call in self.calls()),
                        self.calls())

    def test_executables_are_those_of_the_prefix(self):
        words = "from tsuji.runs import PLATFORMS, ROOT; print(PLATFORMS, ROOT)"
        done = subprocess.run([sys.executable, "-c", words],
                              env={**self.environment, "PYTHONPATH": str(self.checkout / "scripts")}, cwd=self.tools,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, f"{self.bin} {self.tools}\n", done.stderr)


class Waiting(Machine):
    def test_two_scripts_wait_for_each_other(self):
        self.fake("cmake", f'echo "begin $$" >> {self.place}/calls; sleep 0.7; echo "end $$" >> {self.place}/calls')
        self.machine_of("network")
        self.machine_of("cenju4")
        first = self.start("run")
        self.wait_for(self.calls)
        second = self.start("run")
        said = [process.communicate(timeout=300)[1] for process in (first, second)]
        self.assertEqual((first.returncode, second.returncode), (0, 0), said)
        self.assertIn(f"run: waits for scripts/run (process {first.pid}), which builds in {self.checkout}/build\n",
                      said[1])
        calls = self.calls()
        self.assertEqual(len(calls), 8)
        for begin, end in zip(calls[::2], calls[1::2]):
            self.assertEqual((begin.split()[0], end), ("begin", begin.replace("begin", "end")), calls)

    def test_nobody_waits_for_a_run(self):
        self.machine_of("network")
        self.machine_of("cenju4", f": > {self.place}/runs; sleep 60")
        first = self.start("run", start_new_session=True)
        try:
            self.wait_for((self.place / "runs").exists)
            done, calls = self.call("skeleton", "cg.A.4")
            self.assertEqual(calls[-1], self.built("skeleton"))
            self.assertNotIn("waits", done.stderr)
        finally:
            os.killpg(first.pid, 9)
            first.communicate()

    def test_presets_do_not_wait_for_each_other(self):
        self.fake("cmake", f'{self.noted("cmake")}; sleep 0.5')
        first = self.start("test", "--preset", "debug")
        self.wait_for(self.calls)
        self.assertNotIn("waits", self.call("test")[0].stderr)
        first.communicate(timeout=300)


if __name__ == "__main__":
    unittest.main()
