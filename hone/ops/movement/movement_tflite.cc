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

// A mirror image that repeats the edge, for which ONNX has no mode: the positions along each axis.
Status add_symmetric_pad(TfliteImport& in, const Ints& pads) {
  const TensorType& x = in.in_type(0);
  const size_t rank = pads.size() / 2;
  if (!x.known() || x.shape.size() != rank) {
    return unsupported("a symmetric pad of ", x, " by ", pads.size(), " amounts");
  }
  constexpr int64_t kLargest = 1 << 24;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (x.shape[axis] > kLargest) return unsupported("a symmetric pad of ", x);
    for (const int64_t pad : {pads[axis], pads[rank + axis]}) {
      if (pad < 0 || pad > x.shape[axis]) return bad_input("a symmetric pad of ", pad, " for ", x);
    }
  }
  Value* y = in.in(0);
  TensorType type{x.dtype, x.shape, in.out_type(0).quant};
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = pads[axis];
    const int64_t behind = pads[rank + axis];
    if (before + behind == 0) continue;
    Ints places;
    for (int64_t i = 0; i < before; ++i) places.push_back(before - 1 - i);
    for (int64_t i = 0; i < x.shape[axis]; ++i) places.push_back(i);
    for (int64_t i = 0; i < behind; ++i) places.push_back(x.shape[axis] - 1 - i);
    type.shape[axis] = static_cast<int64_t>(places.size());
    y = in.add("gather", {y, add_ints(in, places)}, type, {{"axis", static_cast<int64_t>(axis)}});
  }
  in.set_output(0, y);
  return Done{};
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
    const bool scaled = quant != nullptr && (wanted == nullptr || *quant != *wanted);
    if (scaled && (wanted == nullptr || in.out_type(0).dtype != DType::U8)) {
      return unsupported("input ", i, " of ", in.in_type(i).dtype,
                         " is quantized otherwise than the output, which "
                         "TFLite has for u8 only");
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
  if (mode == "SYMMETRIC") return add_symmetric_pad(in, pads);
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

struct SliceEntry {
  int64_t start, end, step;
};

struct Slicing {
  Ints starts;
  Ints ends;
  Ints steps;

  void add(const SliceEntry& entry) {
    starts.push_back(entry.start);
    ends.push_back(entry.end);
    steps.push_back(entry.step);
  }
  std::vector<Value*> inputs(TfliteImport& in, Value* x) const {
    Ints axes(starts.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    return {x, add_ints(in, starts), add_ints(in, ends), add_ints(in, axes), add_ints(in, steps)};
  }
};

bool bit(int64_t mask, size_t i) {
  return i < 63 && (mask >> i & 1) != 0;
}

// A STRIDED_SLICE: what to cut, which axes go away, and where new ones come into what is left.
struct StridedSlicing {
  Slicing slicing;
  Ints dropped;
  Ints added;
};

struct SliceMasks {
  int64_t begin, end, ellipsis, new_axis, shrink;
};

SliceMasks masks_of(const TfliteImport& in) {
  const auto mask = [&](const char* name) { return in.option<int64_t>(name, 0); };
  return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"), mask("new_axis_mask"),
          mask("shrink_axis_mask")};
}

// How many axes entry `at`, an ellipsis, stands for: those that no other entry does.
Result<int64_t> ellipsis_axes(const TfliteImport& in, const SliceMasks& masks, size_t entries,
                              size_t at) {
  if (!in.in_type(0).ranked) return unsupported("an ellipsis in a tensor of unknown rank");
  int64_t axes = in.in_type(0).rank();
  for (size_t i = 0; i < entries; ++i) axes -= i == at || bit(masks.new_axis, i) ? 0 : 1;
  if (axes < 0) return bad_input(entries, " entries for ", in.in_type(0));
  return axes;
}

Result<SliceEntry> slice_entry(SliceEntry entry, const SliceMasks& masks, size_t i) {
  if (entry.step == 0) return bad_input("a stride is zero");
  const bool shrinks = bit(masks.shrink, i);
  if (bit(masks.begin, i)) {
    if (shrinks) return unsupported("begin_mask and shrink_axis_mask of the same axis");
    entry.start = entry.step > 0 ? 0 : kEnd;
  }
  if (bit(masks.end, i)) entry.end = entry.step > 0 ? kEnd : kBegin;
  if (shrinks) {
    const bool last = entry.start == -1 || entry.start == kEnd;
    entry = {entry.start, last ? kEnd : entry.start + 1, 1};
  }
  return entry;
}

Result<StridedSlicing> strided_slicing(const TfliteImport& in) {
  HONE_TRY(const Ints starts, in.constant_ints(1));
  HONE_TRY(const Ints ends, in.constant_ints(2));
  HONE_TRY(const Ints steps, in.constant_ints(3));
  if (starts.size() != ends.size() || starts.size() != steps.size()) {
    return bad_input(starts.size(), " begins, ", ends.size(), " ends and ", steps.size(),
                     " strides");
  }
  const SliceMasks masks = masks_of(in);
  const bool relative = in.option<bool>("offset", false);
  StridedSlicing result;
  bool open = true;  // Of several ellipses only the first is one.
  int64_t kept = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t whole = 0;
    if (open && bit(masks.ellipsis, i)) {
      HONE_TRY(whole, ellipsis_axes(in, masks, starts.size(), i));
      open = false;
      for (int64_t k = 0; k < whole; ++k) result.slicing.add({0, kEnd, 1});
      kept += whole;
    } else if (bit(masks.new_axis, i)) {
      result.added.push_back(kept++);
    } else {
      int64_t end = ends[i];
      if (relative && __builtin_add_overflow(starts[i], ends[i], &end)) {
        return bad_input("an end of ", starts[i], " + ", ends[i]);
      }
      HONE_TRY(const SliceEntry entry, slice_entry({starts[i], end, steps[i]}, masks, i));
      if (bit(masks.shrink, i)) {
        result.dropped.push_back(static_cast<int64_t>(result.slicing.starts.size()));
      } else {
        ++kept;
      }
      result.slicing.add(entry);
    }
  }
  return result;
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
  HONE_TRY(const StridedSlicing cut, strided_slicing(in));
  TensorType open = TensorType::unranked(in.out_type(0).dtype);
  open.quant = in.out_type(0).quant;
  if (open.quantized() && !open.quant->per_tensor()) open.quant = nullptr;
  const bool last_is_slice = cut.dropped.empty() && cut.added.empty();
  Value* y =
      in.add("slice", cut.slicing.inputs(in, in.in(0)), last_is_slice ? in.out_type(0) : open);
  if (!cut.dropped.empty()) {
    y = in.add("squeeze", {y, add_ints(in, cut.dropped)},
               cut.added.empty() ? in.out_type(0) : open);
  }
  if (!cut.added.empty()) {
    y = in.add("unsqueeze", {y, add_ints(in, cut.added)}, in.out_type(0));
  }
  in.set_output(0, y);
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

Status import_zeros_like(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const TensorType& x = in.in_type(0);
  if (x.quantized() || bits_of(x.dtype) < 8)
    return unsupported("zeros of ", x.dtype, ", quantized");
  TensorType type{DType::I64, {x.ranked ? x.rank() : kUnknown}};
  Value* shape = in.add("shape", {in.in(0)}, std::move(type));
  in.finish("constant_of_shape", {shape}, {{"value", Tensor(TensorType{x.dtype, {1}})}});
  return Done{};
}

Status import_rank(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (!in.in_type(0).ranked) return unsupported("the rank of ", in.in_type(0));
  in.set_output(0, in.add_constant(Tensor::scalar(static_cast<int32_t>(in.in_type(0).rank()))));
  return Done{};
}

Status import_reverse_sequence(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  const int64_t time = in.option<int64_t>("seq_dim", 0);
  const int64_t batch = in.option<int64_t>("batch_dim", 0);
  if (time < 0 || batch < 0 || time + batch != 1) {
    return unsupported("sequences along axis ", time, " of entries along ", batch);
  }
  in.finish("reverse_sequence", {in.in(0), as_i64(in, in.in(1))},
            {{"time_axis", time}, {"batch_axis", batch}});
  return Done{};
}

// Sparse constants are expanded when they are read.
Status import_densify(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (!in.in(0)->constant) return unsupported("a computed sparse tensor");
  in.set_output(0, in.in(0));
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
