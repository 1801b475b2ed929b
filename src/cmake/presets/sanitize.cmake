# With clang's checks of addresses and undefined behaviour, as .ci/run tests it:
#   cmake -C src/cmake/presets/sanitize.cmake -S . -B build-sanitize
# A shared library, so that both kinds are built somewhere. Large functions call for their checks of
# addresses, and kernels have vectors of 16 bytes: a check of a longer access costs several times as
# much, and compilation would take minutes.
set(CMAKE_C_COMPILER clang CACHE STRING "")
set(CMAKE_C_FLAGS "-mllvm -asan-instrumentation-with-call-threshold=1000 -Wno-unused-command-line-argument"
    CACHE STRING "")
set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "")
set(BUILD_SHARED_LIBS ON CACHE BOOL "")
set(CASIMIR_SANITIZE address,undefined CACHE STRING "")
set(CASIMIR_INSTRUCTION_SETS "" CACHE STRING "")
set(CASIMIR_WERROR ON CACHE BOOL "")
