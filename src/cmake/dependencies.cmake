# The libraries that casimir stands on, as targets casimir::NAME. Read by the build and, after
# installation, by the package configuration, because a static libcasimir hands them on to its users.
include(CheckCSourceCompiles)
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

find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  casimir_missing("MPI, such as Open MPI  (Debian: libopenmpi-dev)" libopenmpi-dev)
else()
  # the header of parallel HDF5 includes mpi.h
  set(casimir_mpi MPI::MPI_C)
endif()

# HDF5 for the MPI that was chosen is looked for first, and no other is taken.
set(casimir_hdf5 openmpi mpich)
if(MPI_C_LIBRARIES MATCHES "mpich")
  list(REVERSE casimir_hdf5)
endif()
list(TRANSFORM casimir_hdf5 PREPEND "hdf5-" OUTPUT_VARIABLE casimir_hdf5_modules)
list(TRANSFORM casimir_hdf5 PREPEND "hdf5/" OUTPUT_VARIABLE casimir_hdf5_suffixes)
casimir_dependency(hdf5 TITLE "HDF5, built for MPI"
  HEADER hdf5.h LIBRARIES hdf5_hl hdf5 MODULES ${casimir_hdf5_modules} hdf5-mpi hdf5 SUFFIXES ${casimir_hdf5_suffixes}
  PACKAGES libhdf5-openmpi-dev LINK ${casimir_mpi}
  PROBE "#include <hdf5_hl.h>
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
int main(void) { return H5open() < 0 || H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL) < 0; }")

# Two MPIs in one process would both be started by half.
find_program(CASIMIR_READELF NAMES readelf llvm-readelf eu-readelf)
mark_as_advanced(CASIMIR_READELF)
if(CASIMIR_READELF AND MPI_C_FOUND AND CASIMIR_HDF5_hdf5 MATCHES "[.]so")
  execute_process(COMMAND ${CASIMIR_READELF} -d ${CASIMIR_HDF5_hdf5} OUTPUT_VARIABLE casimir_hdf5_needs ERROR_QUIET)
  if((casimir_hdf5_needs MATCHES "libmpich" AND MPI_C_LIBRARIES MATCHES "open-?mpi")
     OR (casimir_hdf5_needs MATCHES "libmpi[.]so[.]40" AND MPI_C_LIBRARIES MATCHES "mpich"))
    casimir_missing("HDF5 for the MPI of ${MPI_C_LIBRARIES}; ${CASIMIR_HDF5_hdf5} was built for another MPI"
                    libhdf5-openmpi-dev libhdf5-mpich-dev)
  endif()
endif()

casimir_dependency(lapacke TITLE "LAPACKE"
  HEADER lapacke.h LIBRARIES lapacke MODULES lapacke PACKAGES liblapacke-dev
  PROBE "#include <lapacke.h>
int main(void) { return LAPACKE_dstevr != 0; }")

casimir_dependency(openblas TITLE "OpenBLAS"
  HEADER cblas.h LIBRARIES openblas MODULES openblas SUFFIXES openblas-pthread openblas
  PACKAGES libopenblas-dev
  PROBE "#include <cblas.h>
int main(void) { return !openblas_get_corename(); }")

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
