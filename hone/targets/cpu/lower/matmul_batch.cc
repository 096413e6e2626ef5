// Matrix products of two computed operands, as attention has them: the right one is packed when it
// is there.

#include "hone/base/infinity.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/product_kernels.h"

namespace hone::cpu {
namespace {

// [batch][m][k] times [batch][k][n]; a side with one matrix repeats it.
struct BatchShape {
  size_t batch, m, k, n;
  bool repeat_a, repeat_b;
};

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
  const TensorType& a = node.inputs[0]->type.tensor;
  const TensorType& b = node.inputs[1]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  for (const Value* value : {node.inputs[0], node.inputs[1], node.outputs[0]}) {
    const TensorType& type = value->type.tensor;
    if (!builder.planned(value) || type.dtype != y.dtype || type.rank() < 2 ||
        type.elements() == 0) {
      return nullptr;
    }
  }
  BatchShape shape{};
  shape.m = static_cast<size_t>(a.shape[a.shape.size() - 2]);
  shape.k = static_cast<size_t>(a.shape.back());
  shape.n = static_cast<size_t>(b.shape.back());
  shape.batch = static_cast<size_t>(y.elements()) / (shape.m * shape.n);
  const size_t in_a = static_cast<size_t>(a.elements()) / (shape.m * shape.k);
  const size_t in_b = static_cast<size_t>(b.elements()) / (shape.k * shape.n);
  shape.repeat_a = in_a == 1;
  shape.repeat_b = in_b == 1;
  // Other broadcasts of the batch are rare.
  if ((in_a != shape.batch && in_a != 1) || (in_b != shape.batch && in_b != 1)) return nullptr;
  if (y.dtype == DType::F32) {
    return std::make_unique<BatchProductStep<float>>(node, shape, builder);
  }
  if (y.dtype == DType::F16) return std::make_unique<BatchProductStep<Half>>(node, shape, builder);
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_matmul_batch = {.op = "matmul", .lower = lower_matmul_batch_node};

}  // namespace hone::cpu
