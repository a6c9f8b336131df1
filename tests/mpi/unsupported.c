/* What resonio does not do yet fails with its own name in the message, and nothing else breaks.
 *   unsupported [DIRECTORY] */
#include "check.h"

static void check_refused(int code, const char* function, int wanted) {
  int class = MPI_SUCCESS, length = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  if (code != MPI_SUCCESS) {
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
  }
  /* The whole name: MPI_File_iread is not MPI_File_iread_at. */
  const char* found = strstr(text, function);
  const char after = found ? found[strlen(function)] : 0;
  if (class == wanted && (after == ' ' || after == ':')) return;
  ++check_failures;
  fprintf(stderr, "rank %d: %s: class %d, message \"%s\"\n", check_rank(), function, class, text);
}
#define REFUSED(function, ...) \
  check_refused(function(__VA_ARGS__), #function, MPI_ERR_UNSUPPORTED_OPERATION)
#define REFUSED_REQUEST(function, ...)                                                        \
  do {                                                                                        \
    MPI_Request request;                                                                      \
    check_refused(function(__VA_ARGS__, &request), #function, MPI_ERR_UNSUPPORTED_OPERATION); \
    CHECK(request == MPI_REQUEST_NULL);                                                       \
  } while (0)

#define ALL(SUFFIX)                                               \
  REFUSED(MPI_File_read_shared##SUFFIX, f, b, 1, t, &s);          \
  REFUSED(MPI_File_write_shared##SUFFIX, f, b, 1, t, &s);         \
  REFUSED(MPI_File_read_ordered##SUFFIX, f, b, 1, t, &s);         \
  REFUSED(MPI_File_write_ordered##SUFFIX, f, b, 1, t, &s);        \
  REFUSED(MPI_File_read_all_begin##SUFFIX, f, b, 1, t);           \
  REFUSED(MPI_File_write_all_begin##SUFFIX, f, b, 1, t);          \
  REFUSED(MPI_File_read_at_all_begin##SUFFIX, f, 0, b, 1, t);     \
  REFUSED(MPI_File_write_at_all_begin##SUFFIX, f, 0, b, 1, t);    \
  REFUSED(MPI_File_read_ordered_begin##SUFFIX, f, b, 1, t);       \
  REFUSED(MPI_File_write_ordered_begin##SUFFIX, f, b, 1, t);      \
  REFUSED_REQUEST(MPI_File_iread##SUFFIX, f, b, 1, t);            \
  REFUSED_REQUEST(MPI_File_iwrite##SUFFIX, f, b, 1, t);           \
  REFUSED_REQUEST(MPI_File_iread_at##SUFFIX, f, 0, b, 1, t);      \
  REFUSED_REQUEST(MPI_File_iwrite_at##SUFFIX, f, 0, b, 1, t);     \
  REFUSED_REQUEST(MPI_File_iread_all##SUFFIX, f, b, 1, t);        \
  REFUSED_REQUEST(MPI_File_iwrite_all##SUFFIX, f, b, 1, t);       \
  REFUSED_REQUEST(MPI_File_iread_at_all##SUFFIX, f, 0, b, 1, t);  \
  REFUSED_REQUEST(MPI_File_iwrite_at_all##SUFFIX, f, 0, b, 1, t); \
  REFUSED_REQUEST(MPI_File_iread_shared##SUFFIX, f, b, 1, t);     \
  REFUSED_REQUEST(MPI_File_iwrite_shared##SUFFIX, f, b, 1, t)

static int no_conversion(void* a, MPI_Datatype t, int n, void* b, MPI_Offset p, void* x) {
  (void)a, (void)t, (void)n, (void)b, (void)p, (void)x;
  return MPI_SUCCESS;
}
static int no_extent(MPI_Datatype t, MPI_Aint* e, void* x) {
  (void)t, (void)e, (void)x;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* name = test_file(argc, argv, "unsupported.dat");
  MPI_File f;
  MPI_Status s;
  MPI_Offset offset;
  char b[16] = "untouched bytes";
  const MPI_Datatype t = MPI_BYTE;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
  require_resonio(f);
  ALL();
#if MPI_VERSION >= 4 && defined(MPICH)
  ALL(_c);
#endif
  REFUSED(MPI_File_seek_shared, f, 0, MPI_SEEK_SET);
  REFUSED(MPI_File_get_position_shared, f, &offset);
  REFUSED(MPI_File_read_all_end, f, b, &s);
  REFUSED(MPI_File_write_all_end, f, b, &s);
  REFUSED(MPI_File_read_at_all_end, f, b, &s);
  REFUSED(MPI_File_write_at_all_end, f, b, &s);
  REFUSED(MPI_File_read_ordered_end, f, b, &s);
  REFUSED(MPI_File_write_ordered_end, f, b, &s);
  check_refused(MPI_Register_datarep("mine", no_conversion, no_conversion, no_extent, NULL),
                "MPI_Register_datarep", MPI_ERR_UNSUPPORTED_DATAREP);
  check_refused(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL),
                "MPI_File_set_view", MPI_ERR_UNSUPPORTED_DATAREP);
  check_refused(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "internal", MPI_INFO_NULL),
                "MPI_File_set_view", MPI_ERR_UNSUPPORTED_DATAREP);
  /* The file works as before. */
  CHECK(strcmp(b, "untouched bytes") == 0);
  CHECK_OK(MPI_File_write_at_all(f, 16 * check_rank(), b, 16, t, &s));
  MPI_File_close(&f);
  if (check_rank() == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("unsupported");
}
