#include "hone/quantize/recover/smooth_quant.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "hone/ops/common.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/recover/layer.h"
#include "hone/quantize/recover/probe.h"

namespace hone {
namespace {

// A node whose constants can take factors, and what reads its result.
struct Place {
  Node* node = nullptr;
  std::vector<size_t> parameters;  // Inputs to divide by the factors.
  size_t channels = 0;
  std::vector<ProductLayer> products;
  std::vector<Use> others;
  std::vector<double> largest;  // |x| per channel.
};
using LayerOf = std::unordered_map<const Node*, ProductLayer>;

// One number, or one per channel along the last axis.
bool along_last(const Tensor* constant, size_t channels) {
  if (constant == nullptr || constant->dtype() != DType::F32) return false;
  if (constant->elements() == 1) return true;
  return constant->elements() == static_cast<int64_t>(channels) &&
         constant->shape().back() == constant->elements();
}

// True when the node's constants can take factors along the last axis.
bool set_parameters(Place& place, Node& node) {
  const TensorType& type = node.outputs[0]->type.tensor;
  if (!makes_floats(node) || type.dtype != DType::F32 || type.rank() == 0) return false;
  if (type.shape.back() == kUnknown) return false;
  place.node = &node;
  place.channels = static_cast<size_t>(type.shape.back());
  const auto usable = [&](size_t input) {
    return along_last(constant_of(node, input), place.channels);
  };
  if (node.op == "mul") {
    const size_t constant = usable(1) ? 1 : 0;
    place.parameters = {constant};
    return usable(constant) && node.inputs[1 - constant]->type == node.outputs[0]->type &&
           node.find_attr<std::string>("activation") == nullptr;
  }
  if (node.op != "layer_norm" && node.op != "rms_norm") return false;
  const auto axis = resolve_axis(attr_of<int64_t>(node, "axis"), type.rank());
  if (!axis.ok() || static_cast<int64_t>(*axis) != type.rank() - 1) return false;
  place.parameters = {1};
  if (input_of(node, 2) != nullptr) place.parameters.push_back(2);
  return std::ranges::all_of(place.parameters, usable);
}

// Everything that reads the value, through reshapes that keep the last axis.
void find_readers(const Graph& graph, Place& place, const Value& value, const LayerOf& layers) {
  for (const Use& use : value.users) {
    const Value* result = use.node->outputs[0];
    const auto layer = layers.find(use.node);
    if (layer != layers.end() && use.input == kLayerData && use.node->op != "conv" &&
        use.node->inputs[kLayerWeight]->constant) {
      place.products.push_back(layer->second);
    } else if (use.node->op == "reshape" && use.input == 0 && !graph.is_output(result) &&
               result->type.tensor.rank() > 0 &&
               result->type.tensor.shape.back() == static_cast<int64_t>(place.channels)) {
      find_readers(graph, place, *result, layers);
    } else {
      place.others.push_back(use);
    }
  }
}

std::vector<Place> find_places(const Graph& graph) {
  LayerOf layers;
  for (const ProductLayer& layer : layers_with_weights(graph)) layers[layer.node] = layer;
  std::vector<Place> places;
  for (Node* node : graph.nodes()) {
    Place place;
    if (!set_parameters(place, *node) || graph.is_output(node->outputs[0])) continue;
    find_readers(graph, place, *node->outputs[0], layers);
    if (!place.products.empty()) places.push_back(std::move(place));
  }
  return places;
}

Status observe(const Graph& graph, std::vector<Place>& places, const SampleSource& samples) {
  Probe probe(graph);
  for (Place& place : places) {
    place.largest.assign(place.channels, 0);
    probe.see(*place.node->outputs[0]);
  }
  for (int64_t i = 0; i < samples.count; ++i) {
    HONE_TRY(const auto* values, probe.run(samples, i));
    for (size_t p = 0; p < places.size(); ++p) {
      const auto x = (*values)[p].tensor.data<float>();
      for (size_t j = 0; j < x.size(); ++j) {
        double& largest = places[p].largest[j % places[p].channels];
        largest = std::max(largest, std::abs(double{x[j]}));
      }
    }
  }
  return Done{};
}

// The largest weight that reads each channel.
std::vector<double> largest_weights(const Place& place) {
  std::vector<double> largest(place.channels);
  for (const ProductLayer& layer : place.products) {
    const auto w = layer.node->inputs[kLayerWeight]->constant->data<float>();
    for (size_t o = 0; o < layer.outputs; ++o) {
      for (size_t i = 0; i < layer.inputs; ++i) {
        largest[i] = std::max(largest[i], std::abs(double{w[layer.weight_at(0, o, i)]}));
      }
    }
  }
  return largest;
}

std::vector<float> factors_of(const Place& place, double alpha) {
  const std::vector<double> weights = largest_weights(place);
  std::vector<float> factors(place.channels, 1.0f);
  for (size_t i = 0; i < factors.size(); ++i) {
    const double s = std::pow(place.largest[i], alpha) / std::pow(weights[i], 1 - alpha);
    // Channels that are always or never read as zero have nothing to move.
    const bool alive = place.largest[i] > 0 && weights[i] > 0;
    if (alive && std::isfinite(s)) factors[i] = static_cast<float>(std::max(s, 1e-5));
  }
  return factors;
}

void divide_parameters(Graph& graph, const Place& place, const std::vector<float>& factors) {
  for (const size_t input : place.parameters) {
    const Value* old = place.node->inputs[input];
    const auto from = old->constant->data<float>();
    Shape shape = old->constant->shape();
    if (shape.empty()) shape = {1};
    shape.back() = static_cast<int64_t>(factors.size());
    Tensor divided(TensorType{DType::F32, shape});
    const auto to = divided.mutable_data<float>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = from[from.size() == 1 ? 0 : i] / factors[i];
    set_constant(graph, *place.node, input, old->name + ".smooth", std::move(divided));
  }
}

void multiply_weights(Graph& graph, const Place& place, const std::vector<float>& factors) {
  for (const ProductLayer& layer : place.products) {
    const Value* old = layer.node->inputs[kLayerWeight];
    Tensor weight = *old->constant;
    const auto w = weight.mutable_data<float>();
    for (size_t o = 0; o < layer.outputs; ++o) {
      for (size_t i = 0; i < layer.inputs; ++i) w[layer.weight_at(0, o, i)] *= factors[i];
    }
    set_constant(graph, *layer.node, kLayerWeight, old->name + ".smooth", std::move(weight));
  }
}

// Readers other than products get back what they read before. They may sit behind a reshape that a
// product reads too, so each is served where it reads.
int undo_for_others(Graph& graph, const Place& place, const std::vector<float>& factors) {
  std::unordered_map<const Value*, Value*> made;
  for (const Use& use : place.others) {
    Value* value = use.node->inputs[use.input];
    Value*& undone = made[value];
    if (undone == nullptr) {
      const auto channels = static_cast<int64_t>(factors.size());
      Value* factor =
          graph.add_constant(place.node->name + ".smooth", Tensor::of<float>({channels}, factors));
      Node* after = value->producer;
      Node* mul = add_inferred(graph, "mul", {value, factor}, {}, place.node->name + ".undo",
                               graph.next(*after));
      graph.inherit_origins(mul, *place.node);
      undone = mul->outputs[0];
    }
    graph.set_input(use.node, use.input, undone);
  }
  return static_cast<int>(made.size());
}

double outliers(std::vector<double> largest) {
  const auto middle = largest.begin() + static_cast<ptrdiff_t>(largest.size() / 2);
  std::nth_element(largest.begin(), middle, largest.end());
  return *middle > 0 ? *std::ranges::max_element(largest) / *middle : 1;
}

SmoothedPlace smooth(Graph& graph, const Place& place, double alpha, int& muls_added) {
  const std::vector<float> factors = factors_of(place, alpha);
  divide_parameters(graph, place, factors);
  multiply_weights(graph, place, factors);
  muls_added += undo_for_others(graph, place, factors);
  std::vector<double> after = place.largest;
  for (size_t i = 0; i < after.size(); ++i) after[i] /= factors[i];
  return {place.node->name, static_cast<int>(place.products.size()), outliers(place.largest),
          outliers(std::move(after))};
}

}  // namespace

Result<SmoothQuantReport> smooth_quant(Graph& graph, const SampleSource& samples,
                                       const SmoothQuantOptions& options) {
  if (!(options.alpha >= 0 && options.alpha <= 1)) {
    return bad_input("alpha is ", options.alpha, ", expected 0 to 1");
  }
  if (samples.count < 1) return bad_input("no samples to take the ranges of channels from");
  HONE_RETURN_IF_ERROR(optimize(graph));
  SmoothQuantReport report;
  std::vector<Place> places = find_places(graph);
  report.left_alone = static_cast<int>(std::erase_if(places, [&](const Place& place) {
    return !place.others.empty() && !options.undo_for_others;
  }));
  if (places.empty()) return report;
  HONE_RETURN_IF_ERROR(observe(graph, places, samples));
  for (const Place& place : places) {
    report.places.push_back(smooth(graph, place, options.alpha, report.muls_added));
  }
  HONE_RETURN_IF_ERROR(verify(graph));
  return report;
}

}  // namespace hone
