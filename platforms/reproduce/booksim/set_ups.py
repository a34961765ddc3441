# SPDX-License-Identifier: Apache-2.0
"""The committed set-ups: a configuration of BookSim2 and the packets of its run, in `set_ups`."""

import pathlib

from tsuji.booksim import configuration, packets, replay, translation

FOLDER = pathlib.Path(__file__).resolve().parent / "set_ups"
NAMES = sorted((path.stem for path in FOLDER.glob("*.cfg")),
               key=lambda name: (name.rstrip("0123456789"), len(name), name))
DRAWN = ("tree", "valiant", "ugal")  # beginnings of names of set-ups in which both networks draw routes


class SetUp:
    """One of them; `packets` are BookSim2's."""

    def __init__(self, name):
        self.name = name
        self.keys = configuration.read([str(FOLDER / f"{name}.cfg")])
        self.values = self.keys.values
        self.packets = packets.read(FOLDER / f"{name}.packets.gz")

    def text(self):
        """For a row: the values in which set-ups differ."""
        of = self.values
        shape = (f"{of['k']}-ary {of['n']}-fly" if of["topology"] == "fly"
                 else f"flatfly {'x'.join([of['k']] * int(of['n']))}, {of['c']} nodes a router"
                 if of["topology"] == "flatfly"
                 else f"dragonfly of {of['k']} nodes a router" if of["topology"] == "dragonflynew"
                 else f"{of['topology']} {'x'.join([of['k']] * int(of['n']))}")
        function = of["routing_function"]
        routing = f", {function}" if function in ("min_adapt", "valiant", "ugal") else ""
        pair = list(dict.fromkeys(of[key].replace("_input_first", "") for key in ("vc_allocator", "sw_allocator")))
        extra = "".join(f", {word}" for key, word in (("credit_delay", f"credits +{of.get('credit_delay')}"),
                                                      ("routing_delay", "look-ahead"),
                                                      ("input_speedup", f"speed-up {of.get('input_speedup')}"),
                                                      ("wait_for_tail_credit", "channels taken empty"))
                        if self.is_set(key))
        return (f"{shape}{routing}, {of['num_vcs']} x {of['vc_buf_size']}, {' and '.join(pair)}, packets of "
                f"{of['packet_size'].strip('{}')}, "
                f"{of['traffic']}, {of['injection_rate']}{extra}")

    def is_set(self, key):
        return self.values.get(key, translation.TRANSLATED[key]) != translation.TRANSLATED[key]

    def translated(self):
        return translation.translate(self.keys)

    def run(self, setting, keys=None):
        """The replay, with further `keys`."""
        translated = self.translated()
        path = setting.input_file(f"{self.name}.list", replay.list_text(translated, self.packets))
        return replay.run(translated, self.packets, path, keys)

    def differences(self, result):
        translated = self.translated()
        return packets.differences(self.packets, result.packets(), translated.source, translated.birth)
