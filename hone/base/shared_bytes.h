#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace hone {

// Bytes somebody keeps alive: a file read into memory, a weight moved out of a parsed message.
// Copying shares them.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

}  // namespace hone
