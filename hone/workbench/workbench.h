// The library's front door: open a model, run it, measure it. What the command line and bindings
// call.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/model/load.h"
#include "hone/targets/common/references.h"
#include "hone/targets/target.h"
#include "hone/validate/conformance.h"
#include "hone/validate/validate.h"
#include "hone/workbench/summary.h"

namespace hone {

// `spec` is a file, "zoo:" and the name of a built-in network, with ":int8" behind it for its
// quantized form, or "op:" and one operator (zoo/operator_model.h).
Result<Model> open_model(const std::string& spec, const LoadOptions& options = {});

// Gives operators that Hone does not know a meaning: "com.example.SwishBeta=x*sigmoid(1.7*x)".
Status bind_custom_ops(Model& model, const std::vector<std::string>& meanings);

// Items for every input of the graph: from `files` (input name -> .npy), the rest drawn from
// `seed`. Floats meet integer inputs through their scale and zero point. BadInput when a name is no
// input, a file does not fit, or an extent of an input without a file is not known.
Result<std::vector<Item>> make_inputs(const Graph& graph,
                                      const std::map<std::string, std::string>& files,
                                      uint64_t seed);

// Gives inputs that leave extents open those of `items`, one for each input; what follows from them
// follows. Without them most steps of a program have no kernel but their references.
Status close_extents(Graph& graph, const std::vector<Item>& items);

// A copy with the extents of the set's first sample where inputs leave theirs open.
Result<std::unique_ptr<Graph>> with_extents_of(const Graph& graph, const DataSet& data);

// "'x' of f32[1,3,48,192]": inputs of `graph` that leave extents open, as `closed` has them. Empty
// where there are none.
std::string closed_inputs_text(const Graph& graph, const Graph& closed);

// BadInput when an extent of an input is not known.
Status check_extents(const Graph& graph);

// A tensor of the type with elements from the seed: floats from a normal distribution, 8-bit
// integers over their range, other integers 0 to 9.
Tensor random_tensor(const TensorType& type, uint64_t seed);

struct RunResult {
  std::vector<Item> outputs;
  // Of one run: median of the repeats, with the smallest and largest; or what the model of a device
  // that is not here says, and then `computing` is what it took to compute the outputs here.
  Metric latency;
  std::optional<Metric> computing;
  References references = {};  // On target cpu, with their share of the time when run repeatedly.
};

// Opens the target, compiles and runs `repeat` times. Takes the graph out of the model: a target
// lets weights go as soon as it has packed them.
Result<RunResult> run_model(Model& model, const std::string& target, const CompileOptions& options,
                            const std::vector<Item>& inputs, int repeat);

// "tflite-reference", "tflite-single", "tflite-neon": how integer operators round.
Result<Rounding> find_arithmetic(const std::string& name);
std::string_view arithmetic_name(Rounding rounding);
const std::vector<std::string>& arithmetic_names();

}  // namespace hone
