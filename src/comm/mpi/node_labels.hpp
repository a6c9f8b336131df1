// Which ranks of an MPI communicator share memory.
#pragma once

#include <vector>

#include "mpi/api.hpp"

namespace resonio::comm {

/// Collective. One label a rank; equal = same node, real (MPI_COMM_TYPE_SHARED) or one of the
/// virtual ones that RESONIO_NODES of rank 0 cuts them into.
std::vector<int> node_labels(MPI_Comm comm);

}  // namespace resonio::comm
