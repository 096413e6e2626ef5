#include "hone/workbench/workbench.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "hone/base/hash.h"
#include "hone/base/text.h"
#include "hone/model/example_shapes.h"
#include "hone/ops/custom/custom.h"
#include "hone/passes/device_io.h"
#include "hone/profile/memory_room.h"
#include "hone/profile/statistics.h"
#include "hone/quantize/activation/bind_custom.h"
#include "hone/quantize/quantize.h"
#include "hone/tensor/dispatch.h"
#include "hone/wire/npy.h"
#include "hone/zoo/operator_model.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr std::string_view kZoo = "zoo:";
constexpr std::string_view kOperator = "op:";
constexpr std::string_view kInt8 = ":int8";

// Ranges of activations come from one random input: the speed is real, the accuracy means nothing.
Status quantize_for_speed(Graph& graph) {
  HONE_TRY(std::vector<Item> sample, make_inputs(graph, {}, 0));
  return quantize_static(graph, {std::move(sample)});
}

// Another batch has to reach every output: a reshape to a fixed first extent mixes samples.
Status check_batch(const Graph& graph, const Value& input) {
  const Shape& wanted = input.type.tensor.shape;
  for (const Value* output : graph.outputs()) {
    const Shape& shape = output->type.tensor.shape;
    if (wanted.empty() || shape.empty() || shape[0] == wanted[0]) continue;
    return bad_input("input '", input.name, "' of shape ", text_of(wanted), " gives output '",
                     output->name, "' the shape ", text_of(shape), "; expected ", wanted[0],
                     " as its first extent");
  }
  return Done{};
}

// Networks built in code take inputs of other extents than they were built for, as far as their
// layers do; windows keep their padding, as in a file.
Status resize_inputs(Graph& graph, const LoadOptions& options) {
  if (options.shapes.empty()) return Done{};
  for (Value* input : graph.inputs()) {
    if (options.shapes.contains(input->name)) {
      std::ranges::fill(input->type.tensor.shape, kUnknown);
    }
  }
  HONE_RETURN_IF_ERROR(bind_shapes(graph, options));
  HONE_RETURN_IF_ERROR(infer_types(graph));
  for (const Value* input : graph.inputs()) HONE_RETURN_IF_ERROR(check_batch(graph, *input));
  return Done{};
}

// What floats are computed in is no part of a network, as int8 is.
Status check_no_precision(std::string_view name) {
  for (const std::string_view precision : {"fp32", "tf32", "fp16", "bf16"}) {
    if (!name.ends_with(str(":", precision))) continue;
    return bad_input("networks hold fp32; ", precision, " is for whoever runs them")
        .needs({HintKind::Precision, std::string(precision)});
  }
  return Done{};
}

Result<Model> open_zoo(std::string_view name, const LoadOptions& options) {
  HONE_RETURN_IF_ERROR(check_no_precision(name));
  const bool quantized = name.ends_with(kInt8);
  const std::string_view network = quantized ? name.substr(0, name.size() - kInt8.size()) : name;
  HONE_TRY(Graph graph, build_network(network, 0, options.shapes));
  HONE_RETURN_IF_ERROR(resize_inputs(graph, options));
  if (quantized) HONE_RETURN_IF_ERROR(quantize_for_speed(graph));
  Model model;
  model.name = str(kZoo, name);
  model.format = "zoo";
  model.producer = "hone";
  model.graph = std::move(graph);
  HONE_TRY(InferredTypes inferred, infer_types(model.graph));
  model.unsupported = std::move(inferred.unsupported);
  return model;
}

// Its inputs and outputs are integers, too: nothing else is there that could be.
Status quantize_operator(Graph& graph) {
  const std::string op = graph.node(0)->op;
  HONE_RETURN_IF_ERROR(quantize_for_speed(graph));
  const bool integers = std::ranges::any_of(
      graph.nodes(), [](const Node* node) { return node->op == "quantize_linear"; });
  if (!integers) {
    return unsupported("there is no int8 form of ", op, " on inputs alone; there are: fp32, fp16");
  }
  use_integer_io(graph);
  return Done{};
}

Result<Model> open_operator(const std::string& spec, const LoadOptions& options) {
  HONE_TRY(OperatorModel built, build_operator(spec.substr(kOperator.size())));
  HONE_RETURN_IF_ERROR(resize_inputs(built.graph, options));
  if (built.quantized) HONE_RETURN_IF_ERROR(quantize_operator(built.graph));
  Model model;
  model.name = spec;
  model.format = "op";
  model.producer = "hone";
  model.graph = std::move(built.graph);
  model.keeps_types = !built.quantized;
  HONE_TRY(InferredTypes inferred, infer_types(model.graph));
  model.unsupported = std::move(inferred.unsupported);
  return model;
}

Result<Tensor> input_from_file(const Value& input, const std::string& path) {
  HONE_TRY(const Tensor array, read_npy(path));
  const TensorType& type = input.type.tensor;
  if (array.dtype() == type.dtype || type.dtype == DType::Undefined) return array;
  if (kFloat.contains(array.dtype()) && kInteger.contains(type.dtype) && type.quantized()) {
    return quantize(array, {type.dtype, array.shape(), type.quant});
  }
  return bad_input(path, ": holds ", array.type(), ", but input '", input.name, "' is ", type);
}

// `others` are the names of inputs that are given.
Status check_input_extents(const Graph& graph, const Value& input,
                           const std::set<std::string>& others = {}) {
  const TensorType& type = input.type.tensor;
  if (type.known()) return Done{};
  std::string shape;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const bool named = i < input.dims.size() && !input.dims[i].empty();
    shape += str(i == 0 ? "" : "x", type.shape[i] != kUnknown ? str(type.shape[i])
                                    : named                   ? input.dims[i]
                                                              : "?");
  }
  return bad_input("input '", input.name, "' is ", shape.empty() ? "of unknown rank" : shape,
                   "; its extents have to be given")
      .needs({HintKind::Extents, example_shapes(graph, others)});
}

Status check_room_for_inputs(const Graph& graph) {
  uint64_t bytes = 0;
  for (const Value* input : graph.inputs()) {
    if (input->type.is_tensor() && input->type.tensor.known()) bytes += input->type.tensor.bytes();
  }
  return check_room(bytes, "the input of a run");
}

Metric latency_of_runs(const std::vector<double>& times_ms) {
  return {.name = "latency",
          .value = median(times_ms),
          .unit = "ms",
          .n = std::ssize(times_ms),
          .low = std::ranges::min(times_ms),
          .high = std::ranges::max(times_ms),
          .note = "median of whole runs; input copies are outside the loop"};
}

// Seconds of every step of one run.
class StepClock final : public StepObserver {
 public:
  explicit StepClock(size_t steps) : seconds(steps) {}
  void begin() override { last_ = Clock::now(); }
  void step_done(size_t step, std::span<const double>) override {
    const Clock::time_point now = Clock::now();
    seconds[step] = std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

  std::vector<double> seconds;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
};

Result<double> percent_by_reference(const std::vector<StepInfo>& steps, Session& session,
                                    const std::vector<Item>& inputs, std::vector<Item>& outputs) {
  StepClock clock(steps.size());
  HONE_RETURN_IF_ERROR(session.run_observed(inputs, outputs, clock));
  double by_reference = 0, all = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    all += clock.seconds[s];
    if (steps[s].kind.reference) by_reference += clock.seconds[s];
  }
  return 100 * by_reference / std::max(all, 1e-9);
}

}  // namespace

Status close_extents(Graph& graph, const std::vector<Item>& items) {
  LoadOptions given;
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& input = *graph.inputs()[i];
    if (!input.type.is_tensor() || input.type.tensor.known() || !items[i].is_tensor()) continue;
    given.shapes[input.name] = items[i].tensor.shape();
  }
  if (given.shapes.empty()) return Done{};
  HONE_RETURN_IF_ERROR(bind_shapes(graph, given));
  HONE_RETURN_IF_ERROR(infer_types(graph));
  return Done{};
}

Result<std::unique_ptr<Graph>> with_extents_of(const Graph& graph, const DataSet& data) {
  std::unique_ptr<Graph> copy = graph.clone();
  if (check_extents(graph).ok()) return copy;
  HONE_TRY(const std::vector<Item> sample, data.sample(0, graph));
  HONE_RETURN_IF_ERROR(close_extents(*copy, sample));
  return copy;
}

std::string closed_inputs_text(const Graph& graph, const Graph& closed) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    if (graph.inputs()[i]->type.tensor.known()) continue;
    const Value& input = *closed.inputs()[i];
    inputs.push_back(str("'", input.name, "' of ", input.type.tensor));
  }
  return join(inputs);
}

Status check_extents(const Graph& graph) {
  for (const Value* input : graph.inputs()) {
    HONE_RETURN_IF_ERROR(check_input_extents(graph, *input));
  }
  return Done{};
}

Result<Model> open_model(const std::string& spec, const LoadOptions& options) {
  if (spec.starts_with(kOperator)) return open_operator(spec, options).in(spec);
  if (spec.starts_with(kZoo)) {
    return open_zoo(std::string_view(spec).substr(kZoo.size()), options).in(spec);
  }
  return load_model(spec, options);
}

Tensor random_tensor(const TensorType& type, uint64_t seed) {
  Tensor tensor(type);
  std::mt19937_64 rng(seed);
  if (kFloat.contains(type.dtype)) {
    std::normal_distribution<float> next;
    dispatch_float(type.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& value : tensor.mutable_data<T>()) value = T(next(rng));
    });
  } else if (bits_of(type.dtype) == 8 && type.dtype != DType::Bool) {
    for (std::byte& value : tensor.mutable_bytes()) value = static_cast<std::byte>(rng() & 0xff);
  } else if (type.dtype == DType::Bool) {
    for (bool& value : tensor.mutable_data<bool>()) value = (rng() & 1) != 0;
  } else if (kInteger.contains(type.dtype)) {
    dispatch_integer(type.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& value : tensor.mutable_data<T>()) value = static_cast<T>(rng() % 10);
    });
  }
  return tensor;
}

Status bind_custom_ops(Model& model, const std::vector<std::string>& meanings) {
  for (const std::string& meaning : meanings) {
    const size_t equals = meaning.find('=');
    if (equals == std::string::npos || equals == 0) {
      return bad_input("meaning '", meaning, "' of an operator: expected NAME=EXPRESSION");
    }
    HONE_RETURN_IF_ERROR(
        bind_custom_op(model.graph, meaning.substr(0, equals), meaning.substr(equals + 1)));
  }
  if (meanings.empty()) return Done{};
  HONE_TRY(InferredTypes types, infer_types(model.graph));
  model.unsupported = std::move(types.unsupported);
  return Done{};
}

Result<std::vector<Item>> make_inputs(const Graph& graph,
                                      const std::map<std::string, std::string>& files,
                                      uint64_t seed) {
  std::vector<std::string> names;
  for (const Value* input : graph.inputs()) names.push_back(input->name);
  for (const auto& [name, path] : files) {
    if (std::ranges::find(names, name) == names.end()) {
      return bad_input("no input '", name, "'", did_you_mean(name, names),
                       "; the model has: ", join(names));
    }
  }
  HONE_RETURN_IF_ERROR(check_room_for_inputs(graph));
  std::set<std::string> given;
  for (const auto& [name, path] : files) given.insert(name);
  std::vector<Item> items;
  for (const Value* input : graph.inputs()) {
    if (!input->type.is_tensor()) {
      return unsupported("input '", input->name, "' is ", input->type, ", expected a tensor");
    }
    if (const auto file = files.find(input->name); file != files.end()) {
      HONE_TRY(Tensor value, input_from_file(*input, file->second));
      items.emplace_back(std::move(value));
      continue;
    }
    HONE_RETURN_IF_ERROR(check_input_extents(graph, *input, given));
    items.emplace_back(random_tensor(input->type.tensor, seed ^ hash64(input->name)));
  }
  return items;
}

Result<RunResult> run_model(Model& model, const std::string& target, const CompileOptions& options,
                            const std::vector<Item>& inputs, int repeat) {
  HONE_TRY(const TargetDef* def, find_target(target));
  if (!model.unsupported.empty()) {
    const UnsupportedNode& first = model.unsupported[0];
    return unsupported(model.unsupported.size(), " nodes cannot run, the first is '",
                       first.node->name, "': ", first.reason)
        .needs(hint_for_custom(*first.node));
  }
  const std::unique_ptr<Target> opened = def->open();
  CompileOptions compile = options;
  compile.named_precision = compile.named_precision || model.keeps_types;
  HONE_RETURN_IF_ERROR(close_extents(model.graph, inputs));
  HONE_TRY(const std::unique_ptr<Program> program,
           opened->compile(std::move(model.graph), compile));
  HONE_RETURN_IF_ERROR(check_room_for_run(*program));
  const std::unique_ptr<Session> session = program->open();
  RunResult result;
  std::vector<double> times;
  for (int i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    HONE_RETURN_IF_ERROR(session->run(inputs, result.outputs));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  result.latency = latency_of_runs(times);
  if (def->name == "cpu") {
    const std::vector<StepInfo> steps = program->steps();
    result.references = count_references(steps);
    if (repeat > 1 && result.references.count > 0) {
      HONE_TRY(result.references.percent,
               percent_by_reference(steps, *session, inputs, result.outputs));
    }
  }
  if (const auto run = program->modelled()) {
    result.computing = std::move(result.latency);
    result.computing->name = def->mode == Mode::Simulated ? "simulation" : "computing";
    result.computing->note = "on this machine, whole runs";
    result.latency = run->latency;
  }
  return result;
}

const std::vector<std::string>& arithmetic_names() {
  static const std::vector<std::string> kNames = {"tflite-reference", "tflite-single",
                                                  "tflite-neon"};
  return kNames;
}

Result<Rounding> find_arithmetic(const std::string& name) {
  if (name == "tflite-reference") return Rounding::Double;
  if (name == "tflite-single") return Rounding::Single;
  if (name == "tflite-neon") return Rounding::DoubleUpward;
  return bad_input("no arithmetic '", name, "'", did_you_mean(name, arithmetic_names()),
                   "; there are: ", join(arithmetic_names()));
}

std::string_view arithmetic_name(Rounding rounding) {
  if (rounding == Rounding::Single) return "tflite-single";
  return rounding == Rounding::DoubleUpward ? "tflite-neon" : "tflite-reference";
}

}  // namespace hone
