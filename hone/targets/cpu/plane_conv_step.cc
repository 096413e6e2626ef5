#include "hone/targets/cpu/plane_conv_step.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "hone/base/aligned.h"
#include "hone/base/infinity.h"
#include "hone/kernels/convert/convert.h"
#include "hone/kernels/plane_conv/plane_conv.h"
#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/floats_of.h"
#include "hone/targets/cpu/precision.h"
#include "hone/targets/cpu/product_step.h"
#include "hone/targets/cpu/row_tasks.h"

namespace hone::cpu {
namespace {

struct PlaneConvSpec {
  ConvGeometry conv;
  const Value* planes;
  const Tensor* weights;  // [output channels, height, width, input channels]
  const Tensor* bias;     // Null: none.
  Activation activation;
};

const Value* planes_of(const Value& image, const StepBuilder& builder) {
  const Node* transpose = image.producer;
  if (transpose == nullptr || transpose->op != "transpose") return nullptr;
  const Ints* perm = transpose->find_attr<Ints>("perm");
  const Value* planes = transpose->inputs[0];
  const bool fits =
      perm != nullptr && *perm == Ints{0, 2, 3, 1} && builder.planned(planes) && !planes->constant;
  return fits ? planes : nullptr;
}

// Floats, or halves where products are of floats anyway.
bool is_computed(DType dtype) {
  return dtype == DType::F32 ||
         (dtype == DType::F16 && kernel_precision(Precision::F16) == Precision::F16 &&
          !multiplies_halves());
}

bool is_constant_of(DType dtype, const Value* value) {
  return value->constant && value->constant->dtype() == dtype;
}

bool has_kernel(const ConvGeometry& conv) {
  // With more channels the taps of a pixel are long enough to be read where they lie, and shorter
  // rows are no whole tiles.
  constexpr int64_t kMostChannels = 4;
  constexpr int64_t kFewestPixels = 16;
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  const bool dense = height.dilation == 1 && width.dilation == 1 && width.stride <= 2;
  const bool padded = height.pad_begin >= 0 && width.pad_begin >= 0;
  return conv.nhwc && conv.window.rank == 2 && conv.groups == 1 &&
         conv.in_channels <= kMostChannels && width.out >= kFewestPixels && dense && padded &&
         best_variant(plane_conv_variants()).name != "ref";
}

std::optional<PlaneConvSpec> plane_conv_spec(const Node& node, const StepBuilder& builder) {
  if (node.op != "conv" || builder.options().keep_values || multiplies_in_bf16(builder.options())) {
    return std::nullopt;
  }
  const Value& x = *node.inputs[0];
  const Value* weights = node.inputs[1];
  const Value* bias = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
  const bool has_residual = node.inputs.size() > 3 && node.inputs[3] != nullptr;
  const Value* planes = planes_of(x, builder);
  const DType dtype = x.type.tensor.dtype;
  if (planes == nullptr || has_residual || !is_computed(dtype) || !is_constant_of(dtype, weights) ||
      (bias != nullptr && !is_constant_of(dtype, bias)) || weights->type.tensor.elements() == 0 ||
      !builder.planned(node.outputs[0])) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  const auto conv = conv_geometry(context, x.type.tensor.shape, weights->type.tensor.shape);
  const auto activation = fused_activation(node);
  if (!conv.ok() || !activation || !has_kernel(*conv)) return std::nullopt;
  return PlaneConvSpec{*conv, planes, &*weights->constant,
                       bias == nullptr ? nullptr : &*bias->constant, *activation};
}

// As many floats: those of halves are the same.
void copy_floats(size_t n, const float* x, float* y) {
  std::copy_n(x, n, y);
}
void copy_floats(size_t n, const Half* x, float* y) {
  best_variant(convert_f16_f32_variants()).run(n, x, y);
}
void copy_floats(size_t n, const float* x, Half* y) {
  best_variant(convert_f32_f16_variants()).run(n, x, y);
}

// Images and results of T, float or Half, with sums in float.
template <class T>
class PlaneConvStep final : public RowStep {
 public:
  PlaneConvStep(const PlaneConvSpec& spec, const Value* y, StepBuilder& builder)
      : height_(spec.conv.window.axes[1]),
        width_(spec.conv.window.axes[2]),
        planes_(static_cast<size_t>(spec.conv.in_channels)),
        columns_(static_cast<size_t>(spec.conv.out_channels)),
        kernel_h_(static_cast<size_t>(height_.kernel)),
        activation_(spec.activation),
        variant_(best_variant(plane_conv_variants())),
        activate_(best_activate<T>()),
        tasks_(spec.conv, builder.options().threads) {
    const auto pixels = static_cast<size_t>(width_.out);
    line_ = static_cast<size_t>((width_.out - 1) * width_.stride + width_.kernel);
    pack(spec);
    kind = step_kind(StepFamily::Product, "plane_conv", variant_.name);
    kind.tile_columns = static_cast<int64_t>(variant_.run.step);
    row_shape = {.images = static_cast<size_t>(spec.conv.batch),
                 .height = height_,
                 .in_row_bytes = planes_ * static_cast<size_t>(width_.in) * sizeof(T),
                 .out_row_bytes = pixels * columns_ * sizeof(T)};
    reads_planes = true;
    scratch_bytes = lines() * (sizeof(float*) + line_ * sizeof(float));
    if (kWidens) scratch_bytes += pixels * columns_ * sizeof(float);
    builder.read(spec.planes);
    builder.write(y);
  }

  Status run(const Frame& frame) const override {
    run_tasks(*this, frame, tasks_);
    return Done{};
  }

  void run_rows(const Frame& frame, const RowBases& bases, size_t, const RowRange& rows,
                size_t worker) const override {
    const float** pointers = scratch<const float*>(frame, worker);
    float* memory = reinterpret_cast<float*>(pointers + lines());
    const auto* image = reinterpret_cast<const T*>(bases.x);
    int64_t copied = std::numeric_limits<int64_t>::min();  // Rows of the image before this one.
    for (size_t row = rows.begin; row < rows.end; ++row) {
      const int64_t first = height_.source(static_cast<int64_t>(row), 0);
      for (copied = std::max(copied, first); copied < first + height_.kernel; ++copied) {
        copy_lines(image, copied, line_of(memory, copied));
      }
      for (size_t line = 0; line < lines(); ++line) {
        const auto down = static_cast<int64_t>(line / planes_);
        pointers[line] = line_of(memory, first + down) + line % planes_ * line_;
      }
      run_row(pointers, memory + lines() * line_,
              reinterpret_cast<T*>(bases.y + row * row_shape.out_row_bytes));
    }
  }

 private:
  static constexpr bool kWidens = !std::is_same_v<T, float>;

  // Under all rows of the kernel.
  size_t lines() const { return kernel_h_ * planes_; }

  // Of a row of the image, where all planes have their padded lines. Rows take turns.
  float* line_of(float* memory, int64_t image_row) const {
    const auto turn = static_cast<size_t>(image_row + height_.pad_begin) % kernel_h_;
    return memory + turn * planes_ * line_;
  }

  void copy_lines(const T* image, int64_t row, float* to) const {
    const bool outside = row < 0 || row >= height_.in;
    if (outside) {
      std::fill_n(to, planes_ * line_, 0.0f);
      return;
    }
    const auto in_w = static_cast<size_t>(width_.in);
    const size_t left = std::min(line_, static_cast<size_t>(width_.pad_begin));
    const size_t inside = std::min(in_w, line_ - left);
    const size_t plane = static_cast<size_t>(height_.in) * in_w;
    const T* from = image + static_cast<size_t>(row) * in_w;
    for (size_t p = 0; p < planes_; ++p, from += plane, to += line_) {
      std::fill_n(to, left, 0.0f);
      copy_floats(inside, from, to + left);
      std::fill(to + left + inside, to + line_, 0.0f);
    }
  }

  // `wide` has room for a row of floats, where results are none.
  void run_row(const float* const* pointers, float* wide, T* y) const {
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const auto pixels = static_cast<size_t>(width_.out);
    const size_t elements = pixels * columns_;
    if constexpr (!kWidens) wide = y;
    variant_.run.run({.pixels = pixels,
                      .columns = columns_,
                      .lines = lines(),
                      .taps = static_cast<size_t>(width_.kernel),
                      .stride = static_cast<size_t>(width_.stride),
                      .x = pointers,
                      .panels = panels_.data(),
                      .y = wide,
                      .low = clamps ? activation_.low : -kInfinity<float>,
                      .high = clamps ? activation_.high : kInfinity<float>});
    if constexpr (kWidens) copy_floats(elements, wide, y);
    if (!clamps) activate_(activation_, 1, elements, y, elements, y, elements);
  }

  // [output channels][height][width][planes] to [output channels][height][planes][width].
  void pack(const PlaneConvSpec& spec) {
    const auto taps = static_cast<size_t>(width_.kernel);
    const size_t k = lines() * taps;
    const std::vector<float> from = floats_of<T>(*spec.weights, 0, columns_ * k);
    const std::vector<float> bias =
        spec.bias == nullptr ? std::vector<float>() : floats_of<T>(*spec.bias, 0, columns_);
    std::vector<float> ordered(columns_ * k);
    for (size_t i = 0; i < ordered.size(); ++i) {
      const size_t plane = i % planes_, tap = i / planes_ % taps, line = i / planes_ / taps;
      ordered[(line * planes_ + plane) * taps + tap] = from[i];
    }
    const GemmF32 layout = variant_.run.layout();
    panels_ = AlignedArray<float>(layout.packed_elements(columns_, k));
    weight_bytes = panels_.bytes();
    gemm_pack<float>({.data = ordered.data(),
                      .n = columns_,
                      .k = k,
                      .column_stride = k,
                      .depth_stride = 1,
                      .bias = spec.bias == nullptr ? nullptr : bias.data()},
                     layout, 0, layout.panels(columns_), panels_.data());
  }

  WindowAxis height_;
  WindowAxis width_;
  size_t planes_;
  size_t columns_;
  size_t kernel_h_;
  size_t line_ = 0;  // Elements of a padded line.
  Activation activation_;
  const KernelVariant<PlaneConv>& variant_;
  Activate<T> activate_;
  RowTasks tasks_;
  AlignedArray<float> panels_;
};

}  // namespace

std::unique_ptr<Step> make_plane_conv_step(const Node& conv, StepBuilder& builder) {
  const auto spec = plane_conv_spec(conv, builder);
  if (!spec) return nullptr;
  if (spec->weights->dtype() == DType::F16) {
    return std::make_unique<PlaneConvStep<Half>>(*spec, conv.outputs[0], builder);
  }
  return std::make_unique<PlaneConvStep<float>>(*spec, conv.outputs[0], builder);
}

bool is_read_as_planes(const Node& transpose, const StepBuilder& builder) {
  if (transpose.op != "transpose") return false;
  const Value& image = *transpose.outputs[0];
  const auto takes_planes = [&](const Use& use) {
    return use.input == 0 && plane_conv_spec(*use.node, builder).has_value();
  };
  return !image.users.empty() && std::ranges::all_of(image.users, takes_planes);
}

}  // namespace hone::cpu
