#include "hone/sim/product.h"

#include <algorithm>
#include <type_traits>

#include "hone/base/check.h"
#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/wide_weights.h"
#include "hone/sim/dense_view.h"
#include "hone/sim/tap_rows.h"

namespace hone::sim {
namespace {

template <class A>
const GemmI8Kernel<A>& gemm_kernel() {
  static const GemmI8Kernel<A>& kernel = best_variant(gemm_i8_variants_of<A>()).run;
  return kernel;
}

template <class A>
const DepthwiseInteger<A>& depthwise_kernel() {
  if constexpr (std::is_signed_v<A>) {
    static const DepthwiseInteger<A>& kernel = best_variant(depthwise_i8_variants()).run;
    return kernel;
  } else {
    static const DepthwiseInteger<A>& kernel = best_variant(depthwise_u8_variants()).run;
    return kernel;
  }
}

// Less their zero point, which every 8-bit weight survives in 16.
std::vector<int16_t> centered(const Product& product, const std::byte* weights) {
  const int64_t count = product.output.channels * product.window.taps() * product.depth();
  std::vector<int16_t> values(size_of(count));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto byte = static_cast<uint8_t>(weights[i]);
    const int value = product.signed_weights ? static_cast<int8_t>(byte) : byte;
    values[i] = static_cast<int16_t>(value - product.weight_zero);
  }
  return values;
}

// Bias, multipliers and shifts, [3][channels].
std::vector<int32_t> constants_of(const Product& product, const std::byte* weights) {
  const int64_t channels = product.output.channels;
  std::vector<int32_t> constants(size_of(3 * channels));
  const int64_t at = constants_offset(channels, product.window.taps() * product.depth());
  std::memcpy(constants.data(), weights + at, 4 * constants.size());
  return constants;
}

Requantization requantization_of(const Product& product, const std::vector<int32_t>& constants) {
  const size_t channels = size_of(product.output.channels);
  return {.multipliers = constants.data() + channels,
          .shifts = constants.data() + 2 * channels,
          .rounding = product.stage.rounding,
          .zero_point = product.stage.zero_point,
          .low = product.stage.low,
          .high = product.stage.high};
}

// `input` and `window` without what lies in front of the window.
DepthwiseShape shape_of(const View& input, const View& output, const Window2d& window) {
  return {.in_h = size_of(input.height),
          .in_w = size_of(input.width),
          .out_h = size_of(output.height),
          .out_w = size_of(output.width),
          .channels = size_of(output.channels),
          .kernel_h = size_of(window.kernel_h),
          .kernel_w = size_of(window.kernel_w),
          .stride_h = size_of(window.stride_h),
          .stride_w = size_of(window.stride_w),
          .dilation_h = size_of(window.dilation_h),
          .dilation_w = size_of(window.dilation_w),
          .pad_top = size_of(window.pad_top),
          .pad_left = size_of(window.pad_left)};
}
DepthwiseShape shape_of(const Product& product) {
  View input = product.input;
  Window2d window = product.window;
  cut_unread(input, window);
  return shape_of(input, product.output, window);
}

size_t dense_k(const Product& product) {
  return size_of(product.window.taps() * product.depth());
}

}  // namespace

PackedProduct::PackedProduct(const Product& product, const std::byte* weights, bool keep) {
  if (keep) kept_.assign(weights, weights + product.weight_bytes());
  if (product.depthwise) {
    product.is_signed ? pack_depthwise<int8_t>(product, weights)
                      : pack_depthwise<uint8_t>(product, weights);
  } else {
    product.is_signed ? pack_dense<int8_t>(product, weights)
                      : pack_dense<uint8_t>(product, weights);
  }
}

bool PackedProduct::holds(const std::byte* weights) const {
  return std::memcmp(kept_.data(), weights, kept_.size()) == 0;
}

void PackedProduct::run(const Product& product, const std::byte* input, std::byte* output,
                        Scratch& scratch) const {
  const auto run_as = [&]<class A>(A) {
    const auto* x = reinterpret_cast<const A*>(input);
    auto* y = reinterpret_cast<A*>(output);
    if (!product.depthwise) return run_dense<A>(product, x, y, scratch);
    if (!wide_.empty()) return run_wide_depthwise<A>(product, x, y);
    run_depthwise<A>(product, x, y, scratch);
  };
  product.is_signed ? run_as(int8_t{}) : run_as(uint8_t{});
}

template <class A>
void PackedProduct::pack_dense(const Product& product, const std::byte* weights) {
  const GemmI8Kernel<A>& kernel = gemm_kernel<A>();
  const std::vector<int16_t> values = centered(product, weights);
  copies_ = weight_copies(values);
  const size_t k = dense_k(product);
  const std::vector<int8_t> split = split_weights(values, k, copies_);
  const std::vector<int32_t> constants = constants_of(product, weights);
  const size_t n = size_of(product.output.channels);
  // How the products of a row fall into taps matters to their order in memory alone.
  const GemmI8Weights all{.w = split.data(),
                          .n = n,
                          .taps = copies_,
                          .depth = k,
                          .bias = constants.data(),
                          .a_zero = product.input_zero,
                          .requantization = requantization_of(product, constants)};
  panels_ = AlignedArray<std::byte>(kernel.panels(n) * kernel.panel_bytes(copies_ * k));
  gemm_i8_pack(kernel, all, 0, kernel.panels(n), panels_.data());
  padding_.assign(size_of(product.depth()), static_cast<std::byte>(product.input_zero));
}

template <class A>
void PackedProduct::run_dense(const Product& product, const A* x, A* y, Scratch& scratch) const {
  const GemmI8Kernel<A>& kernel = gemm_kernel<A>();
  const View& output = product.output;
  const TapRows<A> rows(product, x, reinterpret_cast<const A*>(padding_.data()), copies_);
  GemmI8Args<A> args{};
  args.kernel = &kernel;
  args.n = size_of(output.channels);
  args.taps = rows.taps();
  args.depth = rows.depth();
  args.panels = panels_.data();
  args.a_stride = size_of(product.input.pixel_stride);
  args.y_stride = size_of(std::max(output.pixel_stride, output.channels));
  const size_t k = args.taps * args.depth;
  const size_t block = gemm_i8_block_rows(kernel, args.n, k);
  const size_t work = aligned_size(gemm_i8_scratch_bytes(kernel, args.n, k, block));
  std::byte* memory = scratch.reserve(work + block * rows.row_bytes());
  args.scratch = memory;
  // Pixels that lie one stride apart are rows of one matrix.
  const int64_t pixels = output.height * output.width;
  const int64_t line = one_row(output) ? pixels : output.width;
  for (int64_t start = 0; start < pixels; start += line) {
    A* out = y + start / output.width * output.row_stride;
    if (rows.plain(line == pixels)) {
      args.a = rows.pixel(start);
      args.y = out;
      gemm_i8_rows(args, 0, size_of(line), 0, kernel.panels(args.n));
      continue;
    }
    for (int64_t first = 0; first < line; first += static_cast<int64_t>(block)) {
      const size_t count = std::min(block, size_of(line - first));
      args.rows = rows.fill(size_of(start + first), count, memory + work);
      args.y = out + size_of(first) * args.y_stride;
      gemm_i8_rows(args, 0, count, 0, kernel.panels(args.n));
    }
  }
}

template <class A>
void PackedProduct::pack_depthwise(const Product& product, const std::byte* weights) {
  std::vector<int16_t> values = centered(product, weights);
  std::vector<int32_t> constants = constants_of(product, weights);
  if (weight_copies(values) > 1) {
    wide_ = std::move(values);
    constants_ = std::move(constants);
    return;
  }
  const std::vector<int8_t> narrow = split_weights(values, values.size(), 1);
  const DepthwiseShape shape = shape_of(product);
  const DepthwiseInteger<A>& kernel = depthwise_kernel<A>();
  panels_ = AlignedArray<std::byte>(kernel.packed_bytes(shape));
  kernel.pack(shape, narrow.data(), constants.data(), product.input_zero,
              requantization_of(product, constants), panels_.data());
}

template <class A>
void PackedProduct::run_depthwise(const Product& product, const A* x, A* y,
                                  Scratch& scratch) const {
  View input = product.input;
  Window2d window = product.window;
  cut_unread(input, window);
  x += input.at.offset - product.input.at.offset;
  const View& output = product.output;
  const DepthwiseShape shape = shape_of(input, output, window);
  const DepthwiseInteger<A>& kernel = depthwise_kernel<A>();
  const size_t work = aligned_size(kernel.scratch_bytes(shape));
  const size_t in = dense(input) ? 0 : aligned_size(size_of(input.elements()));
  const size_t out = dense(output) ? 0 : size_of(output.elements());
  std::byte* memory = scratch.reserve(work + in + out);
  if (in > 0) {
    gather(input, reinterpret_cast<const std::byte*>(x), memory + work);
    x = reinterpret_cast<const A*>(memory + work);
  }
  A* to = out > 0 ? reinterpret_cast<A*>(memory + work + in) : y;
  kernel.run(shape, 0, shape.out_h, x, panels_.data(), to, memory);
  if (out > 0) scatter(output, memory + work + in, reinterpret_cast<std::byte*>(y));
}

// Block by block of channels, so that the sums of a pixel stay in registers.
template <class A>
void PackedProduct::run_wide_depthwise(const Product& product, const A* x, A* y) const {
  constexpr size_t kBlock = 16;
  const View& input = product.input;
  const View& output = product.output;
  const Window2d& window = product.window;
  const size_t channels = size_of(output.channels);
  const auto finish = [&](uint32_t sum, size_t c) {
    const FixedPoint factor = {constants_[channels + c], constants_[2 * channels + c]};
    const int64_t scaled = scale_by(static_cast<int32_t>(sum), factor, product.stage.rounding);
    return static_cast<A>(std::clamp<int64_t>(scaled + product.stage.zero_point, product.stage.low,
                                              product.stage.high));
  };
  for (int64_t pixel = 0; pixel < output.height * output.width; ++pixel) {
    const int64_t oy = pixel / output.width, ox = pixel % output.width;
    A* to = y + oy * output.row_stride + ox * output.pixel_stride;
    for (size_t first = 0; first < channels; first += kBlock) {
      const size_t count = std::min(kBlock, channels - first);
      uint32_t sums[kBlock];
      for (size_t c = 0; c < count; ++c) sums[c] = static_cast<uint32_t>(constants_[first + c]);
      for (int64_t tap = 0; tap < window.taps(); ++tap) {
        const int64_t iy =
            oy * window.stride_h + tap / window.kernel_w * window.dilation_h - window.pad_top;
        const int64_t ix =
            ox * window.stride_w + tap % window.kernel_w * window.dilation_w - window.pad_left;
        if (iy < 0 || iy >= input.height || ix < 0 || ix >= input.width) continue;
        const A* from = x + iy * input.row_stride + ix * input.pixel_stride + first;
        const int16_t* w = wide_.data() + size_of(tap) * channels + first;
        for (size_t c = 0; c < count; ++c) {
          sums[c] += static_cast<uint32_t>((from[c] - product.input_zero) * w[c]);
        }
      }
      for (size_t c = 0; c < count; ++c) to[first + c] = finish(sums[c], first + c);
    }
  }
}

std::vector<int64_t> packing_key(const Product& product) {
  std::vector<int64_t> key = {
      product.depthwise,        product.is_signed,     product.signed_weights,
      product.input_zero,       product.weight_zero,   static_cast<int64_t>(product.stage.rounding),
      product.stage.zero_point, product.stage.low,     product.stage.high,
      product.output.channels,  product.window.taps(), product.depth()};
  if (!product.depthwise) return key;
  const DepthwiseShape s = shape_of(product);
  for (const size_t x : {s.in_h, s.in_w, s.out_h, s.out_w, s.kernel_h, s.kernel_w, s.stride_h,
                         s.stride_w, s.dilation_h, s.dilation_w, s.pad_top, s.pad_left}) {
    key.push_back(static_cast<int64_t>(x));
  }
  return key;
}

}  // namespace hone::sim
