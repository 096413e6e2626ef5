#include "hone/report/results/model_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/report/results/references_json.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json output_json(const ModelOutput& output) {
  Json json{{"name", output.name}};
  if (output.item.is_tensor()) {
    const Tensor& tensor = output.item.tensor;
    json["type"] = name_of(tensor.dtype());
    json["shape"] = tensor.shape();
    if (tensor.dtype() != DType::String) {
      const OutputRange range = range_of(to_doubles(tensor));
      json["min"] = range.smallest;
      json["max"] = range.largest;
      json["mean"] = range.mean;
    }
  }
  if (!output.file.empty()) json["file"] = output.file;
  return json;
}

}  // namespace

OutputRange range_of(const std::vector<double>& values) {
  OutputRange range;
  if (values.empty()) return range;
  range.smallest = *std::ranges::min_element(values);
  range.largest = *std::ranges::max_element(values);
  for (const double value : values) range.mean += value / static_cast<double>(values.size());
  return range;
}

Json model_run_to_json(const ModelRun& run) {
  Json outputs = Json::array(), files = Json::array();
  for (const ModelOutput& output : run.outputs) {
    outputs.push_back(output_json(output));
    if (!output.file.empty()) files.push_back(output.file);
  }
  Json json = {{"metrics", {run.latency}}};
  if (run.computing) json["metrics"].push_back(*run.computing);
  if (run.references.count > 0) json["references"] = references_json(run.references);
  json["outputs"] = std::move(outputs);
  json["files"] = std::move(files);
  return json;
}

}  // namespace hone
