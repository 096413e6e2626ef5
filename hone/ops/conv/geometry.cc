#include "hone/ops/conv/geometry.h"

#include <algorithm>

#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr int64_t kLargestSetting = int64_t{1} << 31;
constexpr int64_t kLargestExtent = int64_t{1} << 40;

enum class AutoPad { None, SameUpper, SameLower, Valid };

// Some operators lack some of the attributes.
bool knows(const NodeContext& node, std::string_view name) {
  return std::ranges::any_of(node.op().attrs, [&](const AttrDef& def) { return def.name == name; });
}

Result<AutoPad> auto_pad_of(const NodeContext& node) {
  if (!knows(node, "auto_pad")) return AutoPad::None;
  const std::string& name = node.text("auto_pad");
  if (name.empty() || name == "NOTSET") return AutoPad::None;
  if (name == "SAME_UPPER") return AutoPad::SameUpper;
  if (name == "SAME_LOWER") return AutoPad::SameLower;
  if (name == "VALID") return AutoPad::Valid;
  return bad_input("auto_pad is '", name, "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

// A list with one number per axis, or `count` defaults when the attribute is empty.
Result<Ints> setting(const NodeContext& node, std::string_view name, size_t count, int64_t smallest,
                     int64_t fallback) {
  Ints values = node.ints(name);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) {
    return bad_input(name, " has ", values.size(), " numbers, expected ", count);
  }
  for (const int64_t value : values) {
    if (value < smallest) return bad_input(name, " has ", value, ", expected at least ", smallest);
    if (value > kLargestSetting) {
      return bad_input(name, " has ", value, ", expected at most ", kLargestSetting);
    }
  }
  return values;
}

// Splits the padding of an axis in two; SAME_LOWER puts the odd one in front.
void split_padding(WindowAxis& axis, int64_t total, bool odd_in_front) {
  axis.pad_begin = odd_in_front ? total - total / 2 : total / 2;
  axis.pad_end = total - axis.pad_begin;
}

Status check_extent(const WindowAxis& axis) {
  if (axis.in > kLargestExtent || axis.kernel > kLargestSetting) {
    return bad_input("an image axis of ", axis.in, " under a kernel of ", axis.kernel,
                     " is too large");
  }
  if (axis.kernel == 0) return bad_input("the kernel is empty");
  return Done{};
}

Status slide(WindowAxis& axis, AutoPad auto_pad, bool ceil_mode) {
  HONE_RETURN_IF_ERROR(check_extent(axis));
  if (axis.in == kUnknown || axis.kernel == kUnknown) {
    axis.out = kUnknown;
    return Done{};
  }
  if (auto_pad == AutoPad::SameUpper || auto_pad == AutoPad::SameLower) {
    axis.out = (axis.in + axis.stride - 1) / axis.stride;
    const int64_t total =
        std::max<int64_t>(0, (axis.out - 1) * axis.stride + axis.reach() - axis.in);
    split_padding(axis, total, auto_pad == AutoPad::SameLower);
    return Done{};
  }
  if (auto_pad == AutoPad::Valid) axis.pad_begin = axis.pad_end = 0;
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.reach();
  if (room < 0) {
    return bad_input("a window of ", axis.reach(), " pixels does not fit into ", axis.in,
                     " padded by ", axis.pad_begin, " and ", axis.pad_end);
  }
  axis.out = room / axis.stride + 1;
  if (ceil_mode && room % axis.stride != 0) ++axis.out;
  // A window that would start in the padding at the end is left out.
  if (ceil_mode && (axis.out - 1) * axis.stride >= axis.in + axis.pad_begin) --axis.out;
  return Done{};
}

Status spread(WindowAxis& axis, AutoPad auto_pad, int64_t extra, std::optional<int64_t> wanted) {
  HONE_RETURN_IF_ERROR(check_extent(axis));
  if (axis.in == kUnknown || axis.kernel == kUnknown) {
    axis.out = wanted.value_or(kUnknown);
    return Done{};
  }
  int64_t steps = 0;
  if (__builtin_mul_overflow(axis.in, axis.stride, &steps) || steps > kLargestExtent) {
    return bad_input(axis.in, " pixels spread by stride ", axis.stride, " are too many");
  }
  const int64_t full = axis.in == 0 ? 0 : steps - axis.stride + extra + axis.reach();
  const bool same = auto_pad == AutoPad::SameUpper || auto_pad == AutoPad::SameLower;
  if (wanted || same) {
    axis.out = wanted.value_or(steps);
    split_padding(axis, std::max<int64_t>(0, full - axis.out), auto_pad != AutoPad::SameUpper);
    return Done{};
  }
  if (auto_pad == AutoPad::Valid) axis.pad_begin = axis.pad_end = 0;
  axis.out = full - axis.pad_begin - axis.pad_end;
  if (axis.out < 0) {
    return bad_input("padding of ", axis.pad_begin, " and ", axis.pad_end, " cuts all of the ",
                     full, " output pixels");
  }
  return Done{};
}

// The axes with everything but padding by auto_pad and output extents.
Result<Window> start_window(const NodeContext& node, std::span<const int64_t> in,
                            std::span<const int64_t> kernel) {
  const size_t rank = in.size();
  if (rank == 0 || rank > kMostSpatialAxes) {
    return unsupported("an image has ", rank, " spatial axes, expected 1 to ", kMostSpatialAxes);
  }
  if (kernel.size() != rank) {
    return bad_input("the kernel has ", kernel.size(), " axes, expected ", rank);
  }
  HONE_TRY(const Ints strides, setting(node, "strides", rank, 1, 1));
  HONE_TRY(const Ints dilations, setting(node, "dilations", rank, 1, 1));
  HONE_TRY(const Ints pads, setting(node, "pads", 2 * rank, 0, 0));
  Window window;
  window.rank = rank;
  for (size_t i = 0; i < rank; ++i) {
    window.axes[kMostSpatialAxes - rank + i] = {.in = in[i],
                                                .kernel = kernel[i],
                                                .stride = strides[i],
                                                .dilation = dilations[i],
                                                .pad_begin = pads[i],
                                                .pad_end = pads[rank + i]};
  }
  return window;
}

Status check_kernel_shape(const NodeContext& node, const Shape& kernel) {
  const Ints& given = node.ints("kernel_shape");
  if (given.empty()) return Done{};
  bool fits = given.size() == kernel.size();
  for (size_t i = 0; fits && i < given.size(); ++i) {
    fits = kernel[i] == kUnknown || kernel[i] == given[i];
  }
  if (fits) return Done{};
  return bad_input("kernel_shape is [", join(given), "], but the weights have [", join(kernel),
                   "]");
}

Result<int64_t> groups_of(const NodeContext& node) {
  const int64_t groups = node.integer("group");
  if (groups < 1 || groups > kLargestSetting) {
    return bad_input("group is ", groups, ", expected 1 or more");
  }
  return groups;
}

Status check_ranks(const Shape& x, const Shape& w) {
  if (x.size() == w.size()) return Done{};
  return bad_input("weights have rank ", w.size(), ", expected ", x.size(), " as of the input");
}

Status check_channels(const ConvGeometry& conv, int64_t in_channels_of_weights) {
  if (conv.in_channels != kUnknown && in_channels_of_weights != kUnknown &&
      conv.in_channels != in_channels_of_weights) {
    return bad_input("the input has ", conv.in_channels, " channels, the weights expect ",
                     in_channels_of_weights);
  }
  for (const int64_t channels : {conv.in_channels, conv.out_channels}) {
    if (channels != kUnknown && channels % conv.groups != 0) {
      return bad_input(channels, " channels do not divide into ", conv.groups, " groups");
    }
  }
  return Done{};
}

// Of extents that pass kLargestExtent, and unknown ones, only the fact is of interest.
int64_t times_groups(int64_t extent, int64_t groups) {
  int64_t product = 0;
  if (extent == kUnknown || __builtin_mul_overflow(extent, groups, &product)) return kUnknown;
  return product;
}

}  // namespace

Shape Window::out_extents() const {
  Shape extents;
  for (const WindowAxis& axis : used()) extents.push_back(axis.out);
  return extents;
}

Result<Window> slide_window(const NodeContext& node, std::span<const int64_t> in,
                            std::span<const int64_t> kernel) {
  HONE_TRY(const AutoPad auto_pad, auto_pad_of(node));
  HONE_TRY(Window window, start_window(node, in, kernel));
  const bool ceil_mode = knows(node, "ceil_mode") && node.integer("ceil_mode") != 0;
  for (size_t i = kMostSpatialAxes - window.rank; i < kMostSpatialAxes; ++i) {
    HONE_RETURN_IF_ERROR(slide(window.axes[i], auto_pad, ceil_mode));
  }
  return window;
}

Result<Window> spread_window(const NodeContext& node, std::span<const int64_t> in,
                             std::span<const int64_t> kernel) {
  HONE_TRY(const AutoPad auto_pad, auto_pad_of(node));
  HONE_TRY(Window window, start_window(node, in, kernel));
  HONE_TRY(const Ints extra, setting(node, "output_padding", window.rank, 0, 0));
  // Some exporters give the batch and channels in output_shape too.
  Ints wanted = node.ints("output_shape");
  if (wanted.size() == window.rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!wanted.empty() && wanted.size() != window.rank) {
    return bad_input("output_shape has ", wanted.size(), " numbers, expected ", window.rank);
  }
  for (size_t i = 0; i < window.rank; ++i) {
    if (!wanted.empty() && (wanted[i] < 0 || wanted[i] > kLargestExtent)) {
      return bad_input("output_shape has ", wanted[i]);
    }
    const auto out = wanted.empty() ? std::nullopt : std::optional(wanted[i]);
    HONE_RETURN_IF_ERROR(
        spread(window.axes[kMostSpatialAxes - window.rank + i], auto_pad, extra[i], out));
  }
  return window;
}

Result<bool> is_nhwc(const NodeContext& node) {
  const std::string& layout = node.text("layout");
  if (layout == "nchw") return false;
  if (layout == "nhwc") return true;
  return bad_input("layout is '", layout, "', expected nchw or nhwc");
}

Result<ImageShape> split_image(const Shape& shape, bool nhwc) {
  if (shape.size() < 3)
    return bad_input("an image has rank ", shape.size(), ", expected 3 or more");
  if (shape.size() > 2 + kMostSpatialAxes) {
    return unsupported("an image has rank ", shape.size(), ", expected at most ",
                       2 + kMostSpatialAxes);
  }
  ImageShape image{.batch = shape[0], .channels = nhwc ? shape.back() : shape[1], .spatial = {}};
  const auto first = shape.begin() + (nhwc ? 1 : 2);
  image.spatial.assign(first, shape.end() - (nhwc ? 1 : 0));
  return image;
}

Shape join_image(const ImageShape& image, bool nhwc) {
  Shape shape{image.batch};
  if (!nhwc) shape.push_back(image.channels);
  shape.insert(shape.end(), image.spatial.begin(), image.spatial.end());
  if (nhwc) shape.push_back(image.channels);
  return shape;
}

Shape ConvGeometry::out_shape() const {
  return join_image({batch, out_channels, window.out_extents()}, nhwc);
}

bool ConvGeometry::known() const {
  const auto known_axis = [](const WindowAxis& axis) {
    return axis.in != kUnknown && axis.kernel != kUnknown && axis.out != kUnknown;
  };
  return batch != kUnknown && in_channels != kUnknown && out_channels != kUnknown &&
         std::ranges::all_of(window.axes, known_axis);
}

int64_t ConvGeometry::macs() const {
  int64_t product = 1;
  bool overflow = false;
  const auto multiply = [&](int64_t factor) {
    overflow = overflow || __builtin_mul_overflow(product, factor, &product);
  };
  for (const int64_t factor : {batch, out_channels, in_channels / groups}) multiply(factor);
  for (const WindowAxis& axis : window.axes) {
    multiply(transposed ? axis.in : axis.out);
    multiply(axis.kernel);
  }
  return overflow ? 0 : product;
}

Result<ConvGeometry> conv_geometry(const NodeContext& node, const Shape& x, const Shape& w) {
  HONE_TRY(const bool nhwc, is_nhwc(node));
  HONE_RETURN_IF_ERROR(check_ranks(x, w));
  HONE_TRY(const ImageShape image, split_image(x, nhwc));
  HONE_TRY(const ImageShape weights, split_image(w, nhwc));
  HONE_RETURN_IF_ERROR(check_kernel_shape(node, weights.spatial));
  ConvGeometry conv{.batch = image.batch,
                    .in_channels = image.channels,
                    .out_channels = weights.batch,
                    .groups = 1,
                    .nhwc = nhwc,
                    .transposed = false,
                    .window = {}};
  HONE_TRY(conv.groups, groups_of(node));
  HONE_RETURN_IF_ERROR(check_channels(conv, times_groups(weights.channels, conv.groups)));
  HONE_TRY(conv.window, slide_window(node, image.spatial, weights.spatial));
  return conv;
}

Result<ConvGeometry> conv_transpose_geometry(const NodeContext& node, const Shape& x,
                                             const Shape& w) {
  HONE_TRY(const bool nhwc, is_nhwc(node));
  HONE_RETURN_IF_ERROR(check_ranks(x, w));
  HONE_TRY(const ImageShape image, split_image(x, nhwc));
  HONE_TRY(const ImageShape weights, split_image(w, nhwc));
  HONE_RETURN_IF_ERROR(check_kernel_shape(node, weights.spatial));
  HONE_TRY(const int64_t groups, groups_of(node));
  const int64_t grouped = times_groups(weights.channels, groups);
  ConvGeometry conv{.batch = image.batch,
                    .in_channels = image.channels,
                    .out_channels = nhwc ? weights.batch : grouped,
                    .groups = groups,
                    .nhwc = nhwc,
                    .transposed = true,
                    .window = {}};
  HONE_RETURN_IF_ERROR(check_channels(conv, nhwc ? grouped : weights.batch));
  HONE_TRY(conv.window, spread_window(node, image.spatial, weights.spatial));
  return conv;
}

Result<TensorType> conv_type(const InferContext& in, GeometryFn geometry, DType dtype, size_t x,
                             size_t w, size_t bias) {
  if (!in.type(x).ranked) return TensorType::unranked(dtype);
  if (!in.type(w).ranked) return TensorType{dtype, Shape(in.type(x).shape.size(), kUnknown)};
  HONE_TRY(const ConvGeometry conv, geometry(in, in.type(x).shape, in.type(w).shape));
  if (in.has(bias) && in.type(bias).ranked) {
    const Shape& shape = in.type(bias).shape;
    const bool fits = shape.size() == 1 && (shape[0] == conv.out_channels || shape[0] == kUnknown ||
                                            conv.out_channels == kUnknown);
    if (!fits) {
      return bad_input("the bias is of shape ", text_of(shape), ", expected ", conv.out_channels);
    }
  }
  return TensorType{dtype, conv.out_shape()};
}

}  // namespace hone
