#include "hone/validate/arithmetic/arithmetic.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/passes/pass_def.h"
#include "hone/tensor/compare.h"
#include "hone/validate/arithmetic/per_tensor.h"
#include "hone/validate/arithmetic/run_nodes.h"
#include "hone/validate/arithmetic/u8s8.h"
#include "hone/validate/layer_name.h"
#include "hone/validate/real_values.h"

namespace hone {
namespace {

using AfterNode = std::function<void(const Node&, const std::vector<Item>&)>;

// A graph and how its nodes compute.
struct Way {
  Graph graph;
  Rounding rounding = Rounding::Double;
  bool saturating = false;  // Products as u8s8.h has them, which no target knows.

  Result<std::vector<Item>> run_node(const Node& node,
                                     const std::vector<const Item*>& inputs) const {
    const EvalOptions options{.rounding = rounding};
    return saturating ? run_u8s8(node, inputs, options) : hone::run_node(node, inputs, options);
  }

  Result<std::vector<Tensor>> run(const DataSet& data, int64_t sample,
                                  const AfterNode& after = {}) const {
    HONE_TRY(std::vector<Item> inputs, data.sample(sample, graph));
    const auto runner = [this](const Node& node, const std::vector<const Item*>& given) {
      return run_node(node, given);
    };
    HONE_TRY(std::vector<Item> items, run_nodes(graph, std::move(inputs), runner, after));
    std::vector<Tensor> outputs;
    for (Item& item : items) {
      if (!item.is_tensor()) return unsupported("an output is not a tensor");
      outputs.push_back(std::move(item.tensor));
    }
    return outputs;
  }
};

Graph integer_form(const Graph& graph) {
  Graph fused = std::move(*graph.clone());
  run_pass(fused, "tabulate");
  run_pass(fused, "fuse_qdq");
  return fused;
}

Rounding rounding_of(const std::string& name) {
  if (name == "tflite-single") return Rounding::Single;
  return name == "tflite-neon" ? Rounding::DoubleUpward : Rounding::Double;
}

Result<Way> way_of(const std::string& name, const Graph& graph) {
  const std::string rule = name.starts_with("tflite") ? name : usual_arithmetic(graph);
  Way way{integer_form(graph), rounding_of(rule), name == "u8s8-saturating"};
  const auto concerned = [](const Node* node) { return is_u8s8_product(*node); };
  if (way.saturating && std::ranges::none_of(way.graph.nodes(), concerned)) {
    return bad_input("arithmetic u8s8-saturating: no product has int8 weights around 0");
  }
  if (name == "per-tensor" && make_per_tensor(way.graph) == 0) {
    return bad_input("arithmetic per-tensor: no weights have a scale per channel");
  }
  return way;
}

// By the cpu target, whose integers are the references' bit for bit.
Result<Predictions> compiled_predictions(const Way& way, const DataSet& data, int threads) {
  HONE_TRY(const TargetDef* target, find_target("cpu"));
  CompileOptions options;
  options.eval.rounding = way.rounding;
  options.qdq_rounds_once = false;
  options.threads = 1;
  HONE_TRY(const std::unique_ptr<Program> program,
           target->open()->compile(std::move(*way.graph.clone()), options));
  return predict(*program, way.graph, data, threads);
}

// Node by node.
Result<Predictions> interpreted_predictions(const Way& way, const DataSet& data, int threads) {
  Predictions predictions;
  predictions.samples.resize(static_cast<size_t>(data.samples));
  std::optional<Error> first_error;
  std::mutex mutex;
  Progress progress("arithmetic", predictions.samples.size());
  parallel_for(predictions.samples.size(), threads, [&](size_t s) {
    Result<std::vector<Tensor>> outputs = way.run(data, static_cast<int64_t>(s));
    progress.step();
    if (outputs.ok()) {
      predictions.samples[s] = *std::move(outputs);
      return;
    }
    const std::lock_guard lock(mutex);
    if (!first_error) first_error = std::move(outputs).error().in(str("sample ", s));
  });
  if (first_error) return *std::move(first_error);
  return predictions;
}

Status check_arithmetic(const std::string& name, const Graph& graph) {
  const std::vector<std::string>& known = known_arithmetics();
  if (std::ranges::count(known, name) == 0) {
    return bad_input("no arithmetic '", name, "'", did_you_mean(name, known),
                     "; there are: ", join(known));
  }
  const auto integer = [](const Node* node) {
    const auto quantized = [](const Value* value) { return value->type.tensor.quantized(); };
    return std::ranges::any_of(node->outputs, quantized);
  };
  if (std::ranges::any_of(graph.nodes(), integer)) return Done{};
  return bad_input("arithmetic ", name, ": the model has no operator on integers");
}

bool same_answer(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = real_values(a), y = real_values(b);
  return std::ranges::max_element(x) - x.begin() == std::ranges::max_element(y) - y.begin();
}

bool same_elements(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const Tensor& x, const Tensor& y) { return compare(x, y).equal(); });
}

// Fills in which layer differs first on the example.
Status find_layer(const Way& base, const Way& other, const DataSet& data,
                  ArithmeticChange& change) {
  std::unordered_map<std::string, Tensor> expected;  // By the name of the value.
  const auto keep = [&](const Node& node, const std::vector<Item>& outputs) {
    if (outputs[0].is_tensor()) expected[node.outputs[0]->name] = outputs[0].tensor;
  };
  const auto look = [&](const Node& node, const std::vector<Item>& outputs) {
    const auto wanted = expected.find(node.outputs[0]->name);
    if (!change.layer.empty() || wanted == expected.end() || !outputs[0].is_tensor()) return;
    const Difference difference = compare(outputs[0].tensor, wanted->second);
    if (difference.equal()) return;
    change.layer = layer_name(other.graph, node);
    change.different = difference.different;
    change.elements = difference.elements;
  };
  HONE_RETURN_IF_ERROR(base.run(data, *change.example, keep));
  HONE_RETURN_IF_ERROR(other.run(data, *change.example, look));
  return Done{};
}

}  // namespace

const std::vector<std::string>& known_arithmetics() {
  static const std::vector<std::string> kNames = {"tflite-reference", "tflite-single",
                                                  "tflite-neon", "u8s8-saturating", "per-tensor"};
  return kNames;
}

std::string usual_arithmetic(const Graph& graph) {
  bool pairs = false;
  for (const Node* node : graph.nodes()) {
    if (node->outputs[0]->type.tensor.quantized()) return "tflite-reference";
    pairs = pairs || node->op == "quantize_linear";
  }
  return pairs ? "tflite-single" : "tflite-reference";
}

Result<ArithmeticComparison> compare_arithmetic(const Graph& graph, const DataSet& data,
                                                const std::string& name, int threads) {
  const std::string usual = usual_arithmetic(graph);
  HONE_TRY(const Way base, way_of(usual, graph));
  HONE_RETURN_IF_ERROR(check_arithmetic(name, base.graph));
  HONE_TRY(const Way other, way_of(name, graph));
  const auto predictions_of = other.saturating ? interpreted_predictions : compiled_predictions;
  HONE_TRY(const Predictions expected, predictions_of(base, data, threads));
  HONE_TRY(Predictions given, predictions_of(other, data, threads));
  ArithmeticChange change{.name = name,
                          .against = usual,
                          .target = other.saturating ? "ref" : "cpu",
                          .samples = data.samples};
  for (size_t s = 0; s < given.samples.size(); ++s) {
    const std::vector<Tensor>& before = expected.samples[s];
    const std::vector<Tensor>& after = given.samples[s];
    if (!same_answer(before[0], after[0])) change.answers.push_back(static_cast<int64_t>(s));
    if (!same_elements(before, after)) change.outputs.push_back(static_cast<int64_t>(s));
  }
  if (!change.outputs.empty()) {
    change.example = change.answers.empty() ? change.outputs[0] : change.answers[0];
    HONE_RETURN_IF_ERROR(find_layer(base, other, data, change));
  }
  return ArithmeticComparison{std::move(change), std::move(given)};
}

}  // namespace hone
