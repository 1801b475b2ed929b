# For a debugger:  cmake -C src/cmake/presets/debug.cmake -S . -B build-debug
# One set of instructions, so that each function is compiled, and met, once.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CASIMIR_INSTRUCTION_SETS "" CACHE STRING "")
set(CASIMIR_WERROR ON CACHE BOOL "")
