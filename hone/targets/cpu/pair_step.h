// What steps of two operands that broadcast to one result share.
#pragma once

#include <array>

#include "hone/kernels/binary/binary.h"
#include "hone/targets/cpu/broadcast_view.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

template <class T>
class PairStep : public Step {
 protected:
  PairStep(const Node& pair, const BroadcastView& view, StepBuilder& builder)
      : view_(view),
        // Rows are shared out; a single row is cut along its columns instead.
        chunks_(view.rows == 1 ? view.cols : view.rows,
                view.rows == 1 ? sizeof(T) : view.cols * sizeof(T)) {
    const int64_t elements = pair.outputs[0]->type.tensor.elements();
    for (size_t i = 0; i < 2; ++i) {
      operands_[i] = builder.read(pair.inputs[i]);
      const bool same_size = pair.inputs[i]->type.tensor.elements() == elements;
      if (in_place == kNone && same_size && !pair.inputs[i]->constant) in_place = i;
    }
    y_ = builder.write(pair.outputs[0]);
  }

  // Calls compute(part) for every part of the result. A part is `args` with rows, cols, a, b and y
  // filled in.
  template <class Args, class Compute>
  Status run_parts(const Frame& frame, const Args& args, const Compute& compute) const {
    frame.workers->run(view_.outer * chunks_.count(), [&](size_t task, size_t) {
      Args part = args;
      const size_t chunk = task % chunks_.count();
      place(frame, task / chunks_.count(), chunks_.begin(chunk), chunks_.end(chunk), part);
      compute(part);
    });
    return Done{};
  }

 private:
  template <class Args>
  void place(const Frame& frame, size_t outer, size_t begin, size_t end, Args& part) const {
    const bool by_row = view_.rows > 1;
    const auto operand = [&](size_t i) {
      const BroadcastView::Strides& strides = view_.of[i];
      const T* start = frame.in<T>(operands_[i]) + outer * strides.outer;
      return BinaryOperand<T>{start + begin * (by_row ? strides.row : strides.col), strides.row,
                              strides.col};
    };
    part.rows = by_row ? end - begin : 1;
    part.cols = by_row ? view_.cols : end - begin;
    part.a = operand(0);
    part.b = operand(1);
    part.y = frame.out<T>(y_) + outer * view_.rows * view_.cols + begin * (by_row ? view_.cols : 1);
  }

  BroadcastView view_;
  Chunks chunks_;
  std::array<Slot, 2> operands_ = {};
  Slot y_ = 0;
};

}  // namespace hone::cpu
