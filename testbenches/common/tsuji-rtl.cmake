# SPDX-License-Identifier: Apache-2.0
# find_package(tsuji COMPONENTS rtl) of an installation: tsuji::rtl_router, a router's RTL in a network, and tsuji::verilated, Verilator's runtime,
# which each project compiles, as it must be of the Verilator that translates the RTL. Included by tsuji-config.cmake.
find_program(VERILATOR verilator)
if(NOT VERILATOR)
  set(tsuji_FOUND FALSE)
  set(tsuji_NOT_FOUND_MESSAGE "no program verilator (Debian's package verilator)")
  return()
endif()
find_dependency(CLI11)
include(${CMAKE_CURRENT_LIST_DIR}/tsuji-rtl-targets.cmake)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(sources ${VERILATOR_ROOT}/include)
add_library(tsuji_verilated STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/verilated_runtime.cpp ${sources}/verilated_threads.cpp
  ${sources}/verilated_cov.cpp ${sources}/verilated_dpi.cpp ${sources}/verilated_vcd_c.cpp)
add_library(tsuji::verilated ALIAS tsuji_verilated)
set_target_properties(tsuji_verilated PROPERTIES CXX_STANDARD ${tsuji_CXX_STANDARD} CXX_STANDARD_REQUIRED ON)
target_include_directories(tsuji_verilated SYSTEM PUBLIC ${sources} ${sources}/vltstd)
target_compile_options(tsuji_verilated PRIVATE -w)
# Clang leaves some of Verilator's atomics to a library; with GCC they take none.
target_link_libraries(tsuji_verilated PUBLIC tsuji::rtl_messages PkgConfig::SYSTEMC Threads::Threads $<$<CXX_COMPILER_ID:Clang>:atomic>)
if(TARGET tsuji::fstapi)
  include(${CMAKE_CURRENT_LIST_DIR}/verilated_fst.cmake)
  tsuji_verilated_fst(tsuji_verilated ${VERILATOR_ROOT} tsuji::fstapi)
endif()
