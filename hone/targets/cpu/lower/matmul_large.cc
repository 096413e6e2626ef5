// Products of two computed matrices, each so large and so few of them that threads share out the
// rows of one.

#include <algorithm>

#include "hone/base/infinity.h"
#include "hone/targets/cpu/matrix_stack.h"
#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {
namespace {

constexpr size_t kMostRowsOfTask = 256;
constexpr size_t kTasksOfThread = 4;
constexpr size_t kLeastMacs = size_t{1} << 21;  // Less is done before all threads have begun.

template <class T>
class LargeProductStep final : public Step {
 public:
  LargeProductStep(const Node& product, const BatchShape& shape, StepBuilder& builder)
      : shape_(shape),
        gemm_({.columns = shape.n, .taps = 1, .depth = shape.k}),
        a_stack_(operand_stack(product, 0, builder)),
        b_stack_(operand_stack(product, 1, builder)),
        y_stack_(result_stack(product, builder)) {
    kind = gemm_.kind();
    const size_t tasks = kTasksOfThread * static_cast<size_t>(builder.options().threads);
    const size_t rows = (shape.m + tasks - 1) / tasks;
    rows_ = std::min(kMostRowsOfTask, (rows + gemm_.mr() - 1) / gemm_.mr() * gemm_.mr());
    shared_bytes = gemm_.panels_bytes();
    scratch_bytes = rows_ * sizeof(T*);
    a_ = builder.read(a_stack_.value);
    b_ = builder.read(b_stack_.value);
    y_ = builder.write(y_stack_.value);
  }

  Status run(const Frame& frame) const override {
    for (size_t i = 0; i < shape_.batch; ++i) {
      if (i == 0 || b_stack_.starts.size() > 1) {
        gemm_.pack({.data = frame.in<T>(b_) + b_stack_.start(i),
                    .n = shape_.n,
                    .k = shape_.k,
                    .column_stride = 1,
                    .depth_stride = b_stack_.row_stride,
                    .bias = nullptr},
                   shared(frame));
      }
      run_one(frame, frame.in<T>(a_) + a_stack_.start(i), frame.out<T>(y_) + y_stack_.start(i));
    }
    return Done{};
  }

 private:
  void run_one(const Frame& frame, const T* a, T* y) const {
    frame.workers->run((shape_.m + rows_ - 1) / rows_, [&](size_t task, size_t worker) {
      const size_t first = task * rows_;
      const size_t rows = std::min(rows_, shape_.m - first);
      const T** starts = scratch<const T*>(frame, worker);
      for (size_t row = 0; row < rows; ++row) starts[row] = a + (first + row) * a_stack_.row_stride;
      gemm_.run(shared(frame), {-kInfinity<float>, kInfinity<float>},
                {.rows = rows,
                 .a = starts,
                 .c = y + first * y_stack_.row_stride,
                 .c_stride = y_stack_.row_stride,
                 .residual = nullptr,
                 .residual_stride = 0},
                0, gemm_.panels(), nullptr);
    });
  }

  BatchShape shape_;
  PlainProduct<T> gemm_;
  MatrixStack a_stack_;
  MatrixStack b_stack_;
  MatrixStack y_stack_;
  size_t rows_ = 0;  // Of a task.
  Slot a_ = 0;
  Slot b_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower_matmul_large_node(const Node& node, StepBuilder& builder) {
  const auto shape = batch_shape(node, builder);
  if (!shape || shape->m * shape->n * shape->k < kLeastMacs) return nullptr;
  if (shape->batch >= static_cast<size_t>(builder.options().threads)) return nullptr;
  if (node.outputs[0]->type.tensor.dtype == DType::F32) {
    return std::make_unique<LargeProductStep<float>>(node, *shape, builder);
  }
  return std::make_unique<LargeProductStep<Half>>(node, *shape, builder);
}

}  // namespace

extern const LoweringDef lower_matmul_large = {.op = "matmul", .lower = lower_matmul_large_node};

}  // namespace hone::cpu
