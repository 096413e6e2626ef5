#include "hone/ops/quant/quant_tflite.h"

#include "hone/ops/elementwise/cast.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/tflite_import.h"

namespace hone {

Status import_quantize(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (!in.out_type(0).quantized()) return bad_input("the output has no quantization parameters");
  in.finish("requantize", {in.in(0)});
  return Done{};
}

// Float16 is not quantized: what TFLite calls so is a conversion, and of a constant it is done
// here.
Status import_dequantize(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const DType dtype = in.in_type(0).dtype;
  if (dtype != DType::F16) {
    if (!in.in_type(0).quantized()) return bad_input("the input has no quantization parameters");
    in.finish("requantize", {in.in(0)});
    return Done{};
  }
  if (const auto& constant = in.in(0)->constant) {
    HONE_TRY(Tensor wide, cast_to(*constant, DType::F32, true));
    in.set_output(0, in.graph().add_constant(str(in.in(0)->name, ".f32"), std::move(wide)));
  } else {
    in.finish("cast", {in.in(0)}, {{"to", DType::F32}});
  }
  return Done{};
}

}  // namespace hone
