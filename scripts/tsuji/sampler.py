# SPDX-License-Identifier: Apache-2.0
"""Designs that Optuna proposes, by the goals of those that have been simulated."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from .errors import Refused
from .question import Candidate, design_of

if TYPE_CHECKING:
    from .designs import Axis, Level
    from .question import Question

MOST_REPEATS = 20  # proposals in a row that are there already


def optuna_of(question: Question) -> Any:
    try:
        import optuna
    except ImportError:
        raise Refused(question.search.place, "search.kind", "Optuna is not installed", "optuna",
                      "grid, random, or the package python3-optuna (section explore of scripts/packages)") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


class Sampler:
    """Proposals depend on the question and on what end_of() was given, in its order. Several goals: NSGA-II; one: a
    tree-structured Parzen estimator."""

    def __init__(self, question: Question) -> None:
        self.optuna = optuna_of(question)
        self.question = question
        seed = question.search.seed
        sampler = (self.optuna.samplers.TPESampler(seed=seed) if len(question.goals) == 1
                   else self.optuna.samplers.NSGAIISampler(seed=seed))
        self.study = self.optuna.create_study(directions=["minimize"] * len(question.goals), sampler=sampler)
        self.known: dict[tuple[str, ...], int] = {}  # number by labels
        self.values: dict[int, list[float] | None] = {}  # that end_of() was given
        self.open: list[tuple[Any, int]] = []  # trials whose design has not ended, with its number

    def batch(self, size: int) -> list[Candidate]:
        """New candidates, which are added to those of the question; fewer where it proposes none."""
        fresh: list[Candidate] = []
        repeats = 0
        while len(fresh) < size and repeats < MOST_REPEATS:
            trial = self.study.ask()
            candidate = self.proposed(trial, len(self.question.candidates))
            number = self.known.setdefault(candidate.labels, candidate.number)
            if number == candidate.number:
                self.question.candidates.append(candidate)
                fresh.append(candidate)
                repeats = 0
            else:
                repeats += 1
            if number in self.values:
                self.end(trial, number)
            else:
                self.open.append((trial, number))
        return fresh

    def proposed(self, trial: Any, number: int) -> Candidate:
        def pick(axis: Axis) -> Level:
            return axis.levels[trial.suggest_categorical(axis.name, list(range(len(axis.levels))))]

        return design_of(number, self.question.dimensions, self.question.common, pick)

    def end_of(self, values: dict[int, list[float] | None]) -> None:
        """Goals by number; None: the design cannot be used."""
        self.values.update(values)
        for trial, number in self.open:
            self.end(trial, number)
        self.open = []

    def end(self, trial: Any, number: int) -> None:
        values = self.values[number]
        if values is None:
            self.study.tell(trial, state=self.optuna.trial.TrialState.FAIL)
        else:
            self.study.tell(trial, values)
