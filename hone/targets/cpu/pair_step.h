// What steps of two operands that broadcast to one result share.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "hone/kernels/binary/binary.h"
#include "hone/targets/cpu/broadcast_view.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/follower.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/repeated_constant.h"

namespace hone::cpu {

using Pair = std::array<const Value*, 2>;

template <class T>
class PairStep : public Step {
 protected:
  PairStep(const Pair& pair, const Value* y, StepBuilder& builder) {
    const TensorType& type = y->type.tensor;
    std::array<Shape, 2> shapes;
    for (size_t i = 0; i < 2; ++i) {
      shapes[i] = pair[i]->type.tensor.shape;
      const Shape& other = pair[1 - i]->type.tensor.shape;
      if (pair[i]->constant) repeat(i, *pair[i]->constant, other, type.shape, shapes[i]);
    }
    view_ = broadcast_view(shapes[0], shapes[1], type.shape);
    one_shape_ = shapes[0] == type.shape && shapes[1] == type.shape;
    // Rows are shared out; a single row is cut along its columns instead.
    const bool by_row = view_.rows > 1;
    chunks_ = Chunks(by_row ? view_.rows : view_.cols, by_row ? view_.cols * sizeof(T) : sizeof(T));
    outers_ = Chunks(view_.outer, view_.rows * view_.cols * sizeof(T));
    for (size_t i = 0, read = 0; i < 2; ++i) {
      if (!repeated_[i].empty()) continue;
      operands_[i] = builder.read(pair[i]);
      const bool same_size = pair[i]->type.tensor.elements() == type.elements();
      if (in_place == kNone && same_size && !pair[i]->constant) in_place = read;
      ++read;
    }
    y_ = builder.write(y);
  }

  // Has a result without outer axes written as rows that lie apart, if it is made of such rows and
  // they are long enough for vectors.
  bool space_rows(const RowsApart& rows) {
    constexpr size_t kShortestRow = 64;
    const size_t cols = rows.bytes / sizeof(T);
    if (rows.bytes < kShortestRow || rows.bytes % sizeof(T) != 0 || rows.stride % sizeof(T) != 0 ||
        view_.outer != 1) {
      return false;
    }
    if (view_.rows == 1 && !cut_row(cols)) return false;
    if (view_.cols != cols) return false;
    y_stride_ = rows.stride / sizeof(T);
    return true;
  }

  // Calls compute(part) for every part of the result. A part is `args` with rows, cols, a, b, y and
  // y_stride, where it has one, filled in.
  template <class Args, class Compute>
  Status run_parts(const Frame& frame, const Args& args, const Compute& compute) const {
    frame.workers->run(outers_.count() * chunks_.count(), [&](size_t task, size_t) {
      Args part = args;
      const size_t chunk = task % chunks_.count();
      const size_t outers = task / chunks_.count();
      for (size_t outer = outers_.begin(outers); outer < outers_.end(outers); ++outer) {
        place(frame, outer, chunks_.begin(chunk), chunks_.end(chunk), part);
        compute(part);
      }
    });
    return Done{};
  }

  // Whether a block of the result is of that block of each operand, and this is one of the two.
  bool is_block_operand(Slot operand) const {
    return one_shape_ && (operands_[0] == operand) != (operands_[1] == operand);
  }

  // Fills in a block of the result; `x` as Follower::run_block has it.
  template <class Args>
  void place_block(const Frame& frame, Slot operand, const T* x, const ElementBlock& block,
                   Args& part) const {
    const auto data = [&](Slot slot) {
      return slot == operand ? x + block.first_column : frame.in<T>(slot) + block.offset();
    };
    part.rows = block.rows;
    part.cols = block.columns;
    part.a = {data(operands_[0]), block.pitch, 1};
    part.b = {data(operands_[1]), block.pitch, 1};
    part.y = frame.out<T>(y_) + block.offset();
    part.y_stride = block.pitch;
  }

 private:
  // Operands of one shape are one long row, which can be cut anywhere.
  bool cut_row(size_t cols) {
    if (view_.cols % cols != 0) return false;
    for (const BroadcastView::Strides& strides : view_.of) {
      if (strides.col != 1) return false;
    }
    for (BroadcastView::Strides& strides : view_.of) strides.row = cols;
    view_.rows = view_.cols / cols;
    view_.cols = cols;
    chunks_ = Chunks(view_.rows, view_.cols * sizeof(T));
    return true;
  }

  void repeat(size_t i, const Tensor& constant, const Shape& other, const Shape& y, Shape& shape) {
    const std::optional<Shape> longer = repeated_shape(shape, other, y);
    if (!longer) return;
    shape = *longer;
    repeated_[i] = repeated_constant<T>(constant, shape);
    weight_bytes += repeated_[i].size() * sizeof(T);
  }

  template <class Args>
  void place(const Frame& frame, size_t outer, size_t begin, size_t end, Args& part) const {
    const bool by_row = view_.rows > 1;
    const auto operand = [&](size_t i) {
      const BroadcastView::Strides& strides = view_.of[i];
      const T* start = repeated_[i].empty() ? frame.in<T>(operands_[i]) : repeated_[i].data();
      start += view_.outer_offset(i, outer);
      return BinaryOperand<T>{start + begin * (by_row ? strides.row : strides.col), strides.row,
                              strides.col};
    };
    part.rows = by_row ? end - begin : 1;
    part.cols = by_row ? view_.cols : end - begin;
    part.a = operand(0);
    part.b = operand(1);
    const size_t y_stride = y_stride_ == 0 ? part.cols : y_stride_;
    part.y = frame.out<T>(y_) + outer * view_.rows * view_.cols + begin * (by_row ? y_stride : 1);
    if constexpr (requires { part.y_stride; }) part.y_stride = y_stride;
  }

  BroadcastView view_;
  size_t y_stride_ = 0;  // 0: rows lie side by side.
  Chunks chunks_;
  Chunks outers_;
  bool one_shape_ = false;
  std::array<Slot, 2> operands_ = {};
  std::array<std::vector<T>, 2> repeated_;  // Of constants that are; else empty.
  Slot y_ = 0;
};

}  // namespace hone::cpu
