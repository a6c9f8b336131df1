// Exported: data access.
#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"

namespace resonio::mpiio {
namespace {

int transfer(const char* function, MPI_File fh, const Transfer& transfer, MPI_Status* status) {
  return on_file(function, fh, [&](File& file) { return file.transfer(transfer, status); });
}

std::byte* bytes(const void* buffer) {
  return static_cast<std::byte*>(const_cast<void*>(buffer));  // a write only reads it
}

}  // namespace

#define RESONIO_BUFFER_read void*
#define RESONIO_BUFFER_write const void*

/// At the individual file pointer.
#define RESONIO_POINTER(name, direction, collective, Count)                                       \
  RESONIO_DEFINE(int, File_##name,                                                                \
                 (MPI_File fh, RESONIO_BUFFER_##direction buffer, Count count, MPI_Datatype type, \
                  MPI_Status * status)) {                                                         \
    return transfer(                                                                              \
        "MPI_File_" #name, fh,                                                                    \
        {Direction::direction, collective, Transfer::At::pointer, 0, bytes(buffer), count, type}, \
        status);                                                                                  \
  }

/// At an offset given.
#define RESONIO_OFFSET(name, direction, collective, Count)                                        \
  RESONIO_DEFINE(int, File_##name,                                                                \
                 (MPI_File fh, MPI_Offset offset, RESONIO_BUFFER_##direction buffer, Count count, \
                  MPI_Datatype type, MPI_Status * status)) {                                      \
    return transfer("MPI_File_" #name, fh,                                                        \
                    {Direction::direction, collective, Transfer::At::offset, offset,              \
                     bytes(buffer), count, type},                                                 \
                    status);                                                                      \
  }

#define RESONIO_TRANSFERS(suffix, Count)                 \
  RESONIO_POINTER(read##suffix, read, false, Count)      \
  RESONIO_POINTER(write##suffix, write, false, Count)    \
  RESONIO_POINTER(read_all##suffix, read, true, Count)   \
  RESONIO_POINTER(write_all##suffix, write, true, Count) \
  RESONIO_OFFSET(read_at##suffix, read, false, Count)    \
  RESONIO_OFFSET(write_at##suffix, write, false, Count)  \
  RESONIO_OFFSET(read_at_all##suffix, read, true, Count) \
  RESONIO_OFFSET(write_at_all##suffix, write, true, Count)

RESONIO_TRANSFERS(, int)
#if RESONIO_LARGE_COUNTS
RESONIO_TRANSFERS(_c, MPI_Count)
#endif

}  // namespace resonio::mpiio
