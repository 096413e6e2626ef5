#include "hone/targets/cpu/winograd_step.h"

#include <limits>

#include "hone/base/aligned.h"
#include "hone/base/infinity.h"
#include "hone/device/machine.h"
#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/winograd/winograd.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/floats_of.h"
#include "hone/targets/cpu/tasks.h"

namespace hone::cpu {
namespace {

size_t size(int64_t x) {
  return static_cast<size_t>(x);
}

WinogradShape shape_of(size_t tile, const ConvGeometry& conv) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  return {.m = tile,
          .in_h = size(height.in),
          .in_w = size(width.in),
          .out_h = size(height.out),
          .out_w = size(width.out),
          .pad_top = size(height.pad_begin),
          .pad_left = size(width.pad_begin),
          .inputs = size(conv.in_channels),
          .outputs = size(conv.out_channels)};
}

template <class T>
const KernelVariant<WinogradKernel<T>>& best_transforms() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return best_variant(winograd_f32_variants());
  } else {
    return best_variant(winograd_f16_variants());
  }
}

// An image of float or Half; the products are of floats.
template <class T>
class WinogradStep final : public Step {
 public:
  WinogradStep(size_t tile, const ConvGeometry& conv, const Tensor& weights, const Tensor* bias,
               const Activation& activation, const Value* x, const Value* residual, const Value* y,
               StepBuilder& builder)
      : shape_(shape_of(tile, conv)),
        images_(size(conv.batch)),
        y_stride_(shape_.outputs),
        activation_(activation),
        gemm_(best_variant(gemm_f32_variants())),
        transforms_(best_transforms<T>()),
        activate_(best_activate<T>()) {
    pack(weights);
    if (bias != nullptr) bias_ = floats_of<T>(*bias, 0, shape_.outputs);
    split(size(builder.options().threads));
    const size_t block_bytes = per_task_ * tile_floats() * sizeof(float);
    scratch_bytes = per_task_ * sizeof(float*) + (by_points_ ? 0 : block_bytes);
    if (by_points_) shared_bytes = blocks() * block_bytes;
    kind = step_kind(StepFamily::Winograd, sizeof(T) == 4 ? "winograd_f32" : "winograd_f16",
                     str(tile, "x", tile, " ", gemm_.name));
    kind.precision = Arithmetic::Fp32;
    x_ = builder.read(x);
    has_residual_ = residual != nullptr;
    if (has_residual_) {
      residual_ = builder.read(residual);
      in_place = 1;
    }
    y_ = builder.write(y);
  }

  Region first_weights() const override {
    const size_t panel = gemm_.run.panel_elements(shape_.inputs);
    return std::as_bytes(std::span(panels_.data(), std::min(panel, point_elements())));
  }

  bool fetches_ahead() const override { return true; }

  bool write_apart(const RowsApart& rows) override {
    if (rows.bytes != shape_.outputs * sizeof(T) || rows.stride % sizeof(T) != 0) return false;
    y_stride_ = rows.stride / sizeof(T);
    return true;
  }

  Status run(const Frame& frame) const override {
    if (by_points_) {
      for (size_t image = 0; image < images_; ++image) run_by_points(frame, image);
    } else {
      run_by_tiles(frame);
    }
    return Done{};
  }

 private:
  // Tiles first .. last - 1 of an image, transformed, and their products.
  struct Block {
    size_t image;
    size_t first;
    size_t last;
    float* transformed;
    float* products;

    size_t tiles() const { return last - first; }
  };

  // Every task takes a block of tiles through all points, and so reads all weights.
  void run_by_tiles(const Frame& frame) const {
    FetchAhead fetch(ahead);
    frame.workers->run(images_ * blocks(), [&](size_t task, size_t worker) {
      float* memory = scratch<float>(frame, worker);
      const auto rows = reinterpret_cast<const float**>(memory + per_task_ * tile_floats());
      const Block block = block_of(task / blocks(), task % blocks(), memory);
      transform(frame, block);
      const bool is_last = task + 1 == images_ * blocks();
      for (size_t point = 0; point < shape_.points(); ++point) {
        const bool fetches = is_last && point + 1 == shape_.points() && !ahead.empty();
        multiply(point, block, rows, fetches ? &fetch : nullptr);
      }
      finish(frame, block);
    });
  }

  // Every task takes a point through all tiles: weights are read once by one thread, transformed
  // tiles pass from thread to thread.
  void run_by_points(const Frame& frame, size_t image) const {
    const auto block = [&](size_t i) {
      const size_t floats = per_task_ * tile_floats();
      return block_of(image, i, reinterpret_cast<float*>(shared(frame)) + i * floats);
    };
    frame.workers->run(blocks(), [&](size_t i, size_t) { transform(frame, block(i)); });
    frame.workers->run(shape_.points(), [&](size_t point, size_t worker) {
      const auto rows = scratch<const float*>(frame, worker);
      for (size_t i = 0; i < blocks(); ++i) multiply(point, block(i), rows);
    });
    frame.workers->run(blocks(), [&](size_t i, size_t) { finish(frame, block(i)); });
  }

  Block block_of(size_t image, size_t number, float* memory) const {
    const size_t first = number * per_task_;
    const size_t last = std::min(shape_.tiles(), first + per_task_);
    return {image, first, last, memory, memory + shape_.points() * (last - first) * shape_.inputs};
  }

  size_t blocks() const { return (shape_.tiles() + per_task_ - 1) / per_task_; }
  size_t tile_floats() const { return shape_.points() * (shape_.inputs + shape_.outputs); }
  size_t point_elements() const { return gemm_.run.packed_elements(shape_.outputs, shape_.inputs); }

  void pack(const Tensor& weights) {
    panels_ = AlignedArray<float>(shape_.points() * point_elements());
    weight_bytes = panels_.bytes();
    // Panel by panel: the transformed weights of a whole layer would be held twice.
    const size_t nr = gemm_.run.nr;
    std::vector<float> transformed(shape_.points() * nr * shape_.inputs);
    for (size_t panel = 0; panel < gemm_.run.panels(shape_.outputs); ++panel) {
      WinogradShape part = shape_;
      part.outputs = std::min(nr, shape_.outputs - panel * nr);
      const size_t column = 9 * shape_.inputs;
      winograd_weights(part,
                       floats_of<T>(weights, panel * nr * column, part.outputs * column).data(),
                       transformed.data());
      for (size_t point = 0; point < shape_.points(); ++point) {
        gemm_pack<float>({.data = transformed.data() + point * part.outputs * shape_.inputs,
                          .n = part.outputs,
                          .k = shape_.inputs,
                          .column_stride = shape_.inputs,
                          .depth_stride = 1,
                          .bias = nullptr},
                         gemm_.run, 0, 1,
                         panels_.data() + point * point_elements() +
                             panel * gemm_.run.panel_elements(shape_.inputs));
      }
    }
  }

  // As many tiles as keep both their transforms in the second-level cache, but enough rows for the
  // matrix product, which reads all weights once for each block.
  void split(size_t threads) {
    const size_t cache = second_level_cache_bytes();
    const size_t mr = gemm_.run.mr;
    const size_t fitting = cache / 8 * 5 / (tile_floats() * sizeof(float));
    per_task_ = std::max(kFewestTiles * mr, fitting / mr * mr);
    const size_t fewest = blocks();
    per_task_ = ((shape_.tiles() + fewest - 1) / fewest + mr - 1) / mr * mr;
    if (threads > 1) {
      // Weights that no cache keeps are read by one thread each if that is less to carry.
      const size_t carried = shape_.tiles() * tile_floats() * sizeof(float);
      by_points_ = weight_bytes > cache / 2 && weight_bytes * (threads - 1) > carried;
      const size_t parts = by_points_ ? threads : 4 * threads;
      const size_t tiles = by_points_ ? shape_.tiles() : images_ * shape_.tiles();
      const size_t share = (tiles + parts - 1) / parts;
      per_task_ = std::min(per_task_, std::max(mr, (share + mr - 1) / mr * mr));
    }
    per_task_ = std::min(per_task_, shape_.tiles());
  }

  size_t in_image() const { return shape_.in_h * shape_.in_w * shape_.inputs; }

  void transform(const Frame& frame, const Block& block) const {
    transforms_.run.input(shape_, block.first, block.last,
                          frame.in<T>(x_) + block.image * in_image(), block.transformed);
  }

  void multiply(size_t point, const Block& block, const float** rows,
                FetchAhead* fetch = nullptr) const {
    const float* from = block.transformed + point * block.tiles() * shape_.inputs;
    for (size_t t = 0; t < block.tiles(); ++t) rows[t] = from + t * shape_.inputs;
    const float* panels = panels_.data() + point * point_elements();
    gemm_block<float>({.kernel = gemm_.run,
                       .n = shape_.outputs,
                       .taps = 1,
                       .depth = shape_.inputs,
                       .panels = panels,
                       .low = -kInfinity<float>,
                       .high = kInfinity<float>,
                       .next = point + 1 < shape_.points() ? panels + point_elements() : nullptr,
                       .ahead = fetch},
                      {.rows = block.tiles(),
                       .a = rows,
                       .c = block.products + point * block.tiles() * shape_.outputs,
                       .c_stride = shape_.outputs,
                       .residual = nullptr,
                       .residual_stride = 0},
                      0, gemm_.run.panels(shape_.outputs));
  }

  void finish(const Frame& frame, const Block& block) const {
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const size_t pixels_before = block.image * shape_.out_h * shape_.out_w;
    const WinogradFinish<T> finish{
        .bias = bias_.empty() ? nullptr : bias_.data(),
        .residual =
            has_residual_ ? frame.in<T>(residual_) + pixels_before * shape_.outputs : nullptr,
        .low = clamps ? activation_.low : -kInfinity<float>,
        .high = clamps ? activation_.high : kInfinity<float>,
        .y_stride = y_stride_};
    T* y = frame.out<T>(y_) + pixels_before * y_stride_;
    transforms_.run.output(shape_, block.first, block.last, block.products, finish, y);
    if (!clamps) activate_tiles(block.first, block.last, y);
  }

  void activate_tiles(size_t first, size_t last, T* y) const {
    for (size_t tile = first; tile < last; ++tile) {
      const size_t top = tile / shape_.tile_columns() * shape_.m;
      const size_t left = tile % shape_.tile_columns() * shape_.m;
      const size_t columns = std::min(shape_.m, shape_.out_w - left);
      for (size_t row = top; row < std::min(top + shape_.m, shape_.out_h); ++row) {
        T* start = y + (row * shape_.out_w + left) * y_stride_;
        activate_(activation_, columns, shape_.outputs, start, y_stride_, start, y_stride_);
      }
    }
  }

  WinogradShape shape_;
  size_t images_;
  size_t y_stride_;
  Activation activation_;
  const KernelVariant<GemmF32>& gemm_;
  const KernelVariant<WinogradKernel<T>>& transforms_;
  Activate<T> activate_;
  AlignedArray<float> panels_;
  std::vector<float> bias_;
  size_t per_task_ = 0;     // Tiles.
  bool by_points_ = false;  // How tasks are cut.
  Slot x_ = 0;
  Slot residual_ = 0;
  Slot y_ = 0;
  bool has_residual_ = false;
};

}  // namespace

std::optional<size_t> winograd_tile(const ConvGeometry& conv) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  for (const WindowAxis* axis : {&height, &width}) {
    if (axis->kernel != 3 || axis->stride != 1 || axis->dilation != 1) return std::nullopt;
  }
  // With few channels the transforms cost more than the products they save; with few tiles the
  // products have too few rows. Found on Neoverse-V1 with the layers of resnet18, resnet50 and
  // vgg16.
  constexpr int64_t kFewestChannels = 32;
  constexpr int64_t kFewestPixels = 7;
  if (conv.groups != 1 || conv.in_channels < kFewestChannels ||
      conv.out_channels < kFewestChannels || std::min(height.out, width.out) < kFewestPixels) {
    return std::nullopt;
  }
  // The weights of 4x4 tiles are four times the layer's own, those of 2x2 tiles nearly twice: only
  // where they stay small.
  constexpr int64_t kLargestFourfold = 128 * 128;
  constexpr int64_t kLargestTwofold = 256 * 256;
  const int64_t weights = conv.in_channels * conv.out_channels;
  const bool large = std::min(height.out, width.out) >= 20;
  if (large && weights <= kLargestFourfold) return 4;
  return weights <= kLargestTwofold ? std::optional<size_t>(2) : std::nullopt;
}

std::unique_ptr<Step> make_winograd_step(size_t tile, const ConvGeometry& conv,
                                         const Tensor& weights, const Tensor* bias,
                                         const Activation& activation, const Value* x,
                                         const Value* residual, const Value* y,
                                         StepBuilder& builder) {
  if (weights.dtype() == DType::F16) {
    return std::make_unique<WinogradStep<Half>>(tile, conv, weights, bias, activation, x, residual,
                                                y, builder);
  }
  return std::make_unique<WinogradStep<float>>(tile, conv, weights, bias, activation, x, residual,
                                               y, builder);
}

}  // namespace hone::cpu
