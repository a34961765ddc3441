# SPDX-License-Identifier: Apache-2.0
"""Old names in a text become those of today, in place: comments and layout stay."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import yaml

from . import renames
from .errors import Refused
from .map_edit import MapEdit, values
from .source import Source

SOURCES = (".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def migrated(text: str, path: pathlib.Path) -> tuple[str, list[str]]:
    """(text of today, changes) of a configuration, a study or a C++ source. A change is a line for the user. Refused
    for a file that cannot be moved."""
    source = Source(text, path)
    if path.suffix in SOURCES:
        move_includes(source)
        return source.edited(), source.changes()
    root = read(source)
    if isinstance(root, yaml.MappingNode):
        expected = (move_study if is_study(root) else move_configuration)(source, root)
        check(source, expected)
    return source.edited(), source.changes()


def check(source: Source, expected: dict[str, str | tuple[str, ...]] | None) -> None:
    """Whether the edited text says what was meant: a file is moved rightly or not at all. `expected`: values by key;
    None: any."""
    moved = read(Source(source.edited(), source.path))
    if expected is not None and values(moved) != expected:
        raise Refused(source.path, "", "cannot be moved in its layout", accepted="each key in a line of its own")


def read(source: Source) -> yaml.Node:
    """The root of a YAML text; None: it has none."""
    try:
        for event in yaml.parse(source.text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise source.refused(event.start_mark.index, "", "anchors and aliases cannot be moved",
                                     accepted="the values written out")
        return yaml.compose(source.text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        raise Refused(source.place(mark.index) if mark else source.path, "",
                      getattr(problem, "problem", None) or "not YAML",
                      accepted="a configuration or a study as YAML, or a C++ source by its suffix") from None


def move_includes(source: Source) -> None:
    for include in INCLUDE.finditer(source.text):
        rename = renames.find("header", include.group(1))
        if rename:
            source.replace(*include.span(1), rename.new)
            source.tell(include.start(1), rename.old, rename.new)


def members(node: yaml.Node) -> dict[str, yaml.Node]:
    """Values by key of a map."""
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def is_study(root: yaml.Node) -> bool:
    """A configuration's `metrics` would be a section."""
    return isinstance(members(root).get("metrics"), yaml.SequenceNode)


def move_configuration(source: Source, root: yaml.Node) -> dict[str, str | tuple[str, ...]]:
    """Values by key that the new text must have."""
    edit = MapEdit(source, root)
    edit.move()
    return edit.expected


def move_study(source: Source, root: yaml.Node) -> None:
    study = members(root)
    for node in (study.get("set"), *variants_of(study.get("axes"))):
        if isinstance(node, yaml.MappingNode):
            MapEdit(source, node).move()
    for key, of_key in dotted_keys(study):
        rename_key(source, key, of_key)
    for node in metrics_of(study):
        rename = renames.find("metric", node.value)
        if rename:
            source.replace_scalar(node, rename.new)
            source.tell(node.start_mark.index, rename.old, rename.new)


def axis_forms(axes: yaml.Node) -> Iterator[tuple[yaml.Node, yaml.Node, dict[str, yaml.Node]]]:
    """(name's node, value, members) of each axis."""
    for name, value in axes.value if isinstance(axes, yaml.MappingNode) else []:
        yield name, value, members(value)


def variants_of(axes: yaml.Node) -> list[yaml.Node]:
    """Maps of keys of one variant."""
    return [variant for _, _, of in axis_forms(axes) if set(of) not in ({"zip"}, {"latin_hypercube"})
            for variant in of.values()]


def dotted_keys(study: dict[str, yaml.Node]) -> Iterator[tuple[yaml.Node, yaml.Node | None]]:
    """(key's node, node of its values) of what a study says beside maps of keys."""
    for name, value, of in axis_forms(study.get("axes")):
        if isinstance(value, yaml.SequenceNode):
            yield name, value
        if set(of) == {"zip"}:
            yield from getattr(of["zip"], "value", [])
        if set(of) == {"latin_hypercube"}:
            yield from getattr(members(of["latin_hypercube"]).get("keys"), "value", [])
    for form in ("curve", "replicates"):
        words = members(study.get(form))
        if "key" in words:
            yield words["key"], words.get("values")


def rename_key(source: Source, key: yaml.Node, values: yaml.Node | None) -> None:
    rename = renames.find("key", key.value)
    if rename:
        source.replace_scalar(key, rename.new)
        source.tell(key.start_mark.index, rename.old, rename.new)
    for item in values.value if isinstance(values, yaml.SequenceNode) else []:
        of_value = renames.find("value", f"{key.value}={item.value}")
        if of_value is None:
            continue
        if of_value.adds:
            raise source.refused(item.start_mark.index, key.value, of_value.problem, item.value,
                                 "variants that set all of these keys")
        source.replace_scalar(item, of_value.new.partition("=")[2])
        source.tell(item.start_mark.index, of_value.old, of_value.new)


def metrics_of(study: dict[str, yaml.Node]) -> list[yaml.Node]:
    """Nodes of metrics' names."""
    listed = list(study["metrics"].value)
    until = members(study.get("until")).get("metric")
    pareto = study.get("pareto")
    return listed + ([until] if until else []) + ([key for key, _ in pareto.value]
                                                  if isinstance(pareto, yaml.MappingNode) else [])
