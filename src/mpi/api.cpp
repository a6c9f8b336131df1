#include "mpi/api.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "base/log.hpp"

namespace resonio::mpi {
namespace {

#ifdef OPEN_MPI
constexpr bool built_for_open_mpi = true;
#else
constexpr bool built_for_open_mpi = false;
#endif
// Open MPI's library, and MPICH's as Debian calls it; elsewhere that one is libmpi.so, too.
constexpr const char* wanted[] = {"libmpi.so", "libmpich.so"};

int find_library(dl_phdr_info* info, std::size_t, void* result) {
  const char* base = std::strrchr(info->dlpi_name, '/');
  base = base != nullptr ? base + 1 : info->dlpi_name;
  for (const char* name : wanted)
    if (std::strncmp(base, name, std::strlen(name)) == 0) {
      *static_cast<std::string*>(result) = info->dlpi_name;
      return 1;
    }
  return 0;
}

[[noreturn]] void stop(const std::string& why) {
  log::error("{}", why);
  _exit(127);
}

void* handle() {
  static void* const library = [] {
    const std::string& path = library_path();
    if (path.empty())
      stop("an MPI-IO function was called, but no MPI library is loaded in this process");
    void* h = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (h == nullptr) stop(fmt::format("cannot use {}: {}", path, dlerror()));
    // Both kinds may be called libmpi.so, and a handle of the one is no handle of the other.
    const bool open_mpi = dlsym(h, "ompi_mpi_comm_world") != nullptr;
    if (open_mpi != built_for_open_mpi)
      stop(fmt::format("this resonio library is for {}, but the program runs with {}",
                       built_for_open_mpi ? "Open MPI" : "MPICH", path));
    return h;
  }();
  return library;
}

}  // namespace

const std::string& library_path() {
  static const std::string path = [] {
    std::string found;
    dl_iterate_phdr(find_library, &found);
    return found;
  }();
  return path;
}

void* optional_symbol(const char* name) { return dlsym(handle(), name); }

void* symbol(const char* name) {
  void* address = optional_symbol(name);
  if (address == nullptr)
    stop(
        fmt::format("{} has no symbol {}; is this the library of another MPI than the one "
                    "resonio was built for? (resonio doctor tells)",
                    library_path(), name));
  return address;
}

void* variable(const char* name) {
  void* address = dlsym(RTLD_DEFAULT, name);
  return address != nullptr ? address : symbol(name);
}

const Api& api() {
  static const Api table = [] {
    Api a;
#define RESONIO_MPI_FUNCTION(name) \
  a.name = reinterpret_cast<decltype(a.name)>(symbol("PMPI_" #name));
#include "mpi/functions.def"
#undef RESONIO_MPI_FUNCTION
    return a;
  }();
  return table;
}

}  // namespace resonio::mpi
