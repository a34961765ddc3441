# SPDX-License-Identifier: Apache-2.0
"""Reference of the public headers: a page for each section of models/public_headers.txt, from Doxygen's XML."""

import collections
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from .errors import Wrong
from .text import code, escaped

DOXYFILE = """\
PROJECT_NAME           = Tsuji
OUTPUT_DIRECTORY       = {work}
INPUT                  = {headers}
STRIP_FROM_PATH        = {models}
STRIP_FROM_INC_PATH    = {models}
GENERATE_LATEX         = NO
GENERATE_HTML          = NO
GENERATE_XML           = YES
XML_PROGRAMLISTING     = NO
JAVADOC_AUTOBRIEF      = YES
QUIET                  = YES
WARN_IF_UNDOCUMENTED   = YES
WARN_NO_PARAMDOC       = NO
WARN_LOGFILE           = {work}/warnings
"""
NO_WORDS_NEEDED = re.compile(r"= ?(delete|default)")


@dataclass
class Section:
    """A question of the list of public headers, with (header, purpose) of each that answers it."""

    question: str
    headers: List[Tuple[str, str]] = field(default_factory=list)

    @property
    def page(self) -> str:
        """The name of its page."""
        return re.sub(r"[^a-z]+", "_", self.question.lower()).strip("_")


@dataclass
class Symbol:
    """A class, or a member of a class or namespace."""

    signature: str
    words: str              # its documentation as Markdown
    line: int
    members: List["Symbol"] = field(default_factory=list)


def listed(project: pathlib.Path) -> List[Section]:
    """The sections of models/public_headers.txt."""
    sections: List[Section] = []
    for line in (project / "models/public_headers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            sections.append(Section(line.strip("[] ")))
        elif line.strip() and not line.startswith("#"):
            header, _, purpose = line.partition(" ")
            sections[-1].headers.append((header, purpose.strip()))
    return sections


def start(project: pathlib.Path, work: pathlib.Path) -> subprocess.Popen:
    """Starts Doxygen, which takes some ten seconds, beside the rest of the build."""
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(work / "xml", ignore_errors=True)     # symbols of headers that are gone
    headers = " ".join(f'"{project}/models/tsuji/{header}"'
                       for one in listed(project) for header, _ in one.headers if header != "version.h")
    (work / "Doxyfile").write_text(DOXYFILE.format(work=work, headers=headers, models=project / "models"))
    return subprocess.Popen(["doxygen", str(work / "Doxyfile")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def flat(node) -> str:
    """The text of a node of Doxygen's XML, as Markdown in one line."""
    if node is None:
        return ""
    parts = [escaped(node.text or "")]
    for child in node:
        inner = "".join(child.itertext())
        parts.append(code(inner) if child.tag == "computeroutput" and inner else flat(child))
        parts.append(escaped(child.tail or ""))
    return re.sub(r"\s+", " ", "".join(parts))


def paragraphs(node) -> List[str]:
    """The documentation in a node as paragraphs, items of lists, and blocks of code."""
    if node is None:
        return []
    found = []
    for para in node.findall("para"):
        head = ElementTree.Element("para")
        head.text = para.text
        for child in para:
            if child.tag in ("itemizedlist", "orderedlist"):
                found.append(flat(head).strip())
                found.append("\n".join("- " + " ".join(paragraphs(item)) for item in child.findall("listitem")))
                head = ElementTree.Element("para")
                head.text = child.tail
            elif child.tag == "verbatim":
                found += [flat(head).strip(), "```text\n" + "".join(child.itertext()).strip("\n") + "\n```"]
                head = ElementTree.Element("para")
                head.text = child.tail
            else:
                head.append(child)
        found.append(flat(head).strip())
    return [text for text in found if text]


def words_of(node) -> str:
    """The documentation of a symbol."""
    return "\n\n".join(paragraphs(node.find("briefdescription")) + paragraphs(node.find("detaileddescription")))


def text_of(node, tag: str) -> str:
    """The whole text of a child, in one line."""
    child = node.find(tag)
    return re.sub(r"\s+", " ", "".join(child.itertext())).strip() if child is not None else ""


def signature(member) -> str:
    """A member's declaration."""
    kind, name = member.get("kind"), text_of(member, "name")
    template = member.find("templateparamlist")
    before = ""
    if template is not None:
        of = [" ".join(filter(None, (text_of(one, "type"), text_of(one, "declname"))))
              for one in template.findall("param")]
        before = f"template <{', '.join(of)}> "
    if kind == "enum":
        values = ", ".join(text_of(value, "name") for value in member.findall("enumvalue"))
        return f"enum {'class ' if member.get('strong') == 'yes' else ''}{name} {{ {values} }}"
    if kind == "typedef":
        return f"using {name} = {text_of(member, 'type').replace('typedef ', '', 1)}"
    return f"{before}{text_of(member, 'type')} {name}{text_of(member, 'argsstring')}{initial(member)}".strip()


def initial(member) -> str:
    """The value with which a variable begins, where it is short."""
    value = text_of(member, "initializer")
    return f" {value}" if value and len(value) < 40 else ""


def values(member) -> str:
    """The documented values of an enumeration, as items."""
    items = []
    for value in member.findall("enumvalue"):
        words = " ".join(words_of(value).split())
        if words:
            items.append(f"- {code(text_of(value, 'name'))}: {words}")
    return "\n".join(items)


def symbol(member) -> Symbol:
    """A member of a class or namespace."""
    words = words_of(member)
    of_values = values(member) if member.get("kind") == "enum" else ""
    return Symbol(signature(member), "\n\n".join(filter(None, (words, of_values))),
                  int(member.find("location").get("line", "0")))


def is_shown(member) -> bool:
    """Whether a project may use a member; friends and copies that are deleted say nothing."""
    return (member.get("prot") in ("public", "protected") and member.get("kind") != "friend"
            and text_of(member, "name") != "SC_HAS_PROCESS"
            and not NO_WORDS_NEEDED.search(text_of(member, "argsstring")))


def read(xml: pathlib.Path) -> Dict[str, List[Symbol]]:
    """For each header its classes and functions, in the order of their lines."""
    found: Dict[str, List[Symbol]] = collections.defaultdict(list)
    for path in sorted(xml.glob("*.xml")):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("class", "struct", "union", "namespace"):
            continue
        members = [(member.find("location").get("file"), symbol(member))
                   for member in compound.iter("memberdef") if is_shown(member)]
        if compound.get("kind") == "namespace":
            for file, one in members:
                found[file].append(one)
            continue
        if compound.get("prot", "public") == "private":
            continue
        name = text_of(compound, "compoundname").replace("tsuji::", "", 1)
        location = compound.find("location")
        bases = ", ".join("".join(base.itertext()) for base in compound.findall("basecompoundref"))
        head = f"{compound.get('kind')} {name}" + (f" : {bases}" if bases else "")
        found[location.get("file")].append(
            Symbol(head, words_of(compound), int(location.get("line", "0")),
                   sorted((one for _, one in members), key=lambda one: one.line)))
    return {file: sorted(of, key=lambda one: one.line) for file, of in found.items()}


def indented(text: str) -> str:
    """The text as the rest of an item."""
    return "\n".join("  " + line if line else "" for line in text.split("\n"))


def member_lines(one: Symbol) -> List[str]:
    """An item of a class: its declaration, and its words below."""
    return [f"- {code(one.signature)}", *(["", indented(one.words)] if one.words else []), ""]


def header_lines(header: str, purpose: str, symbols: List[Symbol]) -> List[str]:
    """The part of a page that a header has."""
    lines = [f"## `tsuji/{header}`", "", f"{escaped(purpose[:1].upper() + purpose[1:])}.", ""]
    for one in symbols:
        if one.signature.startswith(("class ", "struct ", "union ")):
            lines += [f"### {code(one.signature)}", "", one.words, ""]
            lines += [line for member in one.members for line in member_lines(member)]
            lines += ["<!-- -->", ""]
        else:
            lines += member_lines(one)
    return lines


def warnings(work: pathlib.Path) -> List[str]:
    """Doxygen's warnings, one a line."""
    text = (work / "warnings").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if "warning: " in line or "error: " in line]


def undocumented(symbols: Dict[str, List[Symbol]]) -> List[str]:
    """The symbols of a handbook's page that have no words."""
    return [f"{file}:{one.line}: {one.signature}" for file, of in symbols.items()
            for top in of for one in (top, *top.members) if not one.words]


def pages(project: pathlib.Path, work: pathlib.Path, doxygen: subprocess.Popen) -> Tuple[Dict[str, str], List[str]]:
    """The pages below reference/headers, and the symbols without words."""
    said, _ = doxygen.communicate()
    if doxygen.returncode != 0:
        raise Wrong(f"doxygen: exit status {doxygen.returncode}: {said}")
    symbols = {file[file.index("tsuji/") + len("tsuji/"):]: of for file, of in read(work / "xml").items()
               if file and "tsuji/" in file}
    sections = listed(project)
    found = {}
    for one in sections:
        lines = [f"# {escaped(one.question)}", ""]
        for header, purpose in one.headers:
            lines += header_lines(header, purpose, symbols.get(header, []))
        found[f"{one.page}.md"] = "\n".join(lines)
    rows = [f"| [{escaped(one.question)}]({one.page}.md) | {', '.join(code(header) for header, _ in one.headers)} |"
            for one in sections]
    found["index.md"] = "\n".join([
        "# Public headers", "",
        "The headers for projects of your own (`#include \"tsuji/...\"`), by question. A name that is declared in one "
        "of them is renamed only with an entry that leads users from the old name to the new one. All other headers of "
        "an installation are internal.", "",
        "| question | headers |", "|---|---|", *rows, "",
        "```{toctree}", ":hidden:", ":maxdepth: 1", "", *[one.page for one in sections], "```", ""])
    return found, undocumented(symbols)
