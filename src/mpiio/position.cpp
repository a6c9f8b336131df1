// The individual file pointer.
#include <fmt/format.h>

#include "mpiio/file.hpp"

namespace resonio::mpiio {

Error File::require_random_access() const {
  if ((amode_ & MPI_MODE_SEQUENTIAL) == 0) return {};
  return make_error(Code::unsupported_operation,
                    "the file was opened with MPI_MODE_SEQUENTIAL, which allows shared file "
                    "pointers only");
}

Error File::seek(MPI_Offset offset, int whence) {
  if (const Error error = require_random_access()) return error;
  const i64 etype = view_.etype_size > 0 ? view_.etype_size : 1;
  i64 base = 0;  // in etypes
  if (whence == MPI_SEEK_CUR) {
    base = position_ / etype;
  } else if (whence == MPI_SEEK_END) {
    if (!view_.filetype.pattern.ascending())
      return make_error(Code::unsupported_operation,
                        "MPI_SEEK_END: the filetype's bytes overlap or go backwards");
    const Outcome size = engine_->storage()->size();
    if (size.error) return size.error;
    base = (view_.bytes_before(size.bytes) + etype - 1) / etype;  // behind an etype cut short
  } else if (whence != MPI_SEEK_SET) {
    return make_error(Code::arg,
                      fmt::format("whence {} is none of MPI_SEEK_SET, _CUR, _END", whence));
  }
  i64 target = 0;
  if (__builtin_add_overflow(base, offset, &target))
    return make_error(Code::arg, "the offset is beyond any file");
  i64 position = 0;
  if (const Error error = in_view(target, &position)) return error;
  position_ = position;
  return {};
}

Error File::position(MPI_Offset* offset) const {
  if (const Error error = require_random_access()) return error;
  *offset = view_.etype_size > 0 ? position_ / view_.etype_size : 0;
  return {};
}

}  // namespace resonio::mpiio
