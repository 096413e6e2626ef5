#pragma once

#include <cstdio>
#include <cstdlib>

#include "hone/base/str.h"

namespace hone {

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const std::string& message) {
  std::fprintf(stderr, "%s:%d: bug in hone: %s is false: %s\n", file, line, condition,
               message.c_str());
  std::abort();
}

}  // namespace hone

// Ends the process when `condition` is false. Only for what can be nothing but a bug in Hone.
#define HONE_CHECK(condition, ...)                                                    \
  do {                                                                                \
    if (!(condition)) [[unlikely]] {                                                  \
      ::hone::check_failed(__FILE__, __LINE__, #condition, ::hone::str(__VA_ARGS__)); \
    }                                                                                 \
  } while (false)
