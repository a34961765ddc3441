# SPDX-License-Identifier: Apache-2.0
"""The system-area network of Tateshita 2009's table 2: packets of 256 B as flits of some words."""

CONFIG = "platforms/reproduce/predict/san.yaml"
WORD_BYTES, PACKET_BYTES, PERIOD_NS, DOWN = 8, 256, 3.2, 16
PREDICTED = {"prediction.kind": "up", "prediction.check": "hint", "prediction.serial": True}
SHARE_UP = 1 - 1 / DOWN  # of packets whose destination is at another switch
STAGES, NODE_CYCLES = 5, 7  # Des, RC, VSA, ST, Ser; calibrated (san.yaml)


def flits(flit_bytes, switching, predicts):
    """Keys of packets of `flit_bytes` flits, but for the packets' length."""
    keys = {"link.flit_cycles": flit_bytes // WORD_BYTES, "router.buffer_flits": PACKET_BYTES // flit_bytes,
            "router.switching": switching}
    return {**keys, **(PREDICTED if predicts else {})}


def latency_cycles(flit_bytes, predicts):
    """Mean of all pairs without load: LT on a link more than routers, the stages, and the words after the first flit's.
    A hit saves Des, RC, VSA, Ser and LT but for a word."""
    words = flit_bytes // WORD_BYTES
    routers = 1 + 2 * SHARE_UP
    saved = SHARE_UP * (words + STAGES - 1) if predicts else 0
    return STAGES * routers + words * (routers + 1) + (PACKET_BYTES - flit_bytes) / WORD_BYTES + NODE_CYCLES - saved
