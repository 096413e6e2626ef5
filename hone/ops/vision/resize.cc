// resize(x, roi, scales, sizes): interpolates x along every axis whose extent changes. Either
// scales or sizes is given, the other left out or empty, for all axes or those in `axes`. The
// coordinate of an output element among the input's is by coordinate_transformation_mode; see
// resize_table.cc. Elements of integer images are cut, not rounded, after linear and cubic
// interpolation. It has no layout: lists have a number for every axis, in the order of x's axes.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/ops/vision/resize_plan.h"
#include "hone/ops/vision/resize_quantized.h"
#include "hone/ops/vision/resize_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr size_t kRoi = 1, kScales = 2, kSizes = 3;

// Whether a value that infer needs is still open.
bool pending(const InferContext& in, size_t input) {
  return in.has(input) && in.value(input) == nullptr &&
         !(in.type(input).known() && in.type(input).elements() == 0);
}

Result<std::vector<ValueType>> infer_resize(const InferContext& in) {
  HONE_TRY(const ResizeMode mode, resize_mode(in));
  HONE_RETURN_IF_ERROR(check_resize_quantized(in));
  const TensorType& x = in.type(0);
  if (mode.kind != ResizeMode::Kind::Nearest && x.dtype != DType::Undefined &&
      !kNumeric.contains(x.dtype)) {
    return unsupported("mode ", in.text("mode"), " for elements of type ", x.dtype);
  }
  if (!x.ranked) return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  TensorType type{x.dtype, Shape(x.shape.size(), kUnknown)};
  const bool open = std::ranges::find(x.shape, kUnknown) != x.shape.end();
  if (pending(in, kRoi) || pending(in, kScales) || pending(in, kSizes) ||
      (open && in.text("keep_aspect_ratio_policy") != "stretch")) {
    return std::vector<ValueType>{std::move(type)};
  }
  Shape extents = x.shape;
  std::ranges::replace(extents, kUnknown, int64_t{1});
  HONE_TRY(const ResizePlan plan,
           resize_plan(in, extents, {in.value(kRoi), in.value(kScales), in.value(kSizes)}));
  const bool all_given = is_given(in.value(kSizes)) && !in.has_attr("axes");
  for (size_t i = 0; i < extents.size(); ++i) {
    if (x.shape[i] != kUnknown || all_given) type.shape[i] = plan.axes[i].out;
  }
  return std::vector<ValueType>{std::move(type)};
}

// Of an output: a sum of two or four weighted taps along each of two axes; nearest ones are copied.
int64_t flops_of(ResizeMode::Kind kind) {
  switch (kind) {
    case ResizeMode::Kind::Nearest:
      return 0;
    case ResizeMode::Kind::Linear:
      return 6;
    case ResizeMode::Kind::Cubic:
      return 14;
  }
  return 0;
}

Cost cost_resize(const InferContext& in) {
  const auto mode = resize_mode(in);
  const auto types = infer_resize(in);
  if (!mode.ok() || !types.ok() || !types->front().tensor.known()) return {};
  return {.macs = 0, .flops = flops_of(mode->kind) * types->front().tensor.elements()};
}

// One axis of nearest: moves elements only.
template <class T>
std::vector<T> pick(const T* x, const AxisSplit& split, const ResizeTable& table, int64_t out) {
  std::vector<T> y(static_cast<size_t>(split.outer * out * split.inner));
  size_t to = 0;
  for (int64_t o = 0; o < split.outer; ++o) {
    for (const ResizeTable::Tap& tap : table.taps) {
      const T* from = x + (o * split.n + tap.index) * split.inner;
      for (int64_t i = 0; i < split.inner; ++i) y[to++] = from[i];
    }
  }
  return y;
}

// One axis of linear or cubic.
std::vector<double> blend(const std::vector<double>& x, const AxisSplit& split,
                          const ResizeTable& table, int64_t out) {
  std::vector<double> y(static_cast<size_t>(split.outer * out * split.inner));
  for (int64_t o = 0; o < split.outer; ++o) {
    for (int64_t j = 0; j < out; ++j) {
      double* to = y.data() + (o * out + j) * split.inner;
      const auto k = static_cast<size_t>(j);
      for (size_t t = table.first[k]; t < table.first[k + 1]; ++t) {
        const double weight = table.taps[t].weight;
        const double* from = x.data() + (o * split.n + table.taps[t].index) * split.inner;
        for (int64_t i = 0; i < split.inner; ++i) to[i] += weight * from[i];
      }
    }
  }
  return y;
}

// Applies fn(data, split, table, out) axis after axis, and returns the last result.
template <class Data, class Fn>
Data resize_axes(const ResizePlan& plan, Data data, const std::vector<ResizeTable>& tables,
                 Fn&& fn) {
  Shape shape;
  for (const ResizeAxis& axis : plan.axes) shape.push_back(axis.in);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (tables[i].identity(plan.axes[i])) continue;
    data = fn(data, split_at(shape, i), tables[i], plan.axes[i].out);
    shape[i] = plan.axes[i].out;
  }
  return data;
}

// What lies outside the image takes the extrapolation value.
template <class T>
void extrapolate(const ResizePlan& plan, const std::vector<ResizeTable>& tables, T value, T* y) {
  if (plan.mode.coordinates != ResizeMode::Coordinates::TfCropAndResize) return;
  const Shape shape = plan.shape();
  for (IndexWalk walk(shape, {strides_of(shape)}); !walk.done(); walk.next()) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (tables[i].outside[static_cast<size_t>(walk.index()[i])]) y[walk.offset(0)] = value;
    }
  }
}

template <class T>
T from_double(double value) {
  if constexpr (std::is_integral_v<T>) {
    // As doubles the limits of 64-bit types are one beyond; stop short of them.
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
  }
  return static_cast<T>(value);
}

void eval_nearest(EvalContext& in, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  dispatch_by_size(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = raw<T>(in.in(0));
    const std::vector<T> y =
        resize_axes(plan, std::vector<T>(x, x + in.in(0).elements()), tables,
                    [](const std::vector<T>& data, const AxisSplit& split, const ResizeTable& table,
                       int64_t out) { return pick(data.data(), split, table, out); });
    std::copy(y.begin(), y.end(), mutable_raw<T>(in.out()));
  });
}

void eval_blend(EvalContext& in, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  const std::vector<double> y = resize_axes(plan, to_doubles(in.in(0)), tables, blend);
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = in.out().template mutable_data<T>().data();
    for (size_t i = 0; i < y.size(); ++i) to[i] = from_double<T>(y[i]);
  });
}

Status eval_resize(EvalContext& in) {
  const auto tensor = [&](size_t input) { return in.has(input) ? &in.in(input) : nullptr; };
  HONE_TRY(const ResizePlan plan,
           resize_plan(in, in.in(0).shape(), {tensor(kRoi), tensor(kScales), tensor(kSizes)}));
  if (in.out().elements() == 0) return Done{};
  if (in.in(0).type().quantized() && plan.mode.kind != ResizeMode::Kind::Nearest) {
    return eval_resize_linear_quantized(in);
  }
  std::vector<ResizeTable> tables;
  for (const ResizeAxis& axis : plan.axes) tables.push_back(resize_table(axis, plan.mode));
  if (plan.mode.kind == ResizeMode::Kind::Nearest) {
    eval_nearest(in, plan, tables);
  } else {
    eval_blend(in, plan, tables);
  }
  if (!kNumeric.contains(in.in(0).dtype())) return Done{};
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    extrapolate(plan, tables, from_double<T>(in.real("extrapolation_value")),
                in.out().template mutable_data<T>().data());
  });
  return Done{};
}

// Opset 10 had neither roi nor modes: output x comes from x / scale, which nearest rounds down when
// the image grows and up when it shrinks.
Status upgrade_resize(OnnxImport& in) {
  if (in.opset >= 11) return Done{};
  if (in.inputs.size() != 2) return bad_input("has ", in.inputs.size(), " inputs, expected 2");
  Value* scales = in.input(1);
  in.inputs = {in.input(0), nullptr, scales};
  in.attrs["coordinate_transformation_mode"] = std::string("asymmetric");
  const std::string mode = in.take<std::string>("mode", "nearest");
  in.attrs["mode"] = mode;
  if (mode != "nearest") return Done{};
  if (!scales->constant) return unsupported("Resize of opset 10 with scales that are not constant");
  const std::vector<double> factors = to_doubles(*scales->constant);
  const bool grows = std::ranges::any_of(factors, [](double factor) { return factor > 1; });
  const bool shrinks = std::ranges::any_of(factors, [](double factor) { return factor < 1; });
  if (grows && shrinks) return unsupported("Resize of opset 10 that both grows and shrinks");
  in.attrs["nearest_mode"] = std::string(shrinks ? "ceil" : "floor");
  return Done{};
}

// Upsample: opset 1 gave the factors of height and width, 7 all of them as an attribute, 9 as an
// input.
Status upgrade_upsample(OnnxImport& in) {
  if (in.inputs.empty()) return bad_input("has no inputs");
  const std::string mode = in.take<std::string>("mode", "nearest");
  if (in.opset < 9) {
    Floats scales = in.take<Floats>("scales", {});
    if (in.has("height_scale")) {
      scales = {1, 1, in.take<double>("height_scale", 1), in.take<double>("width_scale", 1)};
    }
    const std::vector<float> factors(scales.begin(), scales.end());
    in.inputs.resize(1);
    in.set_input(1, in.constant(Tensor::of({static_cast<int64_t>(factors.size())}, factors)));
  }
  in.inputs = {in.input(0), nullptr, in.input(1)};
  in.attrs["mode"] = mode == "bilinear" ? std::string("linear") : mode;
  in.attrs["coordinate_transformation_mode"] = std::string("asymmetric");
  in.attrs["nearest_mode"] = std::string("floor");
  return Done{};
}

}  // namespace

extern const OpDef op_resize = {
    .name = "resize",
    .summary = "Resamples a tensor: nearest, linear or cubic, with ONNX's coordinate modes.",
    .integers = IntegerForm::SameScale,
    .half = true,
    .inputs = {{"x", kAny},
               {"roi", kFloat, 0, kOptional},
               {"scales", DTypeSet{DType::F32}, 0, kOptional},
               {"sizes", DTypeSet{DType::I64}, 0, kOptional}},
    .attrs = {{"antialias", int64_t{0}},
              {"axes", Ints{}, kAbsent},
              {"coordinate_transformation_mode", std::string("half_pixel")},
              {"cubic_coeff_a", -0.75},
              {"exclude_outside", int64_t{0}},
              {"extrapolation_value", 0.0},
              {"keep_aspect_ratio_policy", std::string("stretch")},
              {"mode", std::string("nearest")},
              {"nearest_mode", std::string("round_prefer_floor")}},
    .quantized = true,
    .infer = infer_resize,
    .cost = cost_resize,
    .eval = eval_resize,
    .onnx = {{"Resize", upgrade_resize}, {"Upsample", upgrade_upsample}},
    .tflite = {{"RESIZE_BILINEAR", import_resize_bilinear},
               {"RESIZE_NEAREST_NEIGHBOR", import_resize_nearest_neighbor}},
    .cases = {"(f32[1,2,3,3], _, f32[4]{1 1 2 2})",
              "(f32[1,2,3,4], _, _, i64[4]{1 2 5 7}) mode=\"linear\"",
              "(f32[1,2,4,4], _, f32[4]{1 1 2 2}) mode=\"cubic\""},
};

}  // namespace hone
