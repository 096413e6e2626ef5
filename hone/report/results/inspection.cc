#include "hone/report/results/inspection.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/base/metric.h"
#include "hone/report/results/references_json.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json memory_json(const MemorySummary& memory) {
  Json buffers = Json::array();
  for (const MemoryUse& use : memory.buffers) {
    buffers.push_back({{"value", use.value},
                       {"type", use.type},
                       {"offset", use.offset},
                       {"bytes", use.bytes},
                       {"in_rows", use.in_rows},
                       {"first_step", use.first_step},
                       {"last_step", use.last_step}});
  }
  return {{"weight_bytes", memory.weight_bytes},
          {"arena_bytes", memory.arena_bytes},
          {"largest_live_bytes", memory.largest_live_bytes},
          {"largest_scratch_bytes", memory.scratch.most_bytes},
          {"buffers", buffers}};
}

Json values_json(std::span<Value* const> values) {
  Json list = Json::array();
  for (const Value* value : values) {
    Json entry{{"name", value->name},
               {"type", name_of(value->type.tensor.dtype)},
               {"shape", value->type.tensor.shape}};
    if (!value->dims.empty()) entry["symbols"] = value->dims;
    if (const auto& quant = value->type.tensor.quant) {
      entry["quantization"] = {
          {"scales", quant->scales}, {"zero_points", quant->zero_points}, {"axis", quant->axis}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json layers_json(const Inspection& summary) {
  Json list = Json::array();
  for (const InspectedLayer& layer : summary.layers) {
    list.push_back({{"name", layer.name},
                    {"op", layer.op},
                    {"origins", layer.origins},
                    {"output", layer.output},
                    {"parameters", layer.parameters},
                    {"macs", layer.macs},
                    {"flops", layer.flops},
                    {"weight_bytes", layer.weight_bytes},
                    {"activation_bytes", layer.activation_bytes}});
  }
  return list;
}

Json exact(const char* name, double value, const char* unit, const std::string& note) {
  return Metric{.name = name, .value = value, .unit = unit, .mode = Mode::Exact, .note = note};
}

}  // namespace

bool has_open_inputs(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [](const Value* input) {
    return input->type.is_tensor() && !input->type.tensor.known();
  });
}

Json inspection_to_json(const Inspection& summary) {
  const std::string note = summary.complete ? "" : "a lower bound: some extents are not known";
  Json result;
  result["inputs"] = values_json(summary.graph->inputs());
  result["outputs"] = values_json(summary.graph->outputs());
  result["operators"] = summary.ops;
  result["metrics"] = {exact("parameters", static_cast<double>(summary.parameters), "", ""),
                       exact("weight_bytes", static_cast<double>(summary.weight_bytes), "B", ""),
                       exact("macs", static_cast<double>(summary.macs), "", note),
                       exact("flops", static_cast<double>(summary.flops), "", note)};
  Json& targets = result["targets"] = Json::array();
  for (const InspectedTarget& support : summary.targets) {
    Json refused = Json::array();
    for (const auto& [node, reason] : support.unsupported) {
      refused.push_back({{"node", node->name}, {"op", node->op}, {"reason", reason}});
    }
    targets.push_back({{"target", support.target}, {"unsupported", refused}});
  }
  if (summary.not_counted.empty()) result["references"] = references_json(summary.references);
  result["layers"] = layers_json(summary);
  if (summary.memory) result["memory"] = memory_json(*summary.memory);
  return result;
}

}  // namespace hone
