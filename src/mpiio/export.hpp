// How functions of the MPI-IO surface are defined.
#pragma once

#include "mpi/api.hpp"

#define RESONIO_EXPORT extern "C" __attribute__((visibility("default")))

/// Defines MPI_<name>, and PMPI_<name> as another name for it: Fortran bindings and tools
/// call that one.
#define RESONIO_DEFINE(result, name, parameters)                                     \
  RESONIO_EXPORT result PMPI_##name parameters __attribute__((alias("MPI_" #name))); \
  RESONIO_EXPORT result MPI_##name parameters

/// Whether this MPI has the functions with large counts (MPI_File_read_c ...). If it has not,
/// they must not be defined: programs take their presence as a promise (mpi4py).
#if MPI_VERSION >= 4 && defined(MPICH)
#define RESONIO_LARGE_COUNTS 1
#else
#define RESONIO_LARGE_COUNTS 0
#endif
