#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of twins that contradict each other stop elaboration in Verilator, Icarus and yosys, by the name of the
contradiction; those that do not are read by all three.

usage: parameters_test.py FOLDER_OF_VERILOG...
"""

import pathlib
import subprocess
import sys
import unittest

SOURCES = sorted(path for folder in sys.argv[1:] for path in pathlib.Path(folder).glob("*.v"))
FILES = {path.stem: path for path in SOURCES}

CUBE = {"NODE_PORTS": 16}  # of routers whose routes are computed from coordinates
UD = {**CUBE, "ROUTING": 4, "CANDIDATES": 4, "TIMEOUT": 8}
CONTRADICTIONS = (
    ("routing_table_cache", {"WAYS": 8, "WAY_BITS": 2}, "WAYS_is_not_1_to_2_power_WAY_BITS"),
    ("routing_table_cache", {"WAYS": 0}, "WAYS_is_not_1_to_2_power_WAY_BITS"),
    ("routing_table_cache", {"WAYS": 3, "WAY_BITS": 2, "POLICY": 2}, "pseudo_LRU_needs_WAYS_2_power_WAY_BITS"),
    ("routing_table_cache", {"WAYS": 4, "WAY_BITS": 3, "POLICY": 2}, "pseudo_LRU_needs_WAYS_2_power_WAY_BITS"),
    ("routing_table_cache", {"POLICY": 3}, "POLICY_is_not_0_to_2"),
    ("routing_table_cache", {"SET_BITS": 0}, "SET_BITS_and_WAY_BITS_are_not_1_and_more_and_14_together"),
    ("cam", {"ENTRIES": 65}, "ENTRIES_is_not_1_to_2_power_INDEX_BITS"),
    ("cam", {"ACCESS_CYCLES": 256}, "ACCESS_CYCLES_is_not_1_to_255"),
    ("compact_search", {"ENTRIES": 33}, "ENTRIES_is_not_1_to_2_power_ROW_BITS"),
    ("compact_search", {"ENTRIES": 0, "PER_CYCLE": 0}, "ENTRIES_is_not_1_to_2_power_ROW_BITS"),
    ("compact_search", {"PER_CYCLE": 26}, "PER_CYCLE_is_not_1_to_ENTRIES"),
    ("compact_search", {"PER_CYCLE": 0}, "PER_CYCLE_is_not_1_to_ENTRIES"),
    ("compact_search", {"COORDINATE_BITS": 17}, "COORDINATE_BITS_or_PORT_BITS_is_not_1_to_16"),
    ("compact_search", {"PORT_BITS": 0}, "COORDINATE_BITS_or_PORT_BITS_is_not_1_to_16"),
    ("compact_search", {"DISTANCE": 2}, "DISTANCE_is_not_0_or_1"),
    ("compact_search", {"DISTANCE_BITS": 16}, "DISTANCE_BITS_is_not_the_width_of_the_farthest"),
    ("crc_hash", {"POLYNOMIAL": "32'h04c11db6"}, "POLYNOMIAL_is_even"),
    ("crc_hash", {"WIDTH": 65, "POLYNOMIAL": 1}, "WIDTH_is_not_2_to_64"),
    ("lookup_port", {"VCS": 5}, "VCS_is_not_1_to_2_power_VC_BITS"),
    ("lookup_port", {"CAM_CYCLES": 256}, "CAM_CYCLES_is_not_2_to_255"),
    # A pipeline refuses the parameters that its parts refuse.
    ("lookup_pipeline", {"WAYS": 4}, "WAYS_is_not_1_to_2_power_WAY_BITS"),
    ("lookup_pipeline", {"ROWS": 65}, "ENTRIES_is_not_1_to_2_power_INDEX_BITS"),
    ("lookup_pipeline", {"VCS": 8}, "VCS_is_not_1_to_2_power_VC_BITS"),
    ("predictive_crossbar", {"PORTS": 9}, "PORTS_is_not_2_to_2_power_PORT_BITS"),
    ("predictive_crossbar", {"FLIT_CYCLES": 3}, "FLIT_CYCLES_is_not_1_to_SA_CYCLES_and_1"),
    ("predictive_crossbar", {"SA_CYCLES": 0}, "FLIT_CYCLES_is_not_1_to_SA_CYCLES_and_1"),
    ("predictor", {"KIND": 4}, "KIND_is_not_0_to_3"),
    ("predictor", {"HEADS": 0}, "HEADS_is_less_than_1"),
    ("predictor", {"ENTRY_BITS": 7}, "ENTRY_BITS_is_not_1_to_DESTINATION_BITS"),
    ("prediction_unit", {"PORTS": 8}, "PORTS_is_not_below_2_power_PORT_BITS"),
    ("prediction_unit", {"FLIT_CYCLES": 3}, "FLIT_CYCLES_is_not_1_to_SA_CYCLES_and_1"),
    ("table_port", {"DECODE_CYCLES": 0}, "DECODE_CYCLES_is_less_than_1"),
    ("table_port", {"TABLE_CYCLES": 256}, "TABLE_CYCLES_is_not_1_to_255"),
    ("table_port", {"VCS": 8}, "LINES_is_not_1_to_2_power_LINE_BITS"),
    ("block_timer", {"TIMEOUT": 256}, "TIMEOUT_is_not_1_and_below_2_power_COUNT_BITS"),
    ("block_timer", {"TIMEOUT": 0}, "TIMEOUT_is_not_1_and_below_2_power_COUNT_BITS"),
    ("detour_decision", {"RADIX_1": 17}, "RADIX_is_not_1_to_2_power_COORDINATE_BITS"),
    ("crosspoint_switch", {"PORTS": 17}, "PORTS_is_not_2_to_16"),
    ("crosspoint_switch", {"PORTS": 1}, "PORTS_is_not_2_to_16"),
    ("crosspoint_switch", {"SLOTS": 0}, "SLOTS_is_not_1_to_4"),
    ("crosspoint_switch", {"SLOTS": 5}, "SLOTS_is_not_1_to_4"),
    ("crosspoint_switch", {"FLIT_BITS": 3}, "FLIT_BITS_is_not_4_to_9"),
    ("crosspoint_switch", {"SINGLE_CYCLES": 2}, "SINGLE_CYCLES_or_MULTICAST_CYCLES_is_shorter_than_the_header"),
    ("crosspoint_switch", {"MULTICAST_CYCLES": 5}, "SINGLE_CYCLES_or_MULTICAST_CYCLES_is_shorter_than_the_header"),
    ("crosspoint_switch", {"SYNC_CYCLES": 12}, "SYNC_CYCLES_is_not_ACCESS_CYCLES_and_11_to_255"),
    ("crosspoint_switch", {"ACCESS_CYCLES": 0}, "SYNC_CYCLES_is_not_ACCESS_CYCLES_and_11_to_255"),
    ("crosspoint_switch", {"RESERVE_AFTER": 256}, "RESERVE_AFTER_is_not_1_to_255"),
    ("packet_builder", {"PLACES": 3}, "PLACES_is_not_1_to_8_and_2_power_PLACE_BITS"),
    ("packet_builder", {"PLACES": 9, "PLACE_BITS": 4}, "PLACES_is_not_1_to_8_and_2_power_PLACE_BITS"),
    ("packet_builder", {"PLACES": 0}, "PLACES_is_not_1_to_8_and_2_power_PLACE_BITS"),
    ("packet_builder", {"MAX_PAYLOAD": 192}, "MAX_PAYLOAD_is_not_128_or_256"),
    ("packet_builder", {"HEADER_FLITS": 5}, "HEADER_FLITS_is_not_6_to_64"),
    ("packet_builder", {"MULTICAST_HEADER_FLITS": 8}, "MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64"),
    ("packet_builder", {"SYNC_HEADER_FLITS": 65}, "MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64"),
    ("packet_builder", {"WORD_FLITS": 2}, "WORD_FLITS_is_not_3_to_8"),
    ("packet_judge", {"SLOTS": 9}, "SLOTS_is_not_1_to_8"),
    ("packet_judge", {"SLOTS": 0}, "SLOTS_is_not_1_to_8"),
    ("packet_judge", {"HEADER_FLITS": 65}, "HEADER_FLITS_is_not_6_to_64"),
    ("packet_judge", {"MULTICAST_HEADER_FLITS": 65}, "MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64"),
    ("packet_judge", {"SYNC_HEADER_FLITS": 8}, "MULTICAST_HEADER_FLITS_or_SYNC_HEADER_FLITS_is_not_9_to_64"),
    ("packet_judge", {"WORD_FLITS": 9}, "WORD_FLITS_is_not_3_to_8"),
    ("packet_judge", {"FLIT_BITS": 10}, "FLIT_BITS_is_not_4_to_9"),
    ("vc_router", {"PORTS": 9}, "PORTS_is_not_2_to_8"),
    ("vc_router", {"PORTS": 1}, "PORTS_is_not_2_to_8"),
    ("vc_router", {"VCS": 9}, "VCS_is_not_1_to_8"),
    ("vc_router", {"BUFFER_FLITS": 0}, "BUFFER_FLITS_is_less_than_1"),
    ("vc_router", {"RC_CYCLES": 256}, "RC_CYCLES_or_VA_CYCLES_is_not_0_to_255"),
    ("vc_router", {"VA_CYCLES": 256}, "RC_CYCLES_or_VA_CYCLES_is_not_0_to_255"),
    ("vc_router", {"SA_CYCLES": 0}, "SA_CYCLES_is_not_1_to_255_or_ST_CYCLES_0_to_255"),
    ("vc_router", {"ST_CYCLES": 256}, "SA_CYCLES_is_not_1_to_255_or_ST_CYCLES_0_to_255"),
    ("vc_router", {"CREDIT_CYCLES": 256}, "CREDIT_CYCLES_is_not_0_to_255"),
    ("vc_router", {"VA_ALLOCATOR": 3}, "VA_ALLOCATOR_or_SA_ALLOCATOR_is_not_0_to_2"),
    ("vc_router", {"SA_ALLOCATOR": 3}, "VA_ALLOCATOR_or_SA_ALLOCATOR_is_not_0_to_2"),
    ("vc_router", {"ISLIP_ITERATIONS": 0}, "ISLIP_ITERATIONS_is_less_than_1"),
    ("vc_router", {"NODE_PORTS": 32}, "NODE_PORTS_has_not_PORTS_bits"),
    ("vc_router", {"NODE_BITS": 17}, "NODE_BITS_is_not_1_to_16"),
    ("vc_router", {"DATA_BITS": 0}, "DATA_BITS_is_less_than_1"),
    ("vc_router", {"VC_BITS": 3}, "VC_BITS_is_not_the_width_of_VCS"),
    ("vc_router", {"TIMEOUT": 65536}, "TIMEOUT_is_not_0_to_65535"),
    ("vc_router", {"ROUTING": 5, **CUBE}, "ROUTING_is_not_0_to_4"),
    ("vc_router", {"ROUTING": 1}, "coordinates_need_PORTS_5_NODE_PORTS_16_and_even_NODE_BITS"),
    ("vc_router", {"ROUTING": 1, **CUBE, "NODE_BITS": 5}, "coordinates_need_PORTS_5_NODE_PORTS_16_and_even_NODE_BITS"),
    ("vc_router", {"ROUTING": 1, **CUBE, "RADIX_0": 5}, "RADIX_is_not_1_to_2_power_half_NODE_BITS"),
    ("vc_router", {"ROUTING": 1, **CUBE, "RADIX_1": 0}, "RADIX_is_not_1_to_2_power_half_NODE_BITS"),
    ("vc_router", {"ROUTING": 2, **CUBE}, "CANDIDATES_is_not_1_5_8_or_4_as_of_ROUTING"),
    ("vc_router", {"ROUTING": 3, **CUBE, "CANDIDATES": 8, "VCS": 3}, "VCS_is_less_than_ROUTING_needs"),
    ("vc_router", {**UD, "TIMEOUT": 0}, "recovery_needs_TIMEOUT_and_UD_VCS_below_VCS"),
    ("vc_router", {**UD, "RC_CYCLES": 0}, "DECODE_CYCLES_is_less_than_1"),
    ("vc_router", {**UD, "UD_VCS": 4}, "recovery_needs_TIMEOUT_and_UD_VCS_below_VCS"),
    ("vc_router", {**UD, "TABLE_CYCLES": 0}, "TABLE_CYCLES_is_not_1_to_255_or_HOP_LIMIT_below_2_power_HOP_BITS"),
    ("vc_router", {**UD, "HOP_LIMIT": 256}, "TABLE_CYCLES_is_not_1_to_255_or_HOP_LIMIT_below_2_power_HOP_BITS"),
    ("vc_router", {"HEAD_BITS": 5}, "HEAD_BITS_is_not_the_width_of_heads"),
    ("vc_router", {"CANDIDATES": 9}, "CANDIDATES_is_not_1_to_8"),
    ("vc_router", {"CANDIDATES": 0}, "CANDIDATES_is_not_1_to_8"),
    ("vc_router", {"CANDIDATES": 3, "ROW_BITS": 5}, "ROW_BITS_is_not_the_width_of_rows"),
    ("vc_router", {"CANDIDATES": 3, "ROUTE_BITS": 5}, "ROW_BITS_is_not_the_width_of_rows"),
    ("vc_router", {"PREDICTION": 1, "ROW_BITS": 4}, "ROW_BITS_is_not_the_width_of_rows"),
    ("vc_router", {"PREDICTION": 3}, "PREDICTION_is_not_0_to_2_or_rows_have_no_place_for_all_inputs"),
    ("vc_router", {"PREDICTION": 1, "NODE_BITS": 2}, "PREDICTION_is_not_0_to_2_or_rows_have_no_place_for_all_inputs"),
    ("vc_router", {"PREDICTION": 1, "RC_CYCLES": 0}, "PREDICTION_needs_RC_CYCLES_1_to_ST_CYCLES_and_no_recovery"),
    ("vc_router", {"PREDICTION": 2, "RC_CYCLES": 2}, "PREDICTION_needs_RC_CYCLES_1_to_ST_CYCLES_and_no_recovery"),
    ("vc_router", {**UD, "PREDICTION": 2}, "PREDICTION_needs_RC_CYCLES_1_to_ST_CYCLES_and_no_recovery"),
)
CONSISTENT = (
    ("crosspoint_switch", {"PORTS": 2, "SLOTS": 1, "FLIT_BITS": 4, "SINGLE_CYCLES": 3, "MULTICAST_CYCLES": 6,
                           "SYNC_CYCLES": 12, "ACCESS_CYCLES": 1, "RESERVE_AFTER": 1}),
    ("crosspoint_switch", {"PORTS": 5, "SLOTS": 4, "FLIT_BITS": 9, "SINGLE_CYCLES": 255, "SYNC_CYCLES": 255}),
    ("routing_table_cache", {}),
    ("routing_table_cache", {"WAYS": 1, "WAY_BITS": 1}),
    ("routing_table_cache", {"WAYS": 3, "WAY_BITS": 2, "POLICY": 1}),
    ("routing_table_cache", {"WAYS": 8, "WAY_BITS": 3, "POLICY": 2}),
    ("routing_table_cache", {"SET_BITS": 3, "WAYS": 8, "WAY_BITS": 3}),
    ("cam", {"ENTRIES": 63}),
    ("cam", {"ENTRIES": 1, "INDEX_BITS": 1, "ACCESS_CYCLES": 2}),
    ("compact_search", {"ENTRIES": 32}),
    ("compact_search", {"ENTRIES": 1, "ROW_BITS": 1, "PER_CYCLE": 1, "COORDINATE_BITS": 16}),
    ("compact_search", {"PER_CYCLE": 25, "DISTANCE": 1, "DISTANCE_BITS": 9, "ENDS_EARLY": 1}),
    ("crc_hash", {"WIDTH": 16, "POLYNOMIAL": "16'h1021"}),
    ("lookup_port", {"VCS": 3}),
    ("predictive_crossbar", {"PORTS": 8, "SA_CYCLES": 2, "FLIT_CYCLES": 3}),
    ("predictor", {"KIND": 2, "HEADS": 1}),
    ("prediction_unit", {"PORTS": 7, "KIND": 3, "ENTRY_BITS": 1}),
    ("table_port", {"VCS": 3, "NODE_VCS": 1, "TABLE_CYCLES": 1}),
    ("table_port", {"DECODE_CYCLES": 3, "TABLE_CYCLES": 255, "PIPELINED": 0}),
    ("block_timer", {"TIMEOUT": 1, "COUNT_BITS": 1}),
    ("detour_decision", {"RADIX_0": 16, "RADIX_1": 1, "WRAPS": 0}),
    ("packet_builder", {"PLACES": 1}),
    ("packet_builder", {"PLACES": 8, "PLACE_BITS": 3, "MAX_PAYLOAD": 128, "HEADER_FLITS": 6,
                        "MULTICAST_HEADER_FLITS": 9, "SYNC_HEADER_FLITS": 64, "WORD_FLITS": 8}),
    ("packet_judge", {"SLOTS": 8, "HEADER_FLITS": 64, "MULTICAST_HEADER_FLITS": 64, "WORD_FLITS": 8}),
    ("packet_judge", {"SLOTS": 1, "HEADER_FLITS": 6, "MULTICAST_HEADER_FLITS": 9, "FLIT_BITS": 4}),
    ("vc_router", {"PORTS": 2, "VCS": 1, "BUFFER_FLITS": 1, "RC_CYCLES": 0, "VA_CYCLES": 0, "ST_CYCLES": 0,
                   "CREDIT_CYCLES": 0}),
    ("vc_router", {"PORTS": 8, "VCS": 2, "VA_ALLOCATOR": 2, "SA_ALLOCATOR": 1, "ATOMIC_VCS": 1, "CREDIT_CYCLES": 4}),
    ("vc_router", {"PORTS": 3, "VCS": 3, "VA_ALLOCATOR": 1, "SA_ALLOCATOR": 2, "RC_CYCLES": 4, "VA_CYCLES": 3,
                   "SA_CYCLES": 3}),
    ("vc_router", {"PORTS": 4, "VCS": 2, "CANDIDATES": 2, "CREDIT_CYCLES": 0}),
    ("vc_router", {"PORTS": 5, "VCS": 1, "CANDIDATES": 8, "BUFFER_FLITS": 1}),
    ("vc_router", {"TIMEOUT": 1}),
    ("vc_router", {"ROUTING": 1, **CUBE, "VCS": 2, "WRAPS": 0, "RADIX_0": 1, "RC_CYCLES": 0, "VA_CYCLES": 0}),
    ("vc_router", {"ROUTING": 2, **CUBE, "CANDIDATES": 5, "VCS": 3, "NODE_BITS": 8, "RADIX_0": 10, "RADIX_1": 16}),
    ("vc_router", {"ROUTING": 3, **CUBE, "CANDIDATES": 8, "TIMEOUT": 8}),
    ("vc_router", {**UD, "VCS": 2, "TABLE_CYCLES": 1, "HOP_LIMIT": 255}),
    ("vc_router", {**UD, "VCS": 8, "UD_VCS": 7, "RC_CYCLES": 3, "VA_CYCLES": 0, "HOP_BITS": 1}),
    ("vc_router", {"PREDICTION": 1, "PORTS": 8, "NODE_BITS": 3, "VCS": 1}),
    ("vc_router", {"PREDICTION": 2, "CANDIDATES": 3, "VA_CYCLES": 0, "SA_CYCLES": 4, "ST_CYCLES": 2, "RC_CYCLES": 2}),
    ("vc_router", {"PREDICTION": 1, "ROUTING": 3, **CUBE, "CANDIDATES": 8, "TIMEOUT": 8}),
    ("vc_router", {"PORTS": 2, "TIMEOUT": 65535, "RC_CYCLES": 0, "VA_CYCLES": 0}),
)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return result.returncode, result.stdout + result.stderr


def sources_of(top):
    """A twin and what it may be made of: the Verilog of its folder, and for the router Detour's and prediction's."""
    parts = ("block_timer", "predictor") if top == "vc_router" else ()
    folders = {FILES[name].parent for name in (top, *parts)}
    return [path for path in SOURCES if path.parent in folders]


def in_verilator(top, parameters):
    """Without the wrapper in Perl, which takes longer than the reading."""
    return run("verilator_bin", "--lint-only", "-Wno-lint", "-Wno-style", "--default-language", "1364-2005",
               *(word for folder in sorted({path.parent for path in sources_of(top)}) for word in ("-y", folder)),
               *(f"-G{name}={value}" for name, value in parameters.items()), FILES[top])


def in_icarus(top, parameters):
    """Its -P takes numbers only, so a module around the top sets them."""
    sets = ", ".join(f".{name}({value})" for name, value in parameters.items())
    wrapped = f"module wrapped; {top} #({sets}) one (); endmodule\n"
    result = subprocess.run(["iverilog", "-g2005", "-t", "null", "-s", "wrapped", *sources_of(top), "/dev/stdin"],
                            input=wrapped,
                            capture_output=True, text=True, timeout=300, check=False)
    return result.returncode, result.stdout + result.stderr


def in_yosys(top, parameters):
    """No module is made with its defaults, which nobody asks for."""
    sets = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return run("yosys", "-q", "-p",
               f"read_verilog -defer {' '.join(map(str, sources_of(top)))}; hierarchy -check -top {top}{sets}")


TOOLS = (in_verilator, in_icarus, in_yosys)


class Parameters(unittest.TestCase):
    def test_contradictions_stop_elaboration(self):
        for top, parameters, name in CONTRADICTIONS:
            for tool in TOOLS:
                with self.subTest(top=top, parameters=parameters, tool=tool.__name__):
                    status, told = tool(top, parameters)
                    self.assertNotEqual(status, 0, told)
                    self.assertIn(name, told)

    def test_others_are_read(self):
        for top, parameters in CONSISTENT:
            for tool in TOOLS:
                with self.subTest(top=top, parameters=parameters, tool=tool.__name__):
                    status, told = tool(top, parameters)
                    self.assertEqual(status, 0, told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
