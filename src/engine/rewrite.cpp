#include "engine/rewrite.hpp"

#include <cerrno>
#include <cstring>

namespace resonio::engine {

Rewrite::Rewrite(storage::File& file, const storage::Extent& extent)
    : file_(file), extent_(extent) {
  error_ = file_.lock(extent_.offset, extent_.length, true);
  if (!error_.ok()) {
    no_locks_ = error_.code == Code::unsupported_operation || error_.sys == ENOLCK;
    return;
  }
  locked_ = true;
  std::memset(extent_.memory, 0, static_cast<std::size_t>(extent_.length));
  error_ = file_.transfer(Direction::read, {&extent_, 1}).error;
}

Rewrite::~Rewrite() {
  if (locked_) (void)file_.unlock(extent_.offset, extent_.length);
}

}  // namespace resonio::engine
