# SPDX-License-Identifier: Apache-2.0
"""Means with intervals, and comparisons."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Optional

NO_DIFFERENCE = "no difference shown"
ADJUSTED = "95 %, Holm"  # name of the intervals beside verdicts
ROUNDING = 1e-12  # of a number: spread below it is that of its last digits

# A difference, half of its 95 % interval, how likely it is without a true difference, and the interval's degrees of
# freedom.
Difference = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]


@functools.lru_cache(maxsize=None)
def student(probability: float, freedom: float) -> float:
    """The quantile of Student's t; of the normal distribution for infinite `freedom`."""
    from scipy import stats

    if math.isinf(freedom):
        return float(stats.norm.ppf(probability))
    return float(stats.t.ppf(probability, freedom))


def mean_confidence95(samples: Sequence[float]) -> tuple[float | None, float | None]:
    """The mean, and half of its 95 % interval (Student): None for one sample. (None, None) of none."""
    number = len(samples)
    if number == 0:
        return None, None
    mean = math.fsum(samples) / number
    if number == 1:
        return mean, None
    variance = math.fsum((sample - mean)**2 for sample in samples) / (number - 1)
    half = student(0.975, number - 1) * math.sqrt(variance / number)
    return mean, half if half > ROUNDING * max(abs(sample) for sample in samples) else 0.0


def p_of_zero_mean(samples: Sequence[float]) -> float | None:
    """How likely samples of mean 0 have a mean that is as far from it (two-sided, Student). None for fewer than two
    samples."""
    if len(samples) < 2:
        return None
    mean, half = mean_confidence95(samples)
    if half == 0:
        return 0.0 if mean else 1.0
    from scipy import stats

    freedom = len(samples) - 1
    return float(2 * stats.t.sf(abs(mean) / (half / student(0.975, freedom)), freedom))


def holm(p_values: list[float | None], level: float = 0.05) -> list[tuple[bool, float | None]]:
    """A pair for each of several differences: whether it is shown, so that a false one among all has at most the
    probability `level` (Holm), and the level of its own interval, which excludes 0 exactly where the difference is
    shown. With k differences that is level / k (Bonferroni) where that shows it, else the level of the step at which it
    is shown, or at which the steps end. (False, None) for a p of None."""
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    ends: list[tuple[bool, float | None]] = [(False, None)] * len(p_values)
    steps = [level / (len(known) - rank) for rank in range(len(known))]
    last = next((rank for rank, (p, _) in enumerate(known) if p > steps[rank]), len(known))
    for rank, (p, i) in enumerate(known):
        ends[i] = rank < last, steps[0] if p <= steps[0] else steps[min(rank, last)]
    return ends


def half_at(level: float, half: float | None, freedom: float | None) -> float | None:
    """Half of the interval of probability 1 - `level`, by that of the 95 % interval and its degrees of freedom (None:
    there is no other)."""
    return half if not half or freedom is None else half * student(1 - level / 2, freedom) / student(0.975, freedom)


def judged(difference: float | None, half: float | None, p: float | None, freedom: float | None, shown: bool,
           level: float | None) -> tuple[str, float | None]:
    """(verdict, half) of a difference after holm(): half of the Holm-adjusted interval, None where there is none."""
    if p is None:
        return "", half
    if freedom is None and not shown and difference:
        return NO_DIFFERENCE, None  # the signs of so few pairs bound nothing
    return ("higher" if difference > 0 else "lower") if shown else NO_DIFFERENCE, half_at(level, half, freedom)


def seeds_for(samples: Sequence[float], relative: float) -> float:
    """How many samples the interval is likely to take to be at most +-`relative` of the mean, by those at hand (at
    least two)."""
    mean, half = mean_confidence95(samples)
    if mean == 0:
        return len(samples) if half == 0 else math.inf
    # The interval shrinks with the root of the number, and faster while Student's t still falls.
    return math.ceil(len(samples) * (half / (relative * abs(mean)))**2)


def welch(first: Sequence[float], second: Sequence[float]) -> Difference:
    """(difference, half, p, freedom): of the mean of `second` less that of `first`, with half of its 95 % interval, how
    likely means as far apart are of samples with the same mean (Welch), and the interval's degrees of freedom. At least
    two samples each."""
    parts: list[Any] = []
    for samples in (first, second):
        mean = math.fsum(samples) / len(samples)
        parts.append((mean, math.fsum((sample - mean)**2 for sample in samples) / (len(samples) - 1) / len(samples),
                      len(samples) - 1))
    (mean, square, freedom), (other_mean, other_square, other_freedom) = parts
    difference, squares = other_mean - mean, square + other_square
    if squares == 0:
        return difference, 0.0, 0.0 if difference else 1.0, None
    from scipy import stats

    together = squares**2 / (square**2 / freedom + other_square**2 / other_freedom)
    half = student(0.975, together) * math.sqrt(squares)
    return difference, half, float(2 * stats.t.sf(abs(difference) / math.sqrt(squares), together)), together


def of_halves(difference: float, half: float) -> Difference:
    """The same of a difference whose 95 % interval is known (normal)."""
    if half == 0:
        return difference, 0.0, 0.0 if difference else 1.0, None
    from scipy import stats

    return difference, half, float(2 * stats.norm.sf(abs(difference) / half * student(0.975, math.inf))), math.inf


def paired(first: Sequence[float], second: Sequence[float]) -> Difference:
    """(difference, half, p, freedom) as welch() gives it, of samples of which those at the same place belong together.
    None for what too few pairs do not give. Differences without any spread say little where the samples have one, as of
    values on a coarse grid: there only their signs count."""
    differences = [b - a for a, b in zip(first, second)]
    difference, half = mean_confidence95(differences)
    if half is None:
        return difference, None, None, None
    rounding = ROUNDING * max(abs(sample) for sample in [*first, *second])
    if half > rounding:
        return difference, half, p_of_zero_mean(differences), len(differences) - 1
    if abs(difference) <= rounding:
        return difference, 0.0, 1.0, None
    constant = len(set(first)) == len(set(second)) == 1
    return difference, 0.0, 0.0 if constant else min(1.0, 2 * 0.5**len(differences)), None
