// Exported: error handlers of files, and the messages of our error codes.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"

namespace resonio::mpiio {

RESONIO_DEFINE(int, File_create_errhandler,
               (MPI_File_errhandler_function * function, MPI_Errhandler* handle)) {
  return create_errhandler(function, Language::c, handle);
}

RESONIO_DEFINE(int, File_set_errhandler, (MPI_File fh, MPI_Errhandler handle)) {
  // The MPI libraries set handlers of their own files by this name, too.
  if (foreign(fh)) return mpi::api().File_set_errhandler(fh, handle);
  Errhandler handler;
  const Error error = guarded([&] { return Errhandler::from_handle(handle, &handler); });
  if (fh == MPI_FILE_NULL) {
    if (error) return report("MPI_File_set_errhandler", nullptr, fh, error);
    set_default_errhandler(handler);
    return MPI_SUCCESS;
  }
  return on_file("MPI_File_set_errhandler", fh, [&](File& file) {
    if (error.ok()) file.errhandler() = handler;
    return error;
  });
}

RESONIO_DEFINE(int, File_get_errhandler, (MPI_File fh, MPI_Errhandler* handle)) {
  if (foreign(fh)) return mpi::api().File_get_errhandler(fh, handle);
  if (fh == MPI_FILE_NULL) {
    *handle = default_errhandler().handle();
    return MPI_SUCCESS;
  }
  return on_file("MPI_File_get_errhandler", fh, [&](File& file) {
    *handle = file.errhandler().handle();
    return Error{};
  });
}

RESONIO_DEFINE(int, File_call_errhandler, (MPI_File fh, int code)) {
  const auto call = [&](const Errhandler& handler) {
    handler.call(fh, code, fmt::format("MPI_File_call_errhandler with error code {}", code));
  };
  if (fh == MPI_FILE_NULL) {
    call(default_errhandler());
    return MPI_SUCCESS;
  }
  return on_file("MPI_File_call_errhandler", fh, [&](File& file) {
    call(file.errhandler());
    return Error{};
  });
}

RESONIO_DEFINE(int, Error_string, (int code, char* text, int* length)) {
  std::string message;
  if (!message_of(code, &message)) return mpi::api().Error_string(code, text, length);
  const std::size_t n = std::min<std::size_t>(message.size(), MPI_MAX_ERROR_STRING - 1);
  std::memcpy(text, message.data(), n);
  text[n] = '\0';
  *length = static_cast<int>(n);
  return MPI_SUCCESS;
}

// From Fortran the handler is a Fortran procedure: it is called with integers. Both libraries'
// own Fortran functions lose that. The handle of `use mpi_f08` is a struct of one integer, and
// its last argument is optional.
namespace {

MPI_Fint errhandler_to_fortran(MPI_Errhandler handle) {
#ifdef MPI_Errhandler_c2f
  return MPI_Errhandler_c2f(handle);
#else
  return mpi::api().Errhandler_c2f(handle);
#endif
}

void create_fortran_errhandler(MPI_File_errhandler_function* function, MPI_Fint* handle,
                               MPI_Fint* error) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int code = create_errhandler(function, Language::fortran, &made);
  if (code == MPI_SUCCESS) *handle = errhandler_to_fortran(made);
  if (error != nullptr) *error = code;
}

}  // namespace

#define RESONIO_FORTRAN(symbol)                                                        \
  RESONIO_EXPORT void symbol(MPI_File_errhandler_function* function, MPI_Fint* handle, \
                             MPI_Fint* error) {                                        \
    create_fortran_errhandler(function, handle, error);                                \
  }

RESONIO_FORTRAN(mpi_file_create_errhandler)
RESONIO_FORTRAN(mpi_file_create_errhandler_)
RESONIO_FORTRAN(mpi_file_create_errhandler__)
RESONIO_FORTRAN(MPI_FILE_CREATE_ERRHANDLER)
RESONIO_FORTRAN(mpi_file_create_errhandler_f08_)
RESONIO_FORTRAN(pmpi_file_create_errhandler)
RESONIO_FORTRAN(pmpi_file_create_errhandler_)
RESONIO_FORTRAN(pmpi_file_create_errhandler__)
RESONIO_FORTRAN(PMPI_FILE_CREATE_ERRHANDLER)
#ifdef OPEN_MPI
RESONIO_FORTRAN(pmpi_file_create_errhandler_f08_)
RESONIO_FORTRAN(ompi_file_create_errhandler_f)
#else
RESONIO_FORTRAN(pmpir_file_create_errhandler_f08_)
#endif

}  // namespace resonio::mpiio
