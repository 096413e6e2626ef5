// Matrix products of two computed operands, as attention has them: the right one is packed when it
// is there. Each is one worker's; large ones are those of matmul_large.cc.

#include "hone/base/infinity.h"
#include "hone/targets/cpu/batch_shape.h"
#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {
namespace {

template <class T>
class BatchProductStep final : public Step {
 public:
  BatchProductStep(const Node& product, const BatchShape& shape, StepBuilder& builder)
      : shape_(shape), gemm_({.columns = shape.n, .taps = 1, .depth = shape.k}) {
    kind = gemm_.kind();
    rows_offset_ = (gemm_.panels_bytes() + alignof(T*) - 1) / alignof(T*) * alignof(T*);
    scratch_bytes = rows_offset_ + shape.m * sizeof(T*);
    a_ = builder.read(product.inputs[0]);
    b_ = builder.read(product.inputs[1]);
    y_ = builder.write(product.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(shape_.batch, [&](size_t i, size_t worker) {
      run_one(frame, i, scratch<std::byte>(frame, worker));
    });
    return Done{};
  }

 private:
  void run_one(const Frame& frame, size_t i, std::byte* memory) const {
    const auto& [batch, m, k, n, repeat_a, repeat_b] = shape_;
    const T* a = frame.in<T>(a_) + (repeat_a ? 0 : i * m * k);
    const T* b = frame.in<T>(b_) + (repeat_b ? 0 : i * k * n);
    gemm_.pack({.data = b, .n = n, .k = k, .column_stride = 1, .depth_stride = n, .bias = nullptr},
               memory);
    const auto rows = reinterpret_cast<const T**>(memory + rows_offset_);
    for (size_t row = 0; row < m; ++row) rows[row] = a + row * k;
    gemm_.run(memory, {-kInfinity<float>, kInfinity<float>},
              {.rows = m,
               .a = rows,
               .c = frame.out<T>(y_) + i * m * n,
               .c_stride = n,
               .residual = nullptr,
               .residual_stride = 0},
              0, gemm_.panels(), nullptr);
  }

  BatchShape shape_;
  PlainProduct<T> gemm_;
  size_t rows_offset_ = 0;  // In scratch memory, behind the panels.
  Slot a_ = 0;
  Slot b_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower_matmul_batch_node(const Node& node, StepBuilder& builder) {
  const std::optional<BatchShape> shape = batch_shape_of(node, builder);
  if (!shape) return nullptr;
  if (node.outputs[0]->type.tensor.dtype == DType::F32) {
    return std::make_unique<BatchProductStep<float>>(node, *shape, builder);
  }
  return std::make_unique<BatchProductStep<Half>>(node, *shape, builder);
}

}  // namespace

extern const LoweringDef lower_matmul_batch = {.op = "matmul", .lower = lower_matmul_batch_node};

}  // namespace hone::cpu
