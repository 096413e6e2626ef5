// Steps from one tensor to another of as many elements, by kernels that take any run of them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

template <class X, class Y, class Run>
class MapStep final : public Step {
 public:
  MapStep(StepKind map_kind, const Value* x, const Value* y, size_t cols, Run map,
          StepBuilder& builder)
      : cols_(cols),
        chunks_(static_cast<size_t>(y->type.tensor.elements()) / cols,
                cols * std::max(sizeof(X), sizeof(Y))),
        map_(std::move(map)) {
    kind = std::move(map_kind);
    if (sizeof(X) == sizeof(Y)) in_place = 0;
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      map_(chunks_.end(chunk) - first, frame.in<X>(x_) + first * cols_,
           frame.out<Y>(y_) + first * cols_);
    });
    return Done{};
  }

 private:
  size_t cols_;
  Chunks chunks_;
  Run map_;
  Slot x_ = 0;
  Slot y_ = 0;
};

// `map` is called as map(size_t n, const X* from, Y* to) for n rows of `cols` elements, several
// times at once. Where X and Y have the same size, `to` may be `from`.
template <class X, class Y, class Run>
std::unique_ptr<Step> make_map_step(StepKind kind, const Value* x, const Value* y, size_t cols,
                                    Run map, StepBuilder& builder) {
  return std::make_unique<MapStep<X, Y, Run>>(std::move(kind), x, y, cols, std::move(map), builder);
}

}  // namespace hone::cpu
