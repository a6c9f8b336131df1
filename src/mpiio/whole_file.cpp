// Size, durability, hints and atomicity: what concerns the file as a whole.
#include <fmt/format.h>

#include <cstring>

#include "mpiio/file.hpp"
#include "mpiio/hints.hpp"

namespace resonio::mpiio {

/// Collective: what is wrong with a size that all ranks must give alike.
Error File::check_new_size(i64 size) {
  i64 first = size;
  comm_->broadcast(&first, sizeof first, 0);
  Error error = require_random_access();
  if (error.ok()) error = check_mode(Direction::write);
  if (error.ok() && size < 0)
    error = make_error(Code::arg, fmt::format("the size is negative ({})", size));
  if (error.ok() && size != first)
    error = make_error(Code::not_same,
                       fmt::format("the size is {} here and {} on rank 0", size, first));
  return comm_->agree(error);
}

Error File::set_size(MPI_Offset size) {
  if (const Error error = check_new_size(size)) return error;
  return comm_->agree(comm_->rank() == 0 ? engine_->storage()->truncate(size) : Error{});
}

Error File::preallocate(MPI_Offset size) {
  if (const Error error = check_new_size(size)) return error;
  return comm_->agree(comm_->rank() == 0 ? engine_->storage()->preallocate(size) : Error{});
}

Error File::get_size(MPI_Offset* size) {
  const Outcome outcome = engine_->storage()->size();
  if (outcome.error.ok()) *size = outcome.bytes;
  return outcome.error;
}

Error File::sync() {
  const bool writable = (amode_ & MPI_MODE_RDONLY) == 0;
  return comm_->agree(writable ? engine_->storage()->sync() : Error{});
}

Error File::set_info(MPI_Info info) {
  Options options;
  if (comm_->rank() == 0) options = with_hints(options_, info, name_);
  comm_->broadcast(&options, sizeof options, 0);
  options_ = options;
  use_options();
  return {};
}

MPI_Info File::get_info() const {
  return make_info(engine_->options(), {{"resonio_strategy_used", engine_->last_strategy()}});
}

Error File::set_atomicity(bool atomic) {
  bool first = atomic;
  comm_->broadcast(&first, sizeof first, 0);
  Error error;
  if (atomic != first)
    error = make_error(Code::not_same, "the flag is not the same here and on rank 0");
  error = comm_->agree(error);
  if (error) return error;
  atomic_ = atomic;
  use_options();
  return {};
}

/// Gives the hints to the engine. In atomic mode each access holds one lock over all its
/// bytes: strategies that lock parts of it would give parts of it back.
void File::use_options() {
  Options used = options_;
  if (atomic_) {
    std::strcpy(used.strategy_write, "list");
    used.ds_write = Toggle::disable;
  }
  engine_->set_options(used);
}

}  // namespace resonio::mpiio
