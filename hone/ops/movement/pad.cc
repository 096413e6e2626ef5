// x with elements put before and behind it along axes, or taken away where a pad is negative. The
// new ones are a value, or taken from what is left of x: its edge, its mirror image (reflect), its
// other end (wrap).

#include <algorithm>
#include <numeric>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/movement_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

struct Pad {
  int64_t before = 0;
  int64_t behind = 0;
};

// The pads of every axis, from the values of inputs 1 and 3.
Result<std::vector<Pad>> resolve_pads(const Ints& pads, const Ints& axes, int64_t rank) {
  if (pads.size() != 2 * axes.size()) {
    return bad_input(pads.size(), " pads, expected ", 2 * axes.size());
  }
  HONE_RETURN_IF_ERROR(resolve_axes(axes, rank));
  std::vector<Pad> result(static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    const Pad pad{pads[i], pads[i + axes.size()]};
    for (const int64_t value : {pad.before, pad.behind}) {
      if (value < -kLargestExtent || value > kLargestExtent) return bad_input("a pad of ", value);
    }
    HONE_TRY(const size_t axis, resolve_axis(axes[i], rank));
    result[axis] = pad;
  }
  return result;
}

Ints all_axes(int64_t rank) {
  Ints axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

// What negative pads leave of an axis of extent n: nothing where the end is before the begin.
struct Kept {
  int64_t begin;
  int64_t end;

  int64_t count() const { return end - begin; }
};
Kept kept_of(const Pad& pad, int64_t n) {
  return {std::max<int64_t>(0, -pad.before), n - std::max<int64_t>(0, -pad.behind)};
}

Status check_mode(const std::string& mode, const std::vector<Pad>& pads, const Shape& shape) {
  if (mode == "constant") return Done{};
  for (size_t i = 0; i < pads.size(); ++i) {
    const bool adds = pads[i].before > 0 || pads[i].behind > 0;
    if (adds && shape[i] != kUnknown && kept_of(pads[i], shape[i]).count() <= 0) {
      return bad_input("mode '", mode, "' has no element to repeat along axis ", i);
    }
  }
  return Done{};
}

Result<std::vector<ValueType>> infer_pad(const InferContext& in) {
  const std::string& mode = in.text("mode");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") {
    return unsupported("mode '", mode, "'");
  }
  if (in.has(2) && in.type(2).known() && in.type(2).elements() != 1) {
    return bad_input("the value is ", in.type(2), ", expected a scalar");
  }
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  const auto amounts = in.known_ints(1);
  const auto axes = in.has(3) ? in.known_ints(3) : all_axes(type.rank());
  if (!amounts || !axes) {
    type.shape.assign(type.shape.size(), kUnknown);
    return std::vector<ValueType>{type};
  }
  HONE_TRY(const std::vector<Pad> pads, resolve_pads(*amounts, *axes, type.rank()));
  HONE_RETURN_IF_ERROR(check_mode(mode, pads, type.shape));
  for (size_t i = 0; i < pads.size(); ++i) {
    if (type.shape[i] == kUnknown) continue;
    type.shape[i] += pads[i].before + pads[i].behind;
    if (type.shape[i] < 0) return bad_input("axis ", i, " of ", in.type(0), " is cut below zero");
  }
  return std::vector<ValueType>{type};
}

// The position among n elements that stands at `position`, which may be outside; -1 for none.
int64_t source_of(int64_t position, int64_t n, const std::string& mode) {
  if (position >= 0 && position < n) return position;
  if (mode == "constant") return -1;
  if (mode == "edge") return position < 0 ? 0 : n - 1;
  const auto modulo = [&](int64_t period) { return ((position % period) + period) % period; };
  if (mode == "wrap") return modulo(n);
  if (n == 1) return 0;
  const int64_t folded = modulo(2 * (n - 1));
  return folded < n ? folded : 2 * (n - 1) - folded;
}

// For every axis of y, where in x each position comes from.
std::vector<Ints> sources(const Shape& x, const Shape& y, const std::vector<Pad>& pads,
                          const std::string& mode) {
  std::vector<Ints> result(y.size());
  for (size_t axis = 0; axis < y.size(); ++axis) {
    const Kept kept = kept_of(pads[axis], x[axis]);
    for (int64_t i = 0; i < y[axis]; ++i) {
      const int64_t source =
          source_of(i - std::max<int64_t>(0, pads[axis].before), kept.count(), mode);
      result[axis].push_back(source < 0 ? source : kept.begin + source);
    }
  }
  return result;
}

template <class T>
void fill(const T* x, T* y, const Shape& y_shape, const std::vector<int64_t>& x_strides,
          const std::vector<Ints>& from, const T& value) {
  for (IndexWalk walk(y_shape, {}); !walk.done(); walk.next()) {
    int64_t offset = 0;
    bool inside = true;
    for (size_t axis = 0; axis < from.size(); ++axis) {
      const int64_t source = from[axis][static_cast<size_t>(walk.index()[axis])];
      inside = inside && source >= 0;
      offset += source * x_strides[axis];
    }
    *y++ = inside ? x[offset] : value;
  }
}

template <class T>
T fill_value(EvalContext& in) {
  if (in.has(2)) return raw<T>(in.in(2))[0];
  if constexpr (!std::is_same_v<T, std::string>) {
    // What stands for 0 is the zero point.
    if (const auto& quant = in.in(0).type().quant) return static_cast<T>(quant->zero_point());
  }
  return T();
}

Status eval_pad(EvalContext& in) {
  const Tensor& x = in.in(0);
  if (!in.has(2) && x.type().quantized() && !x.type().quant->per_tensor()) {
    return unsupported("padding a tensor quantized per channel");
  }
  Tensor& y = in.out();
  if (y.elements() == 0) return Done{};
  const Ints axes = in.has(3) ? to_ints(in.in(3)) : all_axes(x.rank());
  HONE_TRY(const std::vector<Pad> pads, resolve_pads(to_ints(in.in(1)), axes, x.rank()));
  const std::vector<Ints> from = sources(x.shape(), y.shape(), pads, in.text("mode"));
  dispatch_by_size(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill(raw<T>(x), mutable_raw<T>(y), in.out_type().tensor.shape, strides_of(x.shape()), from,
         fill_value<T>(in));
  });
  return Done{};
}

// Pads and value were attributes before opset 11; opset 1 called the pads `paddings`.
Status upgrade_pad(OnnxImport& in) {
  if (in.opset >= 11) return Done{};
  in.attr_to_input(in.opset < 2 ? "paddings" : "pads", 1);
  real_to_input(in, "value", 2);
  return Done{};
}

}  // namespace

extern const OpDef op_pad = {
    .name = "pad",
    .summary = "Elements put around a tensor.",
    .kind = OpKind::Movement,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kAny, 'T'},
               {"pads", kIndex},
               {"value", kAny, 'T', kOptional},
               {"axes", kIndex, 0, kOptional}},
    .attrs = {{"mode", std::string("constant")}},
    .quantized = true,
    .infer = infer_pad,
    .eval = eval_pad,
    .onnx = {{"Pad", upgrade_pad}},
    .tflite = {{"PAD", import_pad}, {"PADV2", import_pad}, {"MIRROR_PAD", import_mirror_pad}},
    .cases = {"(f32[2,3], i64[4]{1 0 2 1})", "(f32[2,3], i64[4]{1 0 0 1}, f32[]{0.5})",
              "(f32[4,5], i64[4]{1 1 1 1}) mode=\"reflect\"",
              "(f32[4,5], i64[4]{-1 2 1 -2}) mode=\"reflect\"",
              "(f32[4,5], i64[4]{-1 2 1 -2}) mode=\"edge\"",
              "i8[2,5]<0.5:3> = (i8[2,3]<0.5:3>, i64[4]{0 1 0 1})"},
};

}  // namespace hone
