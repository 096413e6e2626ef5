// The bytes that commands touch.
#pragma once

#include <array>
#include <optional>

#include "hone/sim/command.h"

namespace hone::sim {

struct Access {
  View bytes = {};  // One byte an element.
  bool writes = false;
};

// At most an output, two inputs and constants.
struct Accesses {
  std::array<Access, 4> list = {};
  size_t count = 0;
  void add(const View& bytes, bool writes) { list[count++] = {bytes, writes}; }
  const Access* begin() const { return list.data(); }
  const Access* end() const { return list.data() + count; }
};
Accesses accesses_of(const Command& command);

// `bytes` in a row.
View run_of_bytes(Address at, int64_t bytes);
// Where a view ends, as an offset into its space; nothing when an extent is below 1, a stride is
// negative, or the end is beyond 64 bits.
std::optional<uint64_t> end_of(const View& view);
// Whether a byte lies in both. Slices of one buffer that interleave do not overlap. Both have ends.
bool overlap(const View& a, const View& b);

}  // namespace hone::sim
