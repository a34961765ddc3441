# SPDX-License-Identifier: Apache-2.0
"""Confidence in means of counts."""

import math

Z = 3.2905  # of 99.9 %
MISS = 0.0005  # on each side


def poisson_below(count, mean):
    """P(X <= count) of a Poisson variable."""
    term = total = math.exp(-mean)
    for k in range(1, count + 1):
        term *= mean / k
        total += term
    return total


def solve(function, low, high):
    """The argument at which a falling function passes 0."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def confidence(total, total_of_squares, samples):
    """The 99.9 % interval of the mean of `samples` counts that sum up to `total`. Few counts are rare single events:
    then it is the exact one of a Poisson variable."""
    if total < 200:
        high = solve(lambda mean: poisson_below(total, mean) - MISS, total, total + 30 + 8 * math.sqrt(total + 1))
        low = 0.0 if total == 0 else solve(lambda mean: poisson_below(total - 1, mean) - (1 - MISS), 0, total)
        return low / samples, high / samples
    mean = total / samples
    variance = (total_of_squares - samples * mean * mean) / (samples - 1)
    half = Z * math.sqrt(variance / samples)
    return mean - half, mean + half


# Student's t of 95 %, by degrees of freedom.
T95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}


def mean_confidence95(samples):
    """The mean, and half of its 95 % interval (Student); None for one sample. At most 11 samples."""
    mean = sum(samples) / len(samples)
    if len(samples) == 1:
        return mean, None
    variance = sum((sample - mean)**2 for sample in samples) / (len(samples) - 1)
    return mean, T95[len(samples) - 1] * math.sqrt(variance / len(samples))


def ratio_confidence95(parts, wholes):
    """Half of the 95 % interval of sum(parts) / sum(wholes), from samples of both."""
    samples, ratio = len(parts), sum(parts) / sum(wholes)
    squares = sum((part - ratio * whole)**2 for part, whole in zip(parts, wholes))
    return 1.96 * math.sqrt(squares / (samples - 1) * samples) / sum(wholes)
