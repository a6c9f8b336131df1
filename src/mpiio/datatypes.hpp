// Datatypes as the calls of a program hand them in, decoded once.
#pragma once

#include "base/error.hpp"
#include "mpi/api.hpp"
#include "pattern/type.hpp"

namespace resonio::mpiio {

struct Datatype {
  pattern::Type type;
  pattern::i64 size = 0;    // data bytes
  bool predefined = false;  // nobody may free the handle
};

/// What a committed datatype describes; valid as long as its handle. Null, and *why says why,
/// if it cannot be used.
const Datatype* find_datatype(MPI_Datatype handle, Error* why);

/// A reference to a datatype that a file keeps.
class TypeHandle {
 public:
  TypeHandle() = default;
  explicit TypeHandle(MPI_Datatype handle);  // a duplicate, unless it is predefined
  ~TypeHandle();
  TypeHandle(TypeHandle&& other) noexcept;
  TypeHandle& operator=(TypeHandle&& other) noexcept;
  [[nodiscard]] MPI_Datatype get() const { return handle_; }
  /// A duplicate for the program to free (predefined types are handed out as they are).
  [[nodiscard]] MPI_Datatype duplicate() const;

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

}  // namespace resonio::mpiio
