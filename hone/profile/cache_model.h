// A model of a processor's data caches: which accesses miss which level.
#pragma once

#include <cstdint>
#include <vector>

#include "hone/device/machine.h"

namespace hone {

struct CacheLevel {
  uint64_t bytes = 0;
  int ways = 8;
};

// Inclusive levels of set-associative caches with least-recently-used replacement and lines of one
// size. No prefetching: a miss counts even where hardware would have hidden it.
class CacheModel {
 public:
  // Nearest level first.
  CacheModel(const std::vector<CacheLevel>& levels, uint64_t line_bytes);

  // Touches every line of the range.
  void access(uint64_t address, uint64_t bytes);

  // Lines that were not found in each level, since the last reset.
  const std::vector<uint64_t>& misses() const { return misses_; }
  uint64_t accesses() const { return accesses_; }
  void reset_counts();

 private:
  struct Level {
    uint64_t sets;
    size_t ways;
    std::vector<uint64_t> lines;  // By set, most recently used first; kNoLine where empty.
  };
  static bool touch(Level& level, uint64_t line);

  uint64_t line_bytes_;
  std::vector<Level> levels_;
  std::vector<uint64_t> misses_;
  uint64_t accesses_ = 0;
};

// The data caches of this machine, nearest first; a typical three-level hierarchy when they cannot
// be read.
std::vector<CacheLevel> data_caches(const CpuInfo& cpu);

}  // namespace hone
