#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace hone {

// Numbers that do not depend on the standard library.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  // Both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int64_t percent) { return between(1, 100) <= percent; }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(between(0, static_cast<int64_t>(choices.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace hone
