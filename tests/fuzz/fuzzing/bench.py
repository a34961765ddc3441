# SPDX-License-Identifier: Apache-2.0
"""Random networks in network_bench: the same packets in every mode and with RTL, and damaged files of
compare.against."""

import re

from . import oracle
from .cases import Case, Outcome
from .oracle import Failure

DIFFERENT = re.compile(r"^\w+: model failure: comparison, cycle ")
OF_ITS_FILE = re.compile(r"^(network_bench|planted_network): \S+:\d+(:\d+)?: compare\.against: .+; accepted: ")
MOST_NUMBER, MOST_NODE = 2 ** 64 - 1, 2 ** 32 - 1
BOUNDS = {"packet": (MOST_NUMBER, MOST_NODE, MOST_NODE, MOST_NUMBER, MOST_NUMBER, MOST_NUMBER),
          "switch": (MOST_NODE, MOST_NUMBER, MOST_NUMBER, MOST_NUMBER),
          "router": (MOST_NODE, MOST_NUMBER)}
# RTL has a cache and a memory of its own, which nobody compares with these keys.
NOT_OF_THE_RTL = ("lookup.", "router.route_at")
DAMAGES = 6


def read_run(content):
    """The contents of a run.csv, or None for one that no run can have written."""
    lines = content.split(b"\n")
    if lines.pop() != b"":
        return None  # the last line has no end
    run = {}
    for line in lines:
        if not line or line.startswith(b"#"):
            continue
        kind, *fields = line.decode("latin-1").split(",")
        bounds = BOUNDS.get(kind, ())
        if len(fields) != len(bounds) or not all(re.fullmatch(r"[0-9]+", field) for field in fields):
            return None
        numbers = tuple(map(int, fields))
        if not bounds or any(number > most for number, most in zip(numbers, bounds)) or (kind, numbers[0]) in run:
            return None
        run[kind, numbers[0]] = numbers[1:]
    return run


def damaged(content, rng):
    """One random wound."""
    at = rng.randrange(len(content))
    lines = content.split(b"\n")
    line = rng.randrange(len(lines))
    kind = rng.randrange(10)
    if kind == 0:
        return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1:]
    if kind == 1:
        return content[:at]
    if kind == 2:
        return content[:at] + rng.choice([b",", b"-", b"+", b" ", b"\n", b"0", b"9", b"\0", b"\xff", b"#", b"e",
                                          b"\r"]) + content[at:]
    if kind == 3:
        return b"\n".join(lines[:line] + lines[line + 1:])
    if kind == 4:
        return b"\n".join(lines[:line] + [lines[line]] + lines[line:])
    if kind == 5:
        rng.shuffle(lines)
        return b"\n".join(line for line in lines if line) + b"\n"
    if kind == 6:
        number = str(rng.choice([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 63, 2 ** 64 - 1, 2 ** 64, 10 ** 40])).encode()
        fields = lines[line].split(b",")
        fields[rng.randrange(len(fields))] = number
        return b"\n".join(lines[:line] + [b",".join(fields)] + lines[line + 1:])
    if kind == 7:
        lines[line] += rng.choice([b",", b",0", b" "])
        return b"\n".join(lines)
    if kind == 8 and b"," in lines[line]:
        fields = lines[line].split(b",")
        field = rng.randrange(1, len(fields))
        fields[field] = str(int(fields[field]) + 1 if fields[field].isdigit() else 1).encode()
        return b"\n".join(lines[:line] + [b",".join(fields)] + lines[line + 1:])
    return rng.choice([b"", b"\n", b"# nothing\n", bytes(rng.randrange(256) for _ in range(40))])


class BenchCase(Case):
    """A network whose switches look their routes up in hardware."""

    def draw(self):
        super().draw()
        wants_them = any(name.startswith(NOT_OF_THE_RTL) for name in self.wanted)
        if self.rng_of("rtl").random() < 0.6 and not wants_them:
            for name in [name for name in self.settings if name.startswith(NOT_OF_THE_RTL)]:
                del self.settings[name]

    def bench(self, settings, **rtl_and_comparison):
        """A run and its end: "refused", "different" and the like, or None."""
        more = {name.replace("__", "."): value for name, value in rtl_and_comparison.items()}
        ended = self.runner.run({**settings, **more}, ("--seed", str(self.rng_of("seed").randint(1, 1000))))
        ended.more = tuple(more.items())
        if ended.too_long:
            return ended, oracle.TOO_LONG
        if ended.code == 1 and DIFFERENT.search(ended.text):
            return ended, "different"
        return ended, oracle.ending(ended)

    def check(self, settings, only=None):
        base, end = self.bench(settings, compare__record="true")
        models = base.out / "run.csv"
        if isinstance(end, Failure):
            return Outcome(dict(settings), failure=end)
        if end == "refused":
            fault = oracle.refusal_fault(base, self.machine.keys)
            failure = Failure("refusal", f"{fault}: {base.text[:1000]}") if fault else None
            return Outcome(dict(settings), ended=base.text, failure=failure)
        if end == oracle.TOO_LONG:
            return Outcome(dict(settings), True, end)
        if end is not None:
            failure = self.other_modes(settings, base, end, {})
        else:
            failure = (self.other_modes(settings, base, end, {"compare__against": str(models)})
                       or self.with_rtl(settings, models)
                       or self.damaged_files(settings, models))
        return Outcome(dict(settings), True, end or "ends", failure=failure)

    def other_modes(self, settings, base, end, against):
        """All packets and look-ups are the same, or the failure is told in the same words."""
        each, shuffled = {"run.processes": "process_each"}, {"run.shuffle_seed": "5"}
        for name, more in (("process_each", each), ("shuffled", shuffled),
                           ("process_each and shuffled", {**each, **shuffled})):
            ended, other = self.bench({**settings, **more}, **against)
            if other == oracle.TOO_LONG:
                continue
            if other != end or (not against and ended.text != base.text):
                return Failure(f"{name}: another run", f"{other}: {ended.text[:1000]}",
                               settings=(*more.items(), *ended.more))
        return None

    def with_rtl(self, settings, models):
        """RTL is refused, or does what the models do; where it has another cache, packets may differ."""
        routers = self.rng_of("switches").choice(["all", "all", "0", "0+1", "1"])
        ended, end = self.bench(settings, rtl__places=f"switch={routers}", compare__against=str(models),
                                compare__record="true")
        may_differ = any(name.startswith(NOT_OF_THE_RTL) for name in settings)
        if end == "refused":
            fault = oracle.refusal_fault(ended, self.machine.keys)
            return Failure("refusal of RTL", f"{fault}: {ended.text[:1000]}", settings=ended.more) if fault else None
        if end == oracle.TOO_LONG or (may_differ and end == "different"):
            return None
        if end is not None or ended.file("run.csv") != models.read_bytes():
            return Failure("RTL", f"{end}: {ended.text[:1000]}", settings=ended.more)
        return None

    def damaged_files(self, settings, models):
        """A damaged file is refused with its place; one that still is a run is compared."""
        content, rng = models.read_bytes(), self.rng_of("damage")
        for _ in range(DAMAGES):
            wounded = self.network.inputs.write("against", "")
            with open(wounded, "wb") as file:
                file.write(damaged(content, rng))
            with open(wounded, "rb") as file:
                run = read_run(file.read())
            ended, end = self.bench(settings, compare__against=wounded)
            expected = "refused" if run is None else None if run == read_run(content) else "different"
            if end == oracle.TOO_LONG:
                continue
            if end != expected or (end == "refused" and not OF_ITS_FILE.match(ended.text)):
                return Failure("compare.against", f"{end}, and not {expected}: {ended.text[:1000]}",
                               settings=ended.more)
        return None
