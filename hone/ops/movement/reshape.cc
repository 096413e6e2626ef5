// The same elements under another shape, given as an input. In it -1, at most once, is what the
// number of elements leaves, and 0 copies the extent of the same axis of x unless `allowzero`.

#include <algorithm>

#include "hone/ops/movement/movement.h"
#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

// What is known of the two products of extents once the copied ones are cancelled on both sides.
struct Products {
  int64_t from = 1;
  int64_t to = 1;
  bool from_known = true;
  bool empty = false;  // A copied extent is zero.
};

Products cancelled_products(const TensorType& from, const Ints& wanted, bool allow_zero) {
  Products products{.from_known = from.ranked};
  const auto copied = [&](size_t i) { return i < wanted.size() && wanted[i] == 0 && !allow_zero; };
  for (size_t i = 0; i < from.shape.size(); ++i) {
    if (copied(i)) {
      products.empty |= from.shape[i] == 0;
    } else if (from.shape[i] == kUnknown) {
      products.from_known = false;
    } else {
      products.from *= from.shape[i];
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (copied(i) || wanted[i] == -1) continue;
    if (__builtin_mul_overflow(products.to, wanted[i], &products.to)) products.to = kLargestExtent;
  }
  return products;
}

Status check_wanted(const TensorType& from, const Ints& wanted, bool allow_zero) {
  const bool zero = std::ranges::count(wanted, 0) > 0;
  const auto open = std::ranges::count(wanted, -1);
  if (open > 1) return bad_input("shape [", join(wanted), "] has more than one -1");
  if (allow_zero && zero && open > 0) return bad_input("shape [", join(wanted), "] has 0 and -1");
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < -1 || wanted[i] > kLargestExtent) {
      return bad_input("shape [", join(wanted), "] holds ", wanted[i]);
    }
    if (wanted[i] == 0 && !allow_zero && from.ranked && i >= from.shape.size()) {
      return bad_input("shape [", join(wanted), "] copies axis ", i, ", which ", from, " has not");
    }
  }
  return Done{};
}

Result<Shape> resolve(const TensorType& from, const Ints& wanted, bool allow_zero) {
  HONE_RETURN_IF_ERROR(check_wanted(from, wanted, allow_zero));
  const Products products = cancelled_products(from, wanted, allow_zero);
  Shape shape = wanted;
  bool open = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (wanted[i] == 0 && !allow_zero) shape[i] = from.ranked ? from.shape[i] : kUnknown;
    if (wanted[i] != -1) continue;
    open = true;
    if (!products.from_known) continue;  // Stays -1, which is kUnknown.
    if (products.to == 0 || products.from % products.to != 0) {
      return bad_input(from, " does not reshape to [", join(wanted), "]");
    }
    shape[i] = products.from / products.to;
  }
  if (products.from_known && !open && !products.empty && products.from != products.to) {
    return bad_input(from, " does not reshape to [", join(wanted), "]");
  }
  return shape;
}

Result<std::vector<ValueType>> infer_reshape(const InferContext& in) {
  const TensorType& from = in.type(0);
  HONE_TRY(TensorType type, type_of_rank_in(from.dtype, in.type(1)));
  if (const auto wanted = in.known_ints(1)) {
    HONE_TRY(type.shape, resolve(from, *wanted, in.integer("allowzero") != 0));
    type.ranked = true;
  }
  return std::vector<ValueType>{type};
}

Status upgrade_reshape(OnnxImport& in) {
  if (in.opset >= 5) return Done{};
  in.attrs.erase("consumed_inputs");
  in.attr_to_input("shape", 1);
  return Done{};
}

}  // namespace

extern const OpDef op_reshape = {
    .name = "reshape",
    .summary = "The same elements under another shape.",
    .kind = OpKind::View,
    .integers = IntegerForm::SameScale,
    .inputs = {{"x", kEvery}, {"shape", DTypeSet{DType::I64}}},
    .attrs = {{"allowzero", int64_t{0}}},
    .quantized = true,
    .infer = infer_reshape,
    .eval = eval_reshaped,
    .onnx = {{"Reshape", upgrade_reshape}},
    .tflite = {{"RESHAPE", import_reshape}},
    .cases = {"(f32[2,6], i64[3]{3 -1 2})", "(f32[2,6], i64[2]{0 6})"},
};

}  // namespace hone
