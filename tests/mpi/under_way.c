/* A large message is still under way between two ranks when one of them enters a collective
 * write: the one must keep MPI going while it waits for the other.
 *   under_way [DIRECTORY]      (2 ranks or more) */
#include "check.h"

enum { message = 16 << 20, blocks = 4096, block = 64 };

/* The sender enters the write at once; the receiver waits for the message first (or the other
 * way round). */
static void round_trip(MPI_File file, int sender, int receiver, int first_into_write, int read) {
  const int rank = check_rank();
  static char data[blocks * block];
  char* buffer = malloc(message);
  MPI_Request request = MPI_REQUEST_NULL;
  memset(buffer, rank == sender ? 'm' : 0, message);
  memset(data, 'a' + rank, sizeof data);
  if (rank == receiver) MPI_Irecv(buffer, message, MPI_BYTE, sender, 7, MPI_COMM_WORLD, &request);
  if (rank == sender) MPI_Isend(buffer, message, MPI_BYTE, receiver, 7, MPI_COMM_WORLD, &request);
  if (rank != first_into_write) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Status status;
  int count = 0;
  if (read) CHECK_OK(MPI_File_read_at_all(file, 0, data, sizeof data, MPI_BYTE, &status));
  else CHECK_OK(MPI_File_write_at_all(file, 0, data, sizeof data, MPI_BYTE, &status));
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK(count == (int)sizeof data);
  CHECK(data[0] == 'a' + rank && data[sizeof data - 1] == 'a' + rank);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == receiver) CHECK(buffer[0] == 'm' && buffer[message - 1] == 'm');
  free(buffer);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* name = test_file(argc, argv, "under_way.dat");
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "resonio_strategy", "two-phase");
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  require_resonio(file);
  MPI_Datatype interleaved;
  MPI_Type_vector(blocks, block, block * size, MPI_BYTE, &interleaved);
  MPI_Type_commit(&interleaved);
  CHECK_OK(MPI_File_set_view(file, block * check_rank(), MPI_BYTE, interleaved, "native", info));
  for (int i = 0; i < 4; ++i)
    for (int swap = 0; swap < 2; ++swap) {
      const int sender = swap ? size - 1 : 0, receiver = swap ? 0 : size - 1;
      round_trip(file, sender, receiver, sender, i % 2);
      round_trip(file, sender, receiver, receiver, i % 2);
    }
  MPI_Type_free(&interleaved);
  MPI_Info_free(&info);
  MPI_File_close(&file);
  if (check_rank() == 0) MPI_File_delete(name, MPI_INFO_NULL);
  return check_verdict("under_way");
}
