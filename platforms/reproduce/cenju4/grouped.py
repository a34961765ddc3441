# SPDX-License-Identifier: Apache-2.0
"""The machine with groups on crosspoint switches, each of its mechanisms switched off, under rounds of messages,
broadcasts and barriers; prediction, which saves some cycles of a head where nothing else is, under ping-pongs across
the torus."""

import pathlib

import yaml
from reproduction import Row, Run, above, at_most, between, exactly, holds
from reproduction.statistics import mean_confidence95
from tsuji.runs import ROOT, flat

CONFIG = pathlib.Path("platforms/network/groups64.yaml")
DEAD_LINK = 9
RANKS, GROUPS = 64, 16
BYTES = 200  # of a message: one packet
ROUNDS, EXCHANGES, PING_PONGS = 8, 3, 40
FAR = 40  # of rank 0 in hops: two columns and two rows of the torus away
# A percent of computing more or less, by which runs of one machine scatter.
SCALES = [0.98, 0.99, 1, 1.01, 1.02]
# What takes each mechanism's place. Detour-UD alone goes round the dead link.
ALL = "all mechanisms"
OFF = {"caches": {"lookup.kind": "cam"}, "prediction": {"prediction.kind": "none"},
       "Detour-UD": {"routing.kind": "dimension_order"}, "multicast": {"library.broadcast": "tree"},
       "barrier": {"library.barrier": "dissemination"}}
MODULES = "modules"
STAGES = "Cenju-4's switches"
PING_PONG = "prediction"  # is judged by ping-pongs
INSTEAD = {"caches": "a CAM without caches", "prediction": "none", "Detour-UD": "DM-Order, and no dead link",
           "multicast": "a tree of messages", "barrier": "dissemination by messages"}
NOTE = (f"groups: {ROUNDS} rounds of {EXCHANGES} messages a rank, a broadcast and a barrier, of which intervals are "
        f"over {len(SCALES)} scales of computing; for prediction {PING_PONGS} ping-pongs across the torus")
HIT_CYCLES, CAM_CYCLES = 2, 25
SAVED_CYCLES = 3  # RC, VA and SA


def gain_text(name):
    return f"groups: time that {name} {'give' if name == 'caches' else 'gives'} over {INSTEAD[name]}"


ROWS = [
    Row("groups_data", "groups: different digests of the data that all ranks received, with each mechanism off, as "
        "modules, and on Cenju-4's own switches", "-", exactly(1)),
    Row("groups_modules", "groups: look-ups as modules and computed ones: equal times, latencies and look-ups", "-",
        holds()),
    Row("groups_hit", "groups: cycles of a look-up that hits its cache", "-", exactly(HIT_CYCLES),
        unit="cycles"),
    Row("groups_cam", "groups: cycles of a look-up in a CAM without caches, which waits for other ports' now and then",
        "-", between(CAM_CYCLES, CAM_CYCLES + 1), unit="cycles"),
    Row("groups_misses", "groups: look-ups that miss, of 16 destinations", "-", at_most(10), unit="%"),
    Row("groups_saved", "groups: cycles that a hit of prediction saves", "-", exactly(SAVED_CYCLES),
        unit="cycles"),
    Row("groups_dead", "groups: flits on the dead link; on the same link where it lives", "-", exactly([0, True])),
    Row("groups_multicast", "groups: packets that leave the root's group in a broadcast; copies of each in its gateway",
        "-", exactly([1, GROUPS - 2])),
    Row("groups_barrier", "groups: barriers of the load in two levels; releases for each packet that leaves a group",
        "-", exactly([True, 1])),
    *(Row(f"groups_gain_{name}", f"{gain_text(name)}: lower end of its interval", "-", above(0), unit="%",
          quick=name == PING_PONG) for name in OFF),
    *(Row(f"groups_time_{name}", f"{gain_text(name)}, with its 95 % interval", "-", unit="%") for name in OFF)]


def text_of(operations):
    """A trace; `operations(rank)`: without init and finalize."""
    lines = [f"{rank} {operation}" for rank in range(RANKS) for operation in ["init", *operations(rank), "finalize"]]
    return "\n".join(lines) + "\n"


def ping_pongs(rank):
    if rank not in (0, FAR):
        return []
    there = [f"send {FAR - rank} 0 {BYTES} 6", f"recv {FAR - rank} 0 {BYTES} 6"]
    return PING_PONGS * (there if rank == 0 else there[::-1])


def rounds(rank):
    return [operation for turn in range(ROUNDS) for operation in round_of(rank, turn)]


def round_of(rank, turn):
    steps = [(5 * turn + 13 * message + 4) % (RANKS - 1) + 1 for message in range(EXCHANGES)]
    return [f"compute {200 * (1 + (rank * 7 + turn) % 5)}",
            *(f"irecv {(rank - step) % RANKS} {tag} {BYTES} 6" for tag, step in enumerate(steps)),
            *(f"isend {(rank + step) % RANKS} {tag} {BYTES} 6" for tag, step in enumerate(steps)),
            f"waitall {2 * EXCHANGES}", f"bcast {BYTES} {turn * 11 % RANKS} 6", "barrier"]


def machine():
    """Keys of the machine, without its application and dead link."""
    with open(ROOT / CONFIG, encoding="utf-8") as file:
        sections = yaml.safe_load(file)
    return flat({name: keys for name, keys in sections.items() if name not in ("workload", "faults")})


def scales(setting):
    return SCALES[2:3] if setting.quick else SCALES


def named(name, scale):
    return f"groups: {name}, {scale}"


def plan(setting):
    load, far = ({"workload.kind": "trace", "workload.trace": setting.input_file(f"{of.__name__}.ti", text_of(of))}
                 for of in (rounds, ping_pongs))
    runs = {STAGES: Run("cenju4", "", {**load, "network.nodes": RANKS})}
    for name, keys in {ALL: {}, MODULES: {"lookup.model": "modules"}, **OFF}.items():
        own = {**machine(), **keys, **({} if name == "Detour-UD" else {"faults.links": f"[{DEAD_LINK}]"})}
        for scale in scales(setting):
            runs[named(name, scale)] = Run("network", "", {**own, **load, "workload.compute_scale": scale})
        if name in (ALL, PING_PONG):
            runs[named(name, "far")] = Run("network", "", {**own, **far})
    return runs


def event(result, mechanism, name):
    """(events, cycles) of a mechanism; (0, 0) where it is off."""
    rows = [row for row in result.table("mechanisms") if (row["mechanism"], row["event"]) == (mechanism, name)]
    return (rows[0]["events"], rows[0]["cost"]) if rows else (0, 0)


def each(result, mechanism, name):
    """Cycles of an event; None where there was none."""
    events, cycles = event(result, mechanism, name)
    return cycles / events if events else None


def on_link(result):
    return sum(row["flits"] for row in result.table("links") if row["link"] == DEAD_LINK)


def equal(results, scale):
    """Both forms of look-ups have the same results."""
    metrics = ("trace_time_us", "latency_cycles_mean", "flit_hops", "lookup_hits", "lookup_misses",
               "cam_wait_cycles_mean")
    fast, modules = (results[named(name, scale)] for name in (ALL, MODULES))
    return all(fast.metric(metric) == modules.metric(metric) for metric in metrics)


def counted(results):
    """Values of the rows about one run."""
    full, cam, without = (results[named(name, 1)] for name in (ALL, "caches", "Detour-UD"))
    hits, misses = (event(full, "look-up", name)[0] for name in ("hit", "miss"))
    saved = each(full, "prediction", "hit")
    synchronizations, multicasts = (full.metric(f"gateway_{name}") for name in ("synchronizations", "multicasts"))
    copies = full.metric("gateway_copies") - (GROUPS - 2) * synchronizations
    return {"groups_hit": each(full, "look-up", "hit"), "groups_cam": each(cam, "look-up", "access of the CAM"),
            "groups_misses": 100 * misses / (hits + misses) if hits + misses else None,
            "groups_saved": saved and -saved,
            "groups_dead": [on_link(full), on_link(without) > 0],
            "groups_multicast": [multicasts / ROUNDS, copies / multicasts if multicasts else None],
            "groups_barrier": [synchronizations >= GROUPS * (1 + ROUNDS),
                               full.metric("gateway_releases") / synchronizations if synchronizations else None]}


def gains(setting, results, name):
    """Percent of time that a mechanism gives, with half of its interval: of ping-pongs, of which no two differ, 0."""
    cases = ["far"] if name == PING_PONG else scales(setting)
    samples = [100 * (results[named(name, case)].metric("trace_time_us")
                      / results[named(ALL, case)].metric("trace_time_us") - 1) for case in cases]
    return (samples[0], 0.0) if name == PING_PONG else mean_confidence95(samples)


def evaluate(setting, results):
    """The rows' values."""
    loaded = [result for name, result in results.items()
              if name == STAGES or name.startswith("groups: ") and not name.endswith("far")]
    values = {"groups_data": len({result.metric("trace_data_digest") for result in loaded}),
              "groups_modules": all(equal(results, scale) for scale in scales(setting)), **counted(results)}
    for name in OFF:
        mean, half = gains(setting, results, name)
        values[f"groups_time_{name}"] = [mean] if half is None else [mean, half]
        values[f"groups_gain_{name}"] = None if half is None else mean - half
    return values
