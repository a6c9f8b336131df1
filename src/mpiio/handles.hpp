// MPI_File handles. A handle is the address of a slot of one table, so that a handle that is
// closed or not ours is found out by comparing addresses, and nothing behind it is read. Its
// Fortran form is the slot's number.
#pragma once

#include "mpi/api.hpp"

namespace resonio::mpiio {

class File;

/// A new handle for a file; MPI_FILE_NULL if the table is full. Thread-safe, as all here.
MPI_File publish(File* file);
/// The file of a handle; null if the handle is closed or not ours.
File* find(MPI_File handle);
/// Ends a handle. Its slot is used again as late as possible, so that a handle that is kept
/// after closing is not taken for another file's.
void retire(MPI_File handle);

/// True if the handle may be one of the MPI library's own.
bool foreign(MPI_File handle);

MPI_Fint to_fortran(MPI_File handle);
MPI_File from_fortran(MPI_Fint number);

}  // namespace resonio::mpiio
