"""Means with intervals, and comparisons."""

import math


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
    return mean, student(0.975, number - 1) * math.sqrt(variance / number)


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
