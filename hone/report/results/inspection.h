// What `hone inspect` found out: what is in a model, what it costs, and where it can run.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/hint.h"
#include "hone/base/result.h"
#include "hone/targets/common/references.h"
#include "hone/targets/target.h"

namespace hone {

// An input or an output.
struct InspectedValue {
  std::string name = {};
  std::string type = {};  // Of its elements: "f32".
  Shape shape = {};
  std::vector<std::string> symbols = {};  // Names of open extents.
  std::optional<Quantization> quantization = {};
  std::string text = {};  // All of that for people: "f32[N,3,224,224]".
};

struct InspectedLayer {
  std::string name = {};
  std::string op = {};
  std::vector<std::string> origins = {};  // Names of the source layers it stands for.
  std::string output = {};                // Type of the first output.
  std::vector<size_t> reads = {};         // The layers whose outputs it reads; none in older files.
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  uint64_t activation_bytes = 0;
};

struct UnsupportedLayer {
  std::string node = {};
  std::string op = {};
  std::string reason = {};
  Hint hint = {};  // In no result file.

  bool operator==(const UnsupportedLayer&) const = default;
};

// The nodes that a target cannot run.
struct InspectedTarget {
  std::string target = {};
  std::vector<UnsupportedLayer> unsupported = {};
};

struct Inspection {
  std::string model = {};
  std::string format = {};  // Of this and the next three the result file speaks elsewhere.
  std::string version = {};
  std::string producer = {};
  uint64_t file_bytes = 0;  // 0: there is no file.
  std::vector<InspectedValue> inputs = {};
  std::vector<InspectedValue> outputs = {};
  bool open_inputs = false;         // Some extent of an input is not known before a run.
  std::string example_shapes = {};  // That would close them all; in no result file.
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  bool complete = true;  // False: costs are lower bounds.
  std::map<std::string, int> ops = {};
  std::vector<InspectedLayer> layers = {};
  std::vector<InspectedTarget> targets = {};
  std::optional<References> references = {};  // On the cpu target; none: not counted,
  std::string not_counted = {};               // and why.
  std::optional<MemorySummary> memory = {};   // Of the cpu target, where it was asked for.
};

// What is told of a value of a graph.
InspectedValue inspected_value(const Value& value);

// What stands under "results" of a result file, and back. BadInput names the key.
nlohmann::ordered_json inspection_to_json(const Inspection& inspection);
// The JSON Schema of it.
nlohmann::ordered_json inspection_schema();
Result<Inspection> inspection_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
