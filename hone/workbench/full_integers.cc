#include "hone/workbench/full_integers.h"

#include <algorithm>
#include <cmath>

#include "hone/model/tflite_functions.h"
#include "hone/targets/target.h"
#include "hone/workbench/same_interface.h"

namespace hone {
namespace {

Result<std::unique_ptr<Program>> compile_on_cpu(const Graph& graph) {
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  return cpu->open()->compile(std::move(*graph.clone()), {});
}

size_t place_of_largest(const std::vector<double>& values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

// Counts numbers that differ; gives how many there were.
size_t add_sample(const std::vector<Item>& pairs, const std::vector<Item>& file,
                  FileAgreement& agreement) {
  size_t numbers = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::vector<double> a = to_doubles(pairs[i].tensor);
    const std::vector<double> b = to_doubles(file[i].tensor);
    agreement.in_steps = agreement.in_steps && kInteger.contains(pairs[i].tensor.dtype());
    for (size_t k = 0; k < a.size(); ++k) {
      agreement.changed += a[k] != b[k] ? 1 : 0;
      agreement.largest = std::max(agreement.largest, std::abs(a[k] - b[k]));
    }
    numbers += a.size();
    if (i == 0 && !a.empty() && place_of_largest(a) == place_of_largest(b)) ++agreement.same_class;
  }
  return numbers;
}

}  // namespace

std::vector<std::string> give_dense_one_scale(QuantizePlan& plan, const Graph& graph) {
  std::vector<std::string> layers;
  std::vector<LayerRule> rules;
  if (!plan.scheme.per_channel) return layers;
  Scheme scheme = plan.scheme;
  scheme.per_channel = false;
  for (const Node* node : graph.nodes()) {
    const bool dense = node->op == "gemm" || node->op == "matmul";
    if (!dense || node->inputs.size() < 2 || !node->inputs[1]->constant) continue;
    layers.push_back(node->name);
    rules.push_back({exactly(node->name), scheme});
  }
  plan.rules.insert(plan.rules.begin(), rules.begin(), rules.end());
  return layers;
}

IoChange use_full_integers(Graph& graph) {
  bound_functions(graph);
  IoChange io;
  io.integers = use_integer_io(graph);
  io.channels_last = use_channels_last(graph);
  return io;
}

Result<FileAgreement> compare_with_file(const Graph& pairs, const Graph& file, const IoChange& io,
                                        const DataSet& data, const Graph& given, int64_t samples) {
  HONE_TRY(const std::unique_ptr<Program> before, compile_on_cpu(pairs));
  HONE_TRY(const std::unique_ptr<Program> after, compile_on_cpu(file));
  FileAgreement agreement;
  agreement.samples = std::min(samples, data.samples);
  size_t numbers = 0;
  for (int64_t i = 0; i < agreement.samples; ++i) {
    HONE_TRY(std::vector<Item> sample, data.sample(i, given));
    const std::vector<Item> inputs = as_taken(io, std::move(sample));
    HONE_TRY(const std::vector<Item> expected, before->run(inputs));
    HONE_TRY(const std::vector<Item> outputs, after->run(inputs));
    numbers += add_sample(expected, outputs, agreement);
  }
  if (numbers > 0) agreement.changed /= static_cast<double>(numbers);
  return agreement;
}

}  // namespace hone
