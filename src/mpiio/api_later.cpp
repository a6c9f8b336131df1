// Exported: what resonio does not do yet. Handles are its own, so the MPI library cannot do
// it either: each function fails with its name in the message.
#include <fmt/format.h>

#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"

namespace resonio::mpiio {
namespace {

int unsupported(const char* function, MPI_File fh) {
  return on_file(function, fh, [](File&) {
    return make_error(Code::unsupported_operation, "not supported by resonio yet");
  });
}

}  // namespace

#define RESONIO_LATER(name, parameters) \
  RESONIO_DEFINE(int, File_##name, parameters) { return unsupported("MPI_File_" #name, fh); }
#define RESONIO_LATER_REQUEST(name, parameters)  \
  RESONIO_DEFINE(int, File_##name, parameters) { \
    *request = MPI_REQUEST_NULL;                 \
    return unsupported("MPI_File_" #name, fh);   \
  }

#define RESONIO_LATER_ALL(suffix, Count)                                                          \
  RESONIO_LATER(read_shared##suffix, (MPI_File fh, void*, Count, MPI_Datatype, MPI_Status*))      \
  RESONIO_LATER(write_shared##suffix,                                                             \
                (MPI_File fh, const void*, Count, MPI_Datatype, MPI_Status*))                     \
  RESONIO_LATER(read_ordered##suffix, (MPI_File fh, void*, Count, MPI_Datatype, MPI_Status*))     \
  RESONIO_LATER(write_ordered##suffix,                                                            \
                (MPI_File fh, const void*, Count, MPI_Datatype, MPI_Status*))                     \
  RESONIO_LATER(read_all_begin##suffix, (MPI_File fh, void*, Count, MPI_Datatype))                \
  RESONIO_LATER(write_all_begin##suffix, (MPI_File fh, const void*, Count, MPI_Datatype))         \
  RESONIO_LATER(read_at_all_begin##suffix, (MPI_File fh, MPI_Offset, void*, Count, MPI_Datatype)) \
  RESONIO_LATER(write_at_all_begin##suffix,                                                       \
                (MPI_File fh, MPI_Offset, const void*, Count, MPI_Datatype))                      \
  RESONIO_LATER(read_ordered_begin##suffix, (MPI_File fh, void*, Count, MPI_Datatype))            \
  RESONIO_LATER(write_ordered_begin##suffix, (MPI_File fh, const void*, Count, MPI_Datatype))     \
  RESONIO_LATER_REQUEST(iread##suffix,                                                            \
                        (MPI_File fh, void*, Count, MPI_Datatype, MPI_Request* request))          \
  RESONIO_LATER_REQUEST(iwrite##suffix,                                                           \
                        (MPI_File fh, const void*, Count, MPI_Datatype, MPI_Request* request))    \
  RESONIO_LATER_REQUEST(iread_all##suffix,                                                        \
                        (MPI_File fh, void*, Count, MPI_Datatype, MPI_Request* request))          \
  RESONIO_LATER_REQUEST(iwrite_all##suffix,                                                       \
                        (MPI_File fh, const void*, Count, MPI_Datatype, MPI_Request* request))    \
  RESONIO_LATER_REQUEST(iread_at##suffix, (MPI_File fh, MPI_Offset, void*, Count, MPI_Datatype,   \
                                           MPI_Request* request))                                 \
  RESONIO_LATER_REQUEST(iwrite_at##suffix, (MPI_File fh, MPI_Offset, const void*, Count,          \
                                            MPI_Datatype, MPI_Request* request))                  \
  RESONIO_LATER_REQUEST(iread_at_all##suffix, (MPI_File fh, MPI_Offset, void*, Count,             \
                                               MPI_Datatype, MPI_Request* request))               \
  RESONIO_LATER_REQUEST(iwrite_at_all##suffix, (MPI_File fh, MPI_Offset, const void*, Count,      \
                                                MPI_Datatype, MPI_Request* request))              \
  RESONIO_LATER_REQUEST(iread_shared##suffix,                                                     \
                        (MPI_File fh, void*, Count, MPI_Datatype, MPI_Request* request))          \
  RESONIO_LATER_REQUEST(iwrite_shared##suffix,                                                    \
                        (MPI_File fh, const void*, Count, MPI_Datatype, MPI_Request* request))

RESONIO_LATER_ALL(, int)
#if RESONIO_LARGE_COUNTS
RESONIO_LATER_ALL(_c, MPI_Count)
#endif

RESONIO_LATER(seek_shared, (MPI_File fh, MPI_Offset, int))
RESONIO_LATER(get_position_shared, (MPI_File fh, MPI_Offset*))
RESONIO_LATER(read_all_end, (MPI_File fh, void*, MPI_Status*))
RESONIO_LATER(write_all_end, (MPI_File fh, const void*, MPI_Status*))
RESONIO_LATER(read_at_all_end, (MPI_File fh, void*, MPI_Status*))
RESONIO_LATER(write_at_all_end, (MPI_File fh, const void*, MPI_Status*))
RESONIO_LATER(read_ordered_end, (MPI_File fh, void*, MPI_Status*))
RESONIO_LATER(write_ordered_end, (MPI_File fh, const void*, MPI_Status*))

namespace {

int no_datarep(const char* function, const char* name) {
  return report(function, nullptr, MPI_FILE_NULL,
                make_error(Code::unsupported_datarep,
                           fmt::format("data representation '{}': resonio supports \"native\" only",
                                       name == nullptr ? "" : name)));
}

}  // namespace

RESONIO_DEFINE(int, Register_datarep,
               (const char* name, MPI_Datarep_conversion_function*,
                MPI_Datarep_conversion_function*, MPI_Datarep_extent_function*, void*)) {
  return no_datarep("MPI_Register_datarep", name);
}

#if RESONIO_LARGE_COUNTS
RESONIO_DEFINE(int, Register_datarep_c,
               (const char* name, MPI_Datarep_conversion_function_c*,
                MPI_Datarep_conversion_function_c*, MPI_Datarep_extent_function*, void*)) {
  return no_datarep("MPI_Register_datarep_c", name);
}
#endif

}  // namespace resonio::mpiio
