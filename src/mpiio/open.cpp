// Opening and closing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/log.hpp"
#include "comm/mpi/mpi_comm.hpp"
#include "mpiio/file.hpp"
#include "mpiio/hints.hpp"
#include "mpiio/statistics_file.hpp"

namespace resonio::mpiio {
namespace {

bool has(int amode, int flag) { return (amode & flag) != 0; }

Error check_amode(int amode) {
  const int known = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR | MPI_MODE_CREATE |
                    MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
                    MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;
  const int accesses =
      has(amode, MPI_MODE_RDONLY) + has(amode, MPI_MODE_WRONLY) + has(amode, MPI_MODE_RDWR);
  if ((amode & ~known) != 0)
    return make_error(Code::amode, fmt::format("amode {} has bits of no meaning", amode));
  if (accesses != 1)
    return make_error(Code::amode,
                      "amode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR");
  if (has(amode, MPI_MODE_RDONLY) && has(amode, MPI_MODE_CREATE | MPI_MODE_EXCL))
    return make_error(Code::amode, "MPI_MODE_CREATE and MPI_MODE_EXCL do not go with RDONLY");
  if (has(amode, MPI_MODE_RDWR) && has(amode, MPI_MODE_SEQUENTIAL))
    return make_error(Code::amode, "MPI_MODE_SEQUENTIAL does not go with RDWR");
  return {};
}

/// Whatever this rank can find wrong before any file is touched.
Error check_arguments(comm::Comm& comm, const char* name, int amode) {
  int first = amode;
  comm.broadcast(&first, sizeof first, 0);
  if (const Error error = check_amode(amode)) return error;
  if (amode != first)
    return make_error(Code::not_same,
                      fmt::format("amode is {} here and {} on rank 0", amode, first));
  if (name == nullptr) return make_error(Code::arg, "the file name is null");
  return {};
}

storage::Opened open_storage(const std::string& path, int amode, bool create) {
  storage::OpenMode mode;
  mode.write = !has(amode, MPI_MODE_RDONLY);
  mode.create = create && has(amode, MPI_MODE_CREATE);
  mode.exclusive = create && has(amode, MPI_MODE_EXCL);
  // Also to write only: strategies that rewrite holes must read them. Where the file may not
  // be read they do without.
  mode.read = true;
  storage::Opened opened = storage::open_posix(path, mode);
  if (opened.error.code != Code::access || !has(amode, MPI_MODE_WRONLY)) return opened;
  mode.read = false;
  return storage::open_posix(path, mode);
}

void learn_rank() {
  int rank = 0;
  mpi::api().Comm_rank(MPI_COMM_WORLD, &rank);
  log::set_rank(rank);
}

bool many_threads() {
  int level = MPI_THREAD_SINGLE;
  mpi::api().Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

std::string path_of(const char* name) {
  constexpr std::array<std::string_view, 6> mounted = {
      "ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:"};
  const std::string_view text = name;
  for (const std::string_view prefix : mounted)
    if (text.starts_with(prefix)) return std::string(text.substr(prefix.size()));
  return std::string(text);
}

Error remove_file(const char* name) {
  if (name == nullptr) return make_error(Code::arg, "the file name is null");
  return storage::remove_posix(path_of(name));
}

File::File(std::string name, int amode, std::unique_ptr<comm::Comm> comm, MPI_Group group)
    : name_(std::move(name)),
      amode_(amode),
      comm_(std::move(comm)),
      group_(group),
      errhandler_(default_errhandler()),
      etype_(MPI_BYTE),
      filetype_(MPI_BYTE),
      threads_(many_threads()) {}

File::~File() { mpi::api().Group_free(&group_); }

Error File::open(MPI_Comm mpi_comm, const char* name, int amode, MPI_Info info,
                 std::unique_ptr<File>* result) {
  learn_rank();
  std::unique_ptr<comm::Comm> comm = comm::make_mpi_comm(mpi_comm);
  if (const Error error = comm->agree(check_arguments(*comm, name, amode))) return error;

  MPI_Group group = MPI_GROUP_NULL;
  mpi::api().Comm_group(mpi_comm, &group);
  std::unique_ptr<File> file(new File(path_of(name), amode, std::move(comm), group));
  const bool first = file->comm_->rank() == 0;
  // Rank 0 creates the file; only then the others look for it.
  storage::Opened opened;
  if (first) opened = open_storage(file->name_, amode, true);
  if (const Error error = file->comm_->agree(opened.error)) return error;
  if (!first) opened = open_storage(file->name_, amode, false);
  if (const Error error = file->comm_->agree(opened.error)) return error;

  Outcome end;
  if (has(amode, MPI_MODE_APPEND)) end = opened.file->size();
  file->engine_ = std::make_unique<engine::File>(*file->comm_, std::move(opened.file), file->name_,
                                                 file->options_);
  file->position_ = end.bytes;
  if (Error error = file->set_info(info)) return error;
  if (const Error error = file->comm_->agree(end.error)) return error;
  *result = std::move(file);
  return {};
}

Error File::close() {
  write_statistics(*this);
  const Error closed = comm_->agree(engine_->storage()->close());
  Error removed;
  if (has(amode_, MPI_MODE_DELETE_ON_CLOSE)) {
    if (comm_->rank() == 0) removed = storage::remove_posix(name_);
    removed = comm_->agree(removed);
  }
  return closed.ok() ? removed : closed;
}

}  // namespace resonio::mpiio
