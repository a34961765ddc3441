#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every file and every member of a class that a README or a room's page of the handbook names is there, and every
section to which a source or a page refers.

usage: readmes_test.py PROJECT    status 0: all are, 1: at least one is missing

A name in backquotes that ends like a source (`graph/topology.h`) is a path below the project, `models`, `models/tsuji`,
`platforms`, `scripts/handbook.d`, or anywhere below the README's folder; the name of a test is one below `tests`. The
folder of the page `scripts/handbook.d/rooms/ROOM.md` is the folder ROOM below `models/tsuji`. Names with a placeholder
(`lookup_KIND.cpp`) are left out. A name like `VcRouter::traverse()` is a word of a source that declares the class.

A reference `rooms/ROOM.md, HEADING` or `FOLDER/README.md, HEADING` names a heading of that page; a number after the
heading is one of its numbered paragraphs.
"""

import collections
import pathlib
import re
import sys
import tempfile

NAMED = re.compile(r"`(?:\"tsuji/)?((?:[\w.-]+/)*(?:[\w.-]+\.(?:h|cpp|c|py|md|cmake|v|sv|awk)|CMakeLists\.txt))\"?`")
PLACEHOLDER = re.compile(r"[A-Z]{2,}|^platform/header\.h$")
NO_PLACEHOLDER = re.compile(r"README|CMakeLists|CHANGELOG|LICENSE")
REFERENCE = re.compile(r"((?:[\w.-]+/)*)(\w+)\.md[`)]?, (?=[A-Z])")
NUMBERS = re.compile(r", (\d+)(?:,? (?:and|to|or) (\d+))?")
HEADING = re.compile(r"^#+ (.*)$", re.M)
ELSEWHERE = ["fstapi.c", "verilated_fst_c.cpp"]  # Verilator's
MEMBER = re.compile(r"`(?:\w+::)*([A-Z]\w+)::(\w+)(?:\([^`]*\))?`")
CLASS = re.compile(r"\b(?:class|struct|enum)\s+(?:\[\[.*?\]\]\s+)?([A-Z]\w+)")
BELOW = ("", "models/tsuji", "models", "platforms", "testbenches", "scripts/handbook.d")
SOURCES = (".h", ".cpp", ".c", ".py", ".md", ".yaml", ".txt", ".cmake", ".v", ".sv")
FOLDERS = ("models", "platforms", "testbenches", "tests")


def folder_of(project, page):
    """The folder that a README or a room's page is about."""
    if page.name == "README.md":
        return page.parent
    rooms = [folder for folder in (project / "models/tsuji").rglob(page.stem) if (folder / "README.md").is_file()]
    if len(rooms) != 1:
        sys.exit(f"{page}: {len(rooms)} rooms below models/tsuji are named {page.stem}, expected one")
    return rooms[0]


def exists(project, own, name):
    folders = [own, *(project / folder for folder in BELOW)]
    if any((folder / name).is_file() for folder in folders):
        return True
    below = project / "tests" if re.search(r"_test\.(cpp|py)$", name) else own
    return any(path.is_file() for path in below.rglob(name))


def words_of_classes(project):
    """For each class the words of the sources that declare it."""
    words = collections.defaultdict(set)
    for folder in FOLDERS:
        for path in (project / folder).rglob("*"):
            if path.suffix not in (".h", ".cpp"):
                continue
            text = path.read_text(encoding="utf-8")
            own = set(re.findall(r"\w+", text))
            for name in CLASS.findall(text):
                words[name] |= own
    return words


def missing(project, readme, words):
    """The names in a README of which there is no file, or no member."""
    text = readme.read_text(encoding="utf-8")
    found = [f"{name}::{member}" for name, member in MEMBER.findall(text) if member not in words.get(name, ())]
    for name in NAMED.findall(text):
        placeholder = PLACEHOLDER.search(NO_PLACEHOLDER.sub("", name))
        if not placeholder and name not in ELSEWHERE and not exists(project, folder_of(project, readme), name):
            found.append(name)
    return found


def unmarked(text):
    """The text in a single line, without marks of comments and escapes of Markdown."""
    return re.sub(r"\s*\n[ \t]*(?:///?<?|#+|\*)?[ \t]*", " ", text).replace("\\", "")


def page_of(project, source, folder, name):
    """The page to which a source refers as FOLDER/NAME.md, or as NAME.md of its folder or one above; None: no page."""
    tried = [source.parent / folder, *(project / place / folder for place in BELOW)] if folder else source.parents
    return next((place / f"{name}.md" for place in tried if (place / f"{name}.md").is_file()), None)


def missing_sections(project, source):
    """The sections to which a source refers, and which there are not."""
    text = unmarked(source.read_text(encoding="utf-8"))
    found = []
    for match in REFERENCE.finditer(text):
        rest = text[match.end():]
        page = page_of(project, source, *match.groups())
        content = page.read_text(encoding="utf-8").replace("\\", "") if page else ""
        headings = [heading for heading in HEADING.findall(content) if rest.startswith(heading)]
        if not headings:
            found.append(match[0] + re.match(r"[\w*/ -]+", rest)[0].strip())
            continue
        heading = max(headings, key=len)
        section = re.split(r"^#+ ", content.partition(f"# {heading}\n")[2], 1, re.M)[0]
        numbers = NUMBERS.match(rest[len(heading):])
        found += [f"{match[0]}{heading}, {number}" for number in (numbers.groups() if numbers else ())
                  if number and not re.search(rf"^{number}\. ", section, re.M)]
    return found


def check_the_check():
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder)
        (project / "models/tsuji/graph").mkdir(parents=True)
        (project / "models/tsuji/graph/topology.h").write_text("class Topology final {\n  void links();\n};")
        readme = project / "models/README.md"
        readme.write_text("`graph/topology.h`, `topology.h`, `lookup_KIND.cpp`, `gone.h`, `graph/topology.cpp`, "
                          "`\"tsuji/graph/cube.h\"`, "
                          "`Topology::links()`, `graph::Topology::nodes`, `Cube::links(2)`, `std::string`")
        expected = ["Topology::nodes", "Cube::links", "gone.h", "graph/topology.cpp", "graph/cube.h"]
        if missing(project, readme, words_of_classes(project)) != expected:
            sys.exit("the check itself is wrong")
        pages = project / "scripts/handbook.d/rooms"
        pages.mkdir(parents=True)
        page = pages / "graph.md"
        (project / "models/tsuji/graph/README.md").touch()
        (project / "models/tsuji/network/graph").mkdir(parents=True)
        page.write_text("# Graph\n\n`topology.h`, `gone.h`\n\n## Up\\*/down\\*\n\n1. One.\n2. Two.\n\n"
                        "## Last\n\n3. Three.\n")
        source = project / "models/tsuji/graph/topology.cpp"
        source.write_text("/// Sound (rooms/graph.md, Up*/down*, 1 and\n/// 2; rooms/graph.md,\n/// Last, 3).\n"
                          "// rooms/graph.md, Up*/down*, 3\n// rooms/graph.md, Last, 3 and 4; rooms/cube.md, Last\n"
                          "// ../README.md, Gone; [graph](graph/README.md), Gone\n")
        gone = ["rooms/graph.md, Up*/down*, 3", "rooms/graph.md, Last, 4", "rooms/cube.md, Last", "../README.md, Gone",
                "graph/README.md), Gone"]
        if missing(project, page, words_of_classes(project)) != ["gone.h"] or missing_sections(project, source) != gone:
            sys.exit("the check of pages and references is wrong")


def sources_of(project):
    """All sources that may refer to a page, without the two that show how one does."""
    shown = (pathlib.Path(__file__).resolve(), project / "scripts/handbook.d/README.md")
    for folder in (*FOLDERS, "scripts"):
        for path in (project / folder).rglob("*"):
            if path.suffix in SOURCES and path not in shown:
                yield path


def main():
    check_the_check()
    project = pathlib.Path(sys.argv[1]).resolve()
    readmes = [project / "README.md"]
    for folder in ("models", "platforms", "scripts", "testbenches", "tests"):
        readmes += sorted((project / folder).rglob("README.md"))
    readmes += sorted((project / "scripts/handbook.d/rooms").glob("*.md"))
    words = words_of_classes(project)
    found = [f"{readme.relative_to(project)} names {name}, which there is not" for readme in readmes
             for name in missing(project, readme, words)]
    found += [f"{source.relative_to(project)} refers to {name}, which there is not" for source in sources_of(project)
              for name in missing_sections(project, source)]
    print("\n".join(found))
    sys.exit(1 if found or len(readmes) < 30 else 0)


if __name__ == "__main__":
    main()
