# cmake -D SOURCE=.. -D TEMPLATE=.. -D HEADER=.. -D CAS_..=.. -P version.cmake
# Runs in every build; the header is touched only when a word in it changes.
set(CAS_COMMIT unknown)
find_program(GIT git)
if(GIT)
  # a release unpacked inside somebody else's repository has no commit of its own
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-cdup
                  OUTPUT_VARIABLE above RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND above STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
      set(CAS_COMMIT ${commit})
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)
