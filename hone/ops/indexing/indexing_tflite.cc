#include "hone/ops/indexing/indexing_tflite.h"

#include "hone/tensor/dispatch.h"

namespace hone {

Status import_gather(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  const int64_t batch_dims = in.option<int64_t>("batch_dims", 0);
  if (batch_dims != 0) return unsupported("batch_dims of ", batch_dims);
  in.finish("gather", {in.in(0), in.in(1)}, {{"axis", in.option<int64_t>("axis", 0)}});
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
  if (in.out_type(0).quantized()) return unsupported("quantized values");
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
