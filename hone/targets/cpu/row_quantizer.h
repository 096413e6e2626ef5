// The activations of a hybrid layer as whole numbers, row by row, as they come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "hone/kernels/hybrid/hybrid.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/cpu/step.h"

namespace hone::cpu {

class RowQuantizer {
 public:
  RowQuantizer() = default;
  // `length` elements to each of the rows, which have a scale of their own.
  RowQuantizer(size_t rows, size_t length, HybridRange range)
      : kernel_(best_variant(hybrid_variants()).run), rows_(rows), length_(length), range_(range) {
    // 64 KiB of floats: enough to outweigh the start of a task.
    constexpr size_t kMost = 16384;
    chunks_ = std::max<size_t>(1, (length + kMost - 1) / kMost);
  }

  size_t elements() const { return rows_ * length_; }
  // Of the memory that `run` works in, a multiple of 64.
  size_t memory_bytes() const {
    const size_t bytes = rows_ * sizeof(HybridRow) + rows_ * chunks_ * sizeof(Extremes);
    return (bytes + 63) / 64 * 64;
  }

  // int8_t gets the bytes, float the same less the row's zero point. Gives how each row was
  // quantized, in `memory`.
  template <class T>
  const HybridRow* run(Workers& workers, const float* x, std::byte* memory, T* y) const {
    auto* rows = reinterpret_cast<HybridRow*>(memory);
    auto* extremes = reinterpret_cast<Extremes*>(rows + rows_);
    workers.run(rows_ * chunks_, [&](size_t task, size_t) {
      kernel_.range(count(task), x + begin(task), &extremes[task].low, &extremes[task].high);
    });
    workers.run(rows_ * chunks_, [&](size_t task, size_t) {
      const HybridRow row = row_of(extremes + task / chunks_ * chunks_);
      if (task % chunks_ == 0) rows[task / chunks_] = row;
      const HybridSteps steps{row.inverse, row.zero_point, row.low};
      if constexpr (std::is_same_v<T, float>) {
        kernel_.to_whole_floats(steps, count(task), x + begin(task), y + begin(task));
      } else {
        kernel_.to_bytes(steps, count(task), x + begin(task), y + begin(task));
      }
    });
    return rows;
  }

 private:
  struct Extremes {
    float low;
    float high;
  };

  // A task is a chunk of a row.
  size_t begin_in_row(size_t task) const { return task % chunks_ * length_ / chunks_; }
  size_t begin(size_t task) const { return task / chunks_ * length_ + begin_in_row(task); }
  size_t count(size_t task) const {
    return (task % chunks_ + 1) * length_ / chunks_ - begin_in_row(task);
  }

  HybridRow row_of(const Extremes* extremes) const {
    Extremes all = extremes[0];
    for (size_t c = 1; c < chunks_; ++c) {
      all.low = std::min(all.low, extremes[c].low);
      all.high = std::max(all.high, extremes[c].high);
    }
    return hybrid_row(all.low, all.high, range_);
  }

  HybridKernel kernel_ = {};
  size_t rows_ = 0;
  size_t length_ = 0;
  HybridRange range_ = HybridRange::Symmetric;
  size_t chunks_ = 1;
};

}  // namespace hone::cpu
