#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace resonio {
namespace {

Code code_of(int sys) {
  switch (sys) {
    case 0: return Code::ok;
    case EACCES:
    case EPERM: return Code::access;
    case EROFS: return Code::read_only;
    case ENOENT: return Code::no_such_file;
    case EEXIST: return Code::file_exists;
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP: return Code::bad_file;
    case ENOSPC: return Code::no_space;
    case EDQUOT: return Code::quota;
    case EBUSY:
    case ETXTBSY: return Code::file_in_use;
    case ENOMEM: return Code::no_memory;
    case EOPNOTSUPP:
    case ENOSYS: return Code::unsupported_operation;
    default: return Code::io;
  }
}

}  // namespace

Error make_error(Code code, std::string_view text, int sys) {
  Error e;
  e.code = code;
  e.sys = sys;
  const auto n = std::min(text.size(), sizeof(e.text) - 1);
  std::memcpy(e.text, text.data(), n);
  return e;
}

Error errno_error(int sys, std::string_view doing) {
  char buffer[96];
  const char* why = strerror_r(sys, buffer, sizeof buffer);
  return make_error(code_of(sys), fmt::format("{}: {}", doing, why), sys);
}

}  // namespace resonio
