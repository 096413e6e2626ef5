#include "hone/passes/device_io.h"

#include <algorithm>
#include <set>

#include "hone/passes/match.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kDeviceIoPass = "use_integer_io";

// Null unless the node converts with one constant scale.
Quant scale_of(const Node* node, std::string_view op) {
  if (node == nullptr || node->op != op) return nullptr;
  Quant quant = params_of(*node);
  return quant != nullptr && quant->per_tensor() ? quant : nullptr;
}

IntegerIo::Converted converted(size_t position, const Value& value, const Quantization& quant) {
  return {position, value.name, value.type.tensor.dtype, quant.scale(), quant.zero_point()};
}

const Ints kFromChannelsLast = {0, 3, 1, 2};

// Whether something reads the value, behind Q and DQ, as channels first: who turns or reshapes it
// before all else has it otherwise.
bool is_channels_first(const Value& value) {
  static const std::set<std::string_view> kRearranges = {"transpose", "reshape", "flatten",
                                                         "squeeze", "unsqueeze"};
  return std::ranges::any_of(value.users, [](const Use& use) {
    const Node& node = *use.node;
    const bool converts = node.op == "quantize_linear" || node.op == "dequantize_linear";
    if (converts) return is_channels_first(*node.outputs[0]);
    const auto layout = node.attrs.find("layout");
    const std::string* name =
        layout == node.attrs.end() ? nullptr : std::get_if<std::string>(&layout->second);
    const bool last = name != nullptr && *name == "nhwc";
    return !last && !kRearranges.contains(node.op);
  });
}

// Integers are moved between a pair of their own, as Q/DQ graphs have it.
void turn(Graph& graph, Value* input) {
  const ValueType nchw = input->type;
  const Shape& shape = nchw.tensor.shape;
  const std::vector<Use> users = input->users;
  Node* reader = users[0].node;
  const bool integers = scale_of(reader, "dequantize_linear") != nullptr;
  input->type.tensor.shape = {shape[0], shape[2], shape[3], shape[1]};
  input->dims.clear();
  Node* before = graph.node(0);
  Value* value = input;
  const auto add = [&](std::string_view op, ValueType type, Attrs attrs) {
    std::vector<Value*> inputs = {value};
    if (op != "transpose") {
      inputs.insert(inputs.end(), reader->inputs.begin() + 1, reader->inputs.end());
    }
    value = graph.add_node(op, std::move(inputs), {std::move(type)}, std::move(attrs), "", before)
                ->outputs[0];
  };
  ValueType floats = nchw;
  if (integers) {
    floats.tensor.dtype = DType::F32;
    ValueType turned = floats;
    turned.tensor.shape = input->type.tensor.shape;
    add("dequantize_linear", turned, {});
  }
  add("transpose", floats, {{"perm", kFromChannelsLast}});
  if (integers) add("quantize_linear", nchw, {});
  for (const Use& use : users) graph.set_input(use.node, use.input, value);
}

}  // namespace

IntegerIo use_integer_io(Graph& graph) {
  IntegerIo io;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    Value* input = graph.inputs()[i];
    if (input->users.size() != 1 || graph.is_output(input)) continue;
    Node* quantize = input->users[0].node;
    const Quant quant = scale_of(quantize, "quantize_linear");
    if (quant == nullptr || graph.is_output(quantize->outputs[0])) continue;
    const DType dtype = quantize->outputs[0]->type.tensor.dtype;
    graph.replace_uses(quantize->outputs[0], input);
    graph.erase(quantize, kDeviceIoPass);
    input->type.tensor.dtype = dtype;
    io.inputs.push_back(converted(i, *input, *quant));
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    Value* output = graph.outputs()[i];
    const Quant quant = scale_of(output->producer, "dequantize_linear");
    if (quant == nullptr) continue;
    Value* integers = output->producer->inputs[0];
    if (integers->producer == nullptr || graph.is_output(integers)) continue;
    const std::string name = output->name;
    graph.set_output(i, integers);
    erase_if_unread(graph, output->producer, kDeviceIoPass);
    graph.rename(integers, name);
    io.outputs.push_back(converted(i, *integers, *quant));
  }
  graph.remove_unused_constants();
  return io;
}

std::vector<size_t> use_channels_last(Graph& graph) {
  std::vector<size_t> turned;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    Value* input = graph.inputs()[i];
    const TensorType& type = input->type.tensor;
    if (!type.known() || type.shape.size() != 4) continue;
    if (graph.is_output(input) || !is_channels_first(*input)) continue;
    turn(graph, input);
    turned.push_back(i);
  }
  return turned;
}

}  // namespace hone
