#include "hone/report/results/bench_run.h"

#include <nlohmann/json.hpp>

#include "hone/base/str.h"

namespace hone {

using Json = nlohmann::ordered_json;

std::string failure_of(const BenchedNetwork& network) {
  // What opens a model names it already.
  const std::string& why = network.error->message;
  return why.starts_with(network.model) ? why : str(network.model, ": ", why);
}

Json networks_to_json(const BenchRun& run) {
  Json list = Json::array();
  for (const BenchedNetwork& network : run.networks) {
    if (!network.result) {
      list.push_back({{"model", network.model}, {"error", network.error->message}});
      continue;
    }
    const BenchResult& result = *network.result;
    list.push_back({{"model", network.model},
                    {"precision", result.precision},
                    {"metrics", {result.latency}},
                    {"gmacs", result.gmacs},
                    {"gops_per_second", result.rate()},
                    {"arena_bytes", result.arena_bytes},
                    {"reference_ops", result.reference_ops},
                    {"plain_kernels", result.plain_kernels}});
  }
  return list;
}

}  // namespace hone
