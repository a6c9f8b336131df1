// Error handlers of files. The MPI libraries hand out the handles, but what a handler of the
// program's does is kept here: neither library calls one rightly for a file that is not its own.
#pragma once

#include <string>

#include "base/error.hpp"
#include "mpi/api.hpp"

namespace resonio::mpiio {

/// Fortran gets its arguments as integers.
enum class Language { c, fortran };

/// A handler as a file holds it: what to do, and a reference to the handle.
class Errhandler {
 public:
  /// MPI_ERRORS_RETURN.
  Errhandler();
  ~Errhandler();
  Errhandler(const Errhandler& other);
  Errhandler& operator=(Errhandler other);

  /// Error if the handle is not a predefined one or one made by create.
  static Error from_handle(MPI_Errhandler handle, Errhandler* result);

  /// A new reference to the handle, for the program to free.
  [[nodiscard]] MPI_Errhandler handle() const;

  /// Calls it. Does not return if it is MPI_ERRORS_ARE_FATAL (or ABORT).
  void call(MPI_File file, int code, const std::string& message) const;

 private:
  enum class Kind { return_code, fatal, user };
  Kind kind_ = Kind::return_code;
  MPI_Errhandler handle_;
  MPI_File_errhandler_function* function_ = nullptr;
  Language language_ = Language::c;
};

/// MPI_File_create_errhandler.
int create_errhandler(MPI_File_errhandler_function* function, Language language,
                      MPI_Errhandler* handle);

/// The handler of MPI_FILE_NULL: for errors without a file, and what new files start with.
Errhandler default_errhandler();
void set_default_errhandler(const Errhandler& handler);

}  // namespace resonio::mpiio
