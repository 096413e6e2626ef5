// Operators that see the same elements under another shape: all are RESHAPE.

#include "hone/model/tflite_export.h"

namespace hone {
namespace {

// A reshape that the import of FULLY_CONNECTED has put in front of its product, which is written
// without it.
bool is_of_product(const Graph& graph, const Node& node) {
  const Value* y = node.outputs[0];
  if (node.origins.empty() || graph.is_output(y) || y->users.size() != 1) return false;
  const Use& use = y->users[0];
  return use.input == 0 && use.node->op == "gemm" && use.node->origins == node.origins;
}

Status write_view(TfliteExport& out, const Node& node) {
  if (is_of_product(out.graph(), node)) return Done{};
  const Value* y = node.outputs[0];
  const Shape& shape = y->type.tensor.shape;
  out.add("RESHAPE", {out.tensor(node.inputs[0]), out.ints(y->name + "/shape", shape)},
          {out.tensor(y)}, {{"new_shape", shape}});
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_shape_rules = {
    {"flatten", write_view}, {"identity", write_view},  {"reshape", write_view},
    {"squeeze", write_view}, {"unsqueeze", write_view},
};

}  // namespace hone
