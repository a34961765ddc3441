# SPDX-License-Identifier: Apache-2.0
"""Hits of static predictors on (p,q,r) fat trees, counted from the digits of node numbers, without a model."""

KINDS = {"straight": "SS", "up": "UP"}


def digits(node, down, levels):
    """Lowest first: digit l is the down port of level l that leads to the node."""
    return [node // down**level % down for level in range(levels)]


def turn_level(source, destination):
    """Level of the switch in which a packet turns, from the digits of both ends."""
    return max((level for level, pair in enumerate(zip(source, destination)) if pair[0] != pair[1]), default=0)


def visits(turn):
    return 2 * turn + 1


def hits(kind, source, destination, down):
    """Of a packet alone in a (q,q,r) tree. A wish for any port up is met by the opposite port, so down a level the
    packet comes in by the up port opposite to the source's digit. At the top input i predicts output i + 1."""
    levels = len(source)
    turn = turn_level(source, destination)
    if kind == "up":
        return turn
    at_top = turn == levels - 1 and (source[turn] + 1) % down == destination[turn]
    return turn + at_top + sum(source[level] == destination[level] for level in range(turn))


def turn_shares(down, levels):
    """Share of the pairs, a node with itself included, that turn at each level."""
    nodes = down**levels
    return [(down**(level + 1) - (down**level if level else 0)) / nodes for level in range(levels)]


def means(kind, down, levels, distinct=False):
    """Mean hits and visits of all pairs of a (q,q,r) tree. `distinct`: a packet wants one port up, drawn evenly, and no
    other will do. With p < q ports up that is UP's, too: q/p inputs share a port, and one of them holds it."""
    mean_hits = mean_visits = 0.0
    for turn, share in enumerate(turn_shares(down, levels)):
        mean_visits += share * visits(turn)
        mean_hits += share * turn / (down if distinct else 1)
        if kind == "straight":
            mean_hits += share * turn / down  # on the way down
            if turn == levels - 1:
                mean_hits += share / (down - 1 if turn else down)  # at the top: a packet to another subtree
    return mean_hits, mean_visits


def hit_rate(kind, down, levels, distinct=False):
    mean_hits, mean_visits = means(kind, down, levels, distinct)
    return mean_hits / mean_visits


def predicted_ports(down, top):
    """SS's output of each input of a switch below the top (down ports first), or of one at the top."""
    if top:
        return [(port + 1) % down for port in range(down)]
    return [port + down for port in range(down)] + list(range(down))
