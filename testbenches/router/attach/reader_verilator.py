# SPDX-License-Identifier: Apache-2.0
"""RTL of a description: Verilator's arguments, the top module, and its pins."""

import pathlib
import re

import pins as rtl
import top as tops
from description import AXES, FOREIGN, MOST_PLACES, OWN_ARGUMENTS


class VerilatorReader:
    """Part of Reader, which has `top`, `about` and `inside`."""

    def radices(self):
        """Of the network's mesh."""
        topology = self.top.section("network")
        topology = topology and topology.section("topology")
        kind, radices = (topology.get("kind"), topology.get("radices")) if topology else (None, None)
        if kind:
            kind.word(["mesh", "torus"])
        return [value.number(2, 64) for value in radices.items()] if radices else [4, 4]

    def parameters(self):
        """The router's place as parameters of the top module."""
        about, place = self.about, self.top.section("place")
        section = place and place.section("parameters")
        about.parameters = {}
        for key in ("router", *AXES) if section else ():
            name = section.get(key)
            if name:
                about.parameters[key] = name.text()
        if not section:
            return
        section.done()
        if not about.parameters:
            section.refuse("no parameters", "router, or x, y, z, each with the name of a parameter")
        about.radices = self.radices()
        if about.places() > MOST_PLACES:
            section.refuse("a class for each place of the network, and there are too many",
                           f"network.topology.radices with {MOST_PLACES} routers at most", about.places())
        for axis in AXES[len(about.radices):]:
            if axis in about.parameters:
                section.values[axis].refuse(f"the network has {len(about.radices)} dimensions", "no such key")

    def verilate(self):
        about, section = self.about, self.top.section("verilator")
        if section is None:
            self.top.need("verilator", "a section with files and arguments")
        files = section.get("files")
        sources = files.items() if files else []
        arguments = section.get("arguments")
        words = arguments.items() if arguments else []
        section.done()
        for word in words:
            if word.text().split("=")[0] in OWN_ARGUMENTS:
                word.refuse("attach_rtl gives this argument itself",
                            "arguments about the RTL: -f, +define+, -G, --language")
            if word.text() in ("--trace-fst", "--trace-threads"):
                word.refuse("attach_rtl chooses the format of waveforms", "--trace")
        for source in sources:
            if not (about.folder / source.text()).is_file():
                source.refuse("there is no such file", f"a file below {about.folder}")
        about.foreign = [about.folder / source.text() for source in sources if source.text().endswith(FOREIGN)]
        sources = [source for source in sources if not source.text().endswith(FOREIGN)]
        if not sources and not any(word.text() in ("-f", "-F") for word in words):
            section.refuse("no RTL", "files, or a list by -f in arguments")
        top = self.top.need("top", "the RTL's top module")
        about.top = top.text()
        place = self.top.section("place")
        parameters = place and place.section("parameters")
        told = words + (list(parameters.values.values()) if parameters else [])
        placed = about.place_arguments(0) if parameters else []
        made = self.made_top(section, [word.text() for word in words] + placed)
        told += list(made.told.values())
        rest = [*(word.text() for word in words), *(file.text() for file in sources)]

        def verilate(name, text="", read=rtl.read_pins):
            result = rtl.verilate([*placed, "--top-module", name, *rest], about.folder,
                                  *([(f"{name}.sv", text), read] if text else []))
            if isinstance(result, re.Match):
                self.refuse_rtl(result, sources, told, top, section, made)
            return result

        if not made.told:
            about.pins, about.files = verilate(about.top)
        if made.told or not all(pin.packed for pin in about.pins.values()):
            ports = verilate(made.name, made.skeleton(),
                             lambda path: rtl.read_ports(path, tops.INSTANCE, made.interfaces))
            about.made_top, names = made.module(ports)
            about.pins, about.files = verilate(made.name, about.made_top)
            about.files = [file for file in about.files if pathlib.Path(file).name != f"{made.name}.sv"]
            for name, (interface, pin) in names.items():
                about.pins[name].type = pin.type
                if interface:
                    self.inside.setdefault(interface, {})[pin.name] = name
            about.top = made.name
        about.arguments = ["--top-module", about.top, *rest]

    def made_top(self, section, arguments):
        """The top module that parameters, declarations and interfaces are for."""
        made = tops.Top(self.about.top, f"{self.about.name}_top", self.top.file)
        made.told = {}
        for name in ("parameters", "interfaces"):
            part = self.top.section(name)
            for key in part.values if part else ():
                made.told[key] = part.get(key)
                getattr(made, name)[key] = made.told[key].text()
        declarations = self.top.get("declarations")
        if declarations:
            made.told["declarations"] = declarations
            made.declarations = declarations.text()
        made.arguments = tops.set_by(arguments)
        for name in made.arguments:
            if name in made.parameters:
                made.told[name].refuse("an argument of Verilator's or the place sets this parameter, too", "once", name)
        return made

    @staticmethod
    def refuse_rtl(error, sources, words, top, section, made):
        """Verilator's message at the file's line of the description, or else of the module or the arguments."""
        file, text = error["file"] and pathlib.Path(error["file"]), error["text"]
        own = bool(file) and file.name == f"{made.name}.sv"
        named = [source for source in sources if file and pathlib.Path(source.text()) == file]
        # -GNAME=VALUE, or the name of a parameter of the place.
        told = [word for word in words
                if re.fullmatch(r"(-G)?(\w+)(=.*)?", word.text())
                and re.search(rf"\b{re.fullmatch(r'(-G)?(.*?)(=.*)?', word.text())[2]}\b", text)]
        told += [value for key, value in made.told.items() if re.search(rf"\b{re.escape(key)}\b", text)]
        told += [value for value in made.told.values()
                 if any(re.search(rf"\b{name}\b", value.text()) for name in re.findall(r"'(\w+)'", text))]
        if own:
            named = told or list(made.told.values())
        where = (named or told or [top if "--top-module" in text else words[0] if words else section])[0]
        message = text if not file or own else f"{error['file']}:{error['line']}: {text}"
        accepted = "RTL that Verilator reads"
        if re.search("nterface.*port|nterfaced port", text) and not made.interfaces:
            where, accepted = top, "the key interfaces, with an instance for each port that is an interface"
        where.refuse("the RTL does not verilate: " + message.strip(), accepted, where.shown())
