// What `hone compile` found out: what runs where and why, and what the program needs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/sim/engine_counters.h"

namespace hone {

// A node that the device leaves to its host.
struct HostNode {
  std::string node = {};
  std::string op = {};
  std::string reason = {};
  std::string change = {};  // The nearest one that would put it on the device; may be empty.
  uint64_t boundary_bytes = 0;
  double boundary_us = 0;
  Hint hint = {};  // How to make the change, where that is not by hand; in no result file.
};

// How many nodes of an operator run where.
struct PlacedOperator {
  std::string op = {};
  int64_t on_device = 0;
  int64_t on_host = 0;
};

struct PlacementResult {
  std::string model = {};
  std::string target = {};
  Mode mode = Mode::Measured;
  double compile_seconds = 0;
  int64_t steps = 0;
  // Both 0 where the target has no host to leave nodes to.
  int64_t nodes_on_device = 0;
  int64_t nodes_on_host = 0;
  std::vector<PlacedOperator> operators = {};  // None in older files.
  std::vector<HostNode> host = {};
  std::optional<uint64_t> arena_bytes = {};
  std::optional<uint64_t> weight_bytes = {};
  std::optional<Metric> latency = {};  // Of a run, where the target has a model of its time.
  std::vector<Metric> counters = {};
  std::optional<sim::EngineCounters> engines = {};  // Where the target has engines.
  std::vector<Metric> energy = {};
  std::vector<Metric> memory = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> files = {};  // Those that were written.
};

// What stands under "results" of a result file, and back. BadInput names the key.
nlohmann::ordered_json placement_to_json(const PlacementResult& result);
// The JSON Schema of it.
nlohmann::ordered_json placement_schema();
Result<PlacementResult> placement_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
