#include "hone/targets/analytic/device_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/targets/analytic/step_traits.h"

namespace hone {
namespace {

// Fewer rows than this do not pay for reading the weights of a product.
constexpr int64_t kManyRows = 8;
// Fewer channels leave nothing to save for Winograd's form.
constexpr int64_t kWindowChannels = 16;

const Shape& shape_of(const Value* value) {
  return value->type.tensor.shape;
}

bool all_are(const Ints& values, int64_t wanted) {
  return std::ranges::all_of(values, [&](int64_t value) { return value == wanted; });
}

bool attr_is(const Node& node, std::string_view name, int64_t wanted) {
  const Ints* values = node.find_attr<Ints>(name);
  return values == nullptr || all_are(*values, wanted);
}

std::string_view family_of_conv(const Node& conv) {
  const auto weights = split_image(shape_of(conv.inputs[1]), is_channels_last(conv));
  const auto* groups = conv.find_attr<int64_t>("group");
  if (!weights.ok()) return "dense";
  if (groups != nullptr && *groups > 1) return is_depthwise(conv) ? "depthwise" : "grouped";
  const Shape& window = weights->spatial;
  if (all_are(window, 1)) return "pointwise";
  const bool square = window.size() == 2 && all_are(window, 3);
  const bool plain = attr_is(conv, "strides", 1) && attr_is(conv, "dilations", 1);
  const bool wide = std::min(weights->batch, weights->channels) >= kWindowChannels;
  return conv.op == "conv" && square && plain && wide ? "window" : "dense";
}

int64_t rows_of(const Node& node) {
  const Shape& shape = shape_of(node.outputs[0]);
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

std::string_view family_of(const Node& node, const NodeCost& cost) {
  if (find_op(node.op)->kind == OpKind::View) return "";
  if (cost.macs == 0) return "pass";
  if (node.op.starts_with("conv")) return family_of_conv(node);
  // What a caller hands over is multiplied as weights are.
  const bool computed = node.inputs.size() > 1 && node.inputs[1] && node.inputs[1]->producer;
  if (find_op(node.op)->kind == OpKind::Product && computed) return "attention";
  return rows_of(node) < kManyRows ? "linear" : "matmul";
}

double elements_of(const Value* value) {
  const TensorType& type = value->type.tensor;
  return type.known() ? static_cast<double>(type.elements()) : 0;
}

// Read, each operand once, and written.
double elements_moved(const Node& node) {
  double moved = 0;
  for (const Value* input : node.inputs) {
    if (input != nullptr && !input->constant) moved += elements_of(input);
  }
  for (const Value* output : node.outputs) moved += elements_of(output);
  return moved;
}

double weights_of(const Node& node) {
  double weights = 0;
  for (const Value* input : node.inputs) {
    if (input != nullptr && input->constant && is_weight(*input)) weights += elements_of(input);
  }
  return weights;
}

bool is_cheap(std::string_view function) {
  constexpr std::string_view kCheap[] = {"",           "relu",       "relu6",        "clip",
                                         "leaky_relu", "hard_swish", "hard_sigmoid", "prelu",
                                         "abs",        "neg",        "identity"};
  return std::ranges::find(kCheap, function) != std::end(kCheap);
}

// Those that a step computes, by itself or on what it has multiplied.
double functions_of(const Node& node) {
  const OpKind kind = find_op(node.op)->kind;
  const bool function = kind == OpKind::Function || kind == OpKind::Other;
  const auto* activation = node.find_attr<std::string>("activation");
  const bool fused = activation != nullptr && !is_cheap(*activation);
  return fused || (function && !is_cheap(node.op)) ? elements_of(node.outputs[0]) : 0;
}

FamilyWork work_of_step(const DeviceStep& step) {
  FamilyWork work = {};
  if (step.family.empty()) return work;
  work[family_index("step")] = 1;
  work[family_index("function")] = functions_of(*step.node);
  if (step.family == "pass") {
    work[family_index("pass")] = elements_moved(*step.node);
    return work;
  }
  work[family_index(step.family)] = static_cast<double>(step.cost.macs);
  work[family_index("move")] = elements_moved(*step.node);
  work[family_index("weights")] = weights_of(*step.node);
  return work;
}

// What an eager runtime does, too: it makes weights once, and has no node for what does nothing.
constexpr std::string_view kEagerPasses[] = {"fold_constants", "remove_identity", "remove_dead"};

PipelineOptions passes_of(const DeviceProgramOptions& options) {
  PipelineOptions passes{.disabled = options.disabled, .last = PassStage::Engine};
  passes.disabled.insert({"choose_layout", "part_channels"});
  if (options.runtime == Runtime::Compiled) return passes;
  for (const PassDef* pass : all_passes()) {
    const bool kept = std::ranges::find(kEagerPasses, pass->name) != std::end(kEagerPasses);
    if (!kept) passes.disabled.emplace(pass->name);
  }
  return passes;
}

// Says in which bytes numbers are kept: whatever makes them writes them so.
bool changes_scale(const Node& node) {
  constexpr std::string_view kOps[] = {"requantize", "quantize_linear", "dequantize_linear"};
  return std::ranges::find(kOps, node.op) != std::end(kOps);
}

// A table is what an activation of integers becomes; a layer fuses it as one of floats.
bool is_fused_table(const Node& node, const DeviceStep& maker) {
  return node.op == "lookup" && maker.cost.macs > 0 && node.inputs[0]->users.size() == 1;
}

// Networks that were measured take bytes: what a caller hands over as floats is no work of theirs.
bool is_quantized_input(const Node& node) {
  return node.op == "quantize_linear" && node.inputs[0]->producer == nullptr &&
         !node.outputs[0]->users.empty();
}

bool is_integer_sum(const Node& node) {
  return node.op == "add" && node.outputs[0]->type.tensor.quantized();
}

// The layer that can add to what it writes, whatever its scale, as one of floats can; null where
// another step reads that, too, or is an activation before the sum.
const Node* host_of_sum(const Graph& graph, const Value* value) {
  for (const char* op : {"requantize", "dequantize_linear", "quantize_linear"}) {
    if (const Node* scale = made_for(graph, value, op)) return host_of_sum(graph, scale->inputs[0]);
  }
  const Node* host = made_for(graph, value, "conv");
  if (host == nullptr) host = made_for(graph, value, "gemm");
  return host != nullptr && attr_of<std::string>(*host, "activation").empty() ? host : nullptr;
}

class StepFuser {
 public:
  explicit StepFuser(DeviceProgram& program) : program_(program) {}

  void run() {
    for (DeviceStep& step : program_.steps) {
      by_node_[step.node] = &step;
      if (is_quantized_input(*step.node)) leave_out(step);
      if (is_integer_sum(*step.node)) fuse_sum(step);
      fuse_into_maker(step);
    }
  }

 private:
  static void leave_out(DeviceStep& step) {
    step.fused = true;
    step.family = {};
    step.work = {};
  }

  void fuse_into_maker(DeviceStep& step) {
    const Node& node = *step.node;
    const Node* before =
        node.inputs.empty() || node.inputs[0] == nullptr ? nullptr : node.inputs[0]->producer;
    if (before == nullptr) return;
    DeviceStep& maker = *by_node_.at(before);
    if (!changes_scale(node) && !is_fused_table(node, maker)) return;
    if (maker.family.empty() && !maker.fused) return;
    if (node.op == "lookup") maker.work[family_index("function")] += elements_of(node.outputs[0]);
    leave_out(step);
  }

  // Of two layers that could the later adds what the other made.
  void fuse_sum(DeviceStep& step) {
    const std::vector<Value*>& added = step.node->inputs;
    if (shape_of(added[0]) != shape_of(added[1])) return;
    const Node* hosts[] = {host_of_sum(program_.graph, added[0]),
                           host_of_sum(program_.graph, added[1])};
    const bool second = hosts[0] == nullptr ||
                        (hosts[1] != nullptr && program_.graph.runs_before(*hosts[0], *hosts[1]));
    const Node* host = hosts[second ? 1 : 0];
    if (host == nullptr || !hosts_.insert(host).second) return;
    by_node_.at(host)->work[family_index("move")] += elements_of(added[second ? 0 : 1]);
    leave_out(step);
  }

  DeviceProgram& program_;
  std::map<const Node*, DeviceStep*> by_node_ = {};
  std::set<const Node*> hosts_ = {};  // Of sums.
};

}  // namespace

DeviceStep device_step(const Node& node, std::string_view floats) {
  DeviceStep step{.node = &node, .cost = node_cost(node)};
  step.family = family_of(node, step.cost);
  step.precision = precision_of(node, floats);
  step.work = work_of_step(step);
  return step;
}

Result<DeviceProgram> device_program(Graph graph, const DeviceProgramOptions& options) {
  HONE_TRY(const std::vector<PassRun> runs, optimize(graph, passes_of(options)));
  DeviceProgram program{std::move(graph)};
  for (const Node* node : program.graph.nodes()) {
    program.steps.push_back(device_step(*node, options.floats));
  }
  if (options.runtime == Runtime::Compiled) StepFuser(program).run();
  return program;
}

FamilyWork work_of(const DeviceProgram& program) {
  FamilyWork total = {};
  total[family_index("run")] = 1;
  for (const DeviceStep& step : program.steps) {
    for (size_t i = 0; i < kFamilyCount; ++i) total[i] += step.work[i];
  }
  return total;
}

std::string main_precision(const DeviceProgram& program) {
  std::map<std::string, double> macs;
  for (const DeviceStep& step : program.steps) {
    macs[step.precision] += static_cast<double>(step.cost.macs);
  }
  const auto most =
      std::ranges::max_element(macs, {}, [](const auto& entry) { return entry.second; });
  return most == macs.end() ? "fp32" : most->first;
}

}  // namespace hone
