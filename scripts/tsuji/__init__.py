# SPDX-License-Identifier: Apache-2.0
"""Runs of Tsuji's platforms, their results, and studies of many runs: what the scripts use, for notebooks.

    from tsuji import Run, Study, play
    results = play([Run("network", "platforms/network/mesh8.yaml", {"seed": seed}) for seed in (1, 2, 3)], "out/runs")
    study = Study("my_study.yaml").play()
    study.points                    # a dict a design; study.frame("points") where there is a pandas

Dictionaries in, tables out (notebook.py says how): tsuji.run, sweep, study, compare, explore.

platforms/study/README.md says what a study is, the handbook's page Explorations what an Exploration is."""

from .errors import Refused, RunFailed
from .explore import Exploration
from .results import Result
from .runs import Run
from .study import Study, play
from .notebook import compare, explore, run, study, sweep  # last: they take the names of modules

__all__ = ["Exploration", "Refused", "Result", "Run", "RunFailed", "Study", "compare", "explore", "play", "run",
           "study", "sweep"]
