#include "hone/targets/cpu/hybrid_step.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "hone/base/aligned.h"
#include "hone/base/infinity.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/wide_weights.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/depthwise_rows.h"
#include "hone/targets/cpu/product_i8_step.h"
#include "hone/targets/cpu/row_quantizer.h"
#include "hone/targets/cpu/row_tasks.h"
#include "hone/targets/cpu/tasks.h"

namespace hone::cpu {
namespace {

size_t round_up(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// Sums to floats: what each output channel is multiplied with, bias and activation.
class HybridOutput {
 public:
  HybridOutput(const HybridLayer& layer, const std::vector<int16_t>& weights)
      : kernel_(best_variant(hybrid_variants()).run),
        activation_(layer.activation),
        activate_(best_activate<float>()) {
    const auto channels = static_cast<size_t>(layer.weights.shape()[0]);
    const size_t k = weights.size() / channels;
    for (size_t c = 0; c < channels; ++c) {
      const int16_t* row = weights.data() + c * k;
      weight_sums_.push_back(std::accumulate(row, row + k, 0));
      scales_.push_back(layer.weights.type().quant->scale(c));
      bias_.push_back(layer.bias == nullptr ? -0.0f : layer.bias->data<float>()[c]);
    }
  }

  // `n` channels from `first` on, of one row; y may start where sums does.
  void scale(const HybridRow& row, size_t first, size_t n, const int32_t* sums, float* y) const {
    kernel_.scale(scales_of(row, first), n, sums, y);
  }
  void scale(const HybridRow& row, size_t first, size_t n, const float* sums, float* y) const {
    kernel_.scale_whole_floats(scales_of(row, first), n, sums, y);
  }

  void activate(size_t rows, size_t columns, float* y, size_t stride) const {
    const bool nothing = activation_.kind == Activation::Kind::Clamp &&
                         activation_.low == -kInfinity<float> &&
                         activation_.high == kInfinity<float>;
    if (!nothing) activate_(activation_, rows, columns, y, stride, y, stride);
  }

 private:
  HybridScales scales_of(const HybridRow& row, size_t first) const {
    return {.row_scale = row.scale,
            .zero_point = row.zero_point,
            .weight_sums = weight_sums_.data() + first,
            .weight_scales = scales_.data() + first,
            .bias = bias_.data() + first};
  }

  HybridKernel kernel_;
  Activation activation_;
  Activate<float> activate_;
  std::vector<int32_t> weight_sums_;
  std::vector<float> scales_;
  std::vector<float> bias_;
};

class HybridProductStep final : public Step {
 public:
  HybridProductStep(HybridProductSpec spec, const std::vector<int16_t>& weights, const Value* x,
                    const Value* y, StepBuilder& builder)
      : images_(spec.images),
        row_scales_(spec.row_scales),
        groups_(spec.groups),
        group_depth_(spec.depth),
        columns_(spec.columns),
        variant_(best_variant(gemm_i8_variants())),
        output_(spec.layer, weights) {
    const size_t copies = weight_copies(weights);
    rows_ = TapRows<int8_t>(std::move(spec.window), spec.depth, 0, copies);
    pack(split_weights(weights, rows_.k() / copies, copies));
    const auto elements = static_cast<size_t>(x->type.tensor.elements());
    const size_t scales = images_ * (row_scales_ ? rows_.rows() : 1);
    quantizer_ = RowQuantizer(scales, elements / scales, spec.layer.range);
    grid_ = Tasks(rows_.rows(), variant_.run.panels(columns_),
                  {.row_bytes = rows_.k(),
                   .rows_step = variant_.run.mr,
                   .threads = static_cast<size_t>(builder.options().threads),
                   .grain = variant_.run.grain(),
                   .block_step = variant_.run.block_step(),
                   .costs = {.pack = 1, .fetch = 4}});
    padding_bytes_ = round_up(images_ * rows_.depth());
    shared_bytes = quantizer_.memory_bytes() + padding_bytes_ + elements;
    pointer_bytes_ = round_up(rows_.memory_bytes(grid_.rows_per_block));
    scratch_bytes = pointer_bytes_ +
                    gemm_i8_scratch_bytes(variant_.run, columns_, rows_.k(), grid_.rows_per_block);
    kind = step_kind(StepFamily::Hybrid, "hybrid_i8", variant_.name);
    kind.precision = Arithmetic::Int8;
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    Operands in{};
    auto* padding = reinterpret_cast<int8_t*>(shared(frame) + quantizer_.memory_bytes());
    auto* bytes = padding + padding_bytes_;
    in.scales = quantizer_.run(*frame.workers, frame.in<float>(x_), shared(frame), bytes);
    if (!row_scales_) {
      for (size_t image = 0; image < images_; ++image) {
        std::memset(padding + image * rows_.depth(), in.scales[image].zero_point, rows_.depth());
      }
    }
    in.bytes = bytes;
    in.padding = padding;
    frame.workers->run(images_ * grid_.tasks(), [&](size_t task, size_t worker) {
      for (size_t group = 0; group < groups_; ++group) {
        run_block(frame, in, task / grid_.tasks(), group, grid_.range(task % grid_.tasks()),
                  scratch<std::byte>(frame, worker));
      }
    });
    return Done{};
  }

 private:
  // The activations of a run.
  struct Operands {
    const HybridRow* scales;
    const int8_t* bytes;
    const int8_t* padding;  // [images][depth of a tap]
  };

  size_t group_bytes() const {
    return variant_.run.panels(columns_) * variant_.run.panel_bytes(rows_.k());
  }

  void pack(const std::vector<int8_t>& weights) {
    panels_ = AlignedArray<std::byte>(groups_ * group_bytes());
    weight_bytes = panels_.bytes();
    for (size_t group = 0; group < groups_; ++group) {
      const GemmI8Weights part{.w = weights.data() + group * columns_ * rows_.k(),
                               .n = columns_,
                               .taps = rows_.taps(),
                               .depth = rows_.depth(),
                               .bias = nullptr,
                               .a_zero = 0,
                               .requantization = {}};
      gemm_i8_pack(variant_.run, part, 0, variant_.run.panels(columns_),
                   panels_.data() + group * group_bytes());
    }
  }

  // The sums are left where the results belong, which are as wide, and scaled there.
  void run_block(const Frame& frame, const Operands& in, size_t image, size_t group,
                 const Tasks::Range& range, std::byte* memory) const {
    const size_t rows = range.row_end - range.row_begin;
    const size_t y_stride = groups_ * columns_;
    const size_t start = (image * rows_.rows() + range.row_begin) * y_stride + group * columns_;
    const int8_t* x = in.bytes + image * (quantizer_.elements() / images_) + group * group_depth_;
    GemmI8Args<int8_t, int32_t> args{};
    args.kernel = &variant_.run;
    args.n = columns_;
    args.taps = rows_.taps();
    args.depth = rows_.depth();
    args.panels = panels_.data() + group * group_bytes();
    args.rows = rows_.fill(x, in.padding + image * rows_.depth(), range.row_begin, rows, memory);
    args.y = frame.out<int32_t>(y_) + start;
    args.y_stride = y_stride;
    args.scratch = memory + pointer_bytes_;
    gemm_i8_rows(args, 0, rows, range.panel_begin, range.panel_end);

    const size_t first = range.panel_begin * variant_.run.nr;
    const size_t columns = std::min(range.panel_end * variant_.run.nr, columns_) - first;
    float* y = frame.out<float>(y_) + start + first;
    for (size_t r = 0; r < rows; ++r) {
      const HybridRow& row = in.scales[row_scales_ ? range.row_begin + r : image];
      output_.scale(row, group * columns_ + first, columns, args.y + first + r * y_stride,
                    y + r * y_stride);
    }
    output_.activate(rows, columns, y, y_stride);
  }

  size_t images_;
  bool row_scales_;
  size_t groups_;
  size_t group_depth_;
  size_t columns_;
  const KernelVariant<GemmI8Kernel<int8_t>>& variant_;
  HybridOutput output_;
  TapRows<int8_t> rows_;
  AlignedArray<std::byte> panels_;
  RowQuantizer quantizer_;
  Tasks grid_;
  size_t padding_bytes_ = 0;
  size_t pointer_bytes_ = 0;
  Slot x_ = 0;
  Slot y_ = 0;
};

// Multiplies whole numbers in floats, which is exact while the sums are small, and needs no care
// for the zero point: what lies outside the image is 0.
class HybridDepthwiseStep final : public Step {
 public:
  HybridDepthwiseStep(const HybridLayer& layer, const std::vector<int16_t>& weights,
                      const ConvGeometry& conv, const Value* x, const Value* y,
                      StepBuilder& builder)
      : shape_(depthwise_shape(conv)),
        variant_(best_variant(depthwise_f32_variants())),
        output_(layer, weights),
        quantizer_(static_cast<size_t>(conv.batch), shape_.in_h * shape_.in_w * shape_.channels,
                   layer.range),
        tasks_(conv, builder.options().threads) {
    const std::vector<float> floats(weights.begin(), weights.end());
    packed_ = AlignedArray<std::byte>(variant_.run.packed_bytes(shape_));
    weight_bytes = packed_.bytes();
    variant_.run.pack(shape_, by_tap(floats.data(), shape_).data(), nullptr, packed_.data());
    shared_bytes = quantizer_.memory_bytes() + quantizer_.elements() * sizeof(float);
    kind = step_kind(StepFamily::Depthwise, "hybrid_depthwise", variant_.name);
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    auto* whole = reinterpret_cast<float*>(shared(frame) + quantizer_.memory_bytes());
    const HybridRow* scales =
        quantizer_.run(*frame.workers, frame.in<float>(x_), shared(frame), whole);
    const size_t row = shape_.out_w * shape_.channels;
    frame.workers->run(tasks_.tasks(), [&](size_t task, size_t) {
      const size_t image = tasks_.image(task);
      const float* x = whole + image * shape_.in_h * shape_.in_w * shape_.channels;
      float* y = frame.out<float>(y_) + image * shape_.out_h * row;
      const auto [begin, end] = tasks_.rows(task);
      variant_.run.run(shape_, begin, end, x, packed_.data(), {}, nullptr, y);
      for (float* pixel = y + begin * row; pixel < y + end * row; pixel += shape_.channels) {
        output_.scale(scales[image], 0, shape_.channels, pixel, pixel);
      }
      output_.activate(end - begin, row, y + begin * row, row);
    });
    return Done{};
  }

 private:
  DepthwiseShape shape_;
  const KernelVariant<DepthwiseF32>& variant_;
  HybridOutput output_;
  RowQuantizer quantizer_;
  RowTasks tasks_;
  AlignedArray<std::byte> packed_;
  Slot x_ = 0;
  Slot y_ = 0;
};

}  // namespace

std::unique_ptr<Step> make_hybrid_product_step(HybridProductSpec spec, const Value* x,
                                               const Value* y, StepBuilder& builder) {
  const std::vector<int16_t> weights = centered_weights(spec.layer.weights);
  return std::make_unique<HybridProductStep>(std::move(spec), weights, x, y, builder);
}

bool has_small_sums(const ConvGeometry& conv, const Tensor& weights) {
  constexpr int kLargestActivation = 255;
  constexpr int kLargestSum = 1 << std::numeric_limits<float>::digits;
  const std::vector<int16_t> centered = centered_weights(weights);
  const auto taps = static_cast<size_t>(conv.window.taps());
  for (size_t first = 0; first < centered.size(); first += taps) {
    int64_t reach = 0;
    for (size_t t = 0; t < taps; ++t) reach += std::abs(centered[first + t]);
    if (reach * kLargestActivation > kLargestSum) return false;
  }
  return true;
}

std::unique_ptr<Step> make_hybrid_depthwise_step(const HybridLayer& layer, const ConvGeometry& conv,
                                                 const Value* x, const Value* y,
                                                 StepBuilder& builder) {
  return std::make_unique<HybridDepthwiseStep>(layer, centered_weights(layer.weights), conv, x, y,
                                               builder);
}

}  // namespace hone::cpu
