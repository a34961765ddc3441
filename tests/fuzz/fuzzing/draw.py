# SPDX-License-Identifier: Apache-2.0
"""Random values of a key: mostly small ones, the edges of its range now and then."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Hint:
    """A platform's profile of a key, beyond --list-keys."""

    most: object = None      # never draw above: the run would take too long or too much memory
    usual: object = None     # (low, high), drawn in most cases
    multiple: int = 1
    always: bool = False     # drawn in every case: the default is a large machine or a long run
    draw: object = None      # function (rng, network) -> text, instead of everything else


NO_HINT = Hint()


def value_of(key, hint, rng, network):
    """A text for --set. `network` is what the case knows of the machine by now, or None."""
    if hint.draw is not None:
        return hint.draw(rng, network)
    if key.other_words and rng.random() < 0.2:
        return rng.choice(key.other_words)
    if key.words:
        return rng.choice(key.words)
    if key.type == "integer":
        return str(integer(key, hint, rng))
    if key.type == "number":
        return number(key, hint, rng)
    if key.type == "list":
        return number_list(key, hint, rng)
    return rng.choice(["", "x", "no_such_file"])


def integer(key, hint, rng):
    least, most = int(key.least), int(key.most)
    if hint.most is not None:
        most = min(most, hint.most)
    drawn = raw_integer(least, most, hint, rng)
    if hint.multiple > 1 and rng.random() < 0.97:
        drawn -= drawn % hint.multiple
    return min(max(drawn, least), most)


def raw_integer(least, most, hint, rng):
    draw = rng.random()
    if draw < 0.02:
        return most
    if draw < 0.03:
        return most - 1
    if hint.usual is not None and draw < 0.9:
        return rng.randint(*hint.usual)
    if draw < 0.2:
        return least
    if draw < 0.35:
        return least + 1
    if draw < 0.75:
        return least + int(rng.expovariate(1 / 5))
    if most > 2 ** 32 and draw < 0.85:
        return rng.randint(least, most)  # a seed
    return least + int(math.exp(rng.uniform(0, math.log(min(most - least, 500) + 1))))


def number(key, hint, rng):
    least, most = key.least, key.most if hint.most is None else hint.most
    draw = rng.random()
    if hint.usual is not None and draw < 0.9:
        drawn = rng.uniform(*hint.usual)
    elif draw < 0.1:
        drawn = least
    elif draw < 0.13:
        drawn = most
    elif most <= 1:
        drawn = rng.choice([rng.uniform(least, most), 0.5, 0.25, most * 2 ** -rng.randint(1, 20)])
    else:
        drawn = float(key.default) * 2 ** rng.uniform(-4, 4) if float(key.default) else rng.uniform(0, 50)
    drawn = min(max(drawn, least), most)
    return repr(round(drawn, rng.choice([1, 3, 6]))) if drawn > 1e-3 else repr(drawn)


def number_list(key, hint, rng):
    most = key.most if hint.most is None else min(key.most, hint.most)
    length = rng.randint(int(key.fewest), min(int(key.longest), int(key.fewest) + 4))
    span = min(int(most - key.least), 30)
    return "[" + ",".join(str(int(key.least) + rng.randint(0, span)) for _ in range(length)) + "]"
