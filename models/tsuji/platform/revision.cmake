# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=FOLDER -D OUTPUT=FILE.cpp -P revision.cmake: writes the revision of the source in FOLDER, as git describes it,
# into FILE.cpp, which stays untouched as long as the revision is the same.
set(revision "unknown: built outside of a git repository")
find_program(GIT git)
if(GIT)
  # A folder that was unpacked somewhere within another repository has no revision.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND prefix STREQUAL "")
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12
      OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed AND NOT described STREQUAL "")
      set(revision "${described}")
    endif()
  endif()
endif()
set(text "#include \"tsuji/platform/revision.h\"\n\nnamespace tsuji::platform {\n\nconst char* source_revision() {\n  return \"${revision}\";\n}\n\n}  // namespace tsuji::platform\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
