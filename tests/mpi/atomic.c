/* Atomic mode: all ranks write the same scattered bytes at once, each its own letter; what is
 * there in the end, and what readers meanwhile see, is one rank's letter throughout.
 *   atomic [DIRECTORY] */
#include "check.h"

enum { pieces = 2000, piece = 16, rounds = 30 };

static int uniform(const char* data) {
  for (int i = 1; i < pieces * piece; ++i)
    if (data[i] != data[0]) return 0;
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static char mine[pieces * piece], seen[pieces * piece];
  const char* name = test_file(argc, argv, "atomic.dat");
  MPI_File file;
  MPI_Datatype scattered;
  int flag = 0;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "resonio_strategy", "independent"); /* piece by piece: easy to tear apart */
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  require_resonio(file);
  MPI_Type_vector(pieces, piece, 3 * piece, MPI_BYTE, &scattered);
  MPI_Type_commit(&scattered);
  CHECK_OK(MPI_File_set_view(file, 5, MPI_BYTE, scattered, "native", MPI_INFO_NULL));
  CHECK_CLASS(MPI_File_set_atomicity(file, check_rank() == 0), MPI_ERR_NOT_SAME);
  CHECK_OK(MPI_File_set_atomicity(file, 1));
  CHECK_OK(MPI_File_get_atomicity(file, &flag));
  CHECK(flag == 1);
  memset(mine, 'a' + check_rank(), sizeof mine);
  CHECK_OK(MPI_File_write_at_all(file, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
  for (int i = 0; i < rounds; ++i) {
    if (i % 2) CHECK_OK(MPI_File_write_at(file, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
    else CHECK_OK(MPI_File_write_at_all(file, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(file, 0, seen, sizeof seen, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(uniform(seen));
  }
  CHECK_OK(MPI_File_read_at_all(file, 0, seen, sizeof seen, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(uniform(seen));
  /* One rank's error is everybody's here, too. */
  CHECK_CLASS(
      MPI_File_write_at_all(file, check_rank() == 0 ? -1 : 0, mine, 1, MPI_BYTE, MPI_STATUS_IGNORE),
      MPI_ERR_ARG);
  MPI_Type_free(&scattered);
  MPI_File_close(&file);
  if (check_rank() == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("atomic");
}
