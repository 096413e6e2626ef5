#include "hone/validate/layer_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "hone/base/infinity.h"
#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/ops/interpreter.h"
#include "hone/tensor/dispatch.h"
#include "hone/validate/image_layout.h"
#include "hone/validate/layer_name.h"
#include "hone/validate/real_values.h"
#include "hone/validate/value_match.h"

namespace hone {
namespace {

using Values = std::unordered_map<const Value*, Tensor>;

// Real numbers as a value of the type stores them.
Tensor stored_as(const Tensor& tensor, const TensorType& type) {
  const std::vector<double> values = real_values(tensor);
  const TensorType own{type.dtype, tensor.shape(), type.quant};
  if (!kFloat.contains(type.dtype)) {
    return quantize(Tensor::of<double>(tensor.shape(), values), own);
  }
  Tensor result(own);
  dispatch_float(type.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::ranges::transform(values, result.mutable_data<T>().begin(),
                           [](double v) { return T(static_cast<float>(v)); });
  });
  return result;
}

class LayerComparer {
 public:
  LayerComparer(const Graph& candidate, const Graph& reference, const LayerErrorOptions& options)
      : candidate_(candidate),
        reference_(reference),
        options_(options),
        matches_(match_values(candidate, reference)),
        turned_(layouts_differ(matches_)),
        propagated_(matches_.size()),
        local_(matches_.size()) {
    for (size_t m = 0; m < matches_.size(); ++m) {
      by_node_[matches_[m].node].push_back(m);
      wanted_[matches_[m].reference->producer].push_back(matches_[m].reference);
    }
  }

  const std::vector<ValueMatch>& matches() const { return matches_; }

  Status add_sample(const DataSet& data, int64_t sample) {
    HONE_TRY(const Values expected, run_reference(data, sample));
    std::vector<ErrorSums> propagated(matches_.size()), local(matches_.size());
    HONE_RETURN_IF_ERROR(run_candidate(data, sample, expected, false, propagated));
    HONE_RETURN_IF_ERROR(run_candidate(data, sample, expected, true, local));
    const std::lock_guard lock(mutex_);
    for (size_t m = 0; m < matches_.size(); ++m) {
      propagated_[m].add(propagated[m]);
      local_[m].add(local[m]);
    }
    return Done{};
  }

  LayerErrors take(int64_t samples) const {
    LayerErrors errors;
    errors.samples = samples;
    for (size_t m = 0; m < matches_.size(); ++m) {
      // Values whose shapes turned out to differ were never compared.
      if (propagated_[m].elements == 0) continue;
      errors.layers.push_back({.name = layer_name(candidate_, *matches_[m].node),
                               .op = matches_[m].node->op,
                               .propagated = propagated_[m],
                               .local = local_[m],
                               .step = step_of(matches_[m])});
      layer_of_[matches_[m].value] = errors.layers.size() - 1;
    }
    add_inputs(errors);
    return errors;
  }

 private:
  Result<Values> run_reference(const DataSet& data, int64_t sample) const {
    Values values;
    const auto keep = [&](const Node& node, std::vector<Item>& outputs) {
      const auto wanted = wanted_.find(&node);
      if (wanted == wanted_.end()) return;
      for (size_t o = 0; o < node.outputs.size(); ++o) {
        const bool matched = std::ranges::count(wanted->second, node.outputs[o]) > 0;
        if (matched && outputs[o].is_tensor()) values[node.outputs[o]] = outputs[o].tensor;
      }
    };
    HONE_TRY(std::vector<Item> inputs, data.sample(sample, reference_));
    HONE_RETURN_IF_ERROR(
        run_graph(reference_, std::move(inputs), {.eval = options_.eval, .after_node = keep}));
    return values;
  }

  // With `forced`, every matched value goes on as the reference has it once it was compared.
  Status run_candidate(const DataSet& data, int64_t sample, const Values& expected, bool forced,
                       std::vector<ErrorSums>& sums) const {
    Status status = Done{};
    const auto look = [&](const Node& node, std::vector<Item>& outputs) {
      const auto found = by_node_.find(&node);
      if (found == by_node_.end() || !status.ok()) return;
      for (const size_t m : found->second) {
        Status compared = compare(m, expected, forced, outputs, sums[m]);
        if (!compared.ok()) status = std::move(compared);
      }
    };
    HONE_TRY(std::vector<Item> inputs, data.sample(sample, candidate_));
    HONE_RETURN_IF_ERROR(
        run_graph(candidate_, std::move(inputs), {.eval = options_.eval, .after_node = look}));
    return status;
  }

  Status compare(size_t m, const Values& expected, bool forced, std::vector<Item>& outputs,
                 ErrorSums& sums) const {
    const ValueMatch& match = matches_[m];
    const auto at = static_cast<size_t>(std::ranges::find(match.node->outputs, match.value) -
                                        match.node->outputs.begin());
    const auto wanted = expected.find(match.reference);
    if (wanted == expected.end() || !outputs[at].is_tensor()) return Done{};
    const Tensor& actual = outputs[at].tensor;
    const std::optional<Tensor> same = arranged(wanted->second, actual.shape(), turned_);
    if (!same) return Done{};
    HONE_TRY(const Tensor given, behind_pair(match, actual));
    sums.add(real_values(given), real_values(*same));
    if (forced) outputs[at] = Item(stored_as(*same, actual.type()));
    return Done{};
  }

  // What the conversions behind a value make of it; the value itself where there are none.
  Result<Tensor> behind_pair(const ValueMatch& match, const Tensor& value) const {
    if (match.quantize == nullptr) return value;
    HONE_TRY(const Tensor stored, run_conversion(*match.quantize, value));
    return run_conversion(*match.dequantize, stored);
  }

  Result<Tensor> run_conversion(const Node& node, const Tensor& x) const {
    std::vector<Item> held = {x};
    std::vector<const Item*> inputs;
    held.reserve(node.inputs.size());
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const Value* parameter = node.inputs[i];
      // Parameters that are computed are not there yet.
      if (parameter != nullptr && !parameter->constant) return x;
      held.push_back(parameter == nullptr ? Item() : Item(*parameter->constant));
    }
    for (size_t i = 0; i < held.size(); ++i) {
      inputs.push_back(i > 0 && node.inputs[i] == nullptr ? nullptr : &held[i]);
    }
    HONE_TRY(std::vector<Item> outputs, run_node(node, inputs, options_.eval));
    return std::move(outputs[0].tensor);
  }

  static std::optional<double> step_of(const ValueMatch& match) {
    const auto& quant = match.value->type.tensor.quant;
    if (quant) return quant->per_tensor() ? std::optional<double>(quant->scale()) : std::nullopt;
    if (match.quantize == nullptr) return std::nullopt;
    const auto& scale = match.quantize->inputs[1]->constant;
    if (!scale || scale->elements() != 1) return std::nullopt;
    return to_doubles(*scale)[0];
  }

  // The lowest SQNR that reaches each value, through nodes that have none of their own.
  void add_inputs(LayerErrors& errors) const {
    std::unordered_map<const Value*, double> reaching;
    for (const Node* node : candidate_.nodes()) {
      std::optional<double> lowest;
      for (const Value* input : node->inputs) {
        const auto found = reaching.find(input);
        if (found != reaching.end())
          lowest = std::min(lowest.value_or(kInfinity<double>), found->second);
      }
      for (const Value* output : node->outputs) {
        const auto own = layer_of_.find(output);
        if (own != layer_of_.end()) {
          errors.layers[own->second].input_sqnr_db = lowest;
          reaching[output] = errors.layers[own->second].propagated.sqnr_db();
        } else if (lowest) {
          reaching[output] = *lowest;
        }
      }
    }
  }

  const Graph& candidate_;
  const Graph& reference_;
  const LayerErrorOptions& options_;
  const std::vector<ValueMatch> matches_;
  const bool turned_;
  std::unordered_map<const Node*, std::vector<size_t>> by_node_;       // Matches of the candidate.
  std::unordered_map<const Node*, std::vector<const Value*>> wanted_;  // Of the reference.
  std::mutex mutex_;                                                   // Guards the sums.
  std::vector<ErrorSums> propagated_;
  std::vector<ErrorSums> local_;
  mutable std::unordered_map<const Value*, size_t> layer_of_;
};

size_t unmatched_nodes(const Graph& graph, const std::vector<ValueMatch>& matches) {
  size_t count = 0;
  for (const Node* node : graph.nodes()) {
    const bool conversion = node->op == "quantize_linear" || node->op == "dequantize_linear";
    const bool matched = std::ranges::count(matches, node, &ValueMatch::node) > 0;
    count += conversion || matched ? 0 : 1;
  }
  return count;
}

std::string db_text(double db) {
  return str(fixed(db, 1), " dB");
}

}  // namespace

Result<LayerErrors> layer_errors(const Graph& candidate, const Graph& reference,
                                 const DataSet& data, const LayerErrorOptions& options) {
  LayerComparer comparison(candidate, reference, options);
  if (comparison.matches().empty()) {
    return bad_input("no layer has a counterpart of its name in the reference model");
  }
  const int64_t samples = std::min(options.samples, data.samples);
  std::optional<Error> first_error;
  std::mutex mutex;
  Progress progress("layers", static_cast<size_t>(samples));
  parallel_for(static_cast<size_t>(samples), options.threads, [&](size_t i) {
    const int64_t sample = static_cast<int64_t>(i) * data.samples / samples;
    Status status = comparison.add_sample(data, sample);
    progress.step();
    const std::lock_guard lock(mutex);
    if (!status.ok() && !first_error) {
      first_error = std::move(status).error().in(str("sample ", sample));
    }
  });
  if (first_error) return *std::move(first_error);
  LayerErrors errors = comparison.take(samples);
  errors.unmatched = unmatched_nodes(candidate, comparison.matches());
  return errors;
}

int first_broken(const LayerErrors& errors, const BreakLimits& limits) {
  for (size_t i = 0; i < errors.layers.size(); ++i) {
    const LayerError& layer = errors.layers[i];
    const double fall = layer.input_sqnr_db ? *layer.input_sqnr_db - layer.propagated.sqnr_db() : 0;
    const bool falls = std::isfinite(fall) && fall > limits.most_fall_db;
    if (layer.local.sqnr_db() < limits.least_db || falls) return static_cast<int>(i);
  }
  return -1;
}

namespace {

// Few layers that were found in the reference tell nothing of the others.
std::string none_breaks(const LayerErrors& errors) {
  const size_t compared = errors.layers.size();
  if (errors.unmatched <= compared) return "no layer breaks";
  return str("none of the ", compared, " that could be compared, of ", compared + errors.unmatched,
             " layers, breaks");
}

}  // namespace

LayerBreak find_break(const LayerErrors& errors, const BreakLimits& limits) {
  return {first_broken(errors, limits), break_sentence(errors, limits)};
}

std::string break_sentence(const LayerErrors& errors, const BreakLimits& limits) {
  if (errors.layers.empty()) return "no layer could be compared";
  const int broken = first_broken(errors, limits);
  if (broken < 0) {
    const auto& worst = *std::ranges::min_element(
        errors.layers, {}, [](const LayerError& layer) { return layer.local.sqnr_db(); });
    const std::string none = none_breaks(errors);
    if (worst.local.noise == 0) return none + ": all of them give the reference's values";
    return str(none, ": the lowest local SQNR is ", db_text(worst.local.sqnr_db()), ", at '",
               short_layer_name(worst.name), "'");
  }
  const LayerError& layer = errors.layers[static_cast<size_t>(broken)];
  const std::string head = str("layer '", short_layer_name(layer.name), "' breaks first: ");
  if (layer.local.sqnr_db() < limits.least_db) {
    return str(head, "given the reference's inputs it is at ", db_text(layer.local.sqnr_db()),
               ", under the limit of ", db_text(limits.least_db));
  }
  return str(head, "its output is at ", db_text(layer.propagated.sqnr_db()), ", more than ",
             db_text(limits.most_fall_db), " below its inputs' ", db_text(*layer.input_sqnr_db));
}

}  // namespace hone
