# For work on casimir itself:  cmake -C src/cmake/presets/develop.cmake -S . -B build
# Kernels are compiled for one set of instructions instead of three, and warnings are errors. What .ci/run tests has all
# of them. Objects come from ccache where it is installed.
set(CASIMIR_INSTRUCTION_SETS "" CACHE STRING "")
set(CASIMIR_WERROR ON CACHE BOOL "")
find_program(CASIMIR_CCACHE ccache)
mark_as_advanced(CASIMIR_CCACHE)
if(CASIMIR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CASIMIR_CCACHE} CACHE STRING "")
endif()
