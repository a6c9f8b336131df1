// Errors as MPI shows them: classes, codes that carry a message, and error handlers.
#pragma once

#include <string>

#include "base/error.hpp"
#include "mpi/api.hpp"
#include "mpiio/errhandler.hpp"
#include "mpiio/handles.hpp"

namespace resonio::mpiio {

/// The MPI error class of a code.
int error_class(Code code);

/// Reports an error: remembers its message (MPI_Error_string shows it), logs it, and calls the
/// file's error handler, or MPI_FILE_NULL's if `file` is null. Returns the code that the MPI
/// function returns.
int report(const char* function, File* file, MPI_File handle, const Error& error);
/// The same with an MPI error class that has no Code.
int report(const char* function, File* file, MPI_File handle, int mpi_class, const char* text);

/// The message of one of our error codes; false if the code is not ours.
bool message_of(int code, std::string* message);

}  // namespace resonio::mpiio
