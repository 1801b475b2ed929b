# For work:  cmake -C src/cmake/presets/release.cmake -S . -B build
# As fast as this tree computes, without the tests and what only they need.
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(BUILD_TESTING OFF CACHE BOOL "")
