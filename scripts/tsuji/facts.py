# SPDX-License-Identifier: Apache-2.0
"""What arithmetic says of designs: facts of their networks, constraints that fail on them, and proofs."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Any, TYPE_CHECKING

from . import queueing
from .errors import RunFailed
from .question import FACTS, OF_A_LOAD
from .runs import Run, executable, flat

if TYPE_CHECKING:
    from .question import Bound, Candidate, Goal, Load, Question

PLATFORM = "network"
LOAD_KEY = "traffic.load_flits_per_node_cycle"
# Keys on which no proof of freedom from deadlock depends. Any other key is one on which it may depend.
NOT_OF_PROOFS = ("seed", "measure.", "run.", "observe.", "energy.", "prediction.", "limits.", LOAD_KEY,
                 "router.buffer_flits", "traffic.packet_flits", "traffic.injection", "link.latency_cycles",
                 "link.flit_cycles")
# Keys on which no path depends: designs that differ in these alone are asked for one after the other, as the platform
# keeps the paths of the last one (DesignFacts, which has the whole list).
NOT_OF_PATHS = (LOAD_KEY, "measure.", "prediction.", "lookup.", "router.buffer_flits", "router.switching",
                "router.rc_cycles", "router.va_cycles", "router.sa_cycles", "router.st_cycles")
APPLICATION_KEY, NO_APPLICATION, OF_A_TRACE = "workload.kind", "synthetic", "trace"
SHARE_KEY = "workload.trace_share"
SEED_KEYS = ("topology.kind", "routing.kind", "lookup.kind")  # decide whether a seed draws routes
# Of a configuration.
KEPT_KEYS = (LOAD_KEY, APPLICATION_KEY, SHARE_KEY, "link.flit_cycles", *queueing.CLASS_KEYS, *SEED_KEYS)


@dataclasses.dataclass(frozen=True)
class Design:
    """A candidate that the platform accepts, with its facts at each load."""

    candidate: Candidate
    configs: dict[str, dict[str, Any]]  # KEPT_KEYS with their values, by load
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

    def runs_application(self, load: str) -> bool:
        return self.configs[load].get(APPLICATION_KEY, NO_APPLICATION) != NO_APPLICATION

    def replays_trace(self, load: str) -> bool:
        """Whether a first part of an application can be run; not of one that the question has cut itself."""
        return self.configs[load].get(APPLICATION_KEY) == OF_A_TRACE and self.configs[load].get(SHARE_KEY) == 1

    def seed_class(self, load: str) -> tuple[str, ...]:
        """Designs whose runs of an application all depend on the seed, or none of them does."""
        return (load, *(str(self.configs[load].get(key, "")) for key in SEED_KEYS))


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


@dataclasses.dataclass(frozen=True)
class Answer:
    """Of the platform to a candidate at a load."""

    config: dict[str, Any] = dataclasses.field(default_factory=dict)  # KEPT_KEYS with their values
    printed: dict[str, Any] = dataclasses.field(default_factory=dict)
    proof: str = ""  # equal texts: equal proofs
    refused: str = ""
    key: str = ""  # of a refusal


class Arithmetic:
    """Facts of all candidates, from a process for each of `jobs`."""

    def __init__(self, question: Question, platforms: pathlib.Path, jobs: int) -> None:
        self.question, self.platforms, self.jobs = question, platforms, jobs
        self.designs: dict[int, Design] = {}
        self.rejected: dict[int, Rejected] = {}
        self.proof_of: dict[int, str] = {}  # group of each candidate
        self.proofs: dict[str, Rejected | None] = {}  # by group

    def add(self, candidates: list[Candidate]) -> Arithmetic:
        """Designs or rejections of candidates."""
        answers = self.answers(candidates)
        for candidate in candidates:
            of_loads = {load.name: answers[candidate.number, load.name] for load in self.question.loads}
            refused = next((answer for answer in of_loads.values() if answer.refused), None)
            if refused is not None:
                self.rejected[candidate.number] = Rejected("refused", refused.refused, key=refused.key)
                continue
            design = Design(candidate, {name: answer.config for name, answer in of_loads.items()},
                            {name: answer.printed for name, answer in of_loads.items()}, self.question)
            self.designs[candidate.number] = design
            self.proof_of[candidate.number] = of_loads[self.question.loads[0].name].proof
            reason = screened(design, self.question)
            if reason:
                self.rejected[candidate.number] = reason
        self.prove([self.designs[candidate.number] for candidate in candidates
                    if candidate.number not in self.rejected])
        return self

    @property
    def remaining(self) -> list[Design]:
        return [design for number, design in self.designs.items() if number not in self.rejected]

    @property
    def proves(self) -> bool:
        return self.question.deadlock_free or self.question.dead_links > 0

    def answers(self, candidates: list[Candidate]) -> dict[tuple[int, str], Answer]:
        """By candidate and load. Lines of one network come one after the other."""
        wanted = [((candidate.number, load.name),
                   run_of(self.question, candidate, load, options=("--print-design",)))
                  for candidate in candidates for load in self.question.loads]
        wanted.sort(key=lambda one: neighbours(one[1]))
        size = max(1, -(-len(wanted) // self.jobs))
        parts = [wanted[at:at + size] for at in range(0, len(wanted), size)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=self.jobs) as pool:
            answered = pool.map(self.ask, [[run for _, run in part] for part in parts])
            return {place: answer for part, of in zip(parts, answered) for (place, _), answer in zip(part, of)}

    def ask(self, runs: list[Run]) -> list[Answer]:
        """Answers of --check-runs, in the order of `runs`."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as lines, \
                tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            lines.writelines(json.dumps(run.words()) + "\n" for run in runs)
            lines.seek(0)
            with subprocess.Popen([str(executable(self.platforms, PLATFORM)), "--check-runs", "-"], stdin=lines,
                                  stdout=subprocess.PIPE, stderr=said, text=True,
                                  cwd=self.question.path.parent) as asked:
                answers = [self.taken(json.loads(line)) for line in asked.stdout or []]
            if asked.returncode != 0:
                said.seek(0)
                raise RunFailed(f"{PLATFORM} --check-runs: exit {asked.returncode}\n{said.read()}")
        return answers

    def taken(self, answer: dict[str, Any]) -> Answer:
        """What is kept of an answer, which has all keys of a configuration."""
        if "refused" in answer:
            return Answer(refused=answer["refused"], key=answer["key"])
        config = flat(answer["config"])
        return Answer({key: config[key] for key in KEPT_KEYS if key in config}, answer["printed"],
                      proof_group(config) if self.proves else "")

    def prove(self, designs: list[Design]) -> None:
        """Freedom from deadlock, whole and with dead links, of each group that is new."""
        if not self.proves:
            return
        groups: dict[str, list[Design]] = {}
        for design in designs:
            groups.setdefault(self.proof_of[design.number], []).append(design)
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


def proof_group(config: dict[str, Any]) -> str:
    """Equal texts: equal proofs."""
    keys = {key: value for key, value in config.items() if not key.startswith(NOT_OF_PROOFS)}
    return hashlib.sha256(json.dumps(keys, sort_keys=True).encode()).hexdigest()


def neighbours(run: Run) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """By which command lines are sorted: keys on which paths may depend, then kinds, as these decide defaults of other
    keys."""
    keys = sorted((key, str(value)) for key, value in run.keys.items())
    return ([one for one in keys if not one[0].startswith(NOT_OF_PATHS)],
            [one for one in keys if one[0].endswith(".kind")])


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
