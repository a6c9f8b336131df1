// The one error type of resonio's core. It is trivially copyable, so that it can be
// agreed on by all ranks of a collective through shared memory or a message.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace resonio {

/// What went wrong, named after the MPI error classes (MPI-4.1, section 14.7).
/// `src/mpiio` maps each to its MPI class; the core knows no MPI.
enum class Code : std::int32_t {
  ok = 0,
  access,                 // permission denied                        (MPI_ERR_ACCESS)
  amode,                  // amode not allowed or not the same        (MPI_ERR_AMODE)
  arg,                    // invalid argument                         (MPI_ERR_ARG)
  bad_file,               // invalid file name                        (MPI_ERR_BAD_FILE)
  count,                  // invalid count                            (MPI_ERR_COUNT)
  type,                   // invalid datatype                         (MPI_ERR_TYPE)
  file,                   // invalid file handle                      (MPI_ERR_FILE)
  file_exists,            // exclusive creation of an existing file   (MPI_ERR_FILE_EXISTS)
  file_in_use,            // (MPI_ERR_FILE_IN_USE)
  io,                     // any other I/O error                      (MPI_ERR_IO)
  no_space,               // (MPI_ERR_NO_SPACE)
  no_such_file,           // (MPI_ERR_NO_SUCH_FILE)
  not_same,               // collective arguments differ              (MPI_ERR_NOT_SAME)
  no_memory,              // (MPI_ERR_NO_MEM)
  quota,                  // (MPI_ERR_QUOTA)
  read_only,              // (MPI_ERR_READ_ONLY)
  unsupported_datarep,    // (MPI_ERR_UNSUPPORTED_DATAREP)
  unsupported_operation,  // (MPI_ERR_UNSUPPORTED_OPERATION)
  other,                  // (MPI_ERR_OTHER)
};

/// An error or success. `text` says what was tried, at which offset, and what to do;
/// the file's name is added where it is known (src/mpiio). 256 bytes, no ownership.
struct Error {
  Code code = Code::ok;
  std::int32_t sys = 0;    // errno, 0 if none
  std::int32_t rank = -1;  // rank on which it happened; set when ranks agree
  std::int32_t pad = 0;
  char text[240] = {};

  [[nodiscard]] bool ok() const { return code == Code::ok; }
  explicit operator bool() const { return !ok(); }
};
static_assert(std::is_trivially_copyable_v<Error> && sizeof(Error) == 256);

/// Error with a formatted text (cut at 239 characters).
[[nodiscard]] Error make_error(Code code, std::string_view text, int sys = 0);

/// Error from errno: chooses the code, appends strerror. `doing` is e.g.
/// "write of 4096 bytes at offset 8192".
[[nodiscard]] Error errno_error(int sys, std::string_view doing);

/// Outcome of a transfer: `bytes` moved (less than asked only at end of file or on error).
struct Outcome {
  Error error;
  std::int64_t bytes = 0;
};

}  // namespace resonio
