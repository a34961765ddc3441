# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/all.cpp, which includes all that Verilator wrote into FOLDER.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
set(text "")
foreach(source ${sources})
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${FOLDER}/all.cpp "${text}")
