# SPDX-License-Identifier: Apache-2.0
"""Sweeps the load of the (4,4,3) tree with routers of 3, 5 and 7 stages, normal and with SS, whose hits take one stage.
The further stages are route computation's; a second series gives half of them to VSA. The route is known after ST, so a
wrong flit cannot be killed in its router: it leaks, and the next router drops it."""

from reproduction import Findings, Row, below, holds, within

from . import curves, trees, zero_load

TITLE = "Latency against load, routers of 3, 5 and 7 stages"
SOURCE = "Tateshita 2009, section 4.1.4 and fig. 9"
DEPTHS, QUICK = [3, 5, 7], [3, 7]
STAGES = {"rc": {3: {}, 5: {"router.rc_cycles": 3}, 7: {"router.rc_cycles": 5}},
          "rc_vsa": {3: {}, 5: {"router.rc_cycles": 2, "router.sa_cycles": 2},
                     7: {"router.rc_cycles": 3, "router.sa_cycles": 3}}}
SPLITS = {"rc": "further stages in RC", "rc_vsa": "in RC and VSA"}
PREDICTORS = {"normal": {}, "straight": {"prediction.kind": "straight", "prediction.check": "leak"}}
ROWS = [Row("stages_3", "cycles of a visit to the normal router of 3 stages at the least load, without its link",
            "3 stages", within(3, 1), unit="cycles", runs=("rc 3 normal *",))]
for split, text in SPLITS.items():
    ROWS += [
        Row(f"latency_{split}", f"{text}: latency grows with depth at every load up to 0.05, both routers", "grows",
            holds(),
            quick=split == "rc"),
        Row(f"gain_{split}", f"{text}: and so does SS's relative gain", "grows", holds(),
            quick=split == "rc"),
        Row(f"stages_{split}", f"{text}: rise from 3 to 7 stages at the least load, a visit of the normal router",
            "7 stages and 3", within(4, 1), unit="cycles", quick=split == "rc", runs=(f"{split} ? normal *",
                                                                                      "rc 3 normal *")),
        Row(f"stages_miss_{split}", f"{text}: the same with SS, a visit without a hit",
            "one stage where the prediction is right", within(4, 1), unit="cycles", quick=split == "rc",
            runs=(f"{split} ? straight *", "rc 3 straight *")),
        Row(f"gains_{split}", f"{text}: SS below normal at load 0.05, {', '.join(map(str, DEPTHS))} stages", "figure",
            unit="%"),
        Row(f"rise_{split}", f"{text}: SS's rise from 3 to 7 stages at load 0.01, share of the normal router's",
            "small at low load",
            below(50), unit="%", quick=False),
        Row(f"rises_{split}", f"{text}: SS's rise from 3 to 7 stages at loads 0.01 and 0.3", "small at low load",
            unit="cycles"),
    ]
OCN = "platforms/reproduce/predict/ocn.yaml"


def depths(setting):
    return QUICK if setting.quick else DEPTHS


def chosen(setting):
    """Series; the routers of 3 stages are the same in both splits."""
    splits = ["rc"] if setting.quick else SPLITS
    return [(split, depth, name) for split in splits for depth in depths(setting)
            for name in PREDICTORS if (split, depth) != ("rc_vsa", 3)]


def plan(setting):
    runs = {}
    for split, depth, name in chosen(setting):
        keys = {"traffic.packet_flits": zero_load.FLITS, **STAGES[split][depth], **PREDICTORS[name]}
        runs.update(curves.Sweep(OCN, keys, "0.1:0.5:9", seconds=6).plan(f"{split} {depth} {name}", setting.quick))
    return runs


def rises(values):
    return all(before < after for before, after in zip(values, values[1:]))


def evaluate(setting, results):
    found = {key: curves.Curve(" ".join(map(str, key)), results) for key in chosen(setting)}
    for name in PREDICTORS:
        found["rc_vsa", 3, name] = found["rc", 3, name]
    values = {}
    hits, visits = trees.means("straight", 4, 3)
    for split in dict.fromkeys(key[0] for key in chosen(setting)):
        normal, straight = ([found[split, depth, name] for depth in depths(setting)] for name in PREDICTORS)
        low = curves.low_loads(normal[0])
        values[f"latency_{split}"] = all(rises([curve.at[load] for curve in series]) for series in (normal, straight)
                                         for load in low)
        gains = [[own.gains(other, [load])[0] for own, other in zip(straight, normal)] for load in low]
        values[f"gain_{split}"] = all(each[0] > 0 and rises(each) for each in gains)
        values[f"gains_{split}"] = gains[-1]
        rise = [series[-1].at[low[0]] - series[0].at[low[0]] for series in (straight, normal)]
        values[f"stages_{split}"] = rise[1] / visits
        values[f"stages_miss_{split}"] = rise[0] / (visits - hits)
        values[f"rise_{split}"] = 100 * rise[0] / rise[1]
        values[f"rises_{split}"] = [straight[-1].at[load] - straight[0].at[load]
                                    for load in (low[0], 0.3) if load in straight[0].at]
    shallow = found["rc", 3, "normal"].at
    values["stages_3"] = (min(shallow.values()) - 1 - zero_load.FLITS) / visits - 1  # a link a visit, and one more
    table = curves.table([({"further_stages": split, "stages": depth, "series": name}, found[split, depth, name])
                          for split, depth, name in chosen(setting)])
    notes = ["the paper does not say where the further stages lie, nor how a wrong flit is held back for so long: SS "
             "leaks it "
             "(also at 3 stages, so that depth alone differs)"]
    return Findings(values, table, lambda figure: draw(figure, found,
                                                       list(dict.fromkeys(key[0] for key in chosen(setting)))), notes)


def draw(figure, found, splits):
    panels = figure.subplots(1, len(splits), sharey=True, squeeze=False)[0]
    for axes, split in zip(panels, splits):
        for index, depth in enumerate(DEPTHS):
            for name, line in (("normal", "o--"), ("straight", "o-")):
                if (split, depth, name) not in found:
                    continue
                curve = found[split, depth, name]
                axes.plot(list(curve.at), list(curve.at.values()), line, color=f"C{index}", markersize=3, linewidth=1,
                          label=f"{'SS' if name == 'straight' else 'normal'}, {depth} stages")
        axes.set_ylim(10, 100)
        axes.set_xlim(left=0)
        axes.set_xlabel("load (flits/node/cycle)")
        axes.set_title(SPLITS[split])
    panels[0].set_ylabel("mean latency (cycles)")
    panels[0].legend()
    figure.suptitle(TITLE)
