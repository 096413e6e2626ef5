#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace hone {

// A buffer that is read from its begin to its end while another is written so: it may lie over that
// one's end, beginning `lead` bytes behind where that begins.
struct Follows {
  size_t buffer;
  size_t lead;
};

// A buffer that must keep its contents from step `first` to step `last`, both included.
struct BufferLife {
  size_t bytes;
  size_t first;
  size_t last;
  std::optional<Follows> follows = {};
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // One per buffer; multiples of the alignment.
  size_t bytes = 0;             // Of the arena that holds them all.
};

// One cache line, and the widest vector.
inline constexpr size_t kBufferAlignment = 64;

// Places buffers so that no two that live at the same time overlap. Large buffers first, each at
// the lowest offset that is free during its life.
MemoryPlan plan_memory(const std::vector<BufferLife>& buffers, size_t alignment = kBufferAlignment);

// The largest sum of bytes that live at the same step: no plan can do with less.
size_t largest_live_bytes(const std::vector<BufferLife>& buffers);

}  // namespace hone
