// grid_sample(x, grid)[n, c, p] = x[n, c] interpolated at grid[n, p], whose last axis holds one
// coordinate per spatial axis of x, innermost axis first, from -1 to 1 across the image: between
// the centres of its corner pixels with align_corners, else between their outer edges.

#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// PyTorch's, which ONNX follows.
constexpr double kCubicA = -0.75;

enum class Padding { Zeros, Border, Reflection };

struct Sampling {
  enum class Kind { Nearest, Linear, Cubic };
  Kind kind;
  Padding padding;
  bool align_corners;
};

Result<Sampling> sampling_of(const NodeContext& node) {
  Sampling sampling{};
  sampling.align_corners = node.integer("align_corners") != 0;
  const std::string& mode = node.text("mode");
  const std::string& padding = node.text("padding_mode");
  if (mode != "nearest" && mode != "linear" && mode != "cubic") {
    return unsupported("mode '", mode, "' is not known");
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    return unsupported("padding_mode '", padding, "' is not known");
  }
  sampling.kind = mode == "nearest"  ? Sampling::Kind::Nearest
                  : mode == "linear" ? Sampling::Kind::Linear
                                     : Sampling::Kind::Cubic;
  sampling.padding = padding == "zeros"    ? Padding::Zeros
                     : padding == "border" ? Padding::Border
                                           : Padding::Reflection;
  return sampling;
}

Result<std::vector<ValueType>> infer_grid_sample(const InferContext& in) {
  HONE_RETURN_IF_ERROR(sampling_of(in));
  const TensorType& x = in.type(0);
  const TensorType& grid = in.type(1);
  if (!x.ranked || !grid.ranked) return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  const int64_t spatial = x.rank() - 2;
  if (spatial < 1 || grid.rank() != x.rank() ||
      (grid.shape.back() != spatial && grid.shape.back() != kUnknown)) {
    return bad_input("a grid of shape ", text_of(grid.shape), " over an image of shape ",
                     text_of(x.shape), ", expected ", spatial, " coordinates in its last axis");
  }
  if (x.shape[0] != grid.shape[0] && x.shape[0] != kUnknown && grid.shape[0] != kUnknown) {
    return bad_input("a batch of ", x.shape[0], " images with ", grid.shape[0], " grids");
  }
  Shape shape{x.shape[0] == kUnknown ? grid.shape[0] : x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  return std::vector<ValueType>{TensorType{x.dtype, std::move(shape)}};
}

// One spatial axis of the image.
struct SampleAxis {
  int64_t length;
  double low;  // Where reflection turns.
  double high;
};

double reflect(const SampleAxis& axis, double x) {
  const double range = axis.high - axis.low;
  if (range <= 0) return axis.low;
  double distance = std::fmod(std::fabs(x - axis.low), 2 * range);
  if (distance > range) distance = 2 * range - distance;
  return axis.low + distance;
}

// An input element along one axis; index -1 stands for zero.
struct Tap {
  int64_t index;
  double weight;
};

Tap tap_at(const SampleAxis& axis, Padding padding, double at, double weight) {
  const auto last = static_cast<double>(axis.length - 1);
  if (padding == Padding::Zeros && (at < 0 || at > last)) return {-1, 0};
  // Reflected indices are cut towards zero, as the edge at -0.5 needs.
  if (padding == Padding::Reflection) at = std::trunc(reflect(axis, at));
  return {static_cast<int64_t>(std::clamp(at, 0.0, last)), weight};
}

double cubic_weight(double distance) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((kCubicA + 2) * x - (kCubicA + 3)) * x * x + 1;
  return ((kCubicA * x - 5 * kCubicA) * x + 8 * kCubicA) * x - 4 * kCubicA;
}

// The taps for coordinate x. What lies outside is decided tap by tap, whatever the mode.
std::vector<Tap> taps_for(const Sampling& sampling, const SampleAxis& axis, double x) {
  if (!std::isfinite(x)) x = -1;
  if (sampling.kind == Sampling::Kind::Nearest) {
    return {tap_at(axis, sampling.padding, std::nearbyint(x), 1)};
  }
  const double base = std::floor(x);
  const bool cubic = sampling.kind == Sampling::Kind::Cubic;
  std::vector<Tap> taps;
  for (int i = cubic ? -1 : 0; i < (cubic ? 3 : 2); ++i) {
    const double distance = std::fabs(x - base - i);
    taps.push_back(
        tap_at(axis, sampling.padding, base + i, cubic ? cubic_weight(distance) : 1 - distance));
  }
  return taps;
}

// The taps of all axes multiplied out: offsets into one channel, and weights.
std::vector<Tap> combine(const std::vector<SampleAxis>& axes,
                         const std::vector<std::vector<Tap>>& taps) {
  std::vector<Tap> all{{0, 1}};
  for (size_t i = 0; i < axes.size(); ++i) {
    std::vector<Tap> next;
    for (const Tap& outer : all) {
      for (const Tap& tap : taps[i]) {
        if (tap.index < 0) continue;
        next.push_back({outer.index * axes[i].length + tap.index, outer.weight * tap.weight});
      }
    }
    all = std::move(next);
  }
  return all;
}

double denormalize(const Sampling& sampling, const SampleAxis& axis, double x) {
  const auto length = static_cast<double>(axis.length);
  return sampling.align_corners ? (x + 1) / 2 * (length - 1) : ((x + 1) * length - 1) / 2;
}

// Calls fn(n, point, taps) for every point of every grid.
template <class Fn>
void for_each_point(EvalContext& in, const Sampling& sampling, Fn&& fn) {
  const Shape& x = in.in(0).shape();
  const size_t spatial = x.size() - 2;
  std::vector<SampleAxis> axes;
  for (size_t i = 0; i < spatial; ++i) {
    const auto length = static_cast<double>(x[i + 2]);
    axes.push_back({x[i + 2], sampling.align_corners ? 0 : -0.5,
                    sampling.align_corners ? length - 1 : length - 0.5});
  }
  const std::vector<double> grid = to_doubles(in.in(1));
  // Coordinates are computed in the grid's precision, which decides how ties round.
  const bool wide = in.in(1).dtype() == DType::F64;
  const size_t points = x[0] == 0 ? 0 : grid.size() / spatial / static_cast<size_t>(x[0]);
  std::vector<std::vector<Tap>> taps(spatial);
  for (size_t k = 0; k < points * static_cast<size_t>(x[0]); ++k) {
    for (size_t i = 0; i < spatial; ++i) {
      const double at = denormalize(sampling, axes[i], grid[k * spatial + spatial - 1 - i]);
      taps[i] =
          taps_for(sampling, axes[i], wide ? at : static_cast<double>(static_cast<float>(at)));
    }
    fn(k / points, k % points, combine(axes, taps));
  }
}

Status eval_grid_sample(EvalContext& in) {
  HONE_TRY(const Sampling sampling, sampling_of(in));
  const Shape& shape = in.in(0).shape();
  if (in.out().elements() == 0) return Done{};
  if (in.in(0).elements() == 0) return bad_input("samples of an empty image");
  const auto channels = static_cast<size_t>(shape[1]);
  const size_t pixels = static_cast<size_t>(elements(std::span(shape).subspan(2)));
  const size_t points = static_cast<size_t>(in.out().elements() / (shape[0] * shape[1]));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for_each_point(in, sampling, [&](size_t n, size_t point, const std::vector<Tap>& taps) {
      for (size_t c = n * channels; c < (n + 1) * channels; ++c) {
        double sum = 0;
        for (const Tap& tap : taps) {
          sum += tap.weight * Compute<T>(x[c * pixels + static_cast<size_t>(tap.index)]);
        }
        y[c * points + point] = T(static_cast<Compute<T>>(sum));
      }
    });
  });
  return Done{};
}

Status upgrade_grid_sample(OnnxImport& in) {
  if (in.opset >= 20) return Done{};
  const std::string mode = in.take<std::string>("mode", "bilinear");
  in.attrs["mode"] = mode == "bilinear"  ? std::string("linear")
                     : mode == "bicubic" ? std::string("cubic")
                                         : mode;
  return Done{};
}

}  // namespace

extern const OpDef op_grid_sample = {
    .name = "grid_sample",
    .summary = "Samples images at the coordinates of a grid.",
    .inputs = {{"x", kFloat}, {"grid", kFloat}},
    .attrs = {{"align_corners", int64_t{0}},
              {"mode", std::string("linear")},
              {"padding_mode", std::string("zeros")}},
    .infer = infer_grid_sample,
    .cost = cost_per_element<8>,
    .eval = eval_grid_sample,
    .onnx = {{"GridSample", upgrade_grid_sample}},
    .cases = {"(f32[1,1,3,3], f32[1,2,2,2]{-1 -1 0 0 0.5 0.5 1 1})"},
};

}  // namespace hone
