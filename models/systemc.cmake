# SPDX-License-Identifier: Apache-2.0
# A libsystemc carries the C++ standard that it was compiled with in a link symbol, and links with no other.
# tsuji_find_systemc_standard(RESULT): the first standard of 17 and 20 whose program links with PkgConfig::SYSTEMC. A standard that the
# user or an including project has set is the only one that is tried.
function(tsuji_find_systemc_standard result)
  set(candidates 17 20)
  if(CMAKE_CXX_STANDARD)
    set(candidates ${CMAKE_CXX_STANDARD})
  endif()
  foreach(standard ${candidates})
    try_compile(TSUJI_SYSTEMC_LINKS_AS_CXX${standard}
      SOURCE_FROM_CONTENT links.cpp "#include <systemc>\nint sc_main(int, char**) { return 0; }\n"
      LINK_LIBRARIES PkgConfig::SYSTEMC
      CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
      OUTPUT_VARIABLE said)
    if(TSUJI_SYSTEMC_LINKS_AS_CXX${standard})
      set(${result} ${standard} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  list(JOIN candidates " nor C++" tried)
  message(FATAL_ERROR "SystemC ${SYSTEMC_VERSION} does not link with a program of C++${tried}. It must be compiled as C++17 or C++20.\n${said}")
endfunction()
