# SPDX-License-Identifier: Apache-2.0
"""Mutants of a folder: which change of which file, drawn by a seed."""

import dataclasses
import pathlib
import random

from .changes import OPERATORS, Change, changes
from .expressions import expression_of

SUFFIXES = (".cpp", ".h")
MODELS = "models/tsuji"


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one file; `path` is relative to the project, the others are what expression_of() says of it."""

    path: str
    change: Change
    line: int
    scope: str
    before: str
    after: str

    def place(self):
        return f"{self.path.removeprefix('models/tsuji/')}:{self.line}"


def files_of(project, folder):
    """Sources and headers of models/tsuji/FOLDER, without those of folders in it that are libraries of their own."""
    top = project / MODELS / folder
    libraries = [path.parent for path in top.glob("*/**/CMakeLists.txt")]
    for path in sorted(top.rglob("*")):
        if path.suffix in SUFFIXES and not any(library in path.parents for library in libraries):
            yield path


def folders_of(project):
    """Names of all folders of models/tsuji that are libraries."""
    models = project / MODELS
    return sorted(str(path.parent.relative_to(models))
                  for path in models.rglob("CMakeLists.txt") if path.parent != models)


def mutants_of(path, project):
    text = path.read_text(encoding="utf-8")
    name = str(path.relative_to(project))
    return [Mutant(name, change, change.line(text), *expression_of(text, change)) for change in changes(text)]


def draw(project, folder, seed):
    """All mutants of the folder in the order of the draw: an operator first, each as likely as the others, then a
    place."""
    project = pathlib.Path(project)
    left = {operator: [] for operator in OPERATORS}
    for path in files_of(project, folder):
        for mutant in mutants_of(path, project):
            left[mutant.change.operator].append(mutant)
    generator = random.Random(f"{folder} {seed}")
    while True:
        operators = [operator for operator in OPERATORS if left[operator]]
        if not operators:
            return
        places = left[generator.choice(operators)]
        at = generator.randrange(len(places))
        places[at], places[-1] = places[-1], places[at]
        yield places.pop()
