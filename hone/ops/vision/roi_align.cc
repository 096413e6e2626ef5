// roi_align(x, rois, batch_indices): each region [x1, y1, x2, y2], times spatial_scale, is cut into
// bins, each bin sampled bilinearly on a grid, and the samples averaged. Mode max takes the largest
// of the samples' four weighted neighbours, as ONNX's reference does.

#include <algorithm>
#include <array>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Samples along one side of a bin: more would be a region of absurd size.
constexpr double kMostSamples = 4096;

Result<std::vector<ValueType>> infer_roi_align(const InferContext& in) {
  const std::string& mode = in.text("mode");
  const std::string& coordinates = in.text("coordinate_transformation_mode");
  if (mode != "avg" && mode != "max") return unsupported("mode '", mode, "' is not known");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel") {
    return unsupported("coordinate_transformation_mode '", coordinates, "' is not known");
  }
  const int64_t height = in.integer("output_height");
  const int64_t width = in.integer("output_width");
  if (height < 1 || width < 1 || in.integer("sampling_ratio") < 0 ||
      !std::isfinite(in.real("spatial_scale"))) {
    return bad_input("output of ", height, "x", width, ", sampling_ratio ",
                     in.integer("sampling_ratio"), ", spatial_scale ", in.real("spatial_scale"));
  }
  const TensorType& x = in.type(0);
  const TensorType& rois = in.type(1);
  if (x.ranked && x.rank() != 4) return bad_input("x has rank ", x.rank(), ", expected 4");
  if (rois.ranked && (rois.rank() != 2 || (rois.shape[1] != 4 && rois.shape[1] != kUnknown))) {
    return bad_input("rois are of shape ", text_of(rois.shape), ", expected nx4");
  }
  if (in.type(2).known() && rois.known() && in.type(2).shape != Shape{rois.shape[0]}) {
    return bad_input("batch_indices are of shape ", text_of(in.type(2).shape), " for ",
                     rois.shape[0], " regions");
  }
  return std::vector<ValueType>{TensorType{
      x.dtype,
      {rois.ranked ? rois.shape[0] : kUnknown, x.ranked ? x.shape[1] : kUnknown, height, width}}};
}

// One axis of a region.
struct RoiAxis {
  double start;
  double bin;       // Length of a bin.
  int64_t samples;  // In a bin.
  int64_t length;   // Of the image.

  double at(int64_t which_bin, int64_t sample) const {
    return start + static_cast<double>(which_bin) * bin +
           (static_cast<double>(sample) + 0.5) * bin / static_cast<double>(samples);
  }
};

Result<RoiAxis> roi_axis(const EvalContext& in, double from, double to, int64_t bins,
                         int64_t length) {
  const bool half_pixel = in.text("coordinate_transformation_mode") == "half_pixel";
  const double scale = in.real("spatial_scale");
  const double start = from * scale - (half_pixel ? 0.5 : 0.0);
  double size = (to - from) * scale;
  if (!half_pixel) size = std::max(size, 1.0);
  const double bin = size / static_cast<double>(bins);
  const int64_t ratio = in.integer("sampling_ratio");
  const double samples = ratio > 0 ? static_cast<double>(ratio) : std::ceil(bin);
  if (!std::isfinite(start) || !std::isfinite(bin) || !(samples <= kMostSamples)) {
    return bad_input("a region from ", from, " to ", to, " needs too many samples");
  }
  return RoiAxis{start, bin, std::max<int64_t>(static_cast<int64_t>(samples), 0), length};
}

// The pixels on both sides of a coordinate, and how far it is from the lower one.
struct Neighbours {
  int64_t low;
  int64_t high;
  double ratio;
};
Neighbours neighbours(double at, int64_t length) {
  at = std::max(at, 0.0);
  const auto low = static_cast<int64_t>(at);
  if (low >= length - 1) return {length - 1, length - 1, 0};
  return {low, low + 1, at - static_cast<double>(low)};
}

// The four products that make a bilinear sample of one channel; zeros outside the image.
template <class T>
std::array<double, 4> sample(const T* plane, const RoiAxis& rows, const RoiAxis& columns, double y,
                             double x) {
  if (y < -1 || y > static_cast<double>(rows.length) || x < -1 ||
      x > static_cast<double>(columns.length)) {
    return {};
  }
  const Neighbours row = neighbours(y, rows.length);
  const Neighbours column = neighbours(x, columns.length);
  const auto pixel = [&](int64_t i, int64_t j) {
    return static_cast<double>(Compute<T>(plane[i * columns.length + j]));
  };
  return {(1 - row.ratio) * (1 - column.ratio) * pixel(row.low, column.low),
          (1 - row.ratio) * column.ratio * pixel(row.low, column.high),
          row.ratio * (1 - column.ratio) * pixel(row.high, column.low),
          row.ratio * column.ratio * pixel(row.high, column.high)};
}

template <class T>
double pool_bin(const T* plane, const RoiAxis& rows, const RoiAxis& columns, int64_t i, int64_t j,
                bool average) {
  double sum = 0;
  double best = 0;
  for (int64_t a = 0; a < rows.samples; ++a) {
    for (int64_t b = 0; b < columns.samples; ++b) {
      const auto parts = sample(plane, rows, columns, rows.at(i, a), columns.at(j, b));
      const double largest = *std::ranges::max_element(parts);
      best = a + b == 0 ? largest : std::max(best, largest);
      sum += parts[0] + parts[1] + parts[2] + parts[3];
    }
  }
  const int64_t count = std::max<int64_t>(rows.samples * columns.samples, 1);
  return average ? sum / static_cast<double>(count) : best;
}

template <class T>
Status pool_region(EvalContext& in, const double* roi, int64_t image, T* y) {
  const Shape& shape = in.in(0).shape();
  if (image < 0 || image >= shape[0]) {
    return bad_input("batch_indices has ", image, " for ", shape[0], " images");
  }
  const int64_t height = in.integer("output_height");
  const int64_t width = in.integer("output_width");
  HONE_TRY(const RoiAxis columns, roi_axis(in, roi[0], roi[2], width, shape[3]));
  HONE_TRY(const RoiAxis rows, roi_axis(in, roi[1], roi[3], height, shape[2]));
  const bool average = in.text("mode") == "avg";
  for (int64_t c = 0; c < shape[1]; ++c) {
    const T* plane = in.in(0).data<T>().data() + (image * shape[1] + c) * shape[2] * shape[3];
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        *y++ = T(static_cast<Compute<T>>(pool_bin(plane, rows, columns, i, j, average)));
      }
    }
  }
  return Done{};
}

Status eval_roi_align(EvalContext& in) {
  const std::vector<double> rois = to_doubles(in.in(1));
  const std::vector<int64_t> images = to_ints(in.in(2));
  if (in.out().elements() == 0) return Done{};
  if (in.in(0).elements() == 0) return bad_input("regions of an empty image");
  const auto size = in.out().elements() / static_cast<int64_t>(images.size());
  return dispatch_float(in.in(0).dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* y = in.out().template mutable_data<T>().data();
    for (size_t r = 0; r < images.size(); ++r) {
      HONE_RETURN_IF_ERROR(
          pool_region<T>(in, rois.data() + 4 * r, images[r], y + static_cast<int64_t>(r) * size));
    }
    return Done{};
  });
}

Status upgrade_roi_align(OnnxImport& in) {
  if (in.opset < 16) in.attrs["coordinate_transformation_mode"] = std::string("output_half_pixel");
  return Done{};
}

}  // namespace

extern const OpDef op_roi_align = {
    .name = "roi_align",
    .summary = "Pools regions of interest with bilinear sampling.",
    .inputs = {{"x", kFloat, 'T'}, {"rois", kFloat, 'T'}, {"batch_indices", DTypeSet{DType::I64}}},
    .attrs = {{"coordinate_transformation_mode", std::string("half_pixel")},
              {"mode", std::string("avg")},
              {"output_height", int64_t{1}},
              {"output_width", int64_t{1}},
              {"sampling_ratio", int64_t{0}},
              {"spatial_scale", 1.0}},
    .infer = infer_roi_align,
    .eval = eval_roi_align,
    .onnx = {{"RoiAlign", upgrade_roi_align}},
    .cases = {"(f32[1,1,5,5], f32[1,4]{0 0 3 3}, i64[1]{0}) output_height=2 output_width=2 "
              "sampling_ratio=2"},
};

}  // namespace hone
