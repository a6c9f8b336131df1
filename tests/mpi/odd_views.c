/* Views that are allowed but odd: filetypes that go backwards (for reading), and tiles that
 * interleave. By every strategy.   odd_views [DIRECTORY] */
#include "check.h"

enum { ints = 64 }; /* of each rank's part of the file */

static int rank;
static const char* name;

static MPI_File open_view(int amode, MPI_Datatype filetype, MPI_Info info) {
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &file));
  require_resonio(file);
  CHECK_OK(MPI_File_set_view(file, rank * ints * (MPI_Offset)sizeof(int), MPI_INT, filetype,
                             "native", info));
  return file;
}

static void fill(MPI_Info info) {
  int values[ints];
  for (int i = 0; i < ints; ++i) values[i] = 1000 * rank + i;
  MPI_File file = open_view(MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INT, info);
  CHECK_OK(MPI_File_write_at_all(file, 0, values, ints, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

static void backwards(MPI_Info info) {
  enum { count = 20 };
  const int at[] = {3, 0, 1};
  int got[count];
  MPI_Datatype jump, filetype;
  MPI_Type_create_indexed_block(3, 1, at, MPI_INT, &jump);
  MPI_Type_create_resized(jump, 0, 4 * sizeof(int), &filetype);
  MPI_Type_commit(&filetype);
  MPI_File file = open_view(MPI_MODE_RDONLY, filetype, info);
  for (int all = 0; all < 2; ++all) {
    memset(got, 0, sizeof got);
    if (all) CHECK_OK(MPI_File_read_at_all(file, 1, got, count, MPI_INT, MPI_STATUS_IGNORE));
    else CHECK_OK(MPI_File_read_at(file, 1, got, count, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0, d = 1; i < count; ++i, ++d)
      CHECK(got[i] == 1000 * rank + d / 3 * 4 + at[d % 3]);
  }
  MPI_File_close(&file);
  MPI_Type_free(&jump);
  MPI_Type_free(&filetype);
}

/* Data int d is at d/2, or 8 behind that if d is odd. */
static void interleaved_tiles(MPI_Info info) {
  enum { count = 16 };
  int values[count], got[ints];
  MPI_Datatype two, filetype;
  MPI_Type_vector(2, 1, 8, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, sizeof(int), &filetype);
  MPI_Type_commit(&filetype);
  MPI_File file = open_view(MPI_MODE_RDWR, filetype, info);
  for (int all = 0; all < 2; ++all) {
    for (int i = 0; i < count; ++i) values[i] = 5000 * (all + 1) + 100 * rank + i;
    if (all) CHECK_OK(MPI_File_write_at_all(file, 0, values, count, MPI_INT, MPI_STATUS_IGNORE));
    else CHECK_OK(MPI_File_write_at(file, 0, values, count, MPI_INT, MPI_STATUS_IGNORE));
    memset(got, 0, sizeof got);
    if (all) CHECK_OK(MPI_File_read_at_all(file, 0, got, count, MPI_INT, MPI_STATUS_IGNORE));
    else CHECK_OK(MPI_File_read_at(file, 0, got, count, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(memcmp(got, values, sizeof values) == 0);
    FILE* plain = fopen(name, "rb");
    CHECK(fseek(plain, rank * ints * (long)sizeof(int), SEEK_SET) == 0);
    CHECK(fread(got, sizeof(int), ints, plain) == ints);
    fclose(plain);
    for (int d = 0; d < count; ++d) CHECK(got[d / 2 + 8 * (d % 2)] == values[d]);
    for (int i = count; i < ints; ++i) CHECK(got[i] == 1000 * rank + i);
  }
  MPI_File_close(&file);
  MPI_Type_free(&two);
  MPI_Type_free(&filetype);
}

int main(int argc, char** argv) {
  const char* strategies[] = {"auto", "independent", "sieve", "list", "pattern", "two-phase"};
  MPI_Init(&argc, &argv);
  rank = check_rank();
  name = test_file(argc, argv, "odd_views.dat");
  for (int s = 0; s < 6; ++s) {
    const int before = check_failures;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "resonio_strategy", strategies[s]);
    fill(info);
    backwards(info);
    interleaved_tiles(info);
    MPI_Info_free(&info);
    if (check_failures != before) fprintf(stderr, "  strategy %s\n", strategies[s]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("odd_views");
}
