/* Bad input: the right error class on every rank, a message that helps, and nobody hangs.
 *   errors [DIRECTORY]      (2 ranks or more) */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static int rank, size;
static const char* name;
static char byte_buffer[4096];

static MPI_File open_new(int amode) {
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file));
  return file;
}

static int has_text(int code, const char* text) {
  char message[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, message, &length);
  if (strstr(message, text) != NULL) return 1;
  fprintf(stderr, "message: %s\n", message);
  return 0;
}

/* All ranks must have got the same class. */
static void check_same(int code) {
  int class = 0, low = 0, high = 0;
  MPI_Error_class(code, &class);
  MPI_Allreduce(&class, &low, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&class, &high, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(low == high);
}

static void opening(void) {
  MPI_File file;
  const int wrong[] = {0,
                       MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                       MPI_MODE_RDWR | MPI_MODE_WRONLY,
                       MPI_MODE_RDONLY | MPI_MODE_CREATE,
                       MPI_MODE_RDONLY | MPI_MODE_EXCL,
                       MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, wrong[i], MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    CHECK(file == MPI_FILE_NULL);
  }
  const int different = rank == size - 1 ? MPI_MODE_RDONLY : MPI_MODE_RDWR;
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, different, MPI_INFO_NULL, &file),
              MPI_ERR_NOT_SAME);
  const int one_wrong = rank == size - 1 ? 0 : MPI_MODE_RDWR;
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, one_wrong, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_NULL, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file),
              MPI_ERR_COMM);

  const int missing =
      MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK_CLASS(missing, MPI_ERR_NO_SUCH_FILE);
  CHECK(has_text(missing, "no/such/file") && has_text(missing, "MPI_File_open"));
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDWR | MPI_MODE_CREATE,
                            MPI_INFO_NULL, &file),
              MPI_ERR_NO_SUCH_FILE);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, "/dev/null/x", MPI_MODE_RDWR, MPI_INFO_NULL, &file),
              MPI_ERR_BAD_FILE);
  file = open_new(MPI_MODE_RDWR | MPI_MODE_CREATE);
  require_resonio(file);
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
  CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                            MPI_INFO_NULL, &file),
              MPI_ERR_FILE_EXISTS);
  CHECK_CLASS(MPI_File_delete("no/such/file", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

/* As root, no file is forbidden: then as nobody. */
static void no_permission(void) {
  MPI_File file;
  const int root = geteuid() == 0;
  if (rank == 0) CHECK(chmod(name, 0) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (root) CHECK(seteuid(65534) == 0);
  const int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  if (root) CHECK(seteuid(0) == 0);
  CHECK_CLASS(code, MPI_ERR_ACCESS);
  check_same(code);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(chmod(name, 0600) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void handles(void) {
  MPI_File file = open_new(MPI_MODE_RDWR), closed = file;
  MPI_Offset offset;
  int amode;
  MPI_File_close(&file);
  CHECK_CLASS(MPI_File_get_size(closed, &offset), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_write_at(closed, 0, byte_buffer, 1, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_close(&closed), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_amode(MPI_FILE_NULL, &amode), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_amode((MPI_File)byte_buffer, &amode), MPI_ERR_FILE);
  CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  file = open_new(MPI_MODE_RDWR);
  CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file);
  MPI_File_close(&file);
}

static void arguments(void) {
  MPI_File file = open_new(MPI_MODE_RDWR);
  MPI_Status status;
  MPI_Offset offset;
  const int negative = MPI_File_write_at(file, -1, byte_buffer, 1, MPI_BYTE, &status);
  CHECK_CLASS(negative, MPI_ERR_ARG);
  CHECK(has_text(negative, name) && has_text(negative, "MPI_File_write_at"));
  CHECK_CLASS(MPI_File_read_at(file, 0, byte_buffer, -1, MPI_BYTE, &status), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_File_write(file, byte_buffer, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_File_write(file, NULL, 1, MPI_BYTE, &status), MPI_ERR_ARG);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  CHECK_CLASS(MPI_File_write(file, byte_buffer, 1, uncommitted, &status), MPI_ERR_TYPE);
  MPI_Type_commit(&uncommitted);
  CHECK_CLASS(MPI_File_write(file, byte_buffer, 1, uncommitted, &status), MPI_SUCCESS);
  MPI_Type_free(&uncommitted);
  CHECK_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_seek(file, 0, 12345), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_get_byte_offset(file, -1, &offset), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_read_at(file, (MPI_Offset)1 << 62, byte_buffer, 1, MPI_BYTE, &status),
              MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_set_size(file, rank), MPI_ERR_NOT_SAME);
  CHECK_CLASS(MPI_File_preallocate(file, -1), MPI_ERR_ARG);
  MPI_File_close(&file);
}

static void views(void) {
  MPI_File file = open_new(MPI_MODE_RDWR);
  MPI_Datatype backwards, overlapping;
  const int at[] = {3, 0}, twice[] = {0, 0};
  MPI_Type_create_indexed_block(2, 1, at, MPI_INT, &backwards);
  MPI_Type_create_indexed_block(2, 1, twice, MPI_INT, &overlapping);
  MPI_Type_commit(&backwards);
  MPI_Type_commit(&overlapping);
#define SET_VIEW(disp, etype, filetype, datarep) \
  MPI_File_set_view(file, disp, etype, filetype, datarep, MPI_INFO_NULL)
  CHECK_CLASS(SET_VIEW(-1, MPI_BYTE, MPI_BYTE, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(0, MPI_INT, MPI_BYTE, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(0, MPI_INT, MPI_DATATYPE_NULL, "native"), MPI_ERR_TYPE);
  CHECK_CLASS(SET_VIEW(0, MPI_INT, backwards, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(0, MPI_INT, overlapping, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(0, MPI_BYTE, MPI_BYTE, "external32"), MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK_CLASS(SET_VIEW(0, MPI_BYTE, MPI_BYTE, "nonsense"), MPI_ERR_UNSUPPORTED_DATAREP);
  /* On one rank only. */
  CHECK_CLASS(SET_VIEW(rank == size - 1 ? -1 : 0, MPI_BYTE, MPI_BYTE, "native"), MPI_ERR_ARG);
  CHECK_CLASS(SET_VIEW(0, rank == 0 ? MPI_DATATYPE_NULL : MPI_BYTE, MPI_BYTE, "native"),
              MPI_ERR_TYPE);
  CHECK_CLASS(SET_VIEW(0, rank == 0 ? MPI_INT : MPI_DOUBLE, MPI_DOUBLE, "native"),
              MPI_ERR_NOT_SAME);
  /* The old view is still there. */
  MPI_Offset disp;
  MPI_Datatype etype, filetype;
  char datarep[MPI_MAX_DATAREP_STRING];
  CHECK_OK(MPI_File_get_view(file, &disp, &etype, &filetype, datarep));
  CHECK(disp == 0 && etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(datarep, "native") == 0);
  /* No whole number of etypes. */
  CHECK_OK(SET_VIEW(0, MPI_INT, MPI_INT, "native"));
  CHECK_CLASS(MPI_File_write(file, byte_buffer, 3, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  MPI_Type_free(&backwards);
  MPI_Type_free(&overlapping);
  MPI_File_close(&file);
}

static void modes(void) {
  MPI_Status status;
  MPI_File file = open_new(MPI_MODE_WRONLY);
  CHECK_CLASS(MPI_File_read(file, byte_buffer, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
  CHECK_CLASS(MPI_File_read_all(file, byte_buffer, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
  CHECK_OK(MPI_File_write_at_all(file, rank, byte_buffer, 1, MPI_BYTE, &status));
  MPI_File_close(&file);
  file = open_new(MPI_MODE_RDONLY);
  CHECK_CLASS(MPI_File_write(file, byte_buffer, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_write_all(file, byte_buffer, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_preallocate(file, 10), MPI_ERR_READ_ONLY);
  MPI_File_close(&file);
  file = open_new(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  CHECK_CLASS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_read_at(file, 0, byte_buffer, 1, MPI_BYTE, &status),
              MPI_ERR_UNSUPPORTED_OPERATION);
  MPI_File_close(&file);
}

/* Collective calls in which one rank is wrong: all of them fail alike, none hangs. */
static void one_rank_is_wrong(void) {
  MPI_File file = open_new(MPI_MODE_RDWR);
  MPI_Status status;
  for (int wrong = 0; wrong < size; ++wrong) {
    const int me = rank == wrong;
    CHECK_CLASS(MPI_File_write_at_all(file, me ? -5 : 0, byte_buffer, 1, MPI_BYTE, &status),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_read_at_all(file, 0, byte_buffer, me ? -1 : 1, MPI_BYTE, &status),
                MPI_ERR_COUNT);
    CHECK_CLASS(
        MPI_File_write_all(file, byte_buffer, 1, me ? MPI_DATATYPE_NULL : MPI_BYTE, &status),
        MPI_ERR_TYPE);
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 0);
  }
  MPI_Offset position = -1;
  CHECK_OK(MPI_File_get_position(file, &position));
  CHECK(position == 0);
  MPI_File_close(&file);
}

static void full_disk(void) {
  MPI_File file;
  MPI_Status status;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  CHECK_CLASS(MPI_File_write_at(file, 0, byte_buffer, 10, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
  CHECK_CLASS(MPI_File_write_at_all(file, 10 * rank, byte_buffer, 10, MPI_BYTE, &status),
              MPI_ERR_NO_SPACE);
  /* Only one rank's bytes do not fit. */
  CHECK_CLASS(
      MPI_File_write_at_all(file, 0, byte_buffer, rank == size - 1 ? 10 : 0, MPI_BYTE, &status),
      MPI_ERR_NO_SPACE);
  MPI_File_close(&file);

  file = open_new(MPI_MODE_RDWR);
  struct rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const int code =
      MPI_File_write_at_all(file, 2000 + 100 * rank, byte_buffer, 100, MPI_BYTE, &status);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_CLASS(code, MPI_ERR_IO);
  CHECK(has_text(code, name));
  MPI_File_close(&file);
}

static int handled = 0, handled_code = 0;
static MPI_File handled_file;
static void handler(MPI_File* file, int* code, ...) {
  ++handled;
  handled_code = *code;
  handled_file = *file;
}

static void handlers(void) {
  MPI_File file;
  MPI_Errhandler mine, got;
  for (int i = 0; i < 100; ++i) { /* what is got is freed, whoever made it */
    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&got));
  }
  CHECK_OK(MPI_File_create_errhandler(handler, &mine));
  /* Of opening, and inherited by what is opened. */
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, mine));
  int code = MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK(handled == 1 && handled_code == code && handled_file == MPI_FILE_NULL);
  file = open_new(MPI_MODE_RDWR);
  CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  CHECK_OK(MPI_File_get_errhandler(file, &got));
  CHECK(got == mine);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&mine); /* the file still has it */
  code = MPI_File_seek(file, -1, MPI_SEEK_SET);
  CHECK_CLASS(code, MPI_ERR_ARG);
  CHECK(handled == 2 && handled_code == code && handled_file == file);
  CHECK_OK(MPI_File_call_errhandler(file, MPI_ERR_QUOTA));
  CHECK(handled == 3 && handled_code == MPI_ERR_QUOTA);
  CHECK_OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
  CHECK_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
  CHECK(handled == 3);
  CHECK_CLASS(MPI_File_set_errhandler(file, MPI_ERRHANDLER_NULL), MPI_ERR_ARG);
  MPI_File_close(&file);
}

/* Hints never fail; what is used can be asked for. */
static void hints(void) {
  MPI_File file;
  MPI_Info info, used;
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_such_hint", "1");
  MPI_Info_set(info, "cb_buffer_size", "a lot");
  MPI_Info_set(info, "romio_ds_write", "perhaps");
  MPI_Info_set(info, "ind_rd_buffer_size", "8192");
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  CHECK_OK(MPI_File_get_info(file, &used));
#define HINT(key) (MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &found), found ? value : "")
  CHECK(strcmp(HINT("no_such_hint"), "") == 0);
  CHECK(strcmp(HINT("cb_buffer_size"), "4194304") == 0);
  CHECK(strcmp(HINT("romio_ds_write"), "automatic") == 0);
  CHECK(strcmp(HINT("ind_rd_buffer_size"), "8192") == 0);
  MPI_Info_free(&used);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  name = test_file(argc, argv, "errors.dat");
  if (rank == 0) remove(name);
  MPI_Barrier(MPI_COMM_WORLD);
  opening();
  handles();
  arguments();
  views();
  modes();
  one_rank_is_wrong();
  full_disk();
  handlers();
  hints();
  no_permission();
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("errors");
}
