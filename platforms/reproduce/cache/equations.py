# SPDX-License-Identifier: Apache-2.0
"""The paper's closed forms, eq. 1-7, and balls in bins for fig. 5: second opinions on what the models measure."""

import math

# Section 5.1, table 1: look-up without a cache, at a hit, at a miss; all other stages. Cycles of 1 ns.
CASES = {1: {"none": 25, "hit": 2, "miss": 27, "rest": 75}, 2: {"none": 20, "hit": 2, "miss": 22, "rest": 40}}

# Section 7.1: dynamic energy of an access in nJ, static power in W, ports of the switch.
ENERGY_CACHE_NJ, ENERGY_CAM_NJ = 0.039, 42.0
POWER_CACHE_W, POWER_CAM_W = 0.013, 0.036
PORTS = 7

ENTRIES = 2048
LINK_NS = 20  # C of eq. 3-4, which the paper does not give


def destinations(radix, dimensions, dimension):
    """To how many nodes packets go that come in by a port of `dimension`, 1 the first; 0: the node's own (section
    6.2)."""
    if dimension == 0:
        return radix**dimensions - 1
    return radix**(dimensions - dimension) * (radix // 2)


def hit_ratio(entries, radix, dimensions, dimension):
    """Eq. 1-2."""
    return min(1.0, entries / destinations(radix, dimensions, dimension))


def longest_latency_ns(entries, radix, dimensions=3, link_ns=LINK_NS, case=1):
    """Eq. 3-4: the longest route's latency with a cache of `entries` at each input port."""
    times = CASES[case]
    base, penalty = times["rest"] + times["hit"], times["miss"] - times["hit"]

    def hops(dimension, count):
        missing = 1 - hit_ratio(entries, radix, dimensions, dimension)
        return count * (base + penalty * missing + link_ns)

    return hops(0, 1) + sum(hops(d, radix // 2) for d in range(1, dimensions + 1)) + link_ns


def longest_latency_without_ns(radix, dimensions=3, link_ns=LINK_NS, case=1):
    """The same with a look-up of CASES[case]["none"] in every switch."""
    times = CASES[case]
    switches = 1 + dimensions * (radix // 2)
    return switches * (times["none"] + times["rest"] + link_ns) + link_ns


def lookup_power_w(packets_per_second, miss_ratio, cached=True):
    """Eq. 5; without a cache its energy and power are 0 and every look-up goes to the CAM."""
    cache_nj, cache_w = (ENERGY_CACHE_NJ, POWER_CACHE_W) if cached else (0.0, 0.0)
    dynamic = packets_per_second * (cache_nj + ENERGY_CAM_NJ * (miss_ratio if cached else 1.0)) * 1e-9
    return dynamic + PORTS * cache_w + POWER_CAM_W


def lookups_per_second(miss_ratio, cache_ns=1.0, cam_ns=25.0):
    """Eq. 7."""
    return min(1 / cache_ns, 1 / (cam_ns * miss_ratio) if miss_ratio else math.inf) * 1e9


def evicted(inserted, ways, entries=ENTRIES):
    """Expected entries that `inserted` different keys evict from an empty cache whose sets they hit evenly: balls in
    bins, what each set gets beyond its ways. The mean of max(0, X - ways) over X ~ Binomial(inserted, 1 / sets), summed
    over the sets."""
    sets = entries // ways
    share = 1 / sets
    probability = math.exp(inserted * math.log1p(-share)) if sets > 1 else 0.0
    if sets == 1:
        return float(max(0, inserted - ways))
    # The few below `ways`: E[max(0, X - w)] = E[X] - w + E[max(0, w - X)] would cancel, so the upper tail is summed.
    total = 0.0
    for k in range(inserted + 1):
        if k > ways:
            total += (k - ways) * probability
        probability *= (inserted - k) / (k + 1) * share / (1 - share)
    return sets * total


def no_eviction(inserted, ways, entries=ENTRIES):
    """Probability that none is evicted: all balls into sets that hold at most `ways`. Exact, by the number of ways to
    place them: n! [x^n] (sum over k <= ways of x^k / k!)^sets / sets^n, in logarithmic scale."""
    sets = entries // ways
    poly = [1.0] + [0.0] * inserted
    base = [1.0 / math.factorial(k) for k in range(min(ways, inserted) + 1)]
    # With x scaled by sets the coefficients stay near those of e^x, and nothing overflows.
    power, factor, bits = poly, [value / sets**k for k, value in enumerate(base)], sets

    def times(a, b):
        out = [0.0] * (inserted + 1)
        for i, left in enumerate(a):
            if left:
                for j in range(min(len(b), inserted + 1 - i)):
                    out[i + j] += left * b[j]
        return out

    while bits:
        if bits & 1:
            power = times(power, factor)
        factor = times(factor, factor)
        bits >>= 1
    return power[inserted] * math.factorial(inserted)
