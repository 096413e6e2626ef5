#include "hone/ops/softmax/softmax_tflite.h"

#include "hone/ops/tflite_import.h"

namespace hone {

// softmax(beta * x) along the last axis.
Status import_softmax(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const double beta = in.option<double>("beta", 1);
  Value* x = in.in(0);
  if (beta != 1) {
    if (in.in_type(0).dtype != DType::F32) return unsupported("beta is ", beta, ", expected 1");
    Value* factor = in.add_constant(Tensor::scalar(static_cast<float>(beta)));
    x = in.add("mul", {x, factor}, in.in_type(0));
  }
  in.finish("softmax", {x});
  return Done{};
}

}  // namespace hone
