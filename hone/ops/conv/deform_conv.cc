// deform_conv(x, w, offset, b, mask)[n, o, p] = b[o] + sum over channels c of the group and taps t
// of
//     w[o, c, t] * mask[n, t, p] * x[n, c] at p * strides - pads + t * dilations + offset[n, t, p],
// between pixels linearly and zero outside. Offsets are two per tap, along height and along width;
// the channels of x share offset_group sets of them evenly. Images have two spatial axes.

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/expect_shape.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum DeformInput { kDeformX, kDeformW, kDeformOffset, kDeformBias, kDeformMask };
constexpr int64_t kDeformLargest = int64_t{1} << 30;

struct DeformableWindow {
  int64_t kernel[2], strides[2] = {1, 1}, dilations[2] = {1, 1}, before[2] = {0, 0},
                     after[2] = {0, 0};
  int64_t group, offset_group;

  int64_t taps() const { return kernel[0] * kernel[1]; }
  // Pixels along an axis of the result.
  int64_t outputs(size_t axis, int64_t input) const {
    if (input == kUnknown) return kUnknown;
    const int64_t room =
        input + before[axis] + after[axis] - dilations[axis] * (kernel[axis] - 1) - 1;
    return room < 0 ? 0 : room / strides[axis] + 1;
  }
};

Status read_pair(const NodeContext& in, const char* name, int64_t lowest, int64_t (&pair)[2]) {
  const Ints& given = in.ints(name);
  if (given.empty()) return Done{};
  if (given.size() != 2) return unsupported(name, " has ", given.size(), " numbers, expected 2");
  for (size_t i = 0; i < 2; ++i) {
    if (given[i] < lowest || given[i] > kDeformLargest) return bad_input(name, " has ", given[i]);
    pair[i] = given[i];
  }
  return Done{};
}

Status read_pads(const NodeContext& in, DeformableWindow& window) {
  const Ints& pads = in.ints("pads");
  if (pads.empty()) return Done{};
  if (pads.size() != 4) return unsupported("pads has ", pads.size(), " numbers, expected 4");
  for (size_t i = 0; i < 4; ++i) {
    if (pads[i] < 0 || pads[i] > kDeformLargest) return bad_input("pads has ", pads[i]);
    (i < 2 ? window.before : window.after)[i % 2] = pads[i];
  }
  return Done{};
}

// Requires weights of four known extents.
Result<DeformableWindow> window_of(const NodeContext& in, const Shape& weights) {
  DeformableWindow window{.kernel = {weights[2], weights[3]},
                          .group = in.integer("group"),
                          .offset_group = in.integer("offset_group")};
  for (const int64_t extent : window.kernel) {
    if (extent < 1 || extent > kDeformLargest) return bad_input("weights of ", text_of(weights));
  }
  HONE_RETURN_IF_ERROR(read_pair(in, "strides", 1, window.strides));
  HONE_RETURN_IF_ERROR(read_pair(in, "dilations", 1, window.dilations));
  HONE_RETURN_IF_ERROR(read_pads(in, window));
  int64_t stated[2] = {weights[2], weights[3]};
  HONE_RETURN_IF_ERROR(read_pair(in, "kernel_shape", 1, stated));
  if (stated[0] != weights[2] || stated[1] != weights[3]) {
    return bad_input("kernel_shape is not that of weights of ", text_of(weights));
  }
  if (window.group < 1 || window.offset_group < 1 || window.group > kDeformLargest ||
      window.offset_group > kDeformLargest) {
    return bad_input("group is ", window.group, " and offset_group ", window.offset_group);
  }
  return window;
}

Result<std::vector<ValueType>> infer_deform_conv(const InferContext& in) {
  const TensorType& x = in.type(kDeformX);
  const TensorType& w = in.type(kDeformW);
  if (x.ranked && x.rank() != 4) return unsupported("an image of ", x, ", expected four axes");
  if (w.ranked && w.rank() != 4) return unsupported("weights of ", w, ", expected four axes");
  if (!x.ranked || !w.known()) {
    return std::vector<ValueType>{
        {x.dtype, {kUnknown, w.ranked ? w.shape[0] : kUnknown, kUnknown, kUnknown}}};
  }
  HONE_TRY(const DeformableWindow window, window_of(in, w.shape));
  const int64_t channels = x.shape[1];
  if (channels != kUnknown &&
      (channels % window.group != 0 || w.shape[0] % window.group != 0 ||
       channels % window.offset_group != 0 || channels / window.group != w.shape[1])) {
    return bad_input("weights ", w, " for ", x, " in ", window.group, " groups and ",
                     window.offset_group, " of offsets");
  }
  const Shape shape{x.shape[0], w.shape[0], window.outputs(0, x.shape[2]),
                    window.outputs(1, x.shape[3])};
  int64_t sets = 0;
  if (__builtin_mul_overflow(window.taps(), window.offset_group, &sets) || sets > kDeformLargest) {
    return bad_input("weights ", w, " with ", window.offset_group, " groups of offsets");
  }
  HONE_RETURN_IF_ERROR(expect_shape(in, kDeformOffset, {shape[0], 2 * sets, shape[2], shape[3]}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kDeformBias, {shape[1]}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kDeformMask, {shape[0], sets, shape[2], shape[3]}));
  return std::vector<ValueType>{{x.dtype, shape}};
}

Cost cost_deform_conv(const InferContext& in) {
  const auto types = infer_deform_conv(in);
  if (!types.ok() || !(*types)[0].tensor.known() || !in.type(kDeformW).known()) return {};
  const Shape& w = in.type(kDeformW).shape;
  int64_t macs = (*types)[0].tensor.elements();
  for (const int64_t factor : {w[1], w[2], w[3]}) {
    if (__builtin_mul_overflow(macs, factor, &macs)) return {};
  }
  return {.macs = macs, .flops = 0};
}

// One channel of an image.
struct Plane {
  const double* pixels;
  int64_t height, width;

  double at(int64_t r, int64_t c) const {
    const bool inside = r >= 0 && r < height && c >= 0 && c < width;
    return inside ? pixels[r * width + c] : 0;
  }
  // Between pixels.
  double between(double r, double c) const {
    if (!(r > -1 && r < static_cast<double>(height) && c > -1 && c < static_cast<double>(width))) {
      return 0;
    }
    const auto top = static_cast<int64_t>(std::floor(r));
    const auto left = static_cast<int64_t>(std::floor(c));
    const double down = r - static_cast<double>(top);
    const double right = c - static_cast<double>(left);
    return (1 - down) * ((1 - right) * at(top, left) + right * at(top, left + 1)) +
           down * ((1 - right) * at(top + 1, left) + right * at(top + 1, left + 1));
  }
};

class DeformConv {
 public:
  DeformConv(const EvalContext& in, const DeformableWindow& window, const Shape& result)
      : window_(window),
        shape_(in.in(kDeformX).shape()),
        result_(result),
        x_(to_doubles(in.in(kDeformX))),
        offset_(to_doubles(in.in(kDeformOffset))) {
    if (in.has(kDeformMask)) mask_ = to_doubles(in.in(kDeformMask));
  }

  // What a tap of a channel sees for a pixel of the result.
  double sample(int64_t n, int64_t channel, int64_t tap, int64_t r, int64_t c) const {
    const int64_t set = channel / (shape_[1] / window_.offset_group);
    const int64_t at = (n * window_.offset_group + set) * window_.taps() + tap;
    const int64_t pixels = result_[2] * result_[3];
    const int64_t pixel = r * result_[3] + c;
    const double* offset = offset_.data() + 2 * at * pixels + pixel;
    const double row = position(0, r, tap / window_.kernel[1]) + offset[0];
    const double column = position(1, c, tap % window_.kernel[1]) + offset[pixels];
    const int64_t plane = (n * shape_[1] + channel) * shape_[2] * shape_[3];
    const double value = Plane{x_.data() + plane, shape_[2], shape_[3]}.between(row, column);
    return mask_.empty() ? value : value * mask_[static_cast<size_t>(at * pixels + pixel)];
  }

 private:
  double position(size_t axis, int64_t pixel, int64_t tap) const {
    return static_cast<double>(pixel * window_.strides[axis] - window_.before[axis] +
                               tap * window_.dilations[axis]);
  }

  const DeformableWindow& window_;
  const Shape& shape_;
  const Shape& result_;
  std::vector<double> x_;
  std::vector<double> offset_;
  std::vector<double> mask_;
};

Status eval_deform_conv(EvalContext& in) {
  HONE_TRY(const DeformableWindow window, window_of(in, in.in(kDeformW).shape()));
  const Shape result = in.out_type().tensor.shape;
  const Shape& weights = in.in(kDeformW).shape();
  const DeformConv conv(in, window, result);
  const std::vector<double> w = to_doubles(in.in(kDeformW));
  const std::vector<double> bias =
      in.has(kDeformBias) ? to_doubles(in.in(kDeformBias)) : std::vector<double>();
  const int64_t per_group = weights[0] / window.group;
  std::vector<double> sums;
  sums.reserve(static_cast<size_t>(elements(result)));
  for (IndexWalk walk(result, {}); !walk.done(); walk.next()) {
    const auto& at = walk.index();
    double sum = bias.empty() ? 0 : bias[static_cast<size_t>(at[1])];
    for (int64_t i = 0; i < weights[1] * window.taps(); ++i) {
      const int64_t channel = at[1] / per_group * weights[1] + i / window.taps();
      sum += w[static_cast<size_t>(at[1] * weights[1] * window.taps() + i)] *
             conv.sample(at[0], channel, i % window.taps(), at[2], at[3]);
    }
    sums.push_back(sum);
  }
  dispatch_float(in.in(kDeformX).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) y[i] = T(sums[i]);
  });
  return Done{};
}

}  // namespace

extern const OpDef op_deform_conv = {
    .name = "deform_conv",
    .summary = "Convolution whose taps are moved by offsets.",
    .inputs = {{"x", kFloat, 'T'},
               {"w", kFloat, 'T'},
               {"offset", kFloat, 'T'},
               {"b", kFloat, 'T', kOptional},
               {"mask", kFloat, 'T', kOptional}},
    .attrs = {{"dilations", Ints{}},
              {"group", int64_t{1}},
              {"kernel_shape", Ints{}},
              {"offset_group", int64_t{1}},
              {"pads", Ints{}},
              {"strides", Ints{}}},
    .infer = infer_deform_conv,
    .cost = cost_deform_conv,
    .eval = eval_deform_conv,
    .onnx = {{"DeformConv"}},
    .cases = {"(f32[1,2,4,4], const f32[2,2,2,2], const f32[1,8,3,3])"},
};

}  // namespace hone
