// Data access: from a call's arguments to patterns of bytes, and to the engine.
#include <fmt/format.h>

#include <new>

#include "mpiio/file.hpp"

namespace resonio::mpiio {
namespace {

void set_status(MPI_Status* status, i64 bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  // In bytes: MPI_Get_count and MPI_Get_elements divide by the datatype they are given.
  mpi::api().Status_set_elements_x(status, MPI_BYTE, bytes);
  mpi::api().Status_set_cancelled(status, 0);
}

/// A lock over a range of the file, for as long as it lives.
class RangeLock {
 public:
  RangeLock(storage::File& file, pattern::Segment range, Direction direction)
      : file_(file),
        range_(range),
        error_(file.lock(range.offset, range.length, direction == Direction::write)) {}
  ~RangeLock() {
    if (error_.ok()) file_.unlock(range_.offset, range_.length);
  }
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  storage::File& file_;
  pattern::Segment range_;
  Error error_;
};

}  // namespace

Error File::transfer(const Transfer& transfer, MPI_Status* status) {
  std::unique_lock<std::mutex> lock;
  if (threads_ && !transfer.collective) lock = std::unique_lock(mutex_);
  Place place;
  const Error argument = locate(transfer, &place);
  Outcome outcome;
  if (transfer.collective) outcome = move_all(transfer.direction, place, argument);
  else if (argument.ok()) outcome = move(transfer.direction, place);
  else outcome.error = argument;
  set_status(status, outcome.bytes);
  // As the standard has it: behind what was asked for, also if the file ended before.
  if (outcome.error.ok() && transfer.at == Transfer::At::pointer)
    position_ = place.position + place.bytes;
  return outcome.error;
}

Error File::check_mode(Direction direction) const {
  if (direction == Direction::read && (amode_ & MPI_MODE_WRONLY) != 0)
    return make_error(Code::access, "the file was opened for writing only (MPI_MODE_WRONLY)");
  if (direction == Direction::write && (amode_ & MPI_MODE_RDONLY) != 0)
    return make_error(Code::read_only, "the file was opened for reading only (MPI_MODE_RDONLY)");
  return {};
}

/// What the call moves, or what is wrong with it.
Error File::locate(const Transfer& transfer, Place* place) const try {
  const bool read = transfer.direction == Direction::read;
  if ((amode_ & (MPI_MODE_SEQUENTIAL | (read ? MPI_MODE_WRONLY : MPI_MODE_RDONLY))) != 0) {
    const Error error = require_random_access();
    return error ? error : check_mode(transfer.direction);
  }
  if (transfer.count < 0)
    return make_error(Code::count, fmt::format("the count is negative ({})", transfer.count));
  Error error;
  const Datatype* type = find_datatype(transfer.type, &error);
  if (type == nullptr) return error;
  place->position = position_;
  if (transfer.at == Transfer::At::offset) error = in_view(transfer.offset, &place->position);
  if (error) return error;
  if (__builtin_mul_overflow(transfer.count, type->size, &place->bytes))
    return make_error(Code::count, fmt::format("the count is too large ({})", transfer.count));
  if (place->bytes == 0) return {};
  return locate_bytes(transfer, *type, place);
} catch (const std::bad_alloc&) {
  return make_error(Code::no_memory, "no memory to describe the access");
}

Error File::locate_bytes(const Transfer& transfer, const Datatype& type, Place* place) const {
  if (view_.filetype.pattern.empty())
    return make_error(Code::arg, "the file view has no data: its filetype is empty");
  if (place->bytes % view_.etype_size != 0)
    return make_error(Code::arg, fmt::format("{} bytes are no whole number of etypes of {} bytes",
                                             place->bytes, view_.etype_size));
  if (transfer.buffer == nullptr && type.predefined)
    return make_error(Code::arg, "the buffer is null");
  if (!in_range(place->position, place->bytes))
    return make_error(Code::arg, "the access goes beyond the largest file");
  place->file = view_.access(place->position, place->bytes);
  place->memory = {transfer.buffer,
                   pattern::Access::whole(pattern::repeat(transfer.count, type.type))};
  return {};
}

Outcome File::move(Direction direction, const Place& place) {
  if (atomic_) return move_locked(direction, place);
  return engine_->transfer(direction, place.file, place.memory);
}

Outcome File::move_all(Direction direction, const Place& place, const Error& argument) {
  if (!atomic_) return engine_->transfer_all(direction, place.file, place.memory, argument);
  // Each rank for itself: a lock held while waiting for other ranks would stop those that
  // wait for the lock.
  Outcome outcome;
  outcome.error = comm_->agree(argument);
  if (outcome.error) return outcome;
  outcome = move_locked(direction, place);
  outcome.error = comm_->agree(outcome.error);
  return outcome;
}

Outcome File::move_locked(Direction direction, const Place& place) {
  if (place.bytes == 0) return {};
  const RangeLock lock(*engine_->storage(), place.file.bounds(), direction);
  if (lock.error()) return {lock.error(), 0};
  return engine_->transfer(direction, place.file, place.memory);
}

}  // namespace resonio::mpiio
