#include "mpiio/datatypes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "mpiio/contents.hpp"
#include "mpiio/decode.hpp"

namespace resonio::mpiio {
namespace {

// --- Predefined types: their handles never die, so neither do their descriptions. ---

const Datatype* predefined_datatype(MPI_Datatype handle) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<MPI_Datatype, std::unique_ptr<const Datatype>>;
  const std::lock_guard lock(mutex);
  auto& entry = known[handle];
  if (entry == nullptr) {
    const pattern::Type type = decode(handle);
    entry = std::make_unique<const Datatype>(Datatype{type, type.pattern.size(), true});
  }
  return entry.get();
}

/// The predefined types this thread used, by a hash of the handle.
struct Recent {
  MPI_Datatype handle;
  const Datatype* datatype;
};

Recent& recent(MPI_Datatype handle) {
  thread_local std::array<Recent, 16> table{};
  const auto hash = static_cast<std::uint64_t>(std::hash<MPI_Datatype>{}(handle));
  return table[(hash * 0x9E3779B97F4A7C15u) >> 60];
}

// --- Derived types: kept as an attribute of the handle, which MPI deletes with the type. ---

using Kept = std::shared_ptr<const Datatype>;

extern "C" int copy_kept(MPI_Datatype, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = new Kept(*static_cast<Kept*>(value));  // a duplicate is the same
  *flag = 1;
  return MPI_SUCCESS;
}

extern "C" int delete_kept(MPI_Datatype, int, void* value, void*) {
  delete static_cast<Kept*>(value);
  return MPI_SUCCESS;
}

int keyval() {
  static const int value = [] {
    int key = MPI_KEYVAL_INVALID;
    mpi::api().Type_create_keyval(copy_kept, delete_kept, &key, nullptr);
    return key;
  }();
  return value;
}

/// MPI has no question for this, but refuses to send such a type, even to nobody.
bool committed(MPI_Datatype handle) {
  static const MPI_Comm quiet = [] {
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::api().Comm_dup(MPI_COMM_SELF, &comm);
    mpi::api().Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
  }();
  const int not_read = 0;
  return mpi::api().Send(&not_read, 1, handle, MPI_PROC_NULL, 0, quiet) == MPI_SUCCESS;
}

const Datatype* derived_datatype(MPI_Datatype handle, Error* why) {
  if (!committed(handle)) {
    *why = make_error(Code::type, "the datatype is not committed (MPI_Type_commit)");
    return nullptr;
  }
  const pattern::Type type = decode(handle);
  auto kept = std::make_unique<Kept>(
      std::make_shared<const Datatype>(Datatype{type, type.pattern.size(), false}));
  const Datatype* datatype = kept->get();
  mpi::api().Type_set_attr(handle, keyval(), kept.release());
  return datatype;
}

}  // namespace

const Datatype* find_datatype(MPI_Datatype handle, Error* why) {
  Recent& last = recent(handle);
  if (last.handle == handle && last.datatype != nullptr) return last.datatype;
  if (handle == MPI_DATATYPE_NULL) {
    *why = make_error(Code::type, "the datatype is MPI_DATATYPE_NULL");
    return nullptr;
  }
  Kept* kept = nullptr;
  int found = 0;
  mpi::api().Type_get_attr(handle, keyval(), &kept, &found);
  if (found != 0) return kept->get();
  try {
    if (!predefined(combiner_of(handle))) return derived_datatype(handle, why);
    last = {handle, predefined_datatype(handle)};
    return last.datatype;
  } catch (const std::exception& e) {
    *why = make_error(Code::type, e.what());
    return nullptr;
  }
}

TypeHandle::TypeHandle(MPI_Datatype handle)
    : handle_(handle), owned_(!predefined(combiner_of(handle))) {
  if (owned_) mpi::api().Type_dup(handle, &handle_);
}

TypeHandle::~TypeHandle() {
  if (owned_) mpi::api().Type_free(&handle_);
}

TypeHandle::TypeHandle(TypeHandle&& other) noexcept
    : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}

TypeHandle& TypeHandle::operator=(TypeHandle&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(owned_, other.owned_);
  return *this;
}

MPI_Datatype TypeHandle::duplicate() const {
  MPI_Datatype copy = handle_;
  if (owned_) mpi::api().Type_dup(handle_, &copy);
  return copy;
}

}  // namespace resonio::mpiio
