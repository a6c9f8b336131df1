// File views.
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "mpiio/file.hpp"
#include "mpiio/hints.hpp"

namespace resonio::mpiio {
namespace {

Error check_datarep(const char* datarep) {
  if (datarep == nullptr) return make_error(Code::arg, "the data representation is null");
  if (std::string_view(datarep) == "native") return {};
  return make_error(
      Code::unsupported_datarep,
      fmt::format("data representation '{}' is not supported; \"native\" is", datarep));
}

Error check_types(const Datatype& etype, const Datatype& filetype, bool writable) {
  const pattern::Type& tile = filetype.type;
  if (filetype.size == 0) return {};
  if (etype.size == 0 || filetype.size % etype.size != 0)
    return make_error(Code::arg,
                      fmt::format("the filetype's {} bytes are no multiple of the etype's {}",
                                  filetype.size, etype.size));
  if (tile.pattern.lower() < 0 || tile.extent < 0)
    return make_error(Code::arg, "the filetype has negative displacements");
  if (writable && !tile.pattern.ascending())
    return make_error(Code::arg,
                      "the filetype's bytes overlap or go backwards; a file that is open for "
                      "writing cannot have such a view");
  return {};
}

}  // namespace

Error File::set_view(MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                     const char* datarep, MPI_Info info) {
  const bool sequential = (amode_ & MPI_MODE_SEQUENTIAL) != 0;
  Error error;
  const Datatype* element = find_datatype(etype, &error);
  const Datatype* tile = find_datatype(filetype, &error);
  if (element != nullptr && tile != nullptr)
    error = check_types(*element, *tile, (amode_ & MPI_MODE_RDONLY) == 0);
  if (error.ok()) error = check_datarep(datarep);
  if (disp == MPI_DISPLACEMENT_CURRENT && sequential) disp = view_.offset_of(position_);
  if (error.ok() && disp < 0) {
    const char* text = disp == MPI_DISPLACEMENT_CURRENT
                           ? "MPI_DISPLACEMENT_CURRENT is for files opened with "
                             "MPI_MODE_SEQUENTIAL"
                           : "the displacement is negative";
    error = make_error(Code::arg, text);
  }

  struct {
    Options options;
    i64 etype_extent;
  } first{};  // what rank 0 says
  if (comm_->rank() == 0)
    first = {with_hints(options_, info, name_), element == nullptr ? -1 : element->type.extent};
  comm_->broadcast(&first, sizeof first, 0);
  if (error.ok() && first.etype_extent >= 0 && first.etype_extent != element->type.extent)
    error = make_error(Code::not_same, fmt::format("the etype's extent is {} here and {} on rank 0",
                                                   element->type.extent, first.etype_extent));
  error = comm_->agree(error);
  if (error) return error;

  etype_ = TypeHandle(etype);
  filetype_ = TypeHandle(filetype);
  view_ = {disp, element->size, tile->type};
  position_ = 0;
  options_ = first.options;
  use_options();
  return {};
}

void File::get_view(MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
                    char* datarep) const {
  *disp = view_.disp;
  *etype = etype_.duplicate();
  *filetype = filetype_.duplicate();
  std::strcpy(datarep, "native");
}

Error File::byte_offset(MPI_Offset offset, MPI_Offset* disp) const {
  i64 position = 0;
  if (const Error error = in_view(offset, &position)) return error;
  *disp = view_.offset_of(position);
  return {};
}

Error File::in_view(MPI_Offset offset, i64* position) const {
  if (offset < 0) return make_error(Code::arg, fmt::format("the offset is negative ({})", offset));
  if (__builtin_mul_overflow(offset, view_.etype_size, position) || !in_range(*position, 0))
    return make_error(Code::arg, fmt::format("offset {} is beyond the largest file", offset));
  return {};
}

bool File::in_range(i64 position, i64 bytes) const {
  constexpr i64 limit = i64{1} << 62;
  const pattern::Type& tile = view_.filetype;
  const i64 size = tile.pattern.size();
  if (size == 0) return true;
  i64 end = 0;  // of the tile that holds the last byte
  const bool overflow = __builtin_add_overflow(position, bytes, &end) ||
                        __builtin_mul_overflow(end / size + 1, tile.extent, &end) ||
                        __builtin_add_overflow(end, tile.pattern.upper() + view_.disp, &end);
  return !overflow && end < limit;
}

}  // namespace resonio::mpiio
