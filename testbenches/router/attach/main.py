# SPDX-License-Identifier: Apache-2.0
"""scripts/attach_rtl: see its first comment.

usage: main.py PROJECT PACKAGE FILE.yaml [--out DIR] [--check] [-D NAME=VALUE ...]
PACKAGE has tsuji-config.cmake: the build folder of PROJECT, or an installation's lib/cmake/tsuji.
"""

import argparse
import pathlib
import subprocess
import sys

import assertions
import generate
from reader import describe
from places import Refused


def arguments(words):
    parser = argparse.ArgumentParser(prog="attach_rtl",
                                     usage="attach_rtl FILE.yaml [--out DIR] [--check | --assertions FILE.sv] "
                                           "[-D NAME=VALUE...]",
                                     add_help=False)
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("file")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--assertions", type=pathlib.Path)
    parser.add_argument("-D", dest="settings", action="append", default=[])
    return parser.parse_args(words)


def build(about, options, folder):
    generator = [] if (folder / "build/CMakeCache.txt").is_file() else ["-G", "Ninja"]
    for command in (["cmake", *generator, "-S", folder, "-B", folder / "build", f"-Dtsuji_DIR={options.package}",
                     *(f"-D{setting}" for setting in options.settings)], ["cmake", "--build", folder / "build"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.stderr.write(done.stdout)
            return done.returncode
    executable = folder / "build" / about.name
    if about.network:
        # The keys of the network are the executable's to check.
        done = subprocess.run([executable, "--print-config"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.stderr.write(done.stderr)
            return done.returncode
    print(f"{about.name}: {executable}")
    return 0


def write_assertions(about, options):
    """Exit status."""
    try:
        generate.write(options.assertions, assertions.source(about, options.file), assertions.MADE)
    except generate.Foreign:
        problem = "is not of attach_rtl's making", "a new file, or one that --assertions has written"
    except OSError as error:
        problem = error.strerror, "a file that can be written"
    else:
        return 0
    print(f"attach_rtl: --assertions: {problem[0]} (got '{options.assertions}'); accepted: {problem[1]}",
          file=sys.stderr)
    return 2


def main(words):
    options = arguments(words)
    try:
        about = describe(options.file)
    except Refused as refusal:
        print(f"attach_rtl: {refusal}", file=sys.stderr)
        return 2
    if options.assertions:
        return write_assertions(about, options)
    if about.circles and "-fno-split" not in about.arguments:
        print(f"attach_rtl: warning: always blocks of the RTL are functions of each other: "
              f"{', '.join(about.circles[:6])}. Verilator 5.006 can evaluate them wrongly; if flits are lost or stay "
              f"in a router, try '-fno-split' in verilator.arguments", file=sys.stderr)
    if options.check:
        return 0
    folder = (options.out or pathlib.Path(about.name + "_rtl")).resolve()
    try:
        generate.project(about, options.file, folder, options.project.resolve())
    except generate.Foreign as foreign:
        print(f"attach_rtl: --out: {foreign} is not of attach_rtl's making (got '{folder}'); accepted: a folder of its "
              f"own", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"attach_rtl: --out: {error.strerror} (got '{error.filename}'); accepted: a folder that can be written",
              file=sys.stderr)
        return 2
    return build(about, options, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
