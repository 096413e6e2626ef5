#include "hone/quantize/recover/adaround.h"

#include <algorithm>
#include <span>

#include "hone/base/progress.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/recover/bias.h"
#include "hone/quantize/recover/patches.h"
#include "hone/quantize/recover/probe.h"
#include "hone/quantize/recover/round_layer.h"
#include "hone/quantize/recover/weight_codes.h"

namespace hone {
namespace {

uint64_t bytes_of(const ProductLayer& layer) {
  return GramSums::bytes(layer.groups, layer.inputs, layer.outputs);
}

// A matmul has no bias to leave the means to.
bool has_bias(const ProductLayer& layer) {
  return layer.node->op != "matmul";
}

// The layers to take in the next pass, and for each how many of them lead to it, itself included.
struct PassLayers {
  std::span<const LayerPair> pairs;
  std::vector<int> levels;
};

// As many of the layers as the options allow; at least one.
PassLayers next_pass(const Graph& quantized, std::span<const LayerPair> left,
                     const AdaroundOptions& options) {
  PassLayers pass;
  std::vector<ProductLayer> layers;
  uint64_t bytes = 0;
  for (const LayerPair& pair : left) {
    layers.push_back(pair.quantized);
    std::vector<int> levels = levels_of(quantized, layers);
    bytes += bytes_of(pair.quantized);
    const bool fits = levels.back() <= options.levels_per_pass && bytes <= options.memory_bytes;
    if (!fits && layers.size() > 1) break;
    pass = {left.first(layers.size()), std::move(levels)};
  }
  return pass;
}

Status add_sample(RoundingTask& task, const Tensor& x, const Tensor* y, int64_t wanted,
                  uint64_t seed) {
  const ProductLayer& layer = task.layer();
  HONE_TRY(const Patches patches, Patches::make(layer, x.shape()));
  std::vector<float> inputs(layer.groups * layer.inputs);
  std::vector<float> outputs(layer.channels());
  for (const int64_t row : spread_rows(patches.rows(), wanted, seed)) {
    patches.read_inputs(x.data<float>(), row, inputs.data());
    if (y != nullptr) patches.read_outputs(y->data<float>(), row, outputs.data());
    task.sums.add(inputs.data(), y != nullptr ? outputs.data() : nullptr);
  }
  return Done{};
}

// One pass over the samples.
Status sum(std::vector<RoundingTask>& tasks, const Graph& quantized, const Graph& original,
           const SampleSource& samples, int64_t rows) {
  Probe inputs(quantized);
  Probe wanted(original);
  for (const RoundingTask& task : tasks) {
    inputs.see(*task.layer().node->inputs[kLayerData]);
    if (!task.follows) wanted.see_sums(task.pair.original);
  }
  const int64_t rows_per_sample = (rows + samples.count - 1) / samples.count;
  for (int64_t i = 0; i < samples.count; ++i) {
    HONE_TRY(const auto* x, inputs.run(samples, i));
    HONE_TRY(const auto* y, wanted.run(samples, i));
    size_t next = 0;
    for (size_t t = 0; t < tasks.size(); ++t) {
      const Tensor* target = tasks[t].follows ? nullptr : &(*y)[next++].tensor;
      HONE_RETURN_IF_ERROR(
          add_sample(tasks[t], (*x)[t].tensor, target, rows_per_sample, static_cast<uint64_t>(i)));
    }
  }
  for (RoundingTask& task : tasks) {
    HONE_RETURN_IF_ERROR(task.sums.finish(has_bias(task.layer())));
  }
  return Done{};
}

// Why the layer cannot be rounded, or nothing.
std::optional<std::string> obstacle(const LayerPair& pair, uint64_t memory_bytes) {
  const ProductLayer& layer = pair.quantized;
  if (const auto codes = read_codes(*layer.dequantize()); !codes.ok()) return codes.error().message;
  if (bytes_of(layer) > memory_bytes) {
    return str("its sums take ", bytes_of(layer) >> 20, " MiB, the limit is ", memory_bytes >> 20);
  }
  if (!has_bias(layer)) return {};
  const auto reason = fixed_bias(layer);
  return reason ? reason : fixed_bias(pair.original);
}

}  // namespace

Result<AdaroundReport> adaround(Graph& quantized, const Graph& original,
                                const SampleSource& samples, const AdaroundOptions& options) {
  if (samples.count < 1) return bad_input("no samples to round the weights for");
  if (options.rows < 1 || options.levels_per_pass < 1) {
    return bad_input("rows and levels per pass are ", options.rows, " and ",
                     options.levels_per_pass, ", expected at least 1");
  }
  const std::unique_ptr<Graph> floats = original.clone();
  HONE_RETURN_IF_ERROR(optimize(*floats));
  LayerMatch match = match_layers(quantized, *floats);
  AdaroundReport report{.layers = {}, .skipped = std::move(match.skipped)};
  std::vector<LayerPair> pairs;
  for (const LayerPair& pair : match.pairs) {
    if (const auto reason = obstacle(pair, options.memory_bytes)) {
      report.skipped.push_back({pair.quantized.node->name, *reason});
    } else {
      pairs.push_back(pair);
    }
  }
  std::span<const LayerPair> left = pairs;
  Progress bar("adaround", pairs.size());
  while (!left.empty()) {
    const auto [now, levels] = next_pass(quantized, left, options);
    left = left.subspan(now.size());
    std::vector<RoundingTask> tasks;
    for (size_t i = 0; i < now.size(); ++i) {
      const ProductLayer& layer = now[i].quantized;
      const bool follows = levels[i] > 1;
      tasks.push_back({now[i], follows,
                       GramSums::make(layer.groups, layer.inputs, follows ? 0 : layer.outputs)});
    }
    HONE_RETURN_IF_ERROR(sum(tasks, quantized, *floats, samples, options.rows));
    ++report.passes;
    for (const RoundingTask& task : tasks) {
      HONE_TRY(RoundedLayer rounded, round_layer(quantized, task, options));
      report.layers.push_back(std::move(rounded));
      bar.step();
    }
  }
  HONE_RETURN_IF_ERROR(verify(quantized));
  return report;
}

}  // namespace hone
