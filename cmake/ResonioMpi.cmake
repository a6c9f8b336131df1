# Both MPIs side by side. For each one found: target mpi_<name> (headers only: resonio never
# links an MPI), and variables RESONIO_<NAME>_CC, _CXX, _FC, _H5CC, _MPIEXEC for programs.
find_package(PkgConfig REQUIRED)
set(RESONIO_MPIS "" CACHE INTERNAL "MPIs found")
set(_pc_mpich mpich)
set(_pc_openmpi ompi-c)

foreach(mpi mpich openmpi)
  string(TOUPPER ${mpi} M)
  find_program(RESONIO_${M}_CC mpicc.${mpi})
  find_program(RESONIO_${M}_CXX mpicxx.${mpi})
  find_program(RESONIO_${M}_FC mpifort.${mpi})
  find_program(RESONIO_${M}_H5CC h5pcc.${mpi})
  find_program(RESONIO_${M}_MPIEXEC mpiexec.${mpi})
  pkg_check_modules(PC_${M} QUIET ${_pc_${mpi}})
  if(PC_${M}_FOUND AND RESONIO_${M}_CC)
    list(APPEND RESONIO_MPIS ${mpi})
    add_library(mpi_${mpi} INTERFACE)
    target_include_directories(mpi_${mpi} SYSTEM INTERFACE ${PC_${M}_INCLUDE_DIRS})
    target_compile_definitions(mpi_${mpi} INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  else()
    message(STATUS "resonio: ${mpi} not found (mpicc.${mpi}, pkg-config ${_pc_${mpi}}): no library for it")
  endif()
endforeach()
if(NOT RESONIO_MPIS)
  message(FATAL_ERROR "resonio: no MPI found. On Debian: make deps")
endif()

# resonio_mpi_program(NAME SOURCE [H5]): an MPI program for each MPI, made with that MPI's own
# compiler wrapper, as a user would: ${CMAKE_BINARY_DIR}/programs/<mpi>/NAME.
# C (.c), C++ (.cpp), Fortran (.f90, .f). H5: with the parallel HDF5 wrapper.
function(resonio_mpi_program name source)
  cmake_parse_arguments(P "H5" "" "FLAGS" ${ARGN})
  get_filename_component(ext ${source} LAST_EXT)
  foreach(mpi ${RESONIO_MPIS})
    string(TOUPPER ${mpi} M)
    if(P_H5)
      set(compiler ${RESONIO_${M}_H5CC})
    elseif(ext STREQUAL ".c")
      set(compiler ${RESONIO_${M}_CC})
    elseif(ext STREQUAL ".cpp")
      set(compiler ${RESONIO_${M}_CXX} -std=c++20)
    else()
      set(compiler ${RESONIO_${M}_FC})
    endif()
    set(dir ${CMAKE_BINARY_DIR}/programs/${mpi})
    set(out ${dir}/${name})
    add_custom_command(OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
      COMMAND ${CMAKE_COMMAND} -E chdir ${dir} ${compiler} -O2 -g ${P_FLAGS} -I${CMAKE_SOURCE_DIR}/tests/mpi
              -o ${out} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} VERBATIM)
    add_custom_target(program_${mpi}_${name} ALL DEPENDS ${out})
  endforeach()
endfunction()
