# SPDX-License-Identifier: Apache-2.0
"""What arithmetic says of designs: facts of their networks, constraints that fail on them, and proofs."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
from collections.abc import Callable, Iterable
from typing import Any, TYPE_CHECKING

from .errors import RunFailed
from .question import FACTS, OF_A_LOAD
from .runs import Run, executable, flat

if TYPE_CHECKING:
    from .question import Bound, Candidate, Goal, Load, Question

PLATFORM = "network"
LOAD_KEY = "traffic.load_flits_per_node_cycle"
# Keys that neither hardware nor channel loads depend on. Any other key is one that they may depend on.
NOT_OF_FACTS = ("seed", "measure.", "run.", "observe.", "energy.", "prediction.", "limits.", LOAD_KEY)
# Further keys that no proof of freedom from deadlock depends on.
NOT_OF_PROOFS = (*NOT_OF_FACTS, "router.buffer_flits", "traffic.packet_flits", "traffic.injection",
                 "link.latency_cycles", "link.flit_cycles")


@dataclasses.dataclass(frozen=True)
class Design:
    """A candidate that the platform accepts, with its facts at each load."""

    candidate: Candidate
    configs: dict[str, dict[str, Any]]  # flat, by load
    printed: dict[str, dict[str, Any]]  # facts as --print-design has them, by load
    question: Question

    @property
    def number(self) -> int:
        return self.candidate.number

    def fact(self, name: str, load: str) -> float | None:
        """In the unit of FACTS; None where there is none."""
        printed = self.printed[load]
        if name in printed:
            return printed[name]
        of = {"wires": ("link_channels", self.question.flit_bits),
              "bisection_wires": ("bisection_channels", self.question.flit_bits),
              "buffer_bits": ("buffer_flits", self.question.flit_bits),
              "wire_length_mm": ("link_tiles", self.question.flit_bits * self.question.tile_mm)}
        if name not in of:
            return None
        value = printed[of[name][0]]
        return None if value is None else value * of[name][1]

    def facts(self, name: str, loads: tuple[str, ...]) -> dict[str, float | None]:
        """By load; where loads do not matter, of the first."""
        return {load: self.fact(name, load) for load in (loads if name in OF_A_LOAD else loads[:1])}

    def worst(self, goal: Goal) -> float | None:
        """The largest value of a fact over the loads of a goal; None where one has none."""
        values = list(self.facts(goal.metric, goal.loads).values())
        return None if any(value is None for value in values) else max(values)

    def offered(self, load: str) -> float | None:
        """Flits that a node offers in a cycle; None of an application."""
        value = self.configs[load].get(LOAD_KEY)
        return None if self.printed[load].get("capacity_bound_flits_per_node_cycle") is None else value


@dataclasses.dataclass(frozen=True)
class Rejected:
    """Why a design does not reach a simulator. `excess`: by which share it breaks a constraint; None of a refusal."""

    stage: str  # refused, capacity, constraint, deadlock, faults
    reason: str
    excess: float | None = None
    key: str = ""  # of a refusal


def run_of(question: Question, candidate: Candidate, load: Load, extra: dict[str, Any] | None = None,
           options: tuple[str, ...] = ()) -> Run:
    keys = {key: value.text for key, value in {**candidate.keys, **load.keys}.items()}
    return Run(PLATFORM, question.config, {**keys, **(extra or {})}, options)


class Arithmetic:
    """Facts of all candidates, from few processes: designs that differ in keys of NOT_OF_FACTS alone share them."""

    def __init__(self, question: Question, platforms: pathlib.Path, jobs: int,
                 progress: Callable[[int, int], object] = lambda done, all: None) -> None:
        self.question, self.platforms, self.jobs, self.progress = question, platforms, jobs, progress
        self.designs: dict[int, Design] = {}
        self.rejected: dict[int, Rejected] = {}
        self.facts: dict[str, Any] = {}  # by group; a text is a refusal
        self.proofs: dict[str, Rejected | None] = {}  # by group

    def add(self, candidates: list[Candidate]) -> Arithmetic:
        """Designs or rejections of candidates."""
        configs = self.resolved(candidates)
        self.print_facts(candidates, configs)
        for candidate in candidates:
            if candidate.number in self.rejected:
                continue
            of_loads = {load.name: configs[candidate.number, load.name] for load in self.question.loads}
            printed = {name: self.facts[group_of(config)] for name, config in of_loads.items()}
            refused = next((answer for answer in printed.values() if isinstance(answer, str)), None)
            if refused is not None:
                self.rejected[candidate.number] = Rejected("refused", refused)
                continue
            design = Design(candidate, of_loads, printed, self.question)
            self.designs[candidate.number] = design
            reason = screened(design, self.question)
            if reason:
                self.rejected[candidate.number] = reason
        self.prove([self.designs[candidate.number] for candidate in candidates
                    if candidate.number not in self.rejected])
        return self

    @property
    def remaining(self) -> list[Design]:
        return [design for number, design in self.designs.items() if number not in self.rejected]

    def resolved(self, candidates: list[Candidate]) -> dict[tuple[int, str], dict[str, Any]]:
        """The flat configuration of each candidate at each load; refusals are kept as rejections."""
        wanted = [(candidate, load) for candidate in candidates for load in self.question.loads]
        answers = self.ask([run_of(self.question, candidate, load) for candidate, load in wanted])
        configs: dict[tuple[int, str], dict[str, Any]] = {}
        for (candidate, load), answer in zip(wanted, answers):
            if "refused" in answer:
                self.rejected.setdefault(candidate.number, Rejected("refused", answer["refused"], key=answer["key"]))
            else:
                configs[candidate.number, load.name] = flat(answer["config"])
        return configs

    def print_facts(self, candidates: list[Candidate], configs: dict[tuple[int, str], dict[str, Any]]) -> None:
        """Facts of groups that are new."""
        loads = {load.name: load for load in self.question.loads}
        by_number = {candidate.number: candidate for candidate in candidates}
        first: dict[str, tuple[int, str]] = {}
        for place, config in configs.items():
            if place[0] not in self.rejected and group_of(config) not in self.facts:
                first.setdefault(group_of(config), place)
        runs = [run_of(self.question, by_number[number], loads[load], options=("--print-design",))
                for number, load in first.values()]
        for group, answer in zip(first, self.ask(runs)):
            self.facts[group] = answer.get("refused", answer.get("printed"))

    def ask(self, runs: list[Run]) -> list[dict[str, Any]]:
        """Answers of --check-runs, in the order of `runs`, from a process for each core."""
        parts = [runs[at::self.jobs] for at in range(min(self.jobs, len(runs)))]
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:
            answered = list(pool.map(self.ask_one, parts))
        answers: list[dict[str, Any]] = [{}] * len(runs)
        for at, part in enumerate(answered):
            answers[at::self.jobs] = part
        return answers

    def ask_one(self, runs: list[Run]) -> list[dict[str, Any]]:
        lines = "\n".join(json.dumps(run.words()) for run in runs) + "\n"
        done = subprocess.run([str(executable(self.platforms, PLATFORM)), "--check-runs", "-"], input=lines,
                              capture_output=True, text=True, cwd=self.question.path.parent)
        if done.returncode != 0:
            raise RunFailed(f"{PLATFORM} --check-runs: exit {done.returncode}\n{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def prove(self, designs: list[Design]) -> None:
        """Freedom from deadlock, whole and with dead links, of each group that is new."""
        question = self.question
        if not question.deadlock_free and not question.dead_links:
            return
        groups: dict[str, list[Design]] = {}
        for design in designs:
            groups.setdefault(group_of(design.configs[question.loads[0].name], NOT_OF_PROOFS), []).append(design)
        fresh = [group for group in groups if group not in self.proofs]
        with concurrent.futures.ThreadPoolExecutor(max_workers=self.jobs) as pool:
            self.proofs.update(zip(fresh, pool.map(lambda group: self.proof(groups[group][0].candidate), fresh)))
        for group, members in groups.items():
            reason = self.proofs[group]
            for design in members if reason else []:
                self.rejected[design.number] = reason

    def proof(self, candidate: Candidate) -> Rejected | None:
        question = self.question
        if question.deadlock_free:
            problem = self.check_deadlock(candidate, {})
            if problem:
                return Rejected("deadlock", problem)
        for draw in range(1, question.draws + 1 if question.dead_links else 1):
            problem = self.check_deadlock(candidate, {"faults.random_links": question.dead_links, "faults.seed": draw})
            if problem:
                return Rejected("faults", f"with {question.dead_links} dead links (faults.seed {draw}): {problem}")
        return None

    def check_deadlock(self, candidate: Candidate, extra: dict[str, Any]) -> str:
        """Empty: proved. Without what an option changes in the environment of the caller."""
        run = run_of(self.question, candidate, self.question.loads[0], extra, ("--check-deadlock",))
        done = subprocess.run([str(executable(self.platforms, PLATFORM)), *run.words()], capture_output=True,
                              text=True, cwd=self.question.path.parent, env=dict(os.environ))
        if done.returncode == 0:
            return ""
        said = (done.stderr or done.stdout).strip().splitlines()
        return said[0] if said else f"--check-deadlock: exit {done.returncode}"


def group_of(config: dict[str, Any], without: tuple[str, ...] = NOT_OF_FACTS) -> str:
    """Equal texts: equal facts, or with NOT_OF_PROOFS equal proofs."""
    return json.dumps({key: value for key, value in config.items() if not key.startswith(without)}, sort_keys=True)


def screened(design: Design, question: Question) -> Rejected | None:
    """A load above the capacity bound, or a constraint that a fact breaks."""
    for load in question.loads:
        bound, offered = design.fact("capacity_bound_flits_per_node_cycle", load.name), design.offered(load.name)
        if bound is not None and offered is not None and offered > bound:
            at = design.printed[load.name]["capacity_bound_at"]
            return Rejected("capacity", f"carries at most {bound:.4g} of the {offered:g} flits/node/cycle of "
                                        f"{load.name}: {at}", (offered - bound) / offered)
    broken = [(wanted.excess(value), wanted, name, value) for wanted in fact_bounds(question.bounds)
              for name, value in design.facts(wanted.metric, wanted.loads).items()
              if value is not None and wanted.excess(value) > 0]
    if not broken:
        return None
    excess, wanted, name, value = max(broken, key=lambda one: one[0])
    at = f" at {name}" if wanted.metric in OF_A_LOAD else ""
    return Rejected("constraint", f"{wanted.metric} is {value:g} {FACTS[wanted.metric]}{at}, wanted: {wanted.text()}",
                    excess)


def fact_bounds(bounds: Iterable[Bound]) -> list[Bound]:
    return [bound for bound in bounds if bound.metric in FACTS]
