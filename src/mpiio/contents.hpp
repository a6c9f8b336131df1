// What a derived datatype was made of, in one form for every MPI and constructor.
#pragma once

#include <vector>

#include "mpi/api.hpp"
#include "pattern/pattern.hpp"

namespace resonio::mpiio {

/// MPI_COMBINER_ of a datatype.
int combiner_of(MPI_Datatype handle);
/// True for named types and Fortran 90's parameterised ones: nobody frees those.
bool predefined(int combiner);

class Contents {
 public:
  /// Of a derived type.
  explicit Contents(MPI_Datatype handle);
  /// Frees the handles that MPI made for us.
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  [[nodiscard]] int combiner() const { return combiner_; }
  /// The constructor's arguments in its own order, arrays flat, whether they were int,
  /// MPI_Aint or MPI_Count.
  [[nodiscard]] const std::vector<pattern::i64>& arguments() const { return arguments_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& types() const { return types_; }

 private:
  int combiner_ = 0;
  std::vector<pattern::i64> arguments_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace resonio::mpiio
