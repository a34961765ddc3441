# SPDX-License-Identifier: Apache-2.0
# The installation: libraries, static ones or with BUILD_SHARED_LIBS=ON shared ones, headers as "tsuji/FOLDER/header.h", and a package that find_package(tsuji) finds. All
# libraries together are the target tsuji::tsuji, in a project that takes this one as a subdirectory, too.
get_property(installed GLOBAL PROPERTY TSUJI_INSTALLED)
add_library(tsuji INTERFACE)
target_link_libraries(tsuji INTERFACE ${installed})
set(TSUJI_FST OFF)
# Only the waveforms' writer knows of it, and a shared library has it inside.
if(TARGET tsuji_fstapi AND NOT BUILD_SHARED_LIBS)
  set(TSUJI_FST ON)
  list(APPEND installed tsuji_fstapi)
endif()
add_library(tsuji::tsuji ALIAS tsuji)

include(CMakePackageConfigHelpers)
set(package lib/cmake/tsuji)
install(TARGETS tsuji ${installed} EXPORT tsuji-targets ARCHIVE DESTINATION lib LIBRARY DESTINATION lib)
# tsuji::c, for which no program in C++ is needed; it is not one of the libraries of tsuji::tsuji, whose code it has inside.
if(TSUJI_C)
  install(TARGETS tsuji_c EXPORT tsuji-targets LIBRARY DESTINATION lib)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/tsuji/c/tsuji_dpi.sv ${CMAKE_CURRENT_LIST_DIR}/tsuji/c/tsuji_reference.sv DESTINATION share/tsuji/verilog)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/tsuji_c.pc.in ${PROJECT_BINARY_DIR}/tsuji_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/tsuji_c.pc DESTINATION lib/pkgconfig)
  if(TARGET tsuji_vpi)
    set_target_properties(tsuji_vpi PROPERTIES INSTALL_RPATH "\$ORIGIN/..")
    install(TARGETS tsuji_vpi LIBRARY DESTINATION lib/tsuji)
  endif()
endif()
install(EXPORT tsuji-targets NAMESPACE tsuji:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tsuji-config.cmake.in ${PROJECT_BINARY_DIR}/tsuji-config.cmake
  INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may change what a project sees.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tsuji-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tsuji-config.cmake ${PROJECT_BINARY_DIR}/tsuji-config-version.cmake
  DESTINATION ${package})

# For projects without CMake: pkg-config --cflags --libs tsuji.
set(TSUJI_PC_LIBRARIES "")
foreach(library ${installed})
  string(APPEND TSUJI_PC_LIBRARIES " -l${library}")
endforeach()
pkg_check_modules(SPDLOG_PC REQUIRED spdlog)
pkg_check_modules(YAML_PC REQUIRED yaml-cpp)
set(TSUJI_PC_OTHERS "${YAML_PC_LDFLAGS} ${SPDLOG_PC_LDFLAGS} ${ZSTD_LDFLAGS}")
if(TSUJI_FST)
  string(APPEND TSUJI_PC_OTHERS " -lz")
endif()
string(REPLACE ";" " " TSUJI_PC_OTHERS "${TSUJI_PC_OTHERS}")
# Shared libraries know what they need: a program's run path is its own build's, as pkg-config splits one with a space. Static ones refer to each other in both directions.
if(BUILD_SHARED_LIBS)
  set(TSUJI_PC_LINKED "${TSUJI_PC_LIBRARIES}")
else()
  set(TSUJI_PC_LINKED "-Wl,--start-group ${TSUJI_PC_LIBRARIES} -Wl,--end-group ${TSUJI_PC_OTHERS}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/tsuji.pc.in ${PROJECT_BINARY_DIR}/tsuji.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tsuji.pc DESTINATION lib/pkgconfig)

# What is not compiled lies in `share` as in this project.
set(share share/tsuji)
# What is promised of names: public headers and old names. An old header is there to say the new one.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt ${CMAKE_CURRENT_LIST_DIR}/renamed.txt DESTINATION ${share}/models)
set(renamed_headers ${PROJECT_BINARY_DIR}/models/renamed_headers)
file(REMOVE_RECURSE ${renamed_headers})
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/renamed.txt lines REGEX "^header ")
foreach(line ${lines})
  string(REGEX MATCH "^header +([^ ]+) +([^ ]+) +([^ ]+)$" matched "${line}")
  file(WRITE ${renamed_headers}/${CMAKE_MATCH_2}
    "#error \"${CMAKE_MATCH_2} is called ${CMAKE_MATCH_3} since ${CMAKE_MATCH_1}; tsuji migrate FILE writes the new name\"\n")
endforeach()
install(DIRECTORY ${renamed_headers}/ DESTINATION include)

# The machines, their traces, and the engine of studies.
if(TSUJI_EXECUTABLES)
  install(TARGETS cenju4 compact_study lookup_study network skeleton soc RUNTIME DESTINATION bin OPTIONAL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/traces DESTINATION ${share}/platforms FILES_MATCHING PATTERN "*.zst")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/study DESTINATION ${share}/platforms USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/reproduce DESTINATION ${share}/platforms PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/energy DESTINATION ${share}/platforms FILES_MATCHING PATTERN "*.yaml")
# Example configurations, and the schema of each machine's keys.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/network ${PROJECT_SOURCE_DIR}/platforms/cenju4 ${PROJECT_SOURCE_DIR}/platforms/example
  DESTINATION ${share}/platforms FILES_MATCHING PATTERN "*.yaml" PATTERN "*.jobs" PATTERN "*.list")
if(TSUJI_EXECUTABLES)
  install(CODE "
    foreach(machine cenju4 compact_study lookup_study network soc)
      set(executable \"${PROJECT_BINARY_DIR}/platforms/\${machine}\")
      set(schemas \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}/schemas\")
      if(EXISTS \"\${executable}\")
        file(MAKE_DIRECTORY \"\${schemas}\")
        execute_process(COMMAND \"\${executable}\" --json-schema OUTPUT_FILE \"\${schemas}/\${machine}.json\" COMMAND_ERROR_IS_FATAL ANY)
      endif()
    endforeach()")
endif()

# Scripts that need neither this project's sources nor its build, and `tsuji SCRIPT`, which starts them.
set(scripts against_booksim check_certificate compare convert_trace explore import_booksim import_graph interference migrate plot_latency plot_sweep record_trace report reproduce skeleton study)
list(TRANSFORM scripts PREPEND ${PROJECT_SOURCE_DIR}/scripts/)
install(PROGRAMS ${scripts} DESTINATION ${share}/scripts)
list(FILTER scripts INCLUDE REGEX "/(check_certificate|plot_.*|report)$")
list(TRANSFORM scripts APPEND .py)
install(FILES ${scripts} ${PROJECT_SOURCE_DIR}/scripts/lib.sh ${PROJECT_SOURCE_DIR}/scripts/needs.sh ${PROJECT_SOURCE_DIR}/scripts/packages
  DESTINATION ${share}/scripts)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/recording DESTINATION ${share}/scripts PATTERN __pycache__ EXCLUDE)
# The page that the recorder's messages name.
install(FILES ${PROJECT_SOURCE_DIR}/scripts/handbook.d/topics/recording.md DESTINATION ${share}/scripts/handbook.d/topics)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/packaging/tsuji DESTINATION bin)

# The package `tsuji`, which the scripts find beside them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/tsuji DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.js" PATTERN py.typed PATTERN pyproject.toml PATTERN turns.py EXCLUDE)
file(CREATE_LINK ../../../lib/python3/dist-packages/tsuji ${PROJECT_BINARY_DIR}/models/tsuji_package SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/models/tsuji_package DESTINATION ${share}/scripts RENAME tsuji)

# cpack -G DEB in the build's folder: the same as a package of Debian.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_VENDOR Tsuji)
  set(CPACK_PACKAGE_CONTACT "Tsuji maintainers")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level models of interconnection networks in SystemC")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  if(BUILD_SHARED_LIBS)
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  endif()
  # What the headers include, and what the scripts import.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libsystemc-dev, nlohmann-json3-dev, librandom123-dev, libspdlog-dev, libyaml-cpp-dev, libzstd-dev, zlib1g-dev, pkg-config, python3, python3-yaml")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-matplotlib, python3-scipy, snakemake")
  include(CPack)
endif()
