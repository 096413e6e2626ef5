// max_roi_pool(x, rois): each region [image, x1, y1, x2, y2] (corners included, times
// spatial_scale, rounded) is cut into a grid of pooled_shape bins, and each bin gives its largest
// element, or zero when it is empty.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_max_roi_pool(const InferContext& in) {
  const Ints& pooled = in.ints("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    return bad_input("pooled_shape is [", join(pooled), "], expected two positive numbers");
  }
  if (!std::isfinite(in.real("spatial_scale"))) return bad_input("spatial_scale is not finite");
  const TensorType& x = in.type(0);
  const TensorType& rois = in.type(1);
  if (x.ranked && x.rank() != 4) return bad_input("x has rank ", x.rank(), ", expected 4");
  if (rois.ranked && (rois.rank() != 2 || (rois.shape[1] != 5 && rois.shape[1] != kUnknown))) {
    return bad_input("rois are of shape ", text_of(rois.shape), ", expected nx5");
  }
  return std::vector<ValueType>{
      TensorType{x.dtype,
                 {rois.ranked ? rois.shape[0] : kUnknown, x.ranked ? x.shape[1] : kUnknown,
                  pooled[0], pooled[1]}}};
}

// One axis of a region: its first pixel and the size of a bin.
struct RoiAxis {
  int64_t first;
  double bin;
  int64_t in;

  int64_t begin(int64_t i) const { return clip(std::floor(static_cast<double>(i) * bin)); }
  int64_t end(int64_t i) const { return clip(std::ceil(static_cast<double>(i + 1) * bin)); }
  int64_t clip(double at) const {
    return static_cast<int64_t>(
        std::clamp(at + static_cast<double>(first), 0.0, static_cast<double>(in)));
  }
};

RoiAxis roi_axis(double from, double to, int64_t bins, int64_t in) {
  const double first = std::clamp(std::round(from), -1e9, 1e9);
  const double last = std::clamp(std::round(to), -1e9, 1e9);
  const double size = std::max(last - first + 1, 1.0);
  return {static_cast<int64_t>(first), size / static_cast<double>(bins), in};
}

template <class T>
T bin_max(const T* plane, const RoiAxis& rows, const RoiAxis& columns, int64_t i, int64_t j) {
  Compute<T> best = -std::numeric_limits<Compute<T>>::infinity();
  bool empty = true;
  for (int64_t y = rows.begin(i); y < rows.end(i); ++y) {
    for (int64_t x = columns.begin(j); x < columns.end(j); ++x) {
      best = std::max(best, Compute<T>(plane[y * columns.in + x]));
      empty = false;
    }
  }
  return empty ? T(Compute<T>(0)) : T(best);
}

template <class T>
Status pool_region(EvalContext& in, const double* roi, T* y) {
  const Shape& shape = in.in(0).shape();
  const Ints& pooled = in.ints("pooled_shape");
  const double scale = in.real("spatial_scale");
  for (int k = 0; k < 5; ++k) {
    if (!std::isfinite(roi[k])) return bad_input("a region of interest is not finite");
  }
  if (roi[0] < 0 || roi[0] >= static_cast<double>(shape[0])) {
    return bad_input("region of image ", roi[0], " of ", shape[0]);
  }
  const RoiAxis columns = roi_axis(roi[1] * scale, roi[3] * scale, pooled[1], shape[3]);
  const RoiAxis rows = roi_axis(roi[2] * scale, roi[4] * scale, pooled[0], shape[2]);
  const T* x =
      in.in(0).data<T>().data() + static_cast<int64_t>(roi[0]) * shape[1] * shape[2] * shape[3];
  for (int64_t c = 0; c < shape[1]; ++c) {
    for (int64_t i = 0; i < pooled[0]; ++i) {
      for (int64_t j = 0; j < pooled[1]; ++j) {
        *y++ = bin_max(x + c * shape[2] * shape[3], rows, columns, i, j);
      }
    }
  }
  return Done{};
}

Status eval_max_roi_pool(EvalContext& in) {
  const std::vector<double> rois = to_doubles(in.in(1));
  return dispatch_float(in.in(0).dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* y = in.out().template mutable_data<T>().data();
    const int64_t count = in.in(1).shape()[0];
    const int64_t size = count == 0 ? 0 : in.out().elements() / count;
    for (int64_t r = 0; r < count; ++r) {
      HONE_RETURN_IF_ERROR(pool_region<T>(in, rois.data() + r * 5, y + r * size));
    }
    return Done{};
  });
}

}  // namespace

extern const OpDef op_max_roi_pool = {
    .name = "max_roi_pool",
    .summary = "Largest element of each bin of regions of interest.",
    .inputs = {{"x", kFloat, 'T'}, {"rois", kFloat, 'T'}},
    .attrs = {{"pooled_shape", Ints{}, kRequired}, {"spatial_scale", 1.0}},
    .infer = infer_max_roi_pool,
    .eval = eval_max_roi_pool,
    .onnx = {{"MaxRoiPool"}},
    .cases = {"(f32[1,2,6,6], f32[1,5]{0 0 0 4 4}) pooled_shape=[2,2]"},
};

}  // namespace hone
