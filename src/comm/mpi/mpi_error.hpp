// An MPI call that fails inside the communicator ends the operation by an exception: there
// is no way to go on without the peers.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "mpi/api.hpp"

namespace resonio::comm {

inline void check(int error, const char* call) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  mpi::api().Error_string(error, text, &length);
  throw std::runtime_error(fmt::format("MPI_{}: {}", call, text));
}

}  // namespace resonio::comm
