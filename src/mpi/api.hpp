// The program's MPI, without linking to it. Python loads libmpi with RTLD_LOCAL, so neither
// undefined symbols nor dlsym(RTLD_NEXT) find it: the loaded library is looked up by name
// among the process's libraries and every function is taken from it at first use.
//
// Include this instead of mpi.h. Call functions as mpi::api().Isend(...): they are the
// PMPI_ entries. Handles such as MPI_COMM_WORLD work as usual.
#pragma once

#include <mpi.h>

#include <string>

namespace resonio::mpi {

/// Address of a symbol of the loaded MPI library; stops the program with a message if no
/// MPI is loaded or it lacks the symbol.
void* symbol(const char* name);
/// The same, but null where the library lacks it.
void* optional_symbol(const char* name);
/// Address of a variable of the library, as the program sees it: a program may have its own copy
/// of it (a copy relocation), which then is the one that the library uses, too.
void* variable(const char* name);
/// Path of the loaded MPI library.
const std::string& library_path();

struct Api {
#define RESONIO_MPI_FUNCTION(name) decltype(&PMPI_##name) name = nullptr;
#include "mpi/functions.def"
#undef RESONIO_MPI_FUNCTION
};

/// The table; filled at first use, thread-safe.
const Api& api();

}  // namespace resonio::mpi

#ifdef OPEN_MPI
// Open MPI's handles are addresses of objects in its library: look those up, too.
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                        \
  (static_cast<type>([]() -> void* {                                \
    static void* const address = ::resonio::mpi::variable(#global); \
    return address;                                                 \
  }()))
#endif
