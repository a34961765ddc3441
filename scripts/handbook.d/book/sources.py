# SPDX-License-Identifier: Apache-2.0
"""Sources of the pages: the handbook's own and the READMEs, with links that hold in the handbook."""

import os
import pathlib
import re
import shutil
from typing import Dict, List

from . import keys as key_pages
from .errors import Wrong
from .text import CODE, headings, prose, slug, title

ROOTS = ("models", "platforms", "scripts", "testbenches", "tests")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*)\)")
README = re.compile(r"^(?:[\w.-]+/)*README\.md$")
OWN = pathlib.PurePosixPath("scripts/handbook.d")
NOT_PAGES = ("README.md",)
OF_OWN_PROGRAMS = ("router.kind",)  # keys that only programs with kinds of their own have


class Book:
    """Where each source of a page, by its path in the project, becomes a page of the handbook."""

    def __init__(self, project: pathlib.Path, keys: Dict[str, str]) -> None:
        """`keys`: for each key its page and anchor below reference/keys."""
        self.project = project
        self.keys = keys
        self.sections = {name.split(".")[0] for name in keys if "." in name}
        self.pages: Dict[str, str] = {}
        for path in sorted((project / OWN).rglob("*.md")):
            below = path.relative_to(project / OWN)
            if str(below) not in NOT_PAGES:
                self.pages[path.relative_to(project).as_posix()] = below.as_posix()
        for path in self.readmes():
            below = path.relative_to(project)
            self.pages[below.as_posix()] = "rooms/" + (below.parent.as_posix().replace("/", "_").replace(".", "_")
                                                       if below.parent.name else "project") + ".md"
        self.problems: List[str] = []

    def readmes(self) -> List[pathlib.Path]:
        """All READMEs, the top's first."""
        found = [self.project / "README.md"]
        for folder in ROOTS:
            found += sorted((self.project / folder).rglob("README.md"))
        return found

    def readme_of(self, name: str, source: str) -> str:
        """The README that a page names by a short path, by the rules of tests/readmes_test.py; "": none."""
        for folder in (os.path.dirname(source), "", "models/tsuji", "models", "platforms"):
            path = os.path.normpath(os.path.join(folder, name))
            if path in self.pages:
                return path
        return ""

    def to(self, source: str, target: str) -> str:
        """The path from the page of a source to another page."""
        return os.path.relpath(target, os.path.dirname(self.pages[source]) or ".")

    def link(self, source: str, found: "re.Match[str]", out: pathlib.Path) -> str:
        """A link of a source in the handbook's notation."""
        picture, words, target = found.groups()
        path, _, place = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return found.group(0)
        whole = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if whole in self.pages:
            return f"[{words}]({self.to(source, self.pages[whole])}{'#' + place if place else ''})"
        if source.startswith(str(OWN)) and not (self.project / whole).exists():
            return found.group(0)  # a page or picture that the build makes
        if not (self.project / whole).exists():
            self.problems.append(f"{source}: link to {target}, which is not there")
            return words
        if picture:
            copy = "files/" + whole.replace("/", "_")
            (out / "files").mkdir(exist_ok=True)
            shutil.copyfile(self.project / whole, out / copy)
            return f"![{words}]({self.to(source, copy)})"
        return f"{words} (`{whole}`)" if words.strip("`") != whole else f"`{whole}`"

    def code(self, source: str, found: "re.Match[str]") -> str:
        """Inline code as a link where it is a key, a README or a page of the handbook."""
        name = found.group(2).strip()
        if name in self.keys:
            return f"[{found.group(0)}]({self.to(source, 'reference/keys/' + self.keys[name])})"
        if name in self.pages and self.is_own(name) and name != source:
            return f"[{found.group(0)}]({self.to(source, self.pages[name])})"
        if README.match(name):
            readme = self.readme_of(name, source)
            if readme and readme != source:
                return f"[{found.group(0)}]({self.to(source, self.pages[readme])})"
        if key_pages.SEARCHED.fullmatch(name) and name.split(".")[0] in self.sections and self.is_own(source) \
                and name not in OF_OWN_PROGRAMS:
            self.problems.append(f"{source}: `{name}`: no program has such a key")
        return found.group(0)

    @staticmethod
    def is_own(source: str) -> bool:
        """Whether a source is a page of the handbook's own, not a README."""
        return source.startswith(f"{OWN}/")

    def line(self, source: str, line: str, out: pathlib.Path) -> str:
        """A line of prose with the links of the handbook."""
        linked: List[str] = []

        def keep(text: str) -> str:
            linked.append(text)
            return f"\0{len(linked) - 1}\0"

        heading = line.startswith("#")
        line = LINK.sub(lambda found: keep(self.link(source, found, out)), line)
        if not heading:
            line = CODE.sub(lambda found: keep(self.code(source, found)), line)
        return re.sub("\0(\\d+)\0", lambda found: linked[int(found.group(1))], line)

    def page(self, source: str, out: pathlib.Path) -> str:
        """The text of a source as a page of the handbook."""
        text = (self.project / source).read_text(encoding="utf-8")
        if not title(text):
            raise Wrong(f"{source}: has no title")
        return prose(text, lambda line: self.line(source, line, out))

    def write(self, out: pathlib.Path) -> None:
        """Writes all pages below a folder; Wrong where a page names what is not there."""
        for source, target in self.pages.items():
            path = out / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.page(source, out), encoding="utf-8")
        if self.problems:
            raise Wrong("\n".join(self.problems))

    def rooms(self) -> str:
        """The list of the READMEs and of the pages that continue them, as a page."""
        rows, names = [], []
        own = [pathlib.PurePosixPath(page).stem for page in self.pages.values() if page.startswith("rooms/")]
        own = [name for name in own if f"{OWN}/rooms/{name}.md" in self.pages]
        for path in self.readmes():
            source = path.relative_to(self.project).as_posix()
            text = path.read_text(encoding="utf-8")
            name = pathlib.PurePosixPath(self.pages[source]).stem
            names.append(name)
            rows.append(f"| [`{os.path.dirname(source) or '.'}`]({name}.md) | {title(text).split(': ', 1)[-1]} |")
        return "\n".join(["# Folders", "",
                          "The README of each folder: what lives there, what may come in, and how to add one more.", "",
                          "| folder | |", "|---|---|", *rows, "",
                          "```{toctree}", ":hidden:", ":maxdepth: 1", "", *own, *names, "```", ""])


def anchors(text: str) -> List[str]:
    """The anchors of a page's headings."""
    return [slug(heading) for heading in headings(text)]
