# SPDX-License-Identifier: Apache-2.0
"""The C++ source and the CMake project of a network with a described router."""

import pathlib
import shutil

from description import BACK

MADE = "Made by scripts/attach_rtl from "

SOURCE = """// Made by scripts/attach_rtl from {file}.
#include "router/verilated_rtl.h"

{headers}
#include "router/router_network.h"

namespace {{

using tsuji::bench::RtlBits;

/// Pins of {top}, and their meaning.
template <class Model>
class Rtl final : public tsuji::bench::VerilatedRtl<Model, {waves}> {{
  using Base = tsuji::bench::VerilatedRtl<Model, {waves}>;
  using Base::about, Base::clock, Base::errors, Base::more_clocks, Base::own_coordinates, Base::own_router, Base::pin,
      Base::pins, Base::ports, Base::reset, Base::table_candidate, Base::table_candidates, Base::table_lesser,
      Base::table_output, Base::table_row, Base::table_valid, Base::table_vcs;

 public:
  explicit Rtl(const std::string& name) : Base(name, {threads}) {{
    Model& m = this->model();
{pins}
    about.name = "{name}";
{about}
    ports.resize({ports});
{fields}
  }}

 private:
  /// Bits of a pin, its low end being 0.
  RtlBits bits(std::size_t pin, unsigned low, unsigned width, bool first_high = false) const {{
    RtlBits bits(pins[pin], low, width);
    bits.first_high = first_high;
    return bits;
  }}
}};

}}  // namespace

int sc_main(int argc, char** argv) {{
  const tsuji::bench::MakeRouterRtl make = [](const std::string& name,
                                              unsigned router) -> std::unique_ptr<tsuji::bench::RouterRtl> {{
{classes}
  }};
  return tsuji::bench::router_network_main(argc, argv, {{"{name}", {what}, make}}, {{{network}, {where}}});
}}
"""

PROJECT = """# Made by scripts/attach_rtl from {file}.
cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${{CCACHE}})
endif()
find_package(CLI11 REQUIRED)
find_package(tsuji REQUIRED COMPONENTS rtl)
set(CMAKE_CXX_STANDARD ${{tsuji_CXX_STANDARD}})
find_program(VERILATOR verilator REQUIRED)
# Waveforms are FST where tsuji's are.
set(trace --trace)
get_target_property(definitions tsuji::verilated INTERFACE_COMPILE_DEFINITIONS)
if(TSUJI_RTL_FST IN_LIST definitions)
  set(trace --trace-fst)
endif()

add_executable({name} {name}.cpp
  {foreign})
target_link_libraries({name} PRIVATE tsuji::rtl_router tsuji::verilated)
# verilated(CLASS ARGUMENT...): a class of the RTL.
function(verilated class)
  set(folder ${{CMAKE_CURRENT_BINARY_DIR}}/verilated/${{class}})
  add_custom_command(
    OUTPUT ${{folder}}/${{class}}.h ${{folder}}/all.cpp
    COMMAND ${{CMAKE_COMMAND}} -E rm -rf ${{folder}}.new
    COMMAND ${{VERILATOR}} --cc -O3 --x-assign fast --x-initial fast --assert -Wno-fatal -Wno-lint -Wno-style
      --prefix ${{class}} --Mdir ${{folder}}.new ${{ARGN}}
      {arguments}
    COMMAND ${{CMAKE_COMMAND}} -D FOLDER=${{folder}} -D NEW=${{folder}}.new
      -P ${{CMAKE_CURRENT_SOURCE_DIR}}/verilated.cmake
    WORKING_DIRECTORY {folder}
    DEPENDS
      {depends}
    VERBATIM)
  set_source_files_properties(${{folder}}/all.cpp PROPERTIES COMPILE_OPTIONS -w)
  target_sources({name} PRIVATE ${{folder}}/all.cpp ${{folder}}/${{class}}.h)
  target_include_directories({name} SYSTEM PRIVATE ${{folder}})
endfunction()
{classes}
"""

MEMBERS = {"is_head": "head", "is_tail": "tail", "router": "destination", "x": "coordinates[0]", "y": "coordinates[1]",
           "z": "coordinates[2]"}
AXES = {"x": 0, "y": 1, "z": 2}


def quoted(text):
    """A C++ string, or one of CMake's."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def argument(text):
    return quoted(text).replace("$", "\\$")


def verilators(text):
    """An argument of Verilator's, in CMake."""
    return "${trace}" if text == "--trace" else argument(text)


def threads(arguments):
    """Threads of the Verilated class."""
    return int(arguments[arguments.index("--threads") + 1]) or 1 if "--threads" in arguments[:-1] else 1


def classes(about):
    """Names of the Verilated classes, one for each place where places are parameters, with Verilator's arguments."""
    if not about.parameters:
        return {f"V{about.name}": []}
    return {f"V{about.name}_{router}": about.place_arguments(router) for router in range(about.places())}


def source(about, file):
    places = {pin.name: place for place, pin in enumerate(pin for pin in about.pins.values() if pin.packed)}

    def bits(field):
        piece = field.slice
        high = ", true" if field.first_high else ""
        return f"bits({places[piece.pin.name]}, {piece.low}, {piece.width}{high})"

    pins = [f"pin({quoted(pin.name)}, {pin.width}, {'false' if pin.direction == 'output' else 'true'}, "
            f"m.{pin.variable}{f', {quoted(pin.shown_range)}' if pin.shown_range else ''});"
            for pin in about.pins.values() if pin.packed]
    settings = {
        "vcs": about.vcs, "buffer_flits": about.buffer_flits,
        "port_buffer_flits": "{" + ", ".join(map(str, about.port_buffer_flits or ())) + "}",
        "flow": f"tsuji::bench::RtlFlow::{about.flow}",
        "outputs_follow_inputs": str(about.follow_inputs).lower(),
        "stands_when_empty": str(about.stands_when_empty).lower(),
        "settle_cycles": about.settle_cycles, "reset_cycles": about.reset_cycles,
        "reset_high": str(about.reset_high).lower(),
        "length_minus": about.length_minus, "reserve_flits": about.reserve_flits,
        "off_is_high": str(about.off_is_high).lower(), "credit_limit_cycles": about.credit_limit_cycles,
        "wait_limit_cycles": about.wait_limit_cycles,
        "radices": "{" + ", ".join(map(str, about.radices or ())) + "}",
        "destination_is_router": str("router" in about.sides[0]["in"]).lower(),
        "kinds": "{" + ", ".join(map(str, about.kinds)) + "}",
        "port_names": "{" + ", ".join(map(quoted, about.ports)) + "}",
        "port_order": "{" + ", ".join(map(str, about.order)) + "}",
    }
    lines = [f"about.{name} = {value};" for name, value in settings.items()]
    first = 0
    for name, _, vcs in about.channels or ():
        lines.append(f"about.channels.push_back({{{quoted(name)}, {first}, {vcs}}});")
        first += vcs
    lines += [f"about.constants.emplace_back({bits(field)}, {value}U);" for field, value in about.static]
    fields = [f"clock = {bits(about.clock)};", f"reset = {bits(about.reset)};"]
    fields += [f"more_clocks.emplace_back({bits(field)}, {times}U);" for field, times in about.more_clocks]
    fields += [f"{'own_router' if name == 'router' else f'own_coordinates[{AXES[name]}]'} = {bits(field)};"
               for name, field in about.place.items()]
    fields += [f"errors.emplace_back({quoted(field.value.text())}, {bits(field)});" for field in about.errors]
    fields += [f"table_{name} = {bits(field)};" for name, field in about.table.items()]
    fields += [f"table_candidates = {about.candidates}U;"] if about.table else []
    for port, sides in enumerate(about.sides):
        for side, roles in sides.items():
            for role, field in roles.items():
                back = f"{side}_credit" if role in BACK else f"{side}_credit_vc" if role == "credit_vc" else None
                fields.append(f"ports[{port}].{back or f'{side}.' + MEMBERS.get(role, role)} = {bits(field)};")

    def block(rows):
        return "\n".join("    " + row for row in rows)
    names = list(classes(about))
    made = [f"    return std::make_unique<Rtl<{name}>>(name);" if len(names) == 1 else
            f"    if (router == {router}) return std::make_unique<Rtl<{name}>>(name);"
            for router, name in enumerate(names)]
    if len(names) > 1:
        made.append("    return nullptr;")
    return SOURCE.format(headers="\n".join(f'#include "{name}.h"' for name in names), classes="\n".join(made),
                         network=quoted(about.network), where=quoted(str(file)), file=file, name=about.name,
                         top=about.top, what=quoted(about.what),
                         waves="tsuji::bench::VerilatedWaves" if "--trace" in about.arguments else "void",
                         threads=threads(about.arguments), pins=block(pins),
                         about=block(lines), ports=len(about.sides), fields=block(fields))


class Foreign(Exception):
    """A file that somebody else has written."""


def write(path, text, made=MADE):
    """Unless the file is the same: a build does nothing then. Foreign where its first line has no `made`."""
    if path.is_file() and made not in path.read_text(encoding="utf-8", errors="replace").partition("\n")[0]:
        raise Foreign(path)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def project(about, file, folder, source_folder):
    folder.mkdir(parents=True, exist_ok=True)
    depends = [argument(str(path.resolve())) for path in (about.folder / name for name in about.files)
               if path.is_file()]
    arguments = list(map(verilators, about.arguments))
    if about.made_top:
        own = quoted("${CMAKE_CURRENT_SOURCE_DIR}/" + f"{about.top}.sv")
        arguments, depends = [*arguments, own], [*depends, own]
    made = ["verilated(" + " ".join([name, *map(argument, words)]) + ")" for name, words in classes(about).items()]
    write(folder / "CMakeLists.txt", PROJECT.format(
        classes="\n".join(made),
        file=file, name=about.name, folder=argument(str(about.folder)), depends="\n    ".join(depends),
        arguments=" ".join(arguments),
        foreign="\n  ".join(argument(str(path)) for path in about.foreign)))
    write(folder / f"{about.name}.cpp", source(about, file))
    if about.made_top:
        write(folder / f"{about.top}.sv", about.made_top)
    # Where the executable finds scripts and traces.
    (folder / "tsuji_source.txt").write_text(f"{source_folder}\n", encoding="utf-8")
    shutil.copyfile(pathlib.Path(__file__).with_name("verilated.cmake"), folder / "verilated.cmake")
