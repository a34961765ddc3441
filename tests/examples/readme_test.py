#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every page shows the example of "one more of its kind" as the source that the tests build.

usage: readme_test.py PROJECT    status 0: they agree, 1: at least one does not
On a page, a line that ends with "`platforms/example/FILE`:" is followed by the file in a fence, from its first
to its last line; a line "..." is any number of lines.
"""

import pathlib
import re
import sys

EXAMPLES = {
    "scripts/handbook.d/rooms/graph.md": ["full_mesh.cpp"],
    "scripts/handbook.d/rooms/routing.md": ["two_hop.cpp"],
    "scripts/handbook.d/rooms/workload.md": ["shift.cpp"],
    "scripts/handbook.d/rooms/lookup.md": ["most_recently_used.cpp"],
    "scripts/handbook.d/readers/integrator.md": ["own_processor.cpp"],
}


LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"  # which pages leave out


def shown(readme, name):
    """The fenced lines below the line that names the file; None if none does."""
    blocks = re.findall(rf"`platforms/example/{re.escape(name)}`:\n\n```cpp\n(.*?)\n```\n", readme, re.S)
    return blocks[0].strip("\n") if len(blocks) == 1 else None


def problems(readme, name, source):
    """The problem of the README's copy of a source."""
    block = shown(readme, name)
    if block is None:
        return f"no single line ends with `platforms/example/{name}`: and is followed by a fence"
    lines = [r"(?:.*\n)*?" if line == "..." else re.escape(line + "\n") for line in block.split("\n")]
    if not re.fullmatch("".join(lines), source.strip("\n") + "\n"):
        return f"{name} is shown otherwise than it is"
    return None


def check_the_check():
    """Copies that differ are told from those that do not."""
    good = "text\n`platforms/example/a.cpp`:\n\n```cpp\nint a;\n\nint b;\n```\n\nmore\n"
    source = "int a;\n\nint b;\n"
    cut = good.replace("int a;", "...")
    wrong = [good.replace("int b", "int c"), good.replace("a.cpp", "b.cpp"), good.replace("int b;", "int b"),
             good.replace("\n\nint b;", ""), cut.replace("int b", "int a"), good + good]
    if problems(good, "a.cpp", source) or problems(cut, "a.cpp",
                                                   source) or not all(problems(text, "a.cpp", source)
                                                                      for text in wrong):
        sys.exit("the check itself is wrong")


def main():
    check_the_check()
    project = pathlib.Path(sys.argv[1])
    found = []
    for readme, names in EXAMPLES.items():
        text = (project / readme).read_text(encoding="utf-8")
        for name in names:
            source = (project / "platforms/example" / name).read_text(encoding="utf-8")
            problem = problems(text, name, source.replace(LICENCE, "", 1))
            if problem:
                found.append(f"{readme}: {problem}")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
