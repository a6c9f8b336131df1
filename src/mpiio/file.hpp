// One open file as a program sees it: mode, view, file pointer, handlers. All work on bytes
// is the engine's.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/direction.hpp"
#include "base/error.hpp"
#include "comm/comm.hpp"
#include "engine/file.hpp"
#include "mpi/api.hpp"
#include "mpiio/datatypes.hpp"
#include "mpiio/errhandler.hpp"
#include "pattern/type.hpp"

namespace resonio::mpiio {

using pattern::i64;

/// A data access call. Offsets count etypes of the view.
struct Transfer {
  enum class At { pointer, offset };
  Direction direction;
  bool collective;
  At at;
  MPI_Offset offset;  // At::offset
  std::byte* buffer;
  i64 count;
  MPI_Datatype type;
};

class File {
 public:
  /// Collective. On an error *result stays empty, on all ranks.
  static Error open(MPI_Comm comm, const char* name, int amode, MPI_Info info,
                    std::unique_ptr<File>* result);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  /// Collective: closes, deletes if asked for at open, writes the statistics.
  Error close();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int amode() const { return amode_; }
  [[nodiscard]] comm::Comm& comm() { return *comm_; }
  [[nodiscard]] const engine::File& engine() const { return *engine_; }
  [[nodiscard]] Errhandler& errhandler() { return errhandler_; }
  [[nodiscard]] MPI_Group group() const { return group_; }

  // --- the view (view.cpp) ---
  /// Collective.
  Error set_view(MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                 MPI_Info info);
  void get_view(MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) const;
  Error byte_offset(MPI_Offset offset, MPI_Offset* disp) const;

  // --- the individual file pointer (position.cpp) ---
  Error seek(MPI_Offset offset, int whence);
  Error position(MPI_Offset* offset) const;

  // --- the file as a whole (whole_file.cpp) ---
  Error set_size(MPI_Offset size);     // collective
  Error preallocate(MPI_Offset size);  // collective
  Error get_size(MPI_Offset* size);
  Error sync();                   // collective
  Error set_info(MPI_Info info);  // collective
  [[nodiscard]] MPI_Info get_info() const;
  Error set_atomicity(bool atomic);  // collective
  [[nodiscard]] bool atomic() const { return atomic_; }

  // --- data (transfer.cpp) ---
  Error transfer(const Transfer& transfer, MPI_Status* status);

 private:
  File(std::string name, int amode, std::unique_ptr<comm::Comm> comm, MPI_Group group);

  struct Place {  // what a call moves
    pattern::Access file;
    engine::Memory memory;
    i64 position = 0;  // data byte of the view where it starts
    i64 bytes = 0;
  };

  [[nodiscard]] Error require_random_access() const;
  [[nodiscard]] Error check_mode(Direction direction) const;
  /// An offset in etypes as a data byte of the view.
  [[nodiscard]] Error in_view(MPI_Offset offset, i64* position) const;
  /// False if file offsets would overflow.
  [[nodiscard]] bool in_range(i64 position, i64 bytes) const;
  [[nodiscard]] Error locate(const Transfer& transfer, Place* place) const;
  [[nodiscard]] Error locate_bytes(const Transfer& transfer, const Datatype& type,
                                   Place* place) const;
  Outcome move(Direction direction, const Place& place);
  Outcome move_all(Direction direction, const Place& place, const Error& argument);
  Outcome move_locked(Direction direction, const Place& place);
  Error check_new_size(i64 size);
  void use_options();

  std::string name_;
  int amode_;
  std::unique_ptr<comm::Comm> comm_;
  MPI_Group group_;
  std::unique_ptr<engine::File> engine_;
  Options options_;  // as hints ask for them; atomic mode changes the engine's
  Errhandler errhandler_;
  bool atomic_ = false;

  TypeHandle etype_;
  TypeHandle filetype_;
  pattern::View view_;
  std::atomic<i64> position_{0};  // individual file pointer: data bytes of the view

  bool threads_ = false;  // the program may call from several threads at once
  std::mutex mutex_;      // then: over each independent transfer
};

/// File name without the prefix that tells ROMIO the file system ("ufs:", "nfs:", ...).
std::string path_of(const char* name);
/// MPI_File_delete.
Error remove_file(const char* name);

}  // namespace resonio::mpiio
