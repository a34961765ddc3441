# SPDX-License-Identifier: Apache-2.0
# tsuji_verilated_fst(TARGET ROOT LINK): Verilator's waveforms in FST for the runtime TARGET, of the Verilator in ROOT. Its source includes
# gtkwave's writer, whose functions LINK has, too; a program links one copy, that of LINK. Classes are then made with --trace-fst, and without
# this function with --trace.
function(tsuji_verilated_fst target root link)
  file(READ ${root}/include/verilated_fst_c.cpp text)
  string(REGEX REPLACE "#include \"gtkwave/[a-z0-9]+\\.c\"" "" text "${text}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/verilated_fst.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"gtkwave/fstapi.h\"\n${text}" @ONLY)
  # It and the writer of VCD have local functions of one name.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
  target_compile_definitions(${target} PUBLIC TSUJI_RTL_FST)
  target_link_libraries(${target} PUBLIC ${link})
endfunction()
