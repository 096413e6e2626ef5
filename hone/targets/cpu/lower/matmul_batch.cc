// Matrix products of two computed operands, as attention has them: the right one is packed when it
// is there.

#include <limits>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// [batch][m][k] times [batch][k][n]; a side with one matrix repeats it.
struct BatchShape {
  size_t batch, m, k, n;
  bool repeat_a, repeat_b;
};

class BatchProductStep final : public Step {
 public:
  BatchProductStep(const Node& product, const BatchShape& shape, StepBuilder& builder)
      : shape_(shape), variant_(best_variant(gemm_f32_variants())) {
    kind = step_kind(StepFamily::Product, "gemm_f32", variant_.name);
    kind.tile_columns = static_cast<int64_t>(variant_.run.step);
    panel_floats_ = variant_.run.packed_elements(shape.n, shape.k);
    scratch_bytes = panel_floats_ * sizeof(float) + shape.m * sizeof(float*) + 64;
    a_ = builder.read(product.inputs[0]);
    b_ = builder.read(product.inputs[1]);
    y_ = builder.write(product.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(shape_.batch, [&](size_t i, size_t worker) {
      run_one(frame, i, scratch<float>(frame, worker));
    });
    return Done{};
  }

 private:
  void run_one(const Frame& frame, size_t i, float* memory) const {
    const auto& [batch, m, k, n, repeat_a, repeat_b] = shape_;
    const float* a = frame.in<float>(a_) + (repeat_a ? 0 : i * m * k);
    const float* b = frame.in<float>(b_) + (repeat_b ? 0 : i * k * n);
    const size_t panels = variant_.run.panels(n);
    gemm_pack<float>(
        {.data = b, .n = n, .k = k, .column_stride = 1, .depth_stride = n, .bias = nullptr},
        variant_.run, 0, panels, memory);
    // Pointers behind the panels, whose number of floats is even.
    const auto rows = reinterpret_cast<const float**>(memory + (panel_floats_ + 1) / 2 * 2);
    for (size_t row = 0; row < m; ++row) rows[row] = a + row * k;
    gemm_block<float>({.kernel = variant_.run,
                       .n = n,
                       .taps = 1,
                       .depth = k,
                       .panels = memory,
                       .low = -kInfinity,
                       .high = kInfinity},
                      {.rows = m,
                       .a = rows,
                       .c = frame.out<float>(y_) + i * m * n,
                       .c_stride = n,
                       .residual = nullptr,
                       .residual_stride = 0},
                      0, panels);
  }

  BatchShape shape_;
  const KernelVariant<GemmF32>& variant_;
  size_t panel_floats_ = 0;
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
    if (!builder.planned(value) || type.dtype != DType::F32 || type.rank() < 2 ||
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
  return std::make_unique<BatchProductStep>(node, shape, builder);
}

}  // namespace

extern const LoweringDef lower_matmul_batch = {.op = "matmul", .lower = lower_matmul_batch_node};

}  // namespace hone::cpu
