#include <algorithm>

#include "hone/model/tflite_rules/product.h"
#include "hone/ops/movement/transpose_tflite.h"  // transposed

namespace hone {
namespace {

// A reshape that the import of FULLY_CONNECTED has put beside the product, or null.
const Node* own_reshape(const Node& gemm, const Node* node) {
  const bool own = node != nullptr && node->op == "reshape" && !gemm.origins.empty() &&
                   node->origins == gemm.origins;
  return own ? node : nullptr;
}

// FULLY_CONNECTED sees any input as rows: a reshape to rows need not be written.
int rows_of(TfliteExport& out, const Node& node) {
  const Node* reshape = own_reshape(node, node.inputs[0]->producer);
  return out.tensor(reshape == nullptr ? node.inputs[0] : reshape->inputs[0]);
}

Result<int> matrix_of(TfliteExport& out, const Node& node) {
  const Value* w = node.inputs[1];
  const bool turned = export_attr<int64_t>(node, "transB") != 0;
  if (turned && !has_narrow_weights(node)) return out.tensor(w);
  HONE_TRY(Tensor weights, export_constant(node, 1, "its matrix"));
  if (has_narrow_weights(node)) weights = as_unsigned(weights);
  return out.constant(w->name, turned ? weights : transposed(weights, {1, 0}));
}

// One number per column, or none.
bool is_column_bias(const Value* bias, int64_t columns) {
  if (bias == nullptr) return true;
  const TensorType& type = bias->type.tensor;
  return type.known() && type.rank() >= 1 && type.elements() == columns &&
         type.shape.back() == columns;
}

Status check_gemm(const Node& node) {
  if (export_attr<int64_t>(node, "transA") != 0 || export_attr<double>(node, "alpha") != 1 ||
      export_attr<double>(node, "beta") != 1) {
    return unsupported("a product with transA, alpha or beta");
  }
  if (export_input(node, 3) != nullptr) return unsupported("TFLite fuses no residual");
  return Done{};
}

int column_bias(TfliteExport& out, const Node& node) {
  const Value* bias = export_input(node, 2);
  if (bias == nullptr || bias->type.tensor.rank() == 1 || !bias->constant) {
    return tflite_bias(out, node, 2);
  }
  return out.constant(bias->name, bias->constant->reshaped({bias->type.tensor.elements()}));
}

Status write_gemm(TfliteExport& out, const Node& node) {
  HONE_RETURN_IF_ERROR(check_gemm(node));
  HONE_RETURN_IF_ERROR(check_tflite_product(node));
  HONE_TRY(const std::string activation, tflite_activation(node));
  HONE_TRY(const int weights, matrix_of(out, node));
  const Value* y = node.outputs[0];
  std::vector<int> inputs{rows_of(out, node), weights};
  const Value* bias = export_input(node, 2);
  const bool fused = is_column_bias(bias, y->type.tensor.shape.back());
  if (fused && bias != nullptr) inputs.push_back(column_bias(out, node));
  const TfliteExport::Options options{
      {"fused_activation_function", fused ? activation : std::string("NONE")},
      {"weights_format", std::string("DEFAULT")},
      {"keep_num_dims", false}};
  if (fused) {
    out.add("FULLY_CONNECTED", std::move(inputs), {out.tensor(y)}, options);
    return Done{};
  }
  const int product = out.temporary(y->name + "/product", y->type.tensor);
  out.add("FULLY_CONNECTED", std::move(inputs), {product}, options);
  out.add("ADD", {product, out.tensor(bias)}, {out.tensor(y)},
          {{"fused_activation_function", activation}});
  return Done{};
}

Status write_matmul(TfliteExport& out, const Node& node) {
  for (const Value* input : node.inputs) {
    if (input->type.tensor.rank() < 2) return unsupported("a product with a vector");
  }
  out.add_as("BATCH_MATMUL", node, {{"adj_x", false}, {"adj_y", false}});
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_matmul_rules = {
    {"gemm", write_gemm},
    {"matmul", write_matmul},
};

}  // namespace hone
