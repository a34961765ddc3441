"""Means with intervals, and comparisons."""

import functools
import math

ROUNDING = 1e-12  # of a number: spread below it is that of its last digits


@functools.lru_cache(maxsize=None)
def student(probability, freedom):
    """The quantile of Student's t."""
    from scipy import stats

    return float(stats.t.ppf(probability, freedom))


def mean_confidence95(samples):
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


def p_of_zero_mean(samples):
    """How likely samples of mean 0 have a mean that is as far from it (two-sided, Student). None for fewer than two samples."""
    if len(samples) < 2:
        return None
    mean, half = mean_confidence95(samples)
    if half == 0:
        return 0.0 if mean else 1.0
    from scipy import stats

    freedom = len(samples) - 1
    return float(2 * stats.t.sf(abs(mean) / (half / student(0.975, freedom)), freedom))


def certain(p_values, level=0.05):
    """Which of several differences are shown, so that a false one among all has at most this probability (Holm). None counts as not
    shown."""
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    shown = [False] * len(p_values)
    for rank, (p, i) in enumerate(known):
        if p > level / (len(known) - rank):
            break
        shown[i] = True
    return shown


def seeds_for(samples, relative):
    """How many samples the interval is likely to take to be at most +-`relative` of the mean, by those at hand (at least two)."""
    mean, half = mean_confidence95(samples)
    if mean == 0:
        return len(samples) if half == 0 else math.inf
    # The interval shrinks with the root of the number, and faster while Student's t still falls.
    return math.ceil(len(samples) * (half / (relative * abs(mean)))**2)


def welch(first, second):
    """(difference, half, p): of the mean of `second` less that of `first`, with half of its 95 % interval and how likely means as far apart
    are of samples with the same mean (Welch). At least two samples each."""
    parts = []
    for samples in (first, second):
        mean = math.fsum(samples) / len(samples)
        parts.append((mean, math.fsum((sample - mean)**2 for sample in samples) / (len(samples) - 1) / len(samples), len(samples) - 1))
    (mean, square, freedom), (other_mean, other_square, other_freedom) = parts
    difference, squares = other_mean - mean, square + other_square
    if squares == 0:
        return difference, 0.0, 0.0 if difference else 1.0
    from scipy import stats

    together = squares**2 / (square**2 / freedom + other_square**2 / other_freedom)
    half = student(0.975, together) * math.sqrt(squares)
    return difference, half, float(2 * stats.t.sf(abs(difference) / math.sqrt(squares), together))


def paired(first, second):
    """(difference, half, p) as welch() gives it, of samples of which those at the same place belong together. None for what too few pairs
    do not give. Differences without any spread say little where the samples have one, as of values on a coarse grid: there only their signs
    count."""
    differences = [b - a for a, b in zip(first, second)]
    difference, half = mean_confidence95(differences)
    if half is None:
        return difference, None, None
    rounding = ROUNDING * max(abs(sample) for sample in [*first, *second])
    if half > rounding:
        return difference, half, p_of_zero_mean(differences)
    if abs(difference) <= rounding:
        return difference, 0.0, 1.0
    constant = len(set(first)) == len(set(second)) == 1
    return difference, 0.0, 0.0 if constant else min(1.0, 2 * 0.5**len(differences))
