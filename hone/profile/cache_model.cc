#include "hone/profile/cache_model.h"

#include <algorithm>

namespace hone {
namespace {

constexpr uint64_t kNoLine = ~uint64_t{0};

}  // namespace

CacheModel::CacheModel(const std::vector<CacheLevel>& levels, uint64_t line_bytes)
    : line_bytes_(line_bytes), misses_(levels.size()) {
  for (const CacheLevel& level : levels) {
    const auto ways = static_cast<size_t>(level.ways);
    const uint64_t sets = std::max<uint64_t>(1, level.bytes / line_bytes / ways);
    levels_.push_back({sets, ways, std::vector<uint64_t>(sets * ways, kNoLine)});
  }
}

bool CacheModel::touch(Level& level, uint64_t line) {
  const auto first = level.lines.begin() + static_cast<ptrdiff_t>(line % level.sets * level.ways);
  const auto last = first + static_cast<ptrdiff_t>(level.ways);
  auto found = std::find(first, last, line);
  const bool hit = found != last;
  if (!hit) found = last - 1;
  std::move_backward(first, found, found + 1);
  *first = line;
  return hit;
}

void CacheModel::access(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t last = (address + bytes - 1) / line_bytes_;
  for (uint64_t line = address / line_bytes_; line <= last; ++line) {
    ++accesses_;
    for (size_t level = 0; level < levels_.size(); ++level) {
      if (touch(levels_[level], line)) break;
      ++misses_[level];
    }
  }
}

void CacheModel::reset_counts() {
  std::ranges::fill(misses_, 0);
  accesses_ = 0;
}

std::vector<CacheLevel> data_caches(const CpuInfo& cpu) {
  std::vector<CacheLevel> levels;
  for (const CpuCache& cache : cpu.caches) {
    if (cache.type != "Instruction" && cache.bytes > 0) levels.push_back({cache.bytes, 8});
  }
  if (levels.empty()) levels = {{64 << 10, 8}, {1 << 20, 8}, {32 << 20, 16}};
  return levels;
}

}  // namespace hone
