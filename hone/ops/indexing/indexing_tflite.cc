#include "hone/ops/indexing/indexing_tflite.h"

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/tensor/dispatch.h"

namespace hone {

Status import_gather(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  const TensorType& indices = in.in_type(1);
  int64_t axis = in.option<int64_t>("axis", 0);
  int64_t batch_dims = in.option<int64_t>("batch_dims", 0);
  if (batch_dims == 0) {
    in.finish("gather", {in.in(0), in.in(1)}, {{"axis", axis}});
    return Done{};
  }
  if (!in.in_type(0).ranked || !indices.ranked) return unsupported("batch_dims of unknown ranks");
  axis += axis < 0 ? in.in_type(0).rank() : 0;
  batch_dims += batch_dims < 0 ? indices.rank() : 0;
  if (axis != batch_dims || batch_dims < 0 || batch_dims > indices.rank()) {
    return unsupported("batch_dims of ", batch_dims, " along axis ", axis);
  }
  // Behind the shared axes, every index is a place along one axis.
  TensorType places{indices.dtype, indices.shape};
  places.shape.push_back(1);
  Value* last = in.add_constant(Tensor::of_ints({-1}));
  Value* pairs = in.add("unsqueeze", {in.in(1), last}, std::move(places));
  in.finish("gather_nd", {in.in(0), pairs}, {{"batch_dims", batch_dims}});
  return Done{};
}

// Zeros, to which the updates are added.
Status import_scatter_nd(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  const TensorType& updates = in.in_type(1);
  if (updates.quantized() || !kNumeric.contains(updates.dtype)) {
    return unsupported("updates of ", updates.dtype, updates.quantized() ? ", quantized" : "");
  }
  TensorType type = in.out_type(0);
  type.dtype = updates.dtype;
  Value* zeros = in.add("constant_of_shape", {as_i64(in, in.in(2))}, std::move(type),
                        {{"value", Tensor(TensorType{updates.dtype, {1}})}});
  in.finish("scatter_nd", {zeros, in.in(0), in.in(1)}, {{"reduction", std::string("add")}});
  return Done{};
}

// indices [n, rank], the output's shape, a value for each or for all, and the value elsewhere.
Status import_sparse_to_dense(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(4, 1));
  const TensorType& indices = in.in_type(0);
  const TensorType& values = in.in_type(2);
  if (!indices.known() || indices.rank() != 2 || !values.known() || values.quantized()) {
    return unsupported("indices of ", indices, " for values of ", values);
  }
  TensorType filled = in.out_type(0);
  Value* dense = in.add("expand", {in.in(3), as_i64(in, in.in(1))}, std::move(filled));
  Value* updates = in.in(2);
  if (values.rank() == 0) {
    Value* count = in.add_constant(Tensor::of_ints({indices.shape[0]}));
    updates = in.add("expand", {updates, count}, TensorType{values.dtype, {indices.shape[0]}});
  }
  in.finish("scatter_nd", {dense, as_i64(in, in.in(0)), updates});
  return Done{};
}

// Rows of a table; of a quantized one what they stand for.
Status import_embedding_lookup(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  const TensorType& table = in.in_type(1);
  if (!table.quantized() || in.out_type(0).quantized()) {
    in.finish("gather", {in.in(1), in.in(0)});
    return Done{};
  }
  if (!table.quant->per_tensor() || table.dtype != DType::I8) {
    return unsupported("rows of ", table.dtype, ", or with scales of their own");
  }
  TensorType rows = in.out_type(0);
  rows.dtype = table.dtype;
  rows.quant = table.quant;
  Value* stored = in.add("gather", {in.in(1), in.in(0)}, std::move(rows));
  in.finish("requantize", {stored});
  return Done{};
}

// The different elements in the order they come, and for each element which of them it is.
Status import_unique(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 2));
  if (in.in_type(0).quantized()) return unsupported("quantized values");
  const TensorType list{DType::I64, {kUnknown}};
  Node* node =
      in.add_node("unique", {in.in(0)}, {in.out_type(0), list, list}, {{"sorted", int64_t{0}}});
  in.set_output(0, node->outputs[0]);
  const DType wanted = in.out_type(1).dtype;
  in.set_output(1, wanted == DType::I64
                       ? node->outputs[2]
                       : in.add("cast", {node->outputs[2]}, in.out_type(1), {{"to", wanted}}));
  return Done{};
}

// indices, depth, the value where they point and the value elsewhere.
Status import_one_hot(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(4, 1));
  HONE_TRY(const Tensor on, in.constant(2));
  HONE_TRY(const Tensor off, in.constant(3));
  if (on.dtype() != off.dtype() || on.elements() != 1 || off.elements() != 1 ||
      bits_of(on.dtype()) < 8) {
    return bad_input("values ", on.type(), " and ", off.type(), ", expected two of one type");
  }
  for (const Tensor* value : {&on, &off}) {
    const auto& quant = in.out_type(0).quant;
    const bool same =
        quant == nullptr || (value->type().quantized() && *value->type().quant == *quant);
    if (!same) return unsupported("values quantized otherwise than the output");
  }
  Tensor values(TensorType{on.dtype(), {2}});
  dispatch_by_size(on.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    mutable_raw<T>(values)[0] = raw<T>(off)[0];
    mutable_raw<T>(values)[1] = raw<T>(on)[0];
  });
  in.finish("one_hot", {in.in(0), in.in(1), in.add_constant(std::move(values))},
            {{"axis", in.option<int64_t>("axis", -1)}});
  return Done{};
}

Status import_where(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.inputs() != 1) return bad_input("has ", in.inputs(), " inputs, expected 1");
  if (in.in_type(0).quantized()) return unsupported("quantized values");
  Value* places = in.add("non_zero", {in.in(0)}, TensorType{DType::I64, {kUnknown, kUnknown}});
  in.finish("transpose", {places}, {{"perm", Ints{1, 0}}});
  return Done{};
}

}  // namespace hone
