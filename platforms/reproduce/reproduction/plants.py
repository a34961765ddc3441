# SPDX-License-Identifier: Apache-2.0
"""Wrong models: runs of an ID with one parameter planted, drawn from the keys that its runs read."""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import pathlib
import subprocess
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Tuple

import yaml
from tsuji import marked_yaml
from tsuji.errors import Refused, RunFailed
from tsuji.runs import ROOT, Run, executable, flat

from .lists import part, sentence

if TYPE_CHECKING:
    from tsuji.marked_yaml import Node

WRONG_MODELS = "wrong_models.yaml"
SEED = "1"  # of the draw
LARGEST_EXCLUDED = 1 / 3  # share of the numeric keys that the list may exclude
Plan = Dict[str, Run]


def doubled(value: Any) -> Any:
    return value * 2


def halved(value: Any) -> Any:
    return value // 2 if isinstance(value, int) else value / 2


def one_more(value: Any) -> Any:
    return value + 1


def one_fewer(value: Any) -> Any:
    return value - 1


OPERATIONS: Dict[str, Callable[[Any], Any]] = {"x 2": doubled, "/ 2": halved, "+ 1": one_more}


@dataclasses.dataclass(frozen=True)
class Plant:
    """One parameter planted in every run that reads it. `change`: new value of `key` by the run's own; or `values`:
    keys as they are set in every run, where "" leaves a key of the run out."""

    name: str
    key: str = ""
    change: Callable[[Any], Any] = doubled
    values: Tuple[Tuple[str, str], ...] = ()

    def planted(self, run: Run, read: Dict[str, Any]) -> Run:
        """`run` with the parameter planted; `run` itself where it reads none of the keys (`read`: values of the keys
        that it reads)."""
        keys = dict(run.keys)
        if self.values:
            if all(key not in read or str(read[key]) == value for key, value in self.values if value):
                return run
            for key, value in self.values:
                if value:
                    keys[key] = value
                else:
                    keys.pop(key, None)
        elif is_number(read.get(self.key)):
            keys[self.key] = self.change(read[self.key])
        elif is_numbers(read.get(self.key)):
            first, *others = read[self.key]
            keys[self.key] = [self.change(first), *others]
        return run if keys == run.keys else dataclasses.replace(run, keys=keys)


@dataclasses.dataclass(frozen=True)
class Alive:
    """Plants under which no statement of the paper fails, and why."""

    identities: Tuple[str, ...]
    plants: Tuple[str, ...]
    reason: str

    def matches(self, identity: str, plant: str) -> bool:
        return (any(fnmatch.fnmatchcase(identity, pattern) for pattern in self.identities)
                and any(fnmatch.fnmatchcase(plant, pattern) for pattern in self.plants))


@dataclasses.dataclass(frozen=True)
class Named:
    """A plant that is not drawn, for the IDs that match."""

    identities: Tuple[str, ...]
    plant: Plant


@dataclasses.dataclass(frozen=True)
class WrongModels:
    """The committed list: excluded keys and plants with reasons, keys with one fewer, named plants, number of plants to
    draw for an ID, reasons of plants that stay alive."""

    excluded: Dict[str, str]
    fewer: Tuple[str, ...]
    named: Tuple[Named, ...]
    numbers: Dict[str, int]
    alive: Tuple[Alive, ...]

    def number(self, identity: str) -> int:
        """The first pattern that matches decides."""
        return next((number for pattern, number in self.numbers.items() if fnmatch.fnmatchcase(identity, pattern)), 0)

    def why_excluded(self, name: str) -> str:
        """Of a key, or of a plant of one."""
        return next((reason for pattern, reason in self.excluded.items() if fnmatch.fnmatchcase(name, pattern)), "")

    def why_alive(self, identity: str, plant: str) -> str:
        return next((entry.reason for entry in self.alive if entry.matches(identity, plant)), "")


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(is_number(item) for item in value)


def words(node: "Node") -> Tuple[str, ...]:
    return tuple(item.scalar() for item in node.list())


def named_plant(name: str, entry: "Node") -> Named:
    parts = entry.map(["ids", "set"])
    values = tuple((key, node.value_text()) for key, node in part(entry, parts, "set").map().items())
    return Named(words(part(entry, parts, "ids")), Plant(name, values=values))


def alive_entry(entry: "Node") -> Alive:
    parts = entry.map(["ids", "plants", "reason"])
    return Alive(words(part(entry, parts, "ids")), words(part(entry, parts, "plants")),
                 sentence(part(entry, parts, "reason")))


def read_list(path: pathlib.Path) -> WrongModels:
    """The committed list of a folder of papers."""
    root = marked_yaml.read(path)
    parts = root.map(["excluded", "fewer", "named", "numbers", "alive"])
    return WrongModels(
        {key: sentence(node) for key, node in part(root, parts, "excluded").map().items()},
        words(parts["fewer"]) if "fewer" in parts else (),
        tuple(named_plant(name, node) for name, node in parts["named"].map().items()) if "named" in parts else (),
        {pattern: node.integer(0, 100000) for pattern, node in part(root, parts, "numbers").map().items()},
        tuple(alive_entry(node) for node in parts["alive"].list()) if "alive" in parts else ())


def read_keys(run: Run, platforms: pathlib.Path) -> Dict[str, Any]:
    """Values of the keys that have an effect in the run, by the platform's own account; none of a refused run."""
    if not run.platform:
        return {}
    command = [str(executable(platforms, run.platform)), *dataclasses.replace(run, options=()).words(),
               "--print-config", "all"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode == 2:
        return {}
    if done.returncode != 0:
        raise RunFailed(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return flat(yaml.safe_load(done.stdout) or {})


def numeric(keys: Dict[str, Any]) -> List[str]:
    return [key for key, value in keys.items() if is_number(value) or is_numbers(value)]


def check_excluded(keys: Iterable[str], wrong: WrongModels) -> None:
    """Refused where the list excludes more than a third of the numeric keys."""
    known = set(keys)
    excluded = {key for key in known if wrong.why_excluded(key)}
    if len(excluded) > LARGEST_EXCLUDED * len(known):
        raise Refused("", WRONG_MODELS, f"excludes {len(excluded)} of {len(known)} numeric keys",
                      accepted="at most a third")


def order(identity: str, plant: Plant) -> str:
    """Plants of an ID come in the order of these texts: a draw with a fixed seed."""
    return hashlib.sha256(f"{SEED}\0{identity}\0{plant.name}".encode()).hexdigest()


def plants_of(identity: str, keys: Iterable[str], wrong: WrongModels) -> List[Plant]:
    """All plants of an ID whose runs read these numeric keys: named ones first, the others in the order of the
    draw."""
    wanted = [key for key in sorted(set(keys)) if not wrong.why_excluded(key)]
    drawn = [Plant(f"{key} {name}", key, change) for key in wanted for name, change in OPERATIONS.items()]
    fewer = [Plant(f"{key} - 1", key, one_fewer) for key in wanted if key in wrong.fewer]
    named = [entry.plant for entry in wrong.named
             if any(fnmatch.fnmatchcase(identity, pattern) for pattern in entry.identities)]
    accepted = [plant for plant in drawn + fewer if not wrong.why_excluded(plant.name)]
    return named + sorted(accepted, key=lambda plant: order(identity, plant))


def planted(plan: Plan, read: Dict[str, Dict[str, Any]], plant: Plant) -> Plan:
    """The runs that the plant changes, by name."""
    changed = {name: plant.planted(run, read[name]) for name, run in plan.items()}
    return {name: run for name, run in changed.items() if run != plan[name]}
