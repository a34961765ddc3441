# SPDX-License-Identifier: Apache-2.0
"""Every source says its licence. usage: licences_test.py PROJECT"""

import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
ENDINGS = (".cpp", ".h", ".c", ".v", ".sv", ".py", ".awk", ".sh", ".cmake", ".in")
NAMES = ("CMakeLists.txt", "Snakefile")
FIRST_LINES = 2  # behind the interpreter's


def is_source(path):
    if path.name.endswith(ENDINGS) or path.name in NAMES:
        return True
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def sources(project):
    """Those that git knows; in an archive without it, all but what a build made."""
    listed = subprocess.run(["git", "-C", str(project), "ls-files", "-co", "--exclude-standard"], capture_output=True,
                            text=True)
    if listed.returncode == 0:
        paths = [project / line for line in listed.stdout.splitlines()]
    else:
        paths = [path for path in project.rglob("*")
                 if not path.relative_to(project).parts[0].startswith(("build", "out", "."))]
    return [path for path in paths if path.is_file() and is_source(path)]


def main():
    project = pathlib.Path(sys.argv[1])
    found = sources(project)
    if len(found) < 1000:
        sys.exit(f"{len(found)} sources are too few: this test no longer sees them")
    without = [path for path in found
               if LINE not in "".join(path.read_text(encoding="utf-8").splitlines(True)[:FIRST_LINES])]
    if without:
        sys.exit("no line with " + LINE + ":\n" + "\n".join(str(path.relative_to(project)) for path in without))


main()
