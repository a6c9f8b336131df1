// What every exported function on a file does around its work: finds the file of the handle,
// lets no exception out, and reports errors to the file's error handler.
#pragma once

#include <exception>
#include <new>

#include "mpiio/errors.hpp"
#include "mpiio/file.hpp"
#include "mpiio/handles.hpp"

namespace resonio::mpiio {

/// Runs `body`, which returns an Error; no exception comes out.
template <class Body>
Error guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return make_error(Code::no_memory, "no memory");
  } catch (const std::exception& e) {
    return make_error(Code::other, e.what());
  }
}

/// Runs `body(File&)` on the file of a handle; returns what the MPI function returns.
template <class Body>
int on_file(const char* function, MPI_File handle, Body&& body) {
  File* file = find(handle);
  if (file == nullptr)
    return report(function, nullptr, handle,
                  make_error(Code::file, "the file handle is null, closed or not a file's"));
  const Error error = guarded([&] { return body(*file); });
  if (error.ok()) return MPI_SUCCESS;
  return report(function, file, handle, error);
}

}  // namespace resonio::mpiio
