// Matrix products of two computed operands, as attention has them: the right one is packed when it
// is there. Each is one worker's; large ones are those of matmul_large.cc.

#include "hone/base/infinity.h"
#include "hone/targets/cpu/matrix_stack.h"
#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {
namespace {

template <class T>
class BatchProductStep final : public Step {
 public:
  BatchProductStep(const Node& product, const BatchShape& shape, StepBuilder& builder)
      : shape_(shape),
        gemm_({.columns = shape.n, .taps = 1, .depth = shape.k}),
        a_stack_(operand_stack(product, 0, builder)),
        b_stack_(operand_stack(product, 1, builder)),
        y_stack_(result_stack(product, builder)) {
    kind = gemm_.kind();
    rows_offset_ = (gemm_.panels_bytes() + alignof(T*) - 1) / alignof(T*) * alignof(T*);
    scratch_bytes = rows_offset_ + shape.m * sizeof(T*);
    a_ = builder.read(a_stack_.value);
    b_ = builder.read(b_stack_.value);
    y_ = builder.write(y_stack_.value);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(shape_.batch, [&](size_t i, size_t worker) {
      run_one(frame, i, scratch<std::byte>(frame, worker));
    });
    return Done{};
  }

 private:
  void run_one(const Frame& frame, size_t i, std::byte* memory) const {
    const T* a = frame.in<T>(a_) + a_stack_.start(i);
    gemm_.pack({.data = frame.in<T>(b_) + b_stack_.start(i),
                .n = shape_.n,
                .k = shape_.k,
                .column_stride = 1,
                .depth_stride = b_stack_.row_stride,
                .bias = nullptr},
               memory);
    const auto rows = reinterpret_cast<const T**>(memory + rows_offset_);
    for (size_t row = 0; row < shape_.m; ++row) rows[row] = a + row * a_stack_.row_stride;
    gemm_.run(memory, {-kInfinity<float>, kInfinity<float>},
              {.rows = shape_.m,
               .a = rows,
               .c = frame.out<T>(y_) + y_stack_.start(i),
               .c_stride = y_stack_.row_stride,
               .residual = nullptr,
               .residual_stride = 0},
              0, gemm_.panels(), nullptr);
  }

  BatchShape shape_;
  PlainProduct<T> gemm_;
  MatrixStack a_stack_;
  MatrixStack b_stack_;
  MatrixStack y_stack_;
  size_t rows_offset_ = 0;  // In scratch memory, behind the panels.
  Slot a_ = 0;
  Slot b_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower_matmul_batch_node(const Node& node, StepBuilder& builder) {
  const auto shape = batch_shape(node, builder);
  if (!shape) return nullptr;
  if (node.outputs[0]->type.tensor.dtype == DType::F32) {
    return std::make_unique<BatchProductStep<float>>(node, *shape, builder);
  }
  return std::make_unique<BatchProductStep<Half>>(node, *shape, builder);
}

}  // namespace

extern const LoweringDef lower_matmul_batch = {.op = "matmul", .lower = lower_matmul_batch_node};

}  // namespace hone::cpu
