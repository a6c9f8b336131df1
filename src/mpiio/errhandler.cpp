#include "mpiio/errhandler.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "mpiio/handles.hpp"

namespace resonio::mpiio {
namespace {

struct Created {
  MPI_File_errhandler_function* function;
  Language language;
};

// Never destroyed: programs end while other threads and exit handlers still run.
std::mutex& mutex() {
  static auto& m = *new std::mutex;
  return m;
}
std::map<MPI_Errhandler, Created>& created() {
  static auto& m = *new std::map<MPI_Errhandler, Created>;
  return m;
}
Errhandler& default_handler() {
  static auto& h = *new Errhandler;
  return h;
}

/// One reference more to a handle. MPI has no function for that, but setting a handler on
/// MPI_FILE_NULL and asking for it again is one. False if it is no handler for files.
bool retain(MPI_Errhandler handle) {
  const std::lock_guard lock(mutex());
  MPI_Errhandler same = handle;
  const auto& api = mpi::api();
  if (api.File_set_errhandler(MPI_FILE_NULL, handle) != MPI_SUCCESS) return false;
  const bool done = api.File_get_errhandler(MPI_FILE_NULL, &same) == MPI_SUCCESS;
  api.File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  return done;
}

bool is_fatal(MPI_Errhandler handle) {
#ifdef MPI_ERRORS_ABORT
  if (handle == MPI_ERRORS_ABORT) return true;
#endif
  return handle == MPI_ERRORS_ARE_FATAL;
}

[[noreturn]] void abort_program(int code, const std::string& message) {
  log::error("{} (the file's error handler is MPI_ERRORS_ARE_FATAL)", message);
  int error_class = code;
  mpi::api().Error_class(code, &error_class);
  mpi::api().Abort(MPI_COMM_WORLD, error_class);
  std::abort();
}

}  // namespace

Errhandler::Errhandler() : handle_(MPI_ERRORS_RETURN) {}

Errhandler::~Errhandler() {
  if (kind_ == Kind::user) mpi::api().Errhandler_free(&handle_);
}

Errhandler::Errhandler(const Errhandler& other)
    : kind_(other.kind_),
      handle_(other.handle_),
      function_(other.function_),
      language_(other.language_) {
  if (kind_ == Kind::user) retain(handle_);
}

Errhandler& Errhandler::operator=(Errhandler other) {
  std::swap(kind_, other.kind_);
  std::swap(handle_, other.handle_);
  std::swap(function_, other.function_);
  std::swap(language_, other.language_);
  return *this;
}

Error Errhandler::from_handle(MPI_Errhandler handle, Errhandler* result) {
  Errhandler made;
  if (is_fatal(handle)) {
    made.kind_ = Kind::fatal;
    made.handle_ = handle;
  } else if (handle != MPI_ERRORS_RETURN) {
    Created known{};
    {
      const std::lock_guard lock(mutex());
      const auto entry = created().find(handle);
      if (entry != created().end()) known = entry->second;
    }
    if (known.function == nullptr || !retain(handle))
      return make_error(Code::arg,
                        "not an error handler for files: use MPI_ERRORS_RETURN, "
                        "MPI_ERRORS_ARE_FATAL or one made by MPI_File_create_errhandler");
    made.kind_ = Kind::user;
    made.handle_ = handle;
    made.function_ = known.function;
    made.language_ = known.language;
  }
  *result = std::move(made);
  return {};
}

MPI_Errhandler Errhandler::handle() const {
  retain(handle_);  // also of a predefined one: Open MPI counts those, too
  return handle_;
}

void Errhandler::call(MPI_File file, int code, const std::string& message) const {
  if (kind_ == Kind::return_code) return;
  if (kind_ == Kind::fatal) abort_program(code, message);
  if (language_ == Language::c) {
    function_(&file, &code);
    return;
  }
  MPI_Fint fortran_file = to_fortran(file);
  MPI_Fint fortran_code = code;
  reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*)>(function_)(&fortran_file, &fortran_code);
}

int create_errhandler(MPI_File_errhandler_function* function, Language language,
                      MPI_Errhandler* handle) {
  const int code = mpi::api().File_create_errhandler(function, handle);
  if (code != MPI_SUCCESS) return code;
  const std::lock_guard lock(mutex());
  created()[*handle] = {function, language};
  return MPI_SUCCESS;
}

Errhandler default_errhandler() { return default_handler(); }

void set_default_errhandler(const Errhandler& handler) { default_handler() = handler; }

}  // namespace resonio::mpiio
