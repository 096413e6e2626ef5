#include "hone/ops/movement/movement_tflite.h"

#include <algorithm>
#include <limits>

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Value* add_ints(TfliteImport& in, const Ints& values) {
  return in.add_constant(Tensor::of_ints(values));
}

Result<int64_t> constant_int(const TfliteImport& in, size_t input) {
  HONE_TRY(const Ints values, in.constant_ints(input));
  if (values.size() != 1) {
    return bad_input("input ", input, " has ", values.size(), " elements, expected 1");
  }
  return values[0];
}

// TFLite's paddings, [axes][before, behind], as ONNX has them: all before, then all behind.
Result<Ints> pads_of(const TfliteImport& in) {
  HONE_TRY(const Ints pairs, in.constant_ints(1));
  if (pairs.size() % 2 != 0) return bad_input("paddings have ", pairs.size(), " elements");
  Ints pads(pairs.size());
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    pads[i] = pairs[2 * i];
    pads[i + pairs.size() / 2] = pairs[2 * i + 1];
  }
  return pads;
}

}  // namespace

Status import_concatenation(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(const std::string activation, in.activation());
  if (!activation.empty()) return unsupported("a fused ", activation);
  std::vector<Value*> inputs;
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.has(i)) return bad_input("input ", i, " is left out");
    const auto& quant = in.in_type(i).quant;
    const auto& wanted = in.out_type(0).quant;
    if (quant != nullptr && (wanted == nullptr || *quant != *wanted)) {
      return unsupported("input ", i, " is quantized otherwise than the output");
    }
    inputs.push_back(in.in(i));
  }
  in.finish("concat", std::move(inputs), {{"axis", in.option<int64_t>("axis", 0)}});
  return Done{};
}

// What is put around a quantized tensor is the output's zero point.
Status import_pad(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints pads, pads_of(in));
  std::vector<Value*> inputs{in.in(0), add_ints(in, pads)};
  const TensorType& out = in.out_type(0);
  if (in.has(2)) {
    inputs.push_back(in.in(2));
  } else if (out.quantized() && (kSigned | kUnsigned).contains(out.dtype)) {
    Tensor zero(TensorType{out.dtype, {}});
    dispatch_integer(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      zero.mutable_data<T>()[0] = static_cast<T>(out.quant->zero_point());
    });
    inputs.push_back(in.add_constant(std::move(zero)));
  }
  in.finish("pad", std::move(inputs));
  return Done{};
}

Status import_mirror_pad(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints pads, pads_of(in));
  const auto mode = in.option<std::string>("mode", "REFLECT");
  if (mode != "REFLECT") return unsupported("mode ", mode);
  in.finish("pad", {in.in(0), add_ints(in, pads)}, {{"mode", std::string("reflect")}});
  return Done{};
}

namespace {

void finish_split(TfliteImport& in, std::vector<Value*> inputs, int64_t axis) {
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) types.push_back(in.out_type(i));
  Node* node = in.add_node("split", std::move(inputs), std::move(types), {{"axis", axis}});
  for (size_t i = 0; i < in.outputs(); ++i) in.set_output(i, node->outputs[i]);
}

}  // namespace

Status import_split(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const int64_t axis, constant_int(in, 0));
  finish_split(in, {in.in(1)}, axis);
  return Done{};
}

// One of the sizes may be -1: what is left.
Status import_split_v(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_TRY(Ints sizes, in.constant_ints(1));
  HONE_TRY(const int64_t axis, constant_int(in, 2));
  const TensorType& x = in.in_type(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != -1) continue;
    const int64_t index = x.ranked && axis < 0 ? axis + x.rank() : axis;
    if (!x.ranked || index < 0 || index >= x.rank() ||
        x.shape[static_cast<size_t>(index)] == kUnknown) {
      return unsupported("a part of unknown size of ", x);
    }
    sizes[i] = x.shape[static_cast<size_t>(index)];
    for (size_t j = 0; j < sizes.size(); ++j) sizes[i] -= j == i ? 0 : sizes[j];
  }
  finish_split(in, {in.in(0), add_ints(in, sizes)}, axis);
  return Done{};
}

namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();

struct Slicing {
  Ints starts;
  Ints ends;
  Ints steps;

  std::vector<Value*> inputs(TfliteImport& in, Value* x) const {
    Ints axes(starts.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    return {x, add_ints(in, starts), add_ints(in, ends), add_ints(in, axes), add_ints(in, steps)};
  }
};

bool bit(int64_t mask, size_t i) {
  return i < 63 && (mask >> i & 1) != 0;
}

Result<Slicing> strided_slicing(const TfliteImport& in) {
  HONE_TRY(Ints starts, in.constant_ints(1));
  HONE_TRY(Ints ends, in.constant_ints(2));
  HONE_TRY(Ints steps, in.constant_ints(3));
  if (starts.size() != ends.size() || starts.size() != steps.size()) {
    return bad_input(starts.size(), " begins, ", ends.size(), " ends and ", steps.size(),
                     " strides");
  }
  if (in.option<int64_t>("ellipsis_mask", 0) != 0 || in.option<int64_t>("new_axis_mask", 0) != 0) {
    return unsupported("an ellipsis or new axes");
  }
  const bool relative = in.option<bool>("offset", false);
  for (size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == 0) return bad_input("a stride is zero");
    if (relative) ends[i] += starts[i];
    const bool shrinks = bit(in.option<int64_t>("shrink_axis_mask", 0), i);
    if (bit(in.option<int64_t>("begin_mask", 0), i)) {
      if (shrinks) return unsupported("begin_mask and shrink_axis_mask of the same axis");
      starts[i] = steps[i] > 0 ? 0 : kEnd;
    }
    if (bit(in.option<int64_t>("end_mask", 0), i)) ends[i] = steps[i] > 0 ? kEnd : kBegin;
    if (shrinks) {
      ends[i] = starts[i] == -1 ? kEnd : starts[i] + 1;
      steps[i] = 1;
    }
  }
  return Slicing{std::move(starts), std::move(ends), std::move(steps)};
}

}  // namespace

// begin and size; a size of -1 is the rest.
Status import_slice(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  HONE_TRY(const Ints begin, in.constant_ints(1));
  HONE_TRY(const Ints size, in.constant_ints(2));
  if (begin.size() != size.size()) {
    return bad_input(begin.size(), " begins and ", size.size(), " sizes");
  }
  Slicing slicing{begin, {}, Ints(begin.size(), 1)};
  for (size_t i = 0; i < begin.size(); ++i) {
    if (begin[i] < 0) return bad_input("a begin of ", begin[i]);
    slicing.ends.push_back(size[i] == -1 ? kEnd : begin[i] + size[i]);
  }
  in.finish("slice", slicing.inputs(in, in.in(0)));
  return Done{};
}

Status import_strided_slice(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(4, 1));
  HONE_TRY(const Slicing slicing, strided_slicing(in));
  Ints dropped;
  const int64_t shrink = in.option<int64_t>("shrink_axis_mask", 0);
  for (size_t i = 0; i < slicing.starts.size(); ++i) {
    if (bit(shrink, i)) dropped.push_back(static_cast<int64_t>(i));
  }
  if (dropped.empty()) {
    in.finish("slice", slicing.inputs(in, in.in(0)));
    return Done{};
  }
  TensorType type = TensorType::unranked(in.out_type(0).dtype);
  type.quant = in.out_type(0).quant;
  if (type.quantized() && !type.quant->per_tensor()) type.quant = nullptr;
  Value* cut = in.add("slice", slicing.inputs(in, in.in(0)), std::move(type));
  in.finish("squeeze", {cut, add_ints(in, dropped)});
  return Done{};
}

Status import_reverse(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints axes, in.constant_ints(1));
  const Ints starts(axes.size(), kEnd);
  const Ints ends(axes.size(), kBegin);
  const Ints steps(axes.size(), -1);
  in.finish("slice", {in.in(0), add_ints(in, starts), add_ints(in, ends), add_ints(in, axes),
                      add_ints(in, steps)});
  return Done{};
}

Status import_pack(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const int64_t axis = in.option<int64_t>("axis", 0);
  const TensorType& out = in.out_type(0);
  std::vector<Value*> parts;
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.has(i)) return bad_input("input ", i, " is left out");
  }
  for (size_t i = 0; i < in.inputs(); ++i) {
    TensorType type = TensorType::unranked(out.dtype);
    type.quant = in.in_type(i).quant;
    parts.push_back(in.add("unsqueeze", {in.in(i), add_ints(in, {axis})}, std::move(type)));
  }
  in.finish("concat", std::move(parts), {{"axis", axis}});
  return Done{};
}

Status import_unpack(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const int64_t axis = in.option<int64_t>("axis", 0);
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) {
    TensorType type = TensorType::unranked(in.out_type(i).dtype);
    type.quant = in.out_type(i).quant;
    types.push_back(std::move(type));
  }
  Node* parts = in.add_node("split", {in.in(0)}, std::move(types), {{"axis", axis}});
  for (size_t i = 0; i < in.outputs(); ++i) {
    in.set_output(i, in.add("squeeze", {parts->outputs[i], add_ints(in, {axis})}, in.out_type(i)));
  }
  return Done{};
}

Status import_depth_to_space(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  in.finish("depth_to_space", {in.in(0)},
            {{"blocksize", in.option<int64_t>("block_size", 0)}, {"layout", std::string("nhwc")}});
  return Done{};
}

Status import_space_to_depth(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  in.finish("space_to_depth", {in.in(0)},
            {{"blocksize", in.option<int64_t>("block_size", 0)}, {"layout", std::string("nhwc")}});
  return Done{};
}

// TFLite gives int32 by default, Hone int64.
Status import_shape(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  TensorType type = in.out_type(0);
  const DType wanted = type.dtype;
  type.dtype = DType::I64;
  Value* shape = in.add("shape", {in.in(0)}, std::move(type));
  if (wanted == DType::I64) {
    in.set_output(0, shape);
  } else {
    in.finish("cast", {shape}, {{"to", wanted}});
  }
  return Done{};
}

Status import_fill(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  in.finish("expand", {in.in(1), as_i64(in, in.in(0))});
  return Done{};
}

Status import_broadcast_to(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  in.finish("expand", {in.in(0), as_i64(in, in.in(1))});
  return Done{};
}

Status import_tile(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  in.finish("tile", {in.in(0), as_i64(in, in.in(1))});
  return Done{};
}

}  // namespace hone
