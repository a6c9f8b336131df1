/* MPI_ERRORS_ARE_FATAL ends the program, with a message: run it to see it fail.
 *   fatal [DIRECTORY] */
#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, test_file(argc, argv, "fatal.dat"),
                         MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                         &file));
  require_resonio(file);
  remove(test_file(argc, argv, "fatal.dat"));
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  MPI_File_seek(file, -1, MPI_SEEK_SET);
  printf("still alive\n");
  MPI_Finalize();
  return 0;
}
