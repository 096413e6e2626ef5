#include "hone/quantize/static_qdq.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hone/ops/interpreter.h"
#include "hone/ops/op_def.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

struct Range {
  float low = 0;  // Zero is always in it: padding must be exact.
  float high = 0;

  void cover(const Tensor& tensor) {
    for (const float x : tensor.data<float>()) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
};
using Ranges = std::unordered_map<const Value*, Range>;

struct Params {
  float scale = 1;
  int8_t zero_point = 0;
  bool operator==(const Params&) const = default;
};

Params params_of(const Range& range) {
  const float scale = (range.high - range.low) / 255;
  if (!(scale > 0)) return {};
  const float zero = std::round(-128 - range.low / scale);
  return {scale, static_cast<int8_t>(std::clamp(zero, -128.0f, 127.0f))};
}

bool is_float(const Value* value) {
  return value != nullptr && value->type.is_tensor() && value->type.tensor.dtype == DType::F32;
}

Result<Ranges> observe(const Graph& graph, const std::vector<std::vector<Item>>& samples) {
  if (samples.empty()) return bad_input("no samples to take the ranges of activations from");
  Ranges ranges;
  const auto after_node = [&](const Node& node, const std::vector<Item>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (is_float(node.outputs[i]) && outputs[i].is_tensor()) {
        ranges[node.outputs[i]].cover(outputs[i].tensor);
      }
    }
  };
  for (const std::vector<Item>& sample : samples) {
    HONE_RETURN_IF_ERROR(run_graph(graph, sample, {.eval = {}, .after_node = after_node}));
    for (size_t i = 0; i < sample.size(); ++i) {
      if (is_float(graph.inputs()[i])) ranges[graph.inputs()[i]].cover(sample[i].tensor);
    }
  }
  return ranges;
}

// What the integer operators of engines cover.
bool has_weights(const Node& node) {
  return node.op == "conv" || node.op == "gemm";
}
bool keeps_scale(const Node& node) {
  return node.op == "max_pool" || node.op == "average_pool" || node.op == "flatten" ||
         node.op == "reshape";
}
bool is_quantizable(const Node& node) {
  return has_weights(node) || keeps_scale(node) || node.op == "add" ||
         node.op == "global_average_pool";
}
bool is_clamp(const Node& node) {
  return node.op == "relu" || node.op == "clip";
}

class Quantizer {
 public:
  Quantizer(Graph& graph, Ranges ranges) : graph_(graph), ranges_(std::move(ranges)) {}

  void run() {
    for (Node* node : graph_.nodes()) {
      if (!is_quantizable(*node) || !is_float(node->outputs[0])) continue;
      if (has_weights(*node) && !node->inputs[1]->constant) continue;
      quantize_inputs(*node);
      choose_output(*node);
    }
    quantize_readers();
    quantize_outputs();
    graph_.remove_unused_constants();
  }

 private:
  void quantize_inputs(Node& node) {
    const size_t operands = node.op == "add" ? 2 : 1;
    for (size_t i = 0; i < operands; ++i) {
      if (is_float(node.inputs[i]) && !node.inputs[i]->constant) {
        graph_.set_input(&node, i, quantized(node.inputs[i], &node));
      }
    }
    if (!has_weights(node)) return;
    const Params x = params_.at(node.inputs[0]);
    quantize_weights(node, x.scale);
  }

  // What float operators read of a layer with weights is quantized too: else the layer itself would
  // have to run in float.
  void quantize_readers() {
    for (Node* node : graph_.nodes()) {
      if (!has_weights(*node) || !is_float(node->outputs[0])) continue;
      Value* value = node->outputs[0];
      if (value->users.size() == 1 && is_clamp(*value->users[0].node)) {
        value = value->users[0].node->outputs[0];
      }
      for (const Use& use : std::vector<Use>(value->users)) {
        if (use.node->op == "quantize_linear" || is_quantizable(*use.node)) continue;
        graph_.set_input(use.node, use.input, quantized(value, use.node));
      }
    }
  }

  // So that the last layer runs on integers too.
  void quantize_outputs() {
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      Value* output = graph_.outputs()[i];
      if (!is_float(output) || output->producer == nullptr || !ranges_.contains(output)) continue;
      Value* made = quantized(output, nullptr);
      const std::string name = output->name;
      graph_.rename(output, name + ".float");
      graph_.rename(made, name);
      graph_.set_output(i, made);
    }
  }

  // The value after quantizing and dequantizing, made before `before` the first time.
  Value* quantized(Value* value, Node* before) {
    if (params_.contains(value)) return value;  // It comes out of a dequantize_linear already.
    if (const auto made = made_.find(value); made != made_.end()) return made->second;
    const auto chosen = chosen_.find(value);
    const Params params = chosen != chosen_.end() ? chosen->second : params_of(ranges_[value]);
    Value* scale = graph_.add_constant(value->name + ".scale", Tensor::scalar(params.scale));
    Value* zero =
        graph_.add_constant(value->name + ".zero_point", Tensor::scalar(params.zero_point));
    const Shape shape = value->type.tensor.shape;
    Node* quantize = graph_.add_node("quantize_linear", {value, scale, zero},
                                     {ValueType(DType::I8, shape)}, {}, value->name + ".q", before);
    Node* dequantize =
        graph_.add_node("dequantize_linear", {quantize->outputs[0], scale, zero},
                        {ValueType(DType::F32, shape)}, {}, value->name + ".dq", before);
    params_[dequantize->outputs[0]] = params;
    return made_[value] = dequantize->outputs[0];
  }

  // Operators that hand values on keep the scale, so that engines can run them on integers.
  void choose_output(const Node& node) {
    if (keeps_scale(node)) chosen_[node.outputs[0]] = params_.at(node.inputs[0]);
  }

  void quantize_weights(Node& node, float x_scale) {
    const Tensor weights = *node.inputs[1]->constant;
    const bool transposed = node.op == "gemm" && *transposed_b(node) == 0;
    // ONNX's Gemm without transB has its channels on axis 1.
    const size_t axis = transposed ? 1 : 0;
    const auto channels = static_cast<size_t>(weights.shape()[axis]);
    const size_t inner = axis == 1 ? 1 : static_cast<size_t>(weights.elements()) / channels;
    std::vector<float> scales(channels);
    const auto w = weights.data<float>();
    const auto channel = [&](size_t i) { return i / inner % channels; };
    for (size_t i = 0; i < w.size(); ++i) {
      scales[channel(i)] = std::max(scales[channel(i)], std::abs(w[i]) / 127);
    }
    for (float& scale : scales) scale = scale > 0 ? scale : 1;
    Tensor stored(TensorType{DType::I8, weights.shape()});
    const auto q = stored.mutable_data<int8_t>();
    for (size_t i = 0; i < w.size(); ++i) {
      q[i] = static_cast<int8_t>(std::round(w[i] / scales[channel(i)]));
    }
    set_dequantized(node, 1, std::move(stored), scales, static_cast<int64_t>(axis));
    quantize_bias(node, scales, x_scale);
  }

  void quantize_bias(Node& node, std::vector<float> scales, float x_scale) {
    if (node.inputs.size() < 3 || node.inputs[2] == nullptr || !node.inputs[2]->constant) return;
    const Tensor bias = *node.inputs[2]->constant;
    Tensor stored(TensorType{DType::I32, bias.shape()});
    const auto q = stored.mutable_data<int32_t>();
    for (size_t i = 0; i < scales.size(); ++i) {
      scales[i] *= x_scale;
      const float steps = std::round(bias.data<float>()[i] / scales[i]);
      q[i] = static_cast<int32_t>(std::clamp(steps, -2e9f, 2e9f));
    }
    set_dequantized(node, 2, std::move(stored), scales, 0);
  }

  void set_dequantized(Node& node, size_t input, Tensor stored, const std::vector<float>& scales,
                       int64_t axis) {
    const std::string name = node.inputs[input]->name;
    const auto n = static_cast<int64_t>(scales.size());
    const TensorType zeros{stored.dtype(), {n}};
    const Shape shape = stored.shape();
    Value* q = graph_.add_constant(name + ".q", std::move(stored));
    Value* scale = graph_.add_constant(name + ".scale", Tensor::of<float>({n}, scales));
    Value* zero = graph_.add_constant(name + ".zero_point", Tensor(zeros));
    Node* dequantize =
        graph_.add_node("dequantize_linear", {q, scale, zero}, {ValueType(DType::F32, shape)},
                        {{"axis", axis}}, name + ".dq", &node);
    graph_.set_input(&node, input, dequantize->outputs[0]);
  }

  static std::optional<int64_t> transposed_b(const Node& node) {
    const int64_t* trans = node.find_attr<int64_t>("transB");
    return trans == nullptr ? 0 : *trans;
  }

  Graph& graph_;
  Ranges ranges_;
  std::unordered_map<const Value*, Value*> made_;    // Value -> dequantized value.
  std::unordered_map<const Value*, Params> params_;  // Of dequantized values.
  std::unordered_map<const Value*, Params> chosen_;  // Where the range is not what decides.
};

}  // namespace

Status quantize_static(Graph& graph, const std::vector<std::vector<Item>>& samples) {
  HONE_RETURN_IF_ERROR(optimize(graph));
  HONE_TRY(Ranges ranges, observe(graph, samples));
  Quantizer(graph, std::move(ranges)).run();
  return verify(graph);
}

}  // namespace hone
