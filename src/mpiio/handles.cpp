#include "mpiio/handles.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace resonio::mpiio {
namespace {

using Slot = std::atomic<File*>;
constexpr std::size_t slots = 1 << 16;      // more than a process may have files open
constexpr MPI_Fint first_number = 1 << 28;  // the MPI libraries count from 0

std::array<Slot, slots> table{};  // untouched pages cost nothing
std::mutex table_mutex;
std::size_t next_slot = 0;

Slot* slot_of(MPI_File handle) {
  const auto distance =
      reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(table.data());
  if (distance >= sizeof table || distance % sizeof(Slot) != 0) return nullptr;
  return &table[distance / sizeof(Slot)];
}

}  // namespace

MPI_File publish(File* file) {
  const std::lock_guard lock(table_mutex);
  for (std::size_t i = 0; i < slots; ++i) {
    Slot& slot = table[(next_slot + i) % slots];
    if (slot.load() != nullptr) continue;
    slot.store(file);
    next_slot = (next_slot + i + 1) % slots;
    return reinterpret_cast<MPI_File>(&slot);
  }
  return MPI_FILE_NULL;
}

File* find(MPI_File handle) {
  const Slot* slot = slot_of(handle);
  return slot == nullptr ? nullptr : slot->load(std::memory_order_acquire);
}

void retire(MPI_File handle) {
  if (Slot* slot = slot_of(handle)) slot->store(nullptr);
}

bool foreign(MPI_File handle) { return handle != MPI_FILE_NULL && slot_of(handle) == nullptr; }

MPI_Fint to_fortran(MPI_File handle) {
  if (handle == MPI_FILE_NULL) return 0;
  const Slot* slot = slot_of(handle);
  if (slot == nullptr) return mpi::api().File_c2f(handle);
  return first_number + static_cast<MPI_Fint>(slot - table.data());
}

MPI_File from_fortran(MPI_Fint number) {
  if (number == 0) return MPI_FILE_NULL;
  if (number < first_number || number - first_number >= static_cast<MPI_Fint>(slots))
    return mpi::api().File_f2c(number);
  return reinterpret_cast<MPI_File>(&table[static_cast<std::size_t>(number - first_number)]);
}

}  // namespace resonio::mpiio
