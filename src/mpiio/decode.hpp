// MPI datatypes as patterns of bytes.
#pragma once

#include "mpi/api.hpp"
#include "pattern/type.hpp"

namespace resonio::mpiio {

/// Walks from a handle through the types it was made of. Throws std::runtime_error if it meets
/// a type that it does not know.
pattern::Type decode(MPI_Datatype handle);

}  // namespace resonio::mpiio
