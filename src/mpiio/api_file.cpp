// Exported: everything on files but data access and error handlers.
#include <fmt/format.h>

#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"

namespace resonio::mpiio {
namespace {

const char* why_not(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return "the communicator is MPI_COMM_NULL";
  int inter = 0;
  mpi::api().Comm_test_inter(comm, &inter);
  return inter != 0 ? "an intercommunicator cannot open a file" : nullptr;
}

Error open(MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* handle) {
  std::unique_ptr<File> file;
  if (const Error error = File::open(comm, name, amode, info, &file)) return error;
  *handle = publish(file.get());
  if (*handle == MPI_FILE_NULL) return make_error(Code::no_memory, "too many open files");
  file.release();  // the handle's, until it is closed
  return {};
}

Error close(MPI_File* handle, File& file) {
  const std::unique_ptr<File> owner(&file);
  retire(*handle);
  *handle = MPI_FILE_NULL;
  return file.close();
}

template <class Extent>
int get_type_extent(const char* function, MPI_File fh, MPI_Datatype type, Extent* extent) {
  return on_file(function, fh, [&](File&) {
    Error error;
    const Datatype* datatype = find_datatype(type, &error);
    if (datatype != nullptr) *extent = datatype->type.extent;  // the representation is native
    return error;
  });
}

}  // namespace

RESONIO_DEFINE(int, File_open,
               (MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* fh)) {
  *fh = MPI_FILE_NULL;
  if (const char* text = why_not(comm))
    return report("MPI_File_open", nullptr, MPI_FILE_NULL, MPI_ERR_COMM, text);
  const Error error = guarded([&] { return open(comm, name, amode, info, fh); });
  if (error.ok()) return MPI_SUCCESS;
  const auto function = fmt::format("MPI_File_open ({})", name == nullptr ? "" : name);
  return report(function.c_str(), nullptr, MPI_FILE_NULL, error);
}

RESONIO_DEFINE(int, File_close, (MPI_File * fh)) {
  return on_file("MPI_File_close", *fh, [&](File& file) { return close(fh, file); });
}

RESONIO_DEFINE(int, File_delete, (const char* name, MPI_Info)) {
  const Error error = guarded([&] { return remove_file(name); });
  if (error.ok()) return MPI_SUCCESS;
  const auto function = fmt::format("MPI_File_delete ({})", name == nullptr ? "" : name);
  return report(function.c_str(), nullptr, MPI_FILE_NULL, error);
}

RESONIO_DEFINE(int, File_set_view,
               (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                const char* datarep, MPI_Info info)) {
  return on_file("MPI_File_set_view", fh,
                 [&](File& file) { return file.set_view(disp, etype, filetype, datarep, info); });
}

RESONIO_DEFINE(int, File_get_view,
               (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
                char* datarep)) {
  return on_file("MPI_File_get_view", fh, [&](File& file) {
    file.get_view(disp, etype, filetype, datarep);
    return Error{};
  });
}

RESONIO_DEFINE(int, File_set_size, (MPI_File fh, MPI_Offset size)) {
  return on_file("MPI_File_set_size", fh, [&](File& file) { return file.set_size(size); });
}

RESONIO_DEFINE(int, File_preallocate, (MPI_File fh, MPI_Offset size)) {
  return on_file("MPI_File_preallocate", fh, [&](File& file) { return file.preallocate(size); });
}

RESONIO_DEFINE(int, File_get_size, (MPI_File fh, MPI_Offset* size)) {
  return on_file("MPI_File_get_size", fh, [&](File& file) { return file.get_size(size); });
}

RESONIO_DEFINE(int, File_sync, (MPI_File fh)) {
  return on_file("MPI_File_sync", fh, [](File& file) { return file.sync(); });
}

RESONIO_DEFINE(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence)) {
  return on_file("MPI_File_seek", fh, [&](File& file) { return file.seek(offset, whence); });
}

RESONIO_DEFINE(int, File_get_position, (MPI_File fh, MPI_Offset* offset)) {
  return on_file("MPI_File_get_position", fh, [&](File& file) { return file.position(offset); });
}

RESONIO_DEFINE(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp)) {
  return on_file("MPI_File_get_byte_offset", fh,
                 [&](File& file) { return file.byte_offset(offset, disp); });
}

RESONIO_DEFINE(int, File_set_info, (MPI_File fh, MPI_Info info)) {
  return on_file("MPI_File_set_info", fh, [&](File& file) { return file.set_info(info); });
}

RESONIO_DEFINE(int, File_get_info, (MPI_File fh, MPI_Info* info)) {
  return on_file("MPI_File_get_info", fh, [&](File& file) {
    *info = file.get_info();
    return Error{};
  });
}

RESONIO_DEFINE(int, File_get_amode, (MPI_File fh, int* amode)) {
  return on_file("MPI_File_get_amode", fh, [&](File& file) {
    *amode = file.amode();
    return Error{};
  });
}

RESONIO_DEFINE(int, File_get_group, (MPI_File fh, MPI_Group* group)) {
  return on_file("MPI_File_get_group", fh, [&](File& file) {
    mpi::api().Group_union(file.group(), MPI_GROUP_EMPTY, group);  // a copy
    return Error{};
  });
}

RESONIO_DEFINE(int, File_set_atomicity, (MPI_File fh, int flag)) {
  return on_file("MPI_File_set_atomicity", fh,
                 [&](File& file) { return file.set_atomicity(flag != 0); });
}

RESONIO_DEFINE(int, File_get_atomicity, (MPI_File fh, int* flag)) {
  return on_file("MPI_File_get_atomicity", fh, [&](File& file) {
    *flag = file.atomic() ? 1 : 0;
    return Error{};
  });
}

RESONIO_DEFINE(int, File_get_type_extent, (MPI_File fh, MPI_Datatype type, MPI_Aint* extent)) {
  return get_type_extent("MPI_File_get_type_extent", fh, type, extent);
}

#if RESONIO_LARGE_COUNTS
RESONIO_DEFINE(int, File_get_type_extent_c, (MPI_File fh, MPI_Datatype type, MPI_Count* extent)) {
  return get_type_extent("MPI_File_get_type_extent_c", fh, type, extent);
}
#endif

RESONIO_DEFINE(MPI_Fint, File_c2f, (MPI_File fh)) { return to_fortran(fh); }

RESONIO_DEFINE(MPI_File, File_f2c, (MPI_Fint number)) { return from_fortran(number); }

}  // namespace resonio::mpiio
