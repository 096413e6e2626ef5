// Resource variables: a handle names one, and operators read and assign it by the handle. The order
// of the file is the order of a run, so a read is the value that was assigned last, and no operator
// of Hone keeps a state. What the subgraph of CALL_ONCE assigns is what every run starts from.

#include "hone/ops/control/variables_tflite.h"

#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

// A handle is a constant that holds the variable's name.
Result<std::string> variable_named_by(const TfliteImport& in, size_t input) {
  const Value* handle = in.in(input);
  if (!handle->constant || handle->constant->dtype() != DType::String ||
      handle->constant->elements() != 1) {
    return unsupported("a variable whose handle no VAR_HANDLE makes");
  }
  return handle->constant->data<std::string>()[0];
}

Status require_file(const TfliteImport& in) {
  if (in.subgraphs() == nullptr) return unsupported("variables outside a file");
  return Done{};
}

bool same_elements(const TensorType& a, const TensorType& b) {
  const bool quantization =
      a.quantized() == b.quantized() && (!a.quantized() || *a.quant == *b.quant);
  return a.dtype == b.dtype && quantization;
}

}  // namespace

Status import_var_handle(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(0, 1));
  const std::string name =
      str(in.option<std::string>("container", ""), "/", in.option<std::string>("shared_name", ""));
  in.set_output(0, in.add_constant(Tensor::scalar(name)));
  return Done{};
}

Status import_read_variable(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_RETURN_IF_ERROR(require_file(in));
  HONE_TRY(const std::string name, variable_named_by(in, 0));
  HONE_TRY(Value * value, in.subgraphs()->variable(name, in.out_type(0), in.graph()));
  if (!same_elements(value->type.tensor, in.out_type(0))) {
    // What is stored stays as it is; only a constant can be told to stand for something else.
    if (!value->constant || value->type.tensor.dtype != in.out_type(0).dtype) {
      return unsupported("a variable of ", value->type.tensor, " read as ", in.out_type(0));
    }
    value = in.add_constant(value->constant->with_quantization(in.out_type(0).quant));
  }
  in.finish("identity", {value});
  return Done{};
}

Status import_assign_variable(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 0));
  HONE_RETURN_IF_ERROR(require_file(in));
  HONE_TRY(const std::string name, variable_named_by(in, 0));
  return in.subgraphs()->assign(name, in.in(1), in.graph());
}

Status import_call_once(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(require_file(in));
  return in.subgraphs()->call_once(in.option<int64_t>("init_subgraph_index", 0), in.graph());
}

}  // namespace hone
