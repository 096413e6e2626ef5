// Linear resizing of quantized int8 images along axes 1 and 2, bit for bit the reference's
// (ops/vision/resize_quantized.cc).

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_quantized.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

constexpr int32_t kOne = 1 << kPixelBits;

int64_t past_low(const PixelSource& source) {
  return source.position - kOne * source.low;
}

// With at most two pixels' distance the sum of four products fits into 32 bits. Only images that
// grow some thousandfold go beyond that.
bool near(const std::vector<PixelSource>& sources) {
  return std::ranges::all_of(
      sources, [](const PixelSource& source) { return std::abs(past_low(source)) <= 2 * kOne; });
}

class ResizeI8Step final : public Step {
 public:
  ResizeI8Step(const Node& resize, std::vector<PixelSource> rows, std::vector<PixelSource> columns,
               StepBuilder& builder)
      : single_(builder.options().eval.rounding == Rounding::Single),
        rows_(std::move(rows)),
        columns_(std::move(columns)) {
    const Shape& from = resize.inputs[0]->type.tensor.shape;
    images_ = static_cast<size_t>(from[0]);
    height_ = from[1];
    width_ = from[2];
    channels_ = static_cast<size_t>(from[3]);
    kind = step_kind(StepFamily::Resize, "resize_i8");
    x_ = builder.read(resize.inputs[0]);
    y_ = builder.write(resize.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(images_ * rows_.size(), [&](size_t task, size_t) {
      const int8_t* image = frame.in<int8_t>(x_) + task / rows_.size() * image_elements();
      run_row(image, rows_[task % rows_.size()],
              frame.out<int8_t>(y_) + task * columns_.size() * channels_);
    });
    return Done{};
  }

 private:
  struct Pixel {
    const int8_t* x[4];
    int32_t weights[4];
  };

  size_t image_elements() const { return static_cast<size_t>(height_ * width_) * channels_; }

  void run_row(const int8_t* image, const PixelSource& row, int8_t* y) const {
    const auto at = [&](int64_t r, int64_t c) {
      return image + static_cast<size_t>(r * width_ + c) * channels_;
    };
    const auto down = static_cast<int32_t>(past_low(row));
    for (const PixelSource& column : columns_) {
      const auto right = static_cast<int32_t>(past_low(column));
      const Pixel pixel{{at(row.low, column.low), at(row.high, column.low),
                         at(row.low, column.high), at(row.high, column.high)},
                        {(kOne - down) * (kOne - right), down * (kOne - right),
                         (kOne - down) * right, down * right}};
      if (single_) {
        blend<true>(pixel, y);
      } else {
        blend<false>(pixel, y);
      }
      y += channels_;
    }
  }

  template <bool kSingle>
  void blend(const Pixel& pixel, int8_t* y) const {
    // A number of channels that the compiler knows fills vectors.
    constexpr size_t kBlock = 16;
    size_t c = 0;
    for (; c + kBlock <= channels_; c += kBlock) {
      for (size_t i = 0; i < kBlock; ++i) y[c + i] = blended<kSingle>(pixel, c + i);
    }
    for (; c < channels_; ++c) y[c] = blended<kSingle>(pixel, c);
  }

  // Ties away from zero, or upward where everything is rounded once.
  template <bool kSingle>
  static int8_t blended(const Pixel& pixel, size_t c) {
    constexpr int kBits = 2 * kPixelBits;
    constexpr int32_t kHalf = 1 << (kBits - 1);
    int32_t sum = 0;
    for (size_t k = 0; k < 4; ++k) sum += pixel.x[k][c] * pixel.weights[k];
    if (kSingle) return static_cast<int8_t>((sum + kHalf) >> kBits);
    return static_cast<int8_t>((sum + (sum > 0 ? kHalf : -kHalf)) / (1 << kBits));
  }

  bool single_;
  std::vector<PixelSource> rows_;
  std::vector<PixelSource> columns_;
  size_t images_ = 0;
  int64_t height_ = 0;
  int64_t width_ = 0;
  size_t channels_ = 0;
  Slot x_ = 0;
  Slot y_ = 0;
};

// The operator has checked that a quantized image is nhwc and resized along axes 1 and 2.
std::unique_ptr<Step> lower_resize_i8_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const TensorType& type = x->type.tensor;
  if (!type.quantized() || type.dtype != DType::I8 || context.text("mode") != "linear" ||
      y->type.tensor.elements() == 0) {
    return nullptr;
  }
  const std::string& coordinates = context.text("coordinate_transformation_mode");
  const Shape& to = y->type.tensor.shape;
  auto rows = pixel_sources(type.shape[1], to[1], coordinates);
  auto columns = pixel_sources(type.shape[2], to[2], coordinates);
  if (!near(rows) || !near(columns)) return nullptr;
  return std::make_unique<ResizeI8Step>(node, std::move(rows), std::move(columns), builder);
}

}  // namespace

extern const LoweringDef lower_resize_i8 = {.op = "resize", .lower = lower_resize_i8_node};

}  // namespace hone::cpu
