/* What the MPI test programs share. They are plain MPI programs: they do not know resonio, but
 * for asking whether it is really there, so that no test passes by running natively. */
#ifndef RESONIO_TESTS_MPI_CHECK_H
#define RESONIO_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures = 0;

static int check_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      ++check_failures;                                                                 \
      fprintf(stderr, "rank %d: %s:%d: failed: %s\n", check_rank(), __FILE__, __LINE__, \
              #condition);                                                              \
    }                                                                                   \
  } while (0)

static void check_class(int code, int wanted, const char* call, const char* file, int line) {
  int got = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &got);
  if (got == wanted) return;
  char text[MPI_MAX_ERROR_STRING] = "success";
  char wanted_text[MPI_MAX_ERROR_STRING] = "success";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  if (wanted != MPI_SUCCESS) MPI_Error_string(wanted, wanted_text, &length);
  ++check_failures;
  fprintf(stderr, "rank %d: %s:%d: %s\n  gave class %d (%s)\n  not %d (%s)\n", check_rank(), file,
          line, call, got, text, wanted, wanted_text);
}
/* The call returns a code of this error class (MPI_SUCCESS, too). */
#define CHECK_CLASS(call, wanted) check_class((call), (wanted), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_CLASS(call, MPI_SUCCESS)

/* Ends the program if the file is not resonio's. */
static void require_resonio(MPI_File file) {
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL + 1];
  int found = 0;
  MPI_File_get_info(file, &info);
  MPI_Info_get(info, "resonio_strategy", MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  if (found) return;
  fprintf(stderr, "resonio is not active: preload its library for this MPI\n");
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* A file of this name in the directory for tests (argv[1], else the working directory). */
static const char* test_file(int argc, char** argv, const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", argc > 1 ? argv[1] : ".", name);
  return path;
}

/* Collective: prints the verdict; what main returns. */
static int check_verdict(const char* name) {
  int all = 0;
  MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (check_rank() == 0)
    printf("%s: %s (%d failures)\n", name, all == 0 ? "passed" : "FAILED", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

#endif
