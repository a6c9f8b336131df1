// MPI_THREAD_MULTIPLE: threads of a rank share a file, and have others of their own.
//   threads [DIRECTORY]
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int threads = 4;
constexpr int pieces = 200;
constexpr int ints = 50;  // in a piece

std::atomic<int> wrong{0};

void expect(bool condition) {
  if (!condition) ++wrong;
}

int value(int writer, int piece) { return writer * 1000 + piece; }

/// Every thread writes and reads back its own pieces of a file that all of them use.
void share(MPI_File file, int writer, int writers) {
  std::vector<int> data(ints);
  for (int p = 0; p < pieces; ++p) {
    const MPI_Offset at = static_cast<MPI_Offset>(p * writers + writer) * ints;
    MPI_Status status;
    int count = 0;
    data.assign(ints, value(writer, p));
    expect(MPI_File_write_at(file, at, data.data(), ints, MPI_INT, &status) == MPI_SUCCESS);
    data.assign(ints, 0);
    expect(MPI_File_read_at(file, at, data.data(), ints, MPI_INT, &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_INT, &count);
    expect(count == ints);
    for (const int d : data) expect(d == value(writer, p));
    expect(MPI_File_write_at(file, -1, data.data(), 1, MPI_INT, &status) != MPI_SUCCESS);
  }
}

/// Opens and closes a file of its own, again and again, with a datatype of its own.
void alone(const std::string& name, int writer) {
  for (int i = 0; i < 20; ++i) {
    MPI_File file;
    MPI_Datatype type;
    std::vector<int> data(ints, value(writer, i));
    MPI_Type_vector(ints, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    expect(MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file) == MPI_SUCCESS);
    expect(MPI_File_set_view(file, 8, MPI_INT, type, "native", MPI_INFO_NULL) == MPI_SUCCESS);
    expect(MPI_File_write_all(file, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    data.assign(ints, 0);
    expect(MPI_File_read_at_all(file, 0, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS);
    for (const int d : data) expect(d == value(writer, i));
    MPI_Type_free(&type);
    expect(MPI_File_close(&file) == MPI_SUCCESS);
  }
  MPI_File_delete(name.c_str(), MPI_INFO_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  const std::string name = test_file(argc, argv, "threads.dat");
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File file;
  CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  require_resonio(file);
  CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    const int writer = rank * threads + t;
    running.emplace_back([=] { share(file, writer, size * threads); });
    running.emplace_back([=] { alone(name + std::to_string(writer), writer); });
  }
  for (std::thread& thread : running) thread.join();
  CHECK(wrong == 0);
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete(name.c_str(), MPI_INFO_NULL);
  return check_verdict("threads");
}
