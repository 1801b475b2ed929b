# The libraries that casimir stands on, as targets casimir::NAME. Read by the build and, after
# installation, by the package configuration, because a static libcasimir hands them on to its users.
include(CheckCSourceCompiles)
include(CheckSymbolExists)
find_package(PkgConfig QUIET)

# What was not found: a line for each for people, and the Debian packages that bring them.
set(CASIMIR_MISSING "")
set(CASIMIR_MISSING_PACKAGES "")

macro(casimir_missing text)
  string(APPEND CASIMIR_MISSING "\n  ${text}")
  list(APPEND CASIMIR_MISSING_PACKAGES ${ARGN})
endmacro()

# casimir_dependency(NAME TITLE t HEADER h LIBRARIES l.. MODULES m.. SUFFIXES s.. PACKAGES p.. LINK t.. PROBE c)
# MODULES are names that pkg-config may know it by, SUFFIXES places below the usual ones, LINK targets that it
# needs itself, and PROBE a translation unit that has to compile and link. NAME_ROOT in the environment
# (HDF5_ROOT, SPRNG_ROOT, ..) or CMAKE_PREFIX_PATH name other places.
function(casimir_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 D "" "TITLE;HEADER;PROBE" "LIBRARIES;MODULES;SUFFIXES;PACKAGES;LINK")
  string(TOUPPER ${name} upper)
  if(PKG_CONFIG_FOUND AND D_MODULES)
    pkg_search_module(CASIMIR_PC_${upper} QUIET ${D_MODULES})
  endif()
  find_path(CASIMIR_${upper}_INCLUDE ${D_HEADER} HINTS ENV ${upper}_ROOT ${CASIMIR_PC_${upper}_INCLUDE_DIRS}
            PATH_SUFFIXES include ${D_SUFFIXES})
  mark_as_advanced(CASIMIR_${upper}_INCLUDE)
  set(found ${CASIMIR_${upper}_INCLUDE})
  set(files "")
  foreach(library IN LISTS D_LIBRARIES)
    find_library(CASIMIR_${upper}_${library} ${library}
                 HINTS ENV ${upper}_ROOT ${CASIMIR_PC_${upper}_LIBRARY_DIRS} PATH_SUFFIXES lib ${D_SUFFIXES})
    mark_as_advanced(CASIMIR_${upper}_${library})
    list(APPEND files ${CASIMIR_${upper}_${library}})
    if(NOT CASIMIR_${upper}_${library})
      set(found FALSE)
    endif()
  endforeach()

  if(found AND D_PROBE)
    set(CMAKE_REQUIRED_INCLUDES ${CASIMIR_${upper}_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${files} ${D_LINK})
    set(CMAKE_REQUIRED_QUIET TRUE)
    check_c_source_compiles("${D_PROBE}" CASIMIR_${upper}_LINKS)
    set(found ${CASIMIR_${upper}_LINKS})
  endif()

  if(NOT found)
    # looked for again next time, when the right package may be there
    unset(CASIMIR_${upper}_LINKS CACHE)
    unset(CASIMIR_${upper}_INCLUDE CACHE)
    foreach(library IN LISTS D_LIBRARIES)
      unset(CASIMIR_${upper}_${library} CACHE)
    endforeach()
    list(JOIN D_PACKAGES " " packages)
    casimir_missing("${D_TITLE}  (Debian: ${packages})" ${D_PACKAGES})
    set(CASIMIR_MISSING "${CASIMIR_MISSING}" PARENT_SCOPE)
    set(CASIMIR_MISSING_PACKAGES "${CASIMIR_MISSING_PACKAGES}" PARENT_SCOPE)
  elseif(NOT TARGET casimir::${name})
    add_library(casimir::${name} INTERFACE IMPORTED)
    set_target_properties(casimir::${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CASIMIR_${upper}_INCLUDE}"
      INTERFACE_LINK_LIBRARIES "${files};${D_LINK}")
  endif()
endfunction()

# mpicc.mpich goes with mpiexec.mpich.
foreach(wrapper IN ITEMS "${CMAKE_C_COMPILER}" "${MPI_C_COMPILER}")
  if(wrapper MATCHES "mpi[a-z]*([.][a-z0-9]+)$")
    find_program(MPIEXEC_EXECUTABLE mpiexec${CMAKE_MATCH_1})
  endif()
endforeach()
find_package(MPI QUIET COMPONENTS C)
set(casimir_hdf5 openmpi mpich)
if(NOT MPI_C_FOUND)
  casimir_missing("MPI, such as Open MPI or MPICH  (Debian: libopenmpi-dev)" libopenmpi-dev)
else()
  # the header of parallel HDF5 includes mpi.h
  set(casimir_mpi MPI::MPI_C)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_symbol_exists(MPICH_VERSION mpi.h CASIMIR_MPICH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(CASIMIR_MPICH)
    list(REVERSE casimir_hdf5)
  endif()
endif()

# HDF5 for the MPI that was chosen is looked for first, and no other is taken.
list(GET casimir_hdf5 0 casimir_mpi_name)
list(TRANSFORM casimir_hdf5 PREPEND "hdf5-" OUTPUT_VARIABLE casimir_hdf5_modules)
list(TRANSFORM casimir_hdf5 PREPEND "hdf5/" OUTPUT_VARIABLE casimir_hdf5_suffixes)
set(casimir_hdf5_probe "#include <hdf5_hl.h>
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
int main(void) { return H5open() < 0 || H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL) < 0; }
")
casimir_dependency(hdf5 TITLE "HDF5, built for MPI"
  HEADER hdf5.h LIBRARIES hdf5_hl hdf5 MODULES ${casimir_hdf5_modules} hdf5-mpi hdf5 SUFFIXES ${casimir_hdf5_suffixes}
  PACKAGES libhdf5-${casimir_mpi_name}-dev LINK ${casimir_mpi} PROBE "${casimir_hdf5_probe}")

# The MPIs that a program or library loads
function(casimir_mpis file result)
  execute_process(COMMAND ldd ${file} OUTPUT_VARIABLE loaded ERROR_QUIET)
  string(REGEX MATCHALL "lib(mpi|mpich|mpi_cray|mpi_gnu[_0-9]*)[.]so[.0-9]*" mpis "${loaded}")
  list(REMOVE_DUPLICATES mpis)
  set(${result} "${mpis}" PARENT_SCOPE)
endfunction()

# Two MPIs in one process would both be started by half: a program with HDF5 and MPI is linked and looked at.
if(TARGET casimir::hdf5 AND MPI_C_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(casimir_probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/casimir_hdf5)
  file(WRITE ${casimir_probe}.c "${casimir_hdf5_probe}")
  try_compile(casimir_linked ${casimir_probe} ${casimir_probe}.c LINK_LIBRARIES casimir::hdf5 COPY_FILE ${casimir_probe}.exe)
  if(casimir_linked)
    casimir_mpis(${casimir_probe}.exe casimir_loaded)
    casimir_mpis(${CASIMIR_HDF5_hdf5} casimir_hdf5_mpi)
    list(LENGTH casimir_loaded casimir_loaded_mpis)
    if(casimir_loaded_mpis GREATER 1)
      list(REMOVE_ITEM casimir_loaded ${casimir_hdf5_mpi})
      casimir_missing("HDF5 for the chosen MPI, which is ${casimir_loaded}; ${CASIMIR_HDF5_hdf5} was built for ${casimir_hdf5_mpi}. \
Name another HDF5 in HDF5_ROOT, or the wrapper of the other MPI in -DMPI_C_COMPILER, in a new build directory  \
(Debian: libhdf5-${casimir_mpi_name}-dev)" libhdf5-${casimir_mpi_name}-dev)
    endif()
  endif()
endif()

# Any BLAS and LAPACK that CMake knows (BLA_VENDOR says which), with integers of 32 bits.
set(BLA_SIZEOF_INTEGER 4)
find_package(BLAS QUIET)
find_package(LAPACK QUIET)
set(CASIMIR_LAPACK_LIBRARIES ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
list(REMOVE_DUPLICATES CASIMIR_LAPACK_LIBRARIES)
if(NOT BLAS_FOUND OR NOT LAPACK_FOUND)
  casimir_missing("BLAS and LAPACK, BLA_VENDOR=${BLA_VENDOR}  (Debian: libopenblas-dev)" libopenblas-dev)
elseif(NOT TARGET casimir::lapack)
  add_library(casimir::lapack INTERFACE IMPORTED)
  set_target_properties(casimir::lapack PROPERTIES INTERFACE_LINK_LIBRARIES "${CASIMIR_LAPACK_LIBRARIES}")
endif()

if(CASIMIR_SPRNG)
  casimir_dependency(sprng TITLE "SPRNG 2.0, or -DCASIMIR_SPRNG=OFF for none of its generators"
    HEADER sprng/sprng.h LIBRARIES sprng PACKAGES libsprng2-dev
    PROBE "#include <sprng/sprng.h>
int main(void) { return !init_sprng(SPRNG_MLFG, 0, 1, 1, SPRNG_DEFAULT); }")
endif()

casimir_dependency(yaml TITLE "libyaml"
  HEADER yaml.h LIBRARIES yaml MODULES yaml-0.1 PACKAGES libyaml-dev
  PROBE "#include <yaml.h>
int main(void) { yaml_parser_t p; return !yaml_parser_initialize(&p); }")
