# SPDX-License-Identifier: Apache-2.0
# Takes into FOLDER what Verilator wrote into NEW, and writes FOLDER/all.cpp, which includes its sources. Files that are equal stay unchanged, so
# that what includes the class's header is compiled again only where pins have changed.
file(GLOB sources RELATIVE ${NEW} ${NEW}/V*.cpp)
file(GLOB headers RELATIVE ${NEW} ${NEW}/V*.h)
set(text "")
foreach(source ${sources})
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE ${NEW}/all.cpp "${text}")
file(MAKE_DIRECTORY ${FOLDER})
file(GLOB before RELATIVE ${FOLDER} ${FOLDER}/*)
list(REMOVE_ITEM before ${sources} ${headers} all.cpp)
foreach(file ${before})
  file(REMOVE ${FOLDER}/${file})
endforeach()
foreach(file ${sources} ${headers})
  file(COPY_FILE ${NEW}/${file} ${FOLDER}/${file} ONLY_IF_DIFFERENT)
endforeach()
# Its time tells the build that sources have changed.
file(COPY_FILE ${NEW}/all.cpp ${FOLDER}/all.cpp)
