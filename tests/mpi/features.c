/* What is not data: sizes, modes, views given back, handles, hints and statistics from the
 * environment (RESONIO_HINTS="*features.dat:cb_nodes=3:resonio_list_segments=17" and
 * RESONIO_STATS=FILE must be set).   features [DIRECTORY] */
#include "check.h"

static int rank, size;
static const char* name;

static MPI_File open_file(int amode, MPI_Info info) {
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &file));
  return file;
}

static int hint_is(MPI_File file, const char* key, const char* wanted) {
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_File_get_info(file, &info);
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  if (found && strcmp(value, wanted) == 0) return 1;
  fprintf(stderr, "rank %d: hint %s is %s, not %s\n", rank, key, value, wanted);
  return 0;
}

static void sizes(void) {
  MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL);
  MPI_Offset bytes = -1;
  int amode = 0;
  require_resonio(file);
  CHECK_OK(MPI_File_set_size(file, 1000));
  CHECK_OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == 1000);
  CHECK_OK(MPI_File_preallocate(file, 500));
  CHECK_OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == 1000);
  CHECK_OK(MPI_File_preallocate(file, 70000));
  CHECK_OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == 70000);
  MPI_Barrier(MPI_COMM_WORLD); /* all have seen it before it changes */
  CHECK_OK(MPI_File_set_size(file, 10));
  CHECK_OK(MPI_File_get_size(file, &bytes));
  CHECK(bytes == 10);
  CHECK_OK(MPI_File_sync(file));
  CHECK_OK(MPI_File_get_amode(file, &amode));
  CHECK(amode == (MPI_MODE_CREATE | MPI_MODE_RDWR));
  MPI_File_close(&file);
}

static void modes(void) {
  MPI_File file = open_file(MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL);
  MPI_Offset position = -1;
  CHECK_OK(MPI_File_get_position(file, &position));
  CHECK(position == 10);
  MPI_File_close(&file);
  file = open_file(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN, MPI_INFO_NULL);
  MPI_File_close(&file);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
              MPI_ERR_NO_SUCH_FILE);
  char with_prefix[5000];
  snprintf(with_prefix, sizeof with_prefix, "ufs:%s", name);
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, with_prefix, MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  MPI_File_close(&file);
  FILE* plain = fopen(name, "r");
  CHECK(plain != NULL);
  if (plain) fclose(plain);
}

static void view_given_back(void) {
  MPI_File file = open_file(MPI_MODE_RDWR, MPI_INFO_NULL);
  MPI_Datatype vector, etype, filetype;
  MPI_Offset disp = -1, at = -1;
  MPI_Aint extent = 0, lb = 0;
  char datarep[MPI_MAX_DATAREP_STRING] = "";
  MPI_Type_vector(3, 1, 4, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  CHECK_OK(MPI_File_set_view(file, 100, MPI_INT, vector, "native", MPI_INFO_NULL));
  CHECK_OK(MPI_File_get_type_extent(file, vector, &extent));
  CHECK(extent == 36);
  MPI_Type_free(&vector); /* the file keeps it */
  for (int again = 0; again < 2; ++again) {
    CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
    CHECK(disp == 100 && etype == MPI_INT && strcmp(datarep, "native") == 0);
    MPI_Type_get_extent(filetype, &lb, &extent);
    CHECK(lb == 0 && extent == 36);
    MPI_Type_free(&filetype);
  }
  /* One filetype ends at 100 + 36, where the next one starts. */
  CHECK_OK(MPI_File_get_byte_offset(file, 2, &at));
  CHECK(at == 132);
  CHECK_OK(MPI_File_get_byte_offset(file, 3, &at));
  CHECK(at == 136);
  /* The end of the file is in the second tile's first int: an etype cut short counts. */
  CHECK_OK(MPI_File_set_size(file, 138));
  CHECK_OK(MPI_File_seek(file, 0, MPI_SEEK_END));
  CHECK_OK(MPI_File_get_position(file, &at));
  CHECK(at == 4);
  CHECK_OK(MPI_File_seek(file, -3, MPI_SEEK_CUR));
  CHECK_OK(MPI_File_get_position(file, &at));
  CHECK(at == 1);
  /* A read over the end: three ints and a half. */
  int values[6];
  MPI_Status status;
  int count = 0;
  CHECK_OK(MPI_File_read_at_all(file, 0, values, 6, MPI_INT, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == MPI_UNDEFINED);
  MPI_Get_elements(&status, MPI_BYTE, &count);
  CHECK(count == 14);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
}

static void handles(void) {
  enum { many = 50 };
  MPI_File files[many];
  MPI_Group group, world;
  int same = MPI_UNEQUAL;
  for (int i = 0; i < many; ++i) files[i] = open_file(MPI_MODE_RDWR, MPI_INFO_NULL);
  for (int i = 0; i < many; ++i) CHECK(MPI_File_f2c(MPI_File_c2f(files[i])) == files[i]);
  CHECK_OK(MPI_File_get_group(files[many - 1], &group));
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(group, world, &same);
  CHECK(same == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  for (int i = 0; i < many; ++i) CHECK_OK(MPI_File_close(&files[i]));
}

static void hints(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  /* The environment has the last word; rank 0's hints count. */
  MPI_Info_set(info, "cb_nodes", rank == 0 ? "1" : "2");
  MPI_Info_set(info, "cb_buffer_size", rank == 0 ? "1M" : "2M");
  MPI_File file = open_file(MPI_MODE_RDWR, info);
  CHECK(hint_is(file, "cb_nodes", "3"));
  CHECK(hint_is(file, "resonio_list_segments", "17"));
  CHECK(hint_is(file, "cb_buffer_size", "1048576"));
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_Info_set(info, "resonio_strategy_write", "two-phase");
  CHECK_OK(MPI_File_set_info(file, info));
  CHECK(hint_is(file, "cb_buffer_size", "65536"));
  MPI_Info_set(info, "cb_buffer_size", "131072");
  CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
  CHECK(hint_is(file, "cb_buffer_size", "131072"));
  char text[16] = "some bytes";
  CHECK_OK(MPI_File_write_at_all(file, 16 * rank, text, 16, MPI_BYTE, MPI_STATUS_IGNORE));
  CHECK(hint_is(file, "resonio_strategy_used", "two-phase"));
  CHECK_OK(MPI_File_set_atomicity(file, 1));
  CHECK_OK(MPI_File_set_atomicity(file, 0));
  CHECK(hint_is(file, "resonio_strategy_write", "two-phase"));
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

/* The line of the file closed last. */
static void statistics(void) {
  const char* path = getenv("RESONIO_STATS");
  char line[100000] = "", wanted[200];
  CHECK(path != NULL);
  if (path == NULL || rank != 0) return;
  FILE* file = fopen(path, "r");
  CHECK(file != NULL);
  if (file == NULL) return;
  while (fgets(line, sizeof line, file)) continue;
  fclose(file);
  snprintf(wanted, sizeof wanted, "\"ranks\":%d", size);
  CHECK(strstr(line, wanted) != NULL);
  snprintf(wanted, sizeof wanted, "\"write_all\":{\"bytes\":%d,\"calls\":%d", 16 * size, size);
  CHECK(strstr(line, wanted) != NULL);
  snprintf(wanted, sizeof wanted, "\"strategies\":{\"write_all two-phase\":%d}", size);
  CHECK(strstr(line, wanted) != NULL);
  CHECK(strstr(line, "features.dat") != NULL && strstr(line, "\"cb_nodes\":\"3\"") != NULL);
  if (check_failures) fprintf(stderr, "%s", line);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  name = test_file(argc, argv, "features.dat");
  if (rank == 0) remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  sizes();
  modes();
  view_given_back();
  handles();
  hints();
  statistics();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("features");
}
