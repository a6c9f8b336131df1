#include "mpiio/errors.hpp"

#include <array>
#include <mutex>
#include <vector>

#include "base/log.hpp"
#include "mpiio/file.hpp"

namespace resonio::mpiio {
namespace {

/// An error code of the class for each class that ever failed, with the message of its last
/// error. The code is made by MPI, so that MPI_Error_class knows it; the message is kept here,
/// as MPICH does not keep those of codes of its own classes.
struct Message {
  int mpi_class;
  int code;
  std::string text;
};

std::mutex& mutex() {
  static auto& m = *new std::mutex;
  return m;
}
std::vector<Message>& messages() {
  static auto& m = *new std::vector<Message>;
  return m;
}

int code_with_message(int mpi_class, const std::string& text) {
  const std::lock_guard lock(mutex());
  for (Message& message : messages())
    if (message.mpi_class == mpi_class) {
      message.text = text;
      return message.code;
    }
  int code = mpi_class;
  if (mpi::api().Add_error_code(mpi_class, &code) != MPI_SUCCESS) return mpi_class;
  messages().push_back({mpi_class, code, text});
  return code;
}

int raise(File* file, MPI_File handle, int mpi_class, const std::string& message) {
  const int code = code_with_message(mpi_class, message);
  log::info("{}", message);
  if (file != nullptr) file->errhandler().call(handle, code, message);
  else default_errhandler().call(MPI_FILE_NULL, code, message);
  return code;
}

std::string place(const char* function, const File* file) {
  if (file == nullptr) return function;
  return fmt::format("{} ({})", function, file->name());
}

}  // namespace

int error_class(Code code) {
  switch (code) {
    case Code::ok: return MPI_SUCCESS;
    case Code::access: return MPI_ERR_ACCESS;
    case Code::amode: return MPI_ERR_AMODE;
    case Code::arg: return MPI_ERR_ARG;
    case Code::bad_file: return MPI_ERR_BAD_FILE;
    case Code::count: return MPI_ERR_COUNT;
    case Code::type: return MPI_ERR_TYPE;
    case Code::file: return MPI_ERR_FILE;
    case Code::file_exists: return MPI_ERR_FILE_EXISTS;
    case Code::file_in_use: return MPI_ERR_FILE_IN_USE;
    case Code::io: return MPI_ERR_IO;
    case Code::no_space: return MPI_ERR_NO_SPACE;
    case Code::no_such_file: return MPI_ERR_NO_SUCH_FILE;
    case Code::not_same: return MPI_ERR_NOT_SAME;
    case Code::no_memory: return MPI_ERR_NO_MEM;
    case Code::quota: return MPI_ERR_QUOTA;
    case Code::read_only: return MPI_ERR_READ_ONLY;
    case Code::unsupported_datarep: return MPI_ERR_UNSUPPORTED_DATAREP;
    case Code::unsupported_operation: return MPI_ERR_UNSUPPORTED_OPERATION;
    case Code::other: break;
  }
  return MPI_ERR_OTHER;
}

int report(const char* function, File* file, MPI_File handle, const Error& error) {
  const std::string where = error.rank < 0 ? "" : fmt::format(" (rank {})", error.rank);
  return raise(file, handle, error_class(error.code),
               fmt::format("{}: {}{}", place(function, file), error.text, where));
}

int report(const char* function, File* file, MPI_File handle, int mpi_class, const char* text) {
  return raise(file, handle, mpi_class, fmt::format("{}: {}", place(function, file), text));
}

bool message_of(int code, std::string* text) {
  const std::lock_guard lock(mutex());
  for (const Message& message : messages())
    if (message.code == code && message.code != message.mpi_class) {
      *text = message.text;
      return true;
    }
  return false;
}

}  // namespace resonio::mpiio
