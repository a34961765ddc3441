# SPDX-License-Identifier: Apache-2.0
"""The modes in which one configuration runs, that must not show in what it leaves."""

import dataclasses
import re
import shutil

from . import oracle
from .oracle import Failure

MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")
WINDOW_CYCLES = 1500  # of a waveform: those of whole runs would take longer than the runs


@dataclasses.dataclass(frozen=True)
class Mode:
    """Settings and arguments on top of the case's own. `option`: the option that may be refused for them; `launcher`:
    words before the executable; `killed`: the rank that is killed in the middle, or None."""

    name: str
    settings: dict
    arguments: tuple
    option: str = ""
    launcher: tuple = ()
    killed: int | None = None

    def is_refused(self, ended):
        return self.option != "" and ended.code == 2 and f"{self.option}: " in ended.text

    def failure(self, kind, detail):
        return Failure(f"{self.name}: {kind}", detail, self.arguments, tuple(self.settings.items()))


def modes_of(case, settings):
    """Both process modes, orders of modules, threads, and what is recorded."""
    if not case.machine.profile.simulates:
        return []
    packets = ("--records",)
    if case.machine.profile.only_ranks:
        return ranks_of(case, packets)
    shuffle = case.rng_of("shuffle").choice([1, 2, 3, 2 ** 63, 12345])
    each, shuffled = {"run.processes": "process_each"}, {"run.shuffle_seed": shuffle}
    part = ("--window", window(case, settings))
    log = ("--log", "trace") if case.machine.profile.logs else ()
    wave = (*packets, "--waves", "--waves-format", "vcd", *log, *part)
    logged = [Mode("logged", {}, (*log, *part))] if log else []
    count = case.rng_of("threads").choice([2, 2, 3, 4, 7])
    threads = [Mode("threads", {}, ("--threads", str(count)), "--threads")] if case.machine.profile.has_threads else []
    ranks = ranks_of(case, packets) if case.machine.profile.has_threads else []
    return [Mode("recorded", {}, packets), Mode("process_each", each, packets), *logged, *threads, *ranks,
            Mode("shuffled", shuffled, wave), Mode("process_each and shuffled", {**each, **shuffled}, wave)]


def ranks_of(case, packets):
    """Several ranks, where there is an mpirun; networks of modules have them without records. In another run one of
    them is killed."""
    if shutil.which("mpirun") is None:
        return []
    rng = case.rng_of("ranks")
    count = rng.choice([1, 2, 2, 3, 4])
    launcher, killed, seconds = (*MPIRUN, "-n", str(count)), rng.randrange(count), rng.uniform(0.05, 0.6)
    kill = f"(sleep {seconds:.2f}; kill -KILL $$ 2>/dev/null) &"
    kills = ("bash", "-c", f'[ $OMPI_COMM_WORLD_RANK != {killed} ] || {kill} exec "$@"', "rank")
    return [Mode("ranks", {}, rng.choice([packets, ()]), "mpirun", launcher),
            Mode("killed rank", {}, (), "mpirun", (*launcher, *kills), killed)]


def check_killed(mode, ended, expected):
    """All ranks end with the killed one, and mpirun names it; at times that of Open MPI 4.1.4 only counts it, and ends
    with its signal. A result was complete before."""
    if ended.has("result.json"):
        found = oracle.differences(expected, oracle.comparable(ended.result()))
        return mode.failure("another result", "; ".join(found[:6])) if found else None
    named = re.findall(r"rank (\d+) with PID \d+ on node \S+ exited on\s+signal 9", ended.text)
    counted = ended.code == 128 + 9 and re.search(r"but 1 process returned\s+a non-zero exit code", ended.text)
    good = str(mode.killed) in named if named else counted
    return None if good else mode.failure("does not name the rank", f"exit {ended.code}: {ended.text[:1000]}")


def window(case, settings):
    """A part of the run, in ns."""
    rng = case.rng_of("window")
    period = int(settings.get("clock_period_ps", case.machine.keys["clock_period_ps"].default))
    first = rng.choice([0, 0, rng.randint(1, 600)])
    return f"{first * period / 1000:.3f}:{(first + WINDOW_CYCLES) * period / 1000:.3f}"


def first_failure(case, settings, base, end, only=None):
    """Runs all modes beside the run `base`, which ended as `end` says; the first broken promise, or None.

    `only` is a failure that is looked for again: modes that cannot show it are left out.
    """
    chosen = modes_of(case, settings)
    if only is not None:
        chosen = [mode for mode in chosen if mode.name == "recorded" or only.kind.startswith(mode.name + ": ")]
    if end == oracle.TOO_LONG:
        return None
    failure = against(case, settings, base, end)
    if failure is not None:
        return failure
    if end is not None:
        return compare_ends(case, settings, base, end, chosen)
    expected = oracle.load_result(base)
    if isinstance(expected, Failure):
        return expected
    oracle.comparable(expected)
    faults = [] if case.machine.profile.simulates else oracle.broken_study(expected)
    if faults:
        return Failure("study", "; ".join(faults[:4]))
    files = {}
    for mode in chosen:
        ended = case.runner.run({**settings, **mode.settings}, mode.arguments, launcher=mode.launcher)
        if mode.is_refused(ended):
            continue
        if mode.killed is not None and ended.code != 0 and not ended.too_long:
            failure = check_killed(mode, ended, expected)
        else:
            failure = compare(mode, ended, expected)
        if failure is None and mode.killed is None and not ended.too_long:
            failure = compare_files(mode, ended, files)
            if failure is None and mode.name == "recorded":
                failure = check_sums(mode, ended)
        case.runner.forget(ended)
        if failure is not None:
            return failure
    return repeat(case, base, expected) or check_data(case, settings, expected)


def check_data(case, settings, expected):
    """Whole nodes receive what they receive on a bare torus: a mechanism of the network costs or saves time, no
    data."""
    told = expected["metrics"].get("trace_data_digest")
    if told is None or not case.machine.profile.topology_printer:
        return None
    if settings.get("workload.kind") == "collective" and int(settings.get("workload.collective_ranks", 0)) == 0:
        return None  # as many ranks as the network has places
    bare = {name: value for name, value in settings.items() if name.startswith("workload.")}
    drawn = settings.get("workload.trace") or settings.get("workload.npb")  # the default has 64 ranks
    bare |= {"nic.kind": "cenju4", "topology.kind": "torus", "topology.radices": "[4,4]" if drawn else "[8,8]"}
    mode = Mode("bare torus", bare, ())
    ended = case.runner.run(bare)
    end = oracle.ending(ended)
    if end is not None:
        return None if end == oracle.TOO_LONG else mode.failure("ends otherwise", ended.text[:600])
    digest = ended.result()["metrics"]["trace_data_digest"]
    case.runner.forget(ended)
    return None if digest == told else mode.failure("other data", f"{told} and {digest}")


def compare(mode, ended, expected):
    """The run ends well and with the expected result."""
    if mode.launcher and ended.too_long:  # mpirun ends otherwise upon a signal
        return None
    end = oracle.ending(ended)
    if isinstance(end, Failure):
        return mode.failure(end.kind, end.detail)
    if end == oracle.TOO_LONG:  # a slower mode of a run that ended just in time
        return None
    if end is not None:
        return mode.failure("ends otherwise", f"{end}: {ended.text[:1000]}")
    result = oracle.load_result(ended)
    if isinstance(result, Failure):
        return mode.failure(result.kind, result.detail)
    found = oracle.differences(expected, oracle.comparable(result))
    return mode.failure("another result", "; ".join(found[:6])) if found else None


def against(case, settings, base, end):
    """The run of another build ends alike, with the same metrics and tables; what a failure says may be put
    otherwise."""
    if case.other_runner is None:
        return None
    mode = Mode("other build", {}, ())
    ended = case.other_runner.run(settings)
    other_end = oracle.ending(ended)
    if other_end == oracle.TOO_LONG:
        return None
    if other_end != end:
        return mode.failure("ends otherwise", f"{other_end or 'exit 0'} and not {end or 'exit 0'}: {ended.text[:1000]}")
    found = []
    if end is None:
        first, second = (oracle.comparable(run.result()) for run in (base, ended))
        found = [text for part in ("metrics", "tables")
                 for text in oracle.differences(first.get(part), second.get(part), part)]
    case.other_runner.forget(ended)
    return mode.failure("another result", "; ".join(found[:6])) if found else None


def compare_files(mode, ended, files):
    """Packet records, waveforms and logs are the same in every mode that writes them."""
    windowed = "--window" in mode.arguments
    for name in ("packets.csv", "log.txt", *sorted(path.name for path in ended.out.glob("*.vcd"))):
        digest = ended.digest(name)
        if digest and files.setdefault((name, windowed), digest) != digest:
            return mode.failure(f"another {name}", "the files differ")
    return None


def check_sums(mode, ended):
    if not ended.has("packets.csv"):
        return None
    faults = oracle.broken_sums(ended.result(), oracle.records(ended))
    return mode.failure("sums", "; ".join(faults[:4])) if faults else None


def repeat(case, base, expected):
    """The run of its own resolved.yaml."""
    mode = Mode("resolved.yaml", {}, (str(base.out / "resolved.yaml"),))
    ended = case.runner.run({}, mode.arguments)
    failure = compare(mode, ended, expected)
    if failure is None and ended.file("resolved.yaml") != base.file("resolved.yaml"):
        failure = mode.failure("resolves to another file", "")
    case.runner.forget(ended)
    return failure


def compare_ends(case, settings, base, expected, chosen):
    """A model failure is the configuration's own only if every mode has it, in the same words."""
    for mode in chosen:
        if mode.launcher:  # which adds its own words, and ranks have no wait-for report
            continue
        ended = case.runner.run({**settings, **mode.settings}, mode.arguments)
        end = oracle.ending(ended)
        if isinstance(end, Failure):
            return mode.failure(end.kind, end.detail)
        if end == oracle.TOO_LONG or mode.is_refused(ended):
            continue
        if end != expected:
            return mode.failure("ends otherwise", f"{end or 'exit 0'} and not {expected}: {ended.text[:600]}")
        if ended.text != base.text:
            return mode.failure("another failure", f"{ended.text[:600]}\nand {base.text[:600]}")
        case.runner.forget(ended)
    checked = expected == "model: deadlock" and case.machine.profile.checks_deadlock
    return check_deadlock(case, settings, base) if checked else None


def check_deadlock(case, settings, base):
    """A reported deadlock is one: no packet that it names arrives later, though ranks that compute for longer than
    the watchdog waits may send others; and the checker does not call the network free."""
    mode = Mode("checker", {}, ("--check-deadlock",))
    printed = case.runner.run(settings, mode.arguments, writes=False)
    # Recovery is not judged for links that fail during a run; heads whose only route is down may wait forever.
    not_judged = printed.code == 2 and "link.faults: recovery is checked" in printed.text
    if printed.code not in (0, 1) and not not_judged:
        return mode.failure(f"exit {printed.code}", printed.text[:1500])
    if printed.code == 0 and not stops_before_recovery(case, settings):
        return mode.failure("a deadlock that it does not see", f"{printed.text[:1500]}\n{base.text[:1500]}")
    if printed.code != 1 and stops_before_recovery(case, settings):
        return None if not_judged else check_recovery(case, settings)
    told = int(re.search(r"cycle (\d+)", base.text).group(1))
    named = set(re.findall(r"packet (\d+\.\d+)", base.text))
    mode = Mode("more patience", {"run.watchdog_cycles": 10 ** 9}, ("--records",))
    ended = case.runner.run({**settings, **mode.settings}, mode.arguments)
    later = [row for row in oracle.records(ended) if row["packet"] in named and not row["cause"]]
    if later:
        return mode.failure("no deadlock", f"of cycle {told}: packet {later[0]['packet']} arrives in cycle "
                            f"{later[0]['tail_cycle']}")
    return None


def stops_before_recovery(case, settings):
    """The watchdog waits for no longer than a head does before it begins recovery."""
    def cycles(key, automatic):
        value = settings.get(key, case.machine.keys[key].default)
        return automatic if value == "auto" else int(value)
    return (settings.get("routing.kind") == "detour_ud"
            and cycles("run.watchdog_cycles", None) <= cycles("router.block_timeout_cycles", 128))


def check_recovery(case, settings):
    """With a watchdog that waits for longer, recovery ends what looked like a deadlock."""
    mode = Mode("more patience", {"run.watchdog_cycles": 10 ** 9}, ())
    ended = case.runner.run({**settings, **mode.settings})
    end = oracle.ending(ended)
    if isinstance(end, Failure):
        return mode.failure(end.kind, end.detail)
    return mode.failure("recovery ends nothing", ended.text[:1500]) if end == "model: deadlock" else None
