#include "hone/ops/movement/reshape_tflite.h"

#include <algorithm>

namespace hone {
namespace {

// TFLite means a 0 literally; Hone's reshape takes it so when asked to.
Attrs zero_attrs(const Ints& shape) {
  if (std::ranges::count(shape, 0) == 0) return {};
  return {{"allowzero", int64_t{1}}};
}

Result<Ints> wanted_shape(const TfliteImport& in) {
  if (in.has(1)) return in.constant_ints(1);
  auto shape = in.option<std::vector<int64_t>>("new_shape", {});
  // How old files say "scalar".
  if (shape == Ints{0}) shape.clear();
  return shape;
}

}  // namespace

Value* add_reshape(TfliteImport& in, Value* value, TensorType type) {
  Value* shape = in.add_constant(Tensor::of_ints(type.shape));
  Attrs attrs = zero_attrs(type.shape);
  return in.add("reshape", {value, shape}, std::move(type), std::move(attrs));
}

Value* as_i64(TfliteImport& in, Value* value) {
  // What is no index is left for the operator's own check to refuse.
  if (!kInteger.contains(value->type.tensor.dtype)) return value;
  if (value->constant) {
    Tensor wide(TensorType{DType::I64, value->constant->shape()});
    const std::vector<int64_t> values = to_ints(*value->constant);
    std::ranges::copy(values, wide.mutable_data<int64_t>().begin());
    return in.add_constant(std::move(wide));
  }
  TensorType type = value->type.tensor;
  if (type.dtype == DType::I64) return value;
  type.dtype = DType::I64;
  type.quant = nullptr;
  return in.add("cast", {value}, std::move(type), {{"to", DType::I64}});
}

Status import_reshape(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.has(1) && !in.in(1)->constant) {
    in.finish("reshape", {in.in(0), as_i64(in, in.in(1))});
    return Done{};
  }
  HONE_TRY(const Ints shape, wanted_shape(in));
  in.finish("reshape", {in.in(0), in.add_constant(Tensor::of_ints(shape))}, zero_attrs(shape));
  return Done{};
}

Status import_squeeze(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const auto axes = in.option<std::vector<int64_t>>("squeeze_dims", {});
  if (axes.empty()) {
    in.finish("squeeze", {in.in(0)});
  } else {
    in.finish("squeeze", {in.in(0), in.add_constant(Tensor::of_ints(axes))});
  }
  return Done{};
}

Status import_expand_dims(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints axes, in.constant_ints(1));
  if (axes.size() != 1) return bad_input(axes.size(), " axes, expected 1");
  in.finish("unsqueeze", {in.in(0), in.add_constant(Tensor::of_ints(axes))});
  return Done{};
}

}  // namespace hone
