#include <algorithm>

#include "hone/cli/hint_words.h"
#include "hone/cli/options.h"
#include "hone/model/example_shapes.h"
#include "hone/ops/custom/custom.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/inspection.h"

namespace hone {
namespace {

struct InspectArguments {
  ModelOptions model;
  JsonOutput json;
  bool layers = false;
  bool memory = false;
  int threads = 1;
  std::string precision = "fp32";
};

// Some extent of an input is not known before a run.
bool has_open_inputs(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [](const Value* input) {
    return input->type.is_tensor() && !input->type.tensor.known();
  });
}

// Steps that the cpu target runs by reference, or why they were not counted.
struct CpuReferences {
  std::optional<References> found = {};
  std::string not_counted = {};
};

CpuReferences references_on_cpu(const Model& model, const ModelSummary& summary) {
  // Beyond these, compiling takes longer than the rest of this command together, and as much memory
  // as the weights again.
  constexpr uint64_t kMostWeightBytes = 32 << 20;
  constexpr size_t kMostNodes = 2000;
  if (has_open_inputs(model.graph)) {
    return {.not_counted = "not counted while extents are open: --shapes gives them"};
  }
  if (summary.weight_bytes > kMostWeightBytes || model.graph.node_count() > kMostNodes) {
    return {.not_counted = "not counted in a model of this size; `hone profile` does"};
  }
  const auto cpu = find_target("cpu");
  if (!cpu.ok()) return {.found = References{}};
  const auto program = (*cpu)->open()->compile(std::move(*model.graph.clone()), {.threads = 1});
  // What cannot run is told of node by node.
  return program.ok() ? CpuReferences{.found = count_references((*program)->steps())}
                      : CpuReferences{.found = References{}};
}

// How the cpu target would lay the model out in memory.
Result<MemorySummary> plan_memory_of(const Model& model, const InspectArguments& options) {
  if (has_open_inputs(model.graph)) {
    return bad_input(
        "the arena is not known while extents of inputs are open: --shapes gives them");
  }
  TargetOptions how;
  how.threads = options.threads;
  how.precision = options.precision;
  HONE_TRY(const CompileOptions compile, how.resolve());
  HONE_TRY(const TargetDef* cpu, find_target(how.target));
  HONE_TRY(const auto program, cpu->open()->compile(std::move(*model.graph.clone()), compile));
  const auto memory = program->memory();
  if (!memory) return unsupported("target cpu plans no memory");
  return *memory;
}

std::vector<InspectedValue> inspected_values_of(std::span<Value* const> values) {
  std::vector<InspectedValue> told;
  for (const Value* value : values) told.push_back(inspected_value(*value));
  return told;
}

void add_layers(const ModelSummary& summary, Inspection& inspection) {
  for (const LayerSummary& layer : summary.layers) {
    inspection.layers.push_back({.name = layer.name,
                                 .op = layer.op,
                                 .origins = layer.origins,
                                 .output = layer.output,
                                 .reads = layer.reads,
                                 .parameters = layer.parameters,
                                 .macs = layer.macs,
                                 .flops = layer.flops,
                                 .weight_bytes = layer.weight_bytes,
                                 .activation_bytes = layer.activation_bytes});
  }
}

void add_targets(const Model& model, Inspection& inspection) {
  for (const TargetSupport& support : support_by_target(model)) {
    InspectedTarget& target = inspection.targets.emplace_back();
    target.target = support.target;
    for (const auto& [node, reason] : support.unsupported) {
      target.unsupported.push_back({node->name, node->op, reason, hint_for_custom(*node)});
    }
  }
}

Inspection inspected(const Model& model) {
  const ModelSummary summary = summarize(model.graph);
  CpuReferences references = references_on_cpu(model, summary);
  Inspection inspection{.model = model.name,
                        .format = model.format,
                        .version = model.version,
                        .producer = model.producer,
                        .file_bytes = model.file_bytes,
                        .inputs = inspected_values_of(model.graph.inputs()),
                        .outputs = inspected_values_of(model.graph.outputs()),
                        .open_inputs = has_open_inputs(model.graph),
                        .example_shapes = example_shapes(model.graph),
                        .parameters = summary.parameters,
                        .macs = summary.macs,
                        .flops = summary.flops,
                        .weight_bytes = summary.weight_bytes,
                        .complete = summary.complete,
                        .ops = summary.ops,
                        .references = std::move(references.found),
                        .not_counted = std::move(references.not_counted)};
  add_layers(summary, inspection);
  add_targets(model, inspection);
  return inspection;
}

Result<Exit> run_inspect(const InspectArguments& options, const CommandContext& context) {
  HONE_TRY(const Model model, options.model.open());
  Inspection inspection = inspected(model);
  if (options.memory) {
    HONE_TRY(inspection.memory, plan_memory_of(model, options).in(model.name));
  }
  if (!options.json.to_stdout()) {
    ShowOptions show{.only = {"Model", "Memory"}, .words = hint_words};
    if (options.layers) show.only.push_back("Layers");
    context.out << document_text(document_of(inspection, show));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, inspection_to_json(inspection)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_inspect(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<InspectArguments>();
  options->model.declare(flags);
  options->model.declare_batch(flags);
  flags.toggle("--layers", options->layers, "a line for every layer");
  flags.toggle("--memory", options->memory,
               "where the cpu target keeps every tensor: offset in the arena, bytes, steps");
  flags.number("--threads", options->threads, "threads that --memory plans working memory for")
      .range(1, 1024);
  flags.text("--precision TYPE", options->precision, "of floats that --memory plans for")
      .one_of({"fp32", "fp16", "bf16"});
  options->json.declare(flags);
  return [options, &context] { return run_inspect(*options, context); };
}

}  // namespace

extern const CommandDef command_inspect = {
    .name = "inspect",
    .summary = "What is in a model and what it costs: inputs, operators, parameters, MACs.",
    .examples = {"hone inspect zoo:mobilenet_v2", "hone inspect model.onnx --layers",
                 "hone inspect zoo:mobilenet_v2 --memory --precision fp16",
                 "hone inspect model.onnx --shapes x:1x3x224x224 --json model.json"},
    .declare = declare_inspect,
};

}  // namespace hone
