#include "hone/targets/common/host_program.h"

#include <algorithm>

namespace hone {

Result<HostProgram> HostProgram::make(const Node& node, const CompileOptions& options) {
  HostProgram host;
  Graph graph;
  std::vector<Value*> inputs;
  for (const Value* input : node.inputs) {
    if (input == nullptr) {
      inputs.push_back(nullptr);
    } else if (input->constant) {
      inputs.push_back(graph.add_constant(input->name, *input->constant));
    } else if (const auto same = std::ranges::find(host.inputs_, input);
               same != host.inputs_.end()) {
      inputs.push_back(graph.inputs()[static_cast<size_t>(same - host.inputs_.begin())]);
    } else {
      inputs.push_back(graph.add_input(input->name, input->type));
      host.inputs_.push_back(input);
    }
  }
  std::vector<ValueType> types;
  for (const Value* output : node.outputs) types.push_back(output->type);
  Node* copy = graph.add_node(node.op, inputs, types, node.attrs, node.name);
  for (Value* output : copy->outputs) graph.add_output(output);
  CompileOptions own = options;
  own.threads = 1;
  own.precision = Precision::F32;  // What is in half precision has such types.
  own.qdq_rounds_once = false;     // Decided for the graph as a whole.
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  HONE_TRY(host.program_, cpu->open()->compile(std::move(graph), own).in(node.name));
  return host;
}

}  // namespace hone
