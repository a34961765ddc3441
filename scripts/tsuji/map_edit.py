# SPDX-License-Identifier: Apache-2.0
"""Edits of a map in a YAML text that rename old keys, or move them into other sections."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TYPE_CHECKING

import yaml

from . import renames

if TYPE_CHECKING:
    from .errors import Refused
    from .renames import Rename
    from .source import Source


@dataclasses.dataclass(eq=False)
class Entry:
    """A key of a map, with its dotted name. A section has further entries."""

    key: yaml.ScalarNode
    value: yaml.Node
    path: str
    parent: "Entry" | None
    entries: list["Entry"] = dataclasses.field(default_factory=list)
    moved: bool = False
    replaced: bool = False  # by other entries

    @property
    def gone(self) -> bool:
        return not self.replaced and (all(entry.gone for entry in self.entries) if self.entries else self.moved)

    @property
    def top(self) -> Entry:
        return self.parent.top if self.parent else self

    def leaves(self) -> list[Entry]:
        return [leaf for entry in self.entries for leaf in entry.leaves()] if self.entries else [self]


@dataclasses.dataclass
class Moved:
    """A key that moves into another section. `above`: lines of comment."""

    path: str
    text: str
    flow: bool
    comment: str = ""
    above: list[str] = dataclasses.field(default_factory=list)

    @property
    def section(self) -> str:
        return self.path.partition(".")[0] if "." in self.path else ""

    def line(self, indent: str, name: str) -> list[str]:
        comment = f"  {self.comment}" if self.comment else ""
        return [*(indent + line for line in self.above), f"{indent}{name}: {self.text}".rstrip() + comment]


def entries_of(node: yaml.Node, parent: Entry | None = None) -> list[Entry]:
    entries: list[Any] = []
    for key, value in node.value:
        entry = Entry(key, value, f"{parent.path}.{key.value}" if parent else str(key.value), parent)
        if isinstance(value, yaml.MappingNode):
            entry.entries = entries_of(value, entry)
        entries.append(entry)
    return entries


def value_of(node: yaml.Node) -> Any:
    return tuple(value_of(item) for item in node.value) if isinstance(node, yaml.SequenceNode) else str(node.value)


def values(node: yaml.Node) -> dict[str, str | tuple[str, ...]]:
    """Values by dotted name."""
    return {leaf.path: value_of(leaf.value) for entry in entries_of(node) for leaf in entry.leaves()}


class MapEdit:
    """Edits the map `root` of a Source."""

    def __init__(self, source: Source, root: yaml.Node) -> None:
        self.source, self.root = source, root
        self.entries = entries_of(root)
        self.leaves = [leaf for entry in self.entries for leaf in entry.leaves()]
        self.expected = values(root)  # and after move() what the new text must have
        self.moved, self.added = [], []  # (top entry of the old place, Moved)

    def move(self) -> None:
        for leaf in self.leaves:
            self.decide(leaf)
        fresh: dict[Any, Any] = {}  # (entry, section): what goes into a section that is not there yet
        for top, moved in self.moved + self.added:
            target = self.section(moved.section)
            if target:
                self.put_into(target, moved)
            else:
                fresh.setdefault((next((at for at, section in fresh if section == moved.section), top), moved.section),
                                 []).append(moved)
        for (top, section), group in fresh.items():
            self.put_section(top, section, group)
        self.cut(self.root, self.entries)

    def decide(self, leaf: Entry) -> None:
        """Renames a leaf within its section, or takes it out."""
        word = (renames.find("value", f"{leaf.path}={leaf.value.value}")
                if isinstance(leaf.value, yaml.ScalarNode) else None)
        rename = word or renames.find("key", leaf.path)
        if rename is None:
            return
        now, _, text = rename.new.partition("=")
        self.check_free(leaf, now, rename)
        value = self.expected.pop(leaf.path)
        self.expected[now] = text or value
        self.source.tell(leaf.key.start_mark.index, rename.old, rename.new)
        before = f"{leaf.parent.path}." if leaf.parent else ""
        if not now.startswith(before):
            self.take_out(leaf, now, text)
        else:
            if now != leaf.path:
                self.source.replace_scalar(leaf.key, now[len(before):])
            if text:
                self.source.replace_scalar(leaf.value, text)
        for key, added in rename.adds.items():
            self.add(leaf, key, added)

    def check_free(self, leaf: Entry, now: str, rename: Rename) -> None:
        other = next((each for each in self.leaves if each is not leaf and each.path in (now, leaf.path)), None)
        if other:
            raise self.source.refused(leaf.key.start_mark.index, leaf.path,
                                      f"{rename.problem}, and {other.path} stands at "
                                      f"{self.source.place(other.key.start_mark.index)}, too", leaf.value.value,
                                      "one of them")

    def add(self, leaf: Entry, key: str, text: str) -> None:
        names = {leaf.path for leaf in self.leaves}
        names |= {rename.new for rename in (renames.find("key", name) for name in names) if rename}
        if key in names or key in self.expected:
            return
        self.expected[key] = text
        flow = bool((leaf.parent.value if leaf.parent else self.root).flow_style)
        self.added.append((leaf.top, Moved(key, text, flow)))
        self.source.told.append((leaf.key.start_mark.index, f"added {key}={text}"))

    def take_out(self, leaf: Entry, now: str, text: str) -> None:
        leaf.moved = True
        flow = bool(leaf.parent.value.flow_style)
        start, end = leaf.value.start_mark.index, self.end(leaf.value)
        moved = Moved(now, text or self.source.text[start:end], flow)
        is_block = isinstance(leaf.value, yaml.SequenceNode) and not leaf.value.flow_style
        if is_block or (isinstance(leaf.value, yaml.ScalarNode) and "\n" in moved.text):
            raise self.source.refused(leaf.key.start_mark.index, leaf.path,
                                      f"is called {now}, and a value of several lines cannot be moved there",
                                      accepted="the value in one line, a list as [A, B]")
        if flow:
            moved.comment = " ".join(re.findall(r"#[^\r\n]*", self.source.text[end:self.after(leaf)])).rstrip()
        else:
            moved.comment = self.source.rest_of_line(end)
            moved.above = [line.strip()
                           for line in self.source.text[self.first_line(leaf):self.line(leaf)].splitlines()]
        self.moved.append((leaf.top, moved))

    # Places

    def end(self, node: yaml.Node) -> int:
        """Where a value's own text ends."""
        if not isinstance(node, yaml.ScalarNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self.end(last[1] if isinstance(node, yaml.MappingNode) else last)
        end = node.end_mark.index
        return (len(self.source.text[:end].rstrip()) if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
                else end)

    def line(self, entry: Entry) -> int:
        return self.source.line_start(entry.key.start_mark.index)

    def first_line(self, entry: Entry) -> int:
        """Of an entry with the lines of comment right above it."""
        start = self.line(entry)
        while start > 0:
            above = self.source.line_start(start - 1)
            if not self.source.text[above:start].lstrip().startswith("#") or self.is_indented_less(above, entry):
                break
            start = above
        return start

    def is_indented_less(self, start: int, entry: Entry) -> bool:
        line = self.source.text[start:self.source.next_line(start)]
        return len(line) - len(line.lstrip()) < entry.key.start_mark.column

    def after(self, leaf: Entry) -> int:
        """In a flow map: where the next entry begins, or the map ends."""
        siblings = leaf.parent.entries
        place = siblings.index(leaf) + 1
        return siblings[place].key.start_mark.index if place < len(siblings) else leaf.parent.value.end_mark.index

    def section(self, name: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.path == name and entry.entries and not entry.gone), None)

    # What goes in

    def put_into(self, target: Entry, moved: Moved) -> None:
        last = [entry for entry in target.entries if not entry.gone][-1]
        name, end = moved.path[len(target.path) + 1:], self.end(last.value)
        if not target.value.flow_style:
            self.source.insert_lines(self.source.next_line(end), moved.line(" " * last.key.start_mark.column, name))
            return
        self.source.replace(end, end, f", {name}: {moved.text}")
        self.put_comments(target, [moved])

    def put_comments(self, entry: Entry, group: list[Moved]) -> None:
        """Of keys in a flow map: as lines above it."""
        comments = [line for moved in group for line in (*moved.above, moved.comment) if line]
        if comments and self.root.flow_style:
            raise self.no_place(entry)
        if comments:
            self.source.insert_lines(self.line(entry), [" " * entry.key.start_mark.column + line for line in comments])

    def put_section(self, top: Entry, section: str, group: list[Moved]) -> None:
        """Adds a section, or keys without one: it replaces `top` if that is gone, and follows it else."""
        if self.root.flow_style:
            self.put_comments(top, group)
            self.put_in_braces(top, f"{section}: {{{self.pairs(section, group)}}}"
                               if section else self.pairs(section, group))
            return
        indent = " " * top.key.start_mark.column
        if not section:
            lines = [line for moved in group for line in moved.line(indent, moved.path)]
        elif all(moved.flow for moved in group):
            lines = [indent + line for moved in group for line in (moved.comment,) if line]
            lines.append(f"{indent}{section}: {{{self.pairs(section, group)}}}")
        else:
            lines = [f"{indent}{section}:"]
            for moved in group:
                lines += moved.line(indent + "  ", moved.path[len(section) + 1:])
        self.source.insert_lines(self.line(top) if top.gone else self.source.next_line(self.end(top.value)), lines)

    @staticmethod
    def pairs(section: str, group: list[Moved]) -> str:
        return ", ".join(f"{moved.path[len(section) + 1:] if section else moved.path}: {moved.text}" for moved in group)

    def put_in_braces(self, top: Entry, text: str) -> None:
        end = self.end(top.value)
        if top.gone:
            self.source.replace(top.key.start_mark.index, end, text)
            top.replaced = True
        else:
            self.source.replace(end, end, f", {text}")

    # What goes out

    def cut(self, node: yaml.Node, entries: list[Entry]) -> None:
        if node.flow_style:
            self.cut_in_braces(node, entries)
        for entry in entries:
            if entry.replaced:
                continue
            if entry.gone and not node.flow_style:
                self.cut_lines(entry)
            elif entry.entries and not entry.gone:
                self.cut(entry.value, entry.entries)

    def cut_lines(self, entry: Entry) -> None:
        if entry.entries:
            is_flow = entry.value.flow_style
            end = self.end(entry.value) if is_flow else entry.key.end_mark.index + 1
            comment = self.source.rest_of_line(end)
            line = " " * entry.key.start_mark.column + comment + self.source.newline if comment else ""
            self.source.replace(self.line(entry), self.source.next_line(end), line)
            if not is_flow:
                for child in entry.entries:
                    self.cut_lines(child)
        else:
            self.source.replace(self.first_line(entry), self.source.next_line(self.end(entry.value)), "")

    def cut_in_braces(self, node: yaml.Node, entries: list[Entry]) -> None:
        ends = [entry.key.start_mark.index for entry in entries[1:]] + [node.end_mark.index - 1]
        comments = ["#" in self.source.text[self.end(entry.value):end] for entry, end in zip(entries, ends)]
        for entry, commented in zip(entries, comments):
            if entry.gone and entry.entries and commented:  # that of a leaf moves with it
                raise self.no_place(entry)
        kept = [i for i, entry in enumerate(entries) if not entry.gone][-1]
        for entry, end in zip(entries[:kept], ends):
            if entry.gone:
                self.source.replace(entry.key.start_mark.index, end, "")
        if kept + 1 < len(entries):
            start = ends[kept] if comments[kept] else self.end(entries[kept].value)
            self.source.replace(start, ends[-1] if comments[-1] else self.end(entries[-1].value), "")

    def no_place(self, entry: Entry) -> Refused:
        return self.source.refused(entry.key.start_mark.index, entry.path, "its comment has no place in braces",
                                   accepted="a file without outer braces")
