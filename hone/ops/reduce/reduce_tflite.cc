#include "hone/ops/reduce/reduce_tflite.h"

#include <algorithm>

#include "hone/ops/movement/reshape_tflite.h"

namespace hone {
namespace {

// Constant axes counted from the front, each once, as TFLite takes them.
Result<Ints> resolved_axes(const TfliteImport& in) {
  HONE_TRY(Ints axes, in.constant_ints(1));
  const TensorType& x = in.in_type(0);
  if (!x.ranked) return axes;
  for (int64_t& axis : axes) {
    if (axis < -x.rank() || axis >= x.rank()) return bad_input("axis ", axis, " of ", x);
    axis += axis < 0 ? x.rank() : 0;
  }
  std::ranges::sort(axes);
  const auto repeated = std::unique(axes.begin(), axes.end());
  axes.erase(repeated, axes.end());
  return axes;
}

Status import_arg(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints axes, in.constant_ints(1));
  if (axes.size() != 1) return bad_input(axes.size(), " axes, expected 1");
  TensorType type = in.out_type(0);
  const DType wanted = type.dtype;
  type.dtype = DType::I64;
  const Attrs attrs{{"axis", axes[0]}, {"keepdims", int64_t{0}}};
  Value* found = in.add(op_name, {in.in(0)}, std::move(type), attrs);
  if (wanted == DType::I64) {
    in.set_output(0, found);
  } else {
    in.finish("cast", {found}, {{"to", wanted}});
  }
  return Done{};
}

}  // namespace

Status import_reduction(TfliteImport& in, std::string_view op_name) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints axes, resolved_axes(in));
  in.finish(op_name, {in.in(0), in.add_constant(Tensor::of_ints(axes))},
            {{"keepdims", int64_t{in.option<bool>("keep_dims", false)}},
             {"noop_with_empty_axes", int64_t{1}}});
  return Done{};
}

Status import_reduce_any(TfliteImport& in) {
  return import_reduction(in, "reduce_max");
}

Status import_reduce_all(TfliteImport& in) {
  return import_reduction(in, "reduce_min");
}

Status import_arg_max(TfliteImport& in) {
  return import_arg(in, "arg_max");
}

Status import_arg_min(TfliteImport& in) {
  return import_arg(in, "arg_min");
}

Status import_cumsum(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_TRY(const Ints axes, in.constant_ints(1));
  if (axes.size() != 1) return bad_input(axes.size(), " axes, expected 1");
  in.finish("cum_sum", {in.in(0), in.add_constant(Tensor::scalar(axes[0]))},
            {{"exclusive", int64_t{in.option<bool>("exclusive", false)}},
             {"reverse", int64_t{in.option<bool>("reverse", false)}}});
  return Done{};
}

Status import_top_k(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 2));
  HONE_TRY(const Ints k, in.constant_ints(1));
  if (k.size() != 1) return bad_input("k has ", k.size(), " elements, expected 1");
  TensorType places = in.out_type(1);
  const DType wanted = places.dtype;
  places.dtype = DType::I64;
  Node* node = in.add_node("top_k", {in.in(0), in.add_constant(Tensor::of_ints(k))},
                           {in.out_type(0), places});
  in.set_output(0, node->outputs[0]);
  in.set_output(1, wanted == DType::I64
                       ? node->outputs[1]
                       : in.add("cast", {node->outputs[1]}, in.out_type(1), {{"to", wanted}}));
  return Done{};
}

}  // namespace hone
