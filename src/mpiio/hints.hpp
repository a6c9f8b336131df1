// From MPI_Info and the environment to options, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "mpi/api.hpp"

namespace resonio::mpiio {

struct Hint {
  std::string name;
  std::string value;
};

/// RESONIO_HINTS="glob:k=v:k=v,glob2:k=v": the hints of all globs that match the file's name or
/// its last part.
std::vector<Hint> environment_hints(std::string_view setting, const std::string& file);

/// Options with an info's hints put in, then the environment's. Unknown hints are ignored and
/// logged; of values that cannot be used a warning says why.
Options with_hints(const Options& options, MPI_Info info, const std::string& file);

/// A new info with the value in use of every hint.
MPI_Info make_info(const Options& options, const std::vector<Hint>& more);

}  // namespace resonio::mpiio
