#pragma once

#include <cstdint>
#include <string>

namespace hone::emulation {

// A function of a linked program.
struct CodeRange {
  std::string name = {};
  uint32_t begin = 0;
  uint32_t end = 0;
};

}  // namespace hone::emulation
