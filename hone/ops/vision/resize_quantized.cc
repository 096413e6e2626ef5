#include "hone/ops/vision/resize_quantized.h"

#include <cmath>

#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

constexpr int64_t kOne = 1 << kPixelBits;

// sum / 2^20: ties away from zero, or upward where everything is rounded once.
int64_t rounded(int64_t sum, Rounding rounding) {
  constexpr int64_t kHalf = 1 << 19;
  if (rounding == Rounding::Single) return (sum + kHalf) >> 20;
  return (sum + (sum > 0 ? kHalf : -kHalf)) / (1 << 20);
}

template <class T>
void resize_image(const T* x, const Shape& shape, const std::vector<PixelSource>& rows,
                  const std::vector<PixelSource>& columns, Rounding rounding, T* y) {
  const int64_t width = shape[2];
  const int64_t channels = shape[3];
  for (const PixelSource& row : rows) {
    const int64_t down = row.position - kOne * row.low;
    for (const PixelSource& column : columns) {
      const int64_t right = column.position - kOne * column.low;
      const auto pixel = [&](int64_t r, int64_t c) { return x + (r * width + c) * channels; };
      const T* top_left = pixel(row.low, column.low);
      const T* bottom_left = pixel(row.high, column.low);
      const T* top_right = pixel(row.low, column.high);
      const T* bottom_right = pixel(row.high, column.high);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t sum = top_left[c] * (kOne - down) * (kOne - right) +
                            bottom_left[c] * down * (kOne - right) +
                            top_right[c] * (kOne - down) * right + bottom_right[c] * down * right;
        *y++ = static_cast<T>(rounded(sum, rounding));
      }
    }
  }
}

// --- uint8: the kernel for floats, whose result is cut

struct FloatSource {
  float position;  // Above `low`; negative in front of the first pixel.
  int64_t low;
  int64_t high;
};

std::vector<FloatSource> float_sources_of(int64_t in, int64_t out, const std::string& coordinates) {
  const bool corners = coordinates == "align_corners" && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  const bool half_pixel = coordinates == "half_pixel";
  std::vector<FloatSource> sources;
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<float>(i);
    const float position = half_pixel ? (at + 0.5f) * scale - 0.5f : at * scale;
    const auto low = std::clamp(static_cast<int64_t>(std::floor(position)), int64_t{0}, in - 1);
    const auto high = std::clamp(static_cast<int64_t>(std::ceil(position)), int64_t{0}, in - 1);
    sources.push_back({position - static_cast<float>(low), low, high});
  }
  return sources;
}

void resize_image(const uint8_t* x, const Shape& shape, const std::vector<FloatSource>& rows,
                  const std::vector<FloatSource>& columns, uint8_t* y) {
  const auto pixel = [&](int64_t r, int64_t c) { return x + (r * shape[2] + c) * shape[3]; };
  for (const FloatSource& row : rows) {
    const float down = row.position;
    for (const FloatSource& column : columns) {
      const float right = column.position;
      const uint8_t* top_left = pixel(row.low, column.low);
      const uint8_t* bottom_left = pixel(row.high, column.low);
      const uint8_t* top_right = pixel(row.low, column.high);
      const uint8_t* bottom_right = pixel(row.high, column.high);
      for (int64_t c = 0; c < shape[3]; ++c) {
        const float sum = static_cast<float>(top_left[c]) * (1 - down) * (1 - right) +
                          static_cast<float>(bottom_left[c]) * down * (1 - right) +
                          static_cast<float>(top_right[c]) * (1 - down) * right +
                          static_cast<float>(bottom_right[c]) * down * right + 0.5f;
        *y++ = static_cast<uint8_t>(std::clamp(sum, 0.0f, 255.0f));
      }
    }
  }
}

void resize_uint8(const Tensor& x, const std::string& coordinates, Tensor& y) {
  const Shape from = x.shape();
  const Shape to = y.shape();
  const std::vector<FloatSource> rows = float_sources_of(from[1], to[1], coordinates);
  const std::vector<FloatSource> columns = float_sources_of(from[2], to[2], coordinates);
  const uint8_t* image = x.data<uint8_t>().data();
  uint8_t* result = y.mutable_data<uint8_t>().data();
  for (int64_t n = 0; n < from[0]; ++n) {
    resize_image(image, from, rows, columns, result);
    image += from[1] * from[2] * from[3];
    result += to[1] * to[2] * to[3];
  }
}

}  // namespace

std::vector<PixelSource> pixel_sources(int64_t in, int64_t out, const std::string& coordinates) {
  const bool corners = coordinates == "align_corners" && out > 1;
  const int64_t from = corners ? in - 1 : in;
  const int64_t to = corners ? out - 1 : out;
  const int64_t scale = (kOne * from + to / 2) / to;
  const int64_t offset = coordinates == "half_pixel" ? scale / 2 - kOne / 2 : 0;
  std::vector<PixelSource> sources;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t position = i * scale + offset;
    // The scale is rounded, so that the last positions can pass the last pixel.
    sources.push_back({position, std::clamp(position / kOne, int64_t{0}, in - 1),
                       std::min((position + kOne - 1) / kOne, in - 1)});
  }
  return sources;
}

Status check_resize_quantized(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.quantized()) return Done{};
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kAny));
  if (!same_quantization(x, in.declared(0))) {
    return unsupported("an output quantized otherwise than the input");
  }
  if (in.text("mode") == "nearest") return Done{};
  const std::string& coordinates = in.text("coordinate_transformation_mode");
  const bool known =
      coordinates == "half_pixel" || coordinates == "align_corners" || coordinates == "asymmetric";
  const bool image = x.ranked && x.rank() == 4 && in.has_attr("axes") &&
                     in.ints("axes") == Ints{1, 2} &&
                     in.text("keep_aspect_ratio_policy") == "stretch";
  if (in.text("mode") != "linear" || !known || !image) {
    return unsupported("resizing quantized ", x, " in mode ", in.text("mode"), " with ",
                       coordinates);
  }
  return Done{};
}

Status eval_resize_linear_quantized(EvalContext& in) {
  const Tensor& x = in.in(0);
  Tensor& y = in.out();
  const std::string& coordinates = in.text("coordinate_transformation_mode");
  if (x.dtype() == DType::U8) {
    resize_uint8(x, coordinates, y);
    return Done{};
  }
  const Shape from = x.shape();
  const Shape to = y.shape();
  const std::vector<PixelSource> rows = pixel_sources(from[1], to[1], coordinates);
  const std::vector<PixelSource> columns = pixel_sources(from[2], to[2], coordinates);
  dispatch<int8_t, int16_t>(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* image = x.data<T>().data();
    T* result = y.mutable_data<T>().data();
    for (int64_t n = 0; n < from[0]; ++n) {
      resize_image(image, from, rows, columns, in.options().rounding, result);
      image += from[1] * from[2] * from[3];
      result += to[1] * to[2] * to[3];
    }
  });
  return Done{};
}

}  // namespace hone
