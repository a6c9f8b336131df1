// The Comm over MPI. Runs at any thread level: all its calls come from the caller's thread.
#pragma once

#include <memory>

#include "comm/comm.hpp"
#include "mpi/api.hpp"

namespace resonio::comm {

/// Collective over `comm`, an intra-communicator. Works on a duplicate, so that its messages
/// never meet the program's. To be destroyed by all ranks together (that frees the
/// duplicate), or after MPI_Finalize. Throws std::runtime_error if MPI fails.
///
/// Environment (rank 0's counts):
///   RESONIO_NODES=k            k more node boundaries: contiguous blocks of ranks, as if each
///                              were a node (to test what happens between nodes on one)
///   RESONIO_SHARED_MEMORY=m    how ranks of a node share memory: memfd, posix, none
///                              (default: memfd, or posix where that fails)
std::unique_ptr<Comm> make_mpi_comm(MPI_Comm comm);

}  // namespace resonio::comm
