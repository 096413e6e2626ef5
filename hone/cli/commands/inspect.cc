#include <algorithm>

#include "hone/base/printable.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/cli/references_json.h"

namespace hone {
namespace {

struct Options {
  ModelOptions model;
  JsonOutput json;
  bool layers = false;
  bool memory = false;
  int threads = 1;
};

std::string type_text(const Value& value) {
  std::string text = str(value.type);
  for (const std::string& dim : value.dims) {
    if (dim.empty()) continue;
    const size_t unknown = text.find('?');
    if (unknown != std::string::npos) text.replace(unknown, 1, dim);
  }
  const auto& quant = value.type.tensor.quant;
  if (quant && quant->per_tensor()) {
    text += str(" scale ", quant->scale(), " zero point ", quant->zero_point());
  } else if (quant) {
    text += str(" quantized per channel of axis ", quant->axis);
  }
  return text;
}

void print_values(const char* title, std::span<Value* const> values, std::ostream& out) {
  for (const Value* value : values) {
    out << title << "  " << printable(value->name) << "  " << printable(type_text(*value)) << "\n";
  }
}

void print_layers(const ModelSummary& summary, std::ostream& out) {
  Table table({"layer", "op", "output", "parameters", "MACs", "weights"});
  for (const LayerSummary& layer : summary.layers) {
    table.add({layer.name, layer.op, layer.output, human_count(layer.parameters),
               human_count(layer.macs), human_bytes(layer.weight_bytes)});
  }
  out << "\n" << table.to_string();
}

// Targets that leave out the same nodes for the same reasons are told of together.
void print_support(const std::vector<TargetSupport>& targets, size_t nodes, std::ostream& out) {
  std::vector<const TargetSupport*> told;
  for (const TargetSupport& support : targets) {
    const auto same = [&](const auto& other) { return other.unsupported == support.unsupported; };
    if (std::ranges::any_of(told, [&](const TargetSupport* other) { return same(*other); }))
      continue;
    told.push_back(&support);
    std::vector<std::string> names;
    for (const TargetSupport& other : targets) {
      if (same(other)) names.push_back(other.target);
    }
    const size_t refused = support.unsupported.size();
    out << (names.size() == 1 ? "target " : "targets ") << join(names)
        << (names.size() == 1 ? "  runs " : "  run ") << nodes - refused << " of " << nodes
        << " nodes\n";
    for (const auto& [node, reason] : support.unsupported) {
      out << "  not '" << printable(node->name) << "': " << printable(reason) << "\n";
    }
  }
}

bool has_open_inputs(const Model& model) {
  return std::ranges::any_of(model.graph.inputs(), [](const Value* input) {
    return input->type.is_tensor() && !input->type.tensor.known();
  });
}

// Steps that the cpu target runs by reference, or why they were not counted.
struct CpuReferences {
  References found = {};
  std::string not_counted = {};
};

CpuReferences references_on_cpu(const Model& model, const ModelSummary& summary) {
  // Beyond these, compiling takes longer than the rest of this command together, and as much memory
  // as the weights again.
  constexpr uint64_t kMostWeightBytes = 32 << 20;
  constexpr size_t kMostNodes = 2000;
  if (has_open_inputs(model)) {
    return {.not_counted = "not counted while extents are open: --shapes gives them"};
  }
  if (summary.weight_bytes > kMostWeightBytes || model.graph.node_count() > kMostNodes) {
    return {.not_counted = "not counted in a model of this size; `hone profile` does"};
  }
  const auto cpu = find_target("cpu");
  if (!cpu.ok()) return {};
  const auto program = (*cpu)->open()->compile(std::move(*model.graph.clone()), {.threads = 1});
  // What cannot run is told of node by node.
  return program.ok() ? CpuReferences{.found = count_references((*program)->steps())}
                      : CpuReferences{};
}

void print_references(const CpuReferences& references, std::ostream& out) {
  const std::string text =
      references.not_counted.empty() ? text_of(references.found) : references.not_counted;
  if (!text.empty()) out << "references on cpu  " << text << "\n";
}

void print(const Model& model, const ModelSummary& summary, const CpuReferences& references,
           bool layers, std::ostream& out) {
  const char* bound = summary.complete ? ""
                      : has_open_inputs(model)
                          ? " or more: give the open extents with --shapes"
                          : " or more: some of it follows from values, which only a run tells";
  out << model.name << "  " << model.format;
  if (!model.version.empty()) out << " " << printable(model.version);
  if (!model.producer.empty()) out << "  made by " << printable(model.producer);
  if (model.file_bytes > 0) out << "  " << human_bytes(model.file_bytes);
  out << "\n";
  print_values("input ", model.graph.inputs(), out);
  print_values("output", model.graph.outputs(), out);
  out << "parameters  " << human_count(summary.parameters) << " in "
      << human_bytes(summary.weight_bytes) << "\n"
      << "work        " << human_count(summary.macs) << " MACs, " << human_count(summary.flops)
      << " FLOPs" << bound << "\n";
  std::vector<std::string> ops;
  for (const auto& [op, count] : summary.ops) ops.push_back(str(op, " ", count));
  out << "operators   " << printable(join(ops)) << "\n";
  print_support(support_by_target(model), model.graph.node_count(), out);
  print_references(references, out);
  if (layers) print_layers(summary, out);
}

// How the cpu target would lay the model out in memory.
Result<MemorySummary> plan_memory_of(const Model& model, int threads) {
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  HONE_TRY(const auto program,
           cpu->open()->compile(std::move(*model.graph.clone()), {.threads = threads}));
  const auto memory = program->memory();
  if (!memory) return unsupported("target cpu plans no memory");
  return *memory;
}

void print_memory(const MemorySummary& memory, std::ostream& out) {
  out << "\nmemory on target cpu: weights " << human_bytes(memory.weight_bytes) << ", arena "
      << human_bytes(memory.arena_bytes) << "; the tensors that live at once need "
      << human_bytes(memory.largest_live_bytes) << " at least\n";
  Table table({"buffer", "type", "offset", "bytes", "from step", "to step"});
  for (const MemoryUse& use : memory.buffers) {
    table.add({use.value, use.type, str(use.offset), str(use.bytes), str(use.first_step),
               str(use.last_step)});
  }
  out << table.to_string();
}

Json memory_json(const MemorySummary& memory) {
  Json buffers = Json::array();
  for (const MemoryUse& use : memory.buffers) {
    buffers.push_back({{"value", use.value},
                       {"type", use.type},
                       {"offset", use.offset},
                       {"bytes", use.bytes},
                       {"first_step", use.first_step},
                       {"last_step", use.last_step}});
  }
  return {{"weight_bytes", memory.weight_bytes},
          {"arena_bytes", memory.arena_bytes},
          {"largest_live_bytes", memory.largest_live_bytes},
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

Json layers_json(const ModelSummary& summary) {
  Json list = Json::array();
  for (const LayerSummary& layer : summary.layers) {
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

Json to_json(const Model& model, const ModelSummary& summary, const CpuReferences& references) {
  const std::string note = summary.complete ? "" : "a lower bound: some extents are not known";
  Json result;
  result["inputs"] = values_json(model.graph.inputs());
  result["outputs"] = values_json(model.graph.outputs());
  result["operators"] = summary.ops;
  result["metrics"] = {exact("parameters", static_cast<double>(summary.parameters), "", ""),
                       exact("weight_bytes", static_cast<double>(summary.weight_bytes), "B", ""),
                       exact("macs", static_cast<double>(summary.macs), "", note),
                       exact("flops", static_cast<double>(summary.flops), "", note)};
  Json& targets = result["targets"] = Json::array();
  for (const TargetSupport& support : support_by_target(model)) {
    Json refused = Json::array();
    for (const auto& [node, reason] : support.unsupported) {
      refused.push_back({{"node", node->name}, {"op", node->op}, {"reason", reason}});
    }
    targets.push_back({{"target", support.target}, {"unsupported", refused}});
  }
  if (references.not_counted.empty()) result["references"] = references_json(references.found);
  result["layers"] = layers_json(summary);
  return result;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(const Model model, options.model.open());
  const ModelSummary summary = summarize(model.graph);
  const CpuReferences references = references_on_cpu(model, summary);
  std::optional<MemorySummary> memory;
  if (options.memory) {
    HONE_TRY(memory, plan_memory_of(model, options.threads).in(model.name));
  }
  if (!options.json.to_stdout()) {
    print(model, summary, references, options.layers, context.out);
    if (memory) print_memory(*memory, context.out);
  }
  if (options.json.wanted()) {
    Json result = to_json(model, summary, references);
    if (memory) result["memory"] = memory_json(*memory);
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, std::move(result)));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->model.declare(flags);
  flags.toggle("--layers", options->layers, "a line for every layer");
  flags.toggle("--memory", options->memory,
               "where the cpu target keeps every tensor: offset in the arena, bytes, steps");
  flags.number("--threads", options->threads, "threads that --memory plans working memory for")
      .range(1, 1024);
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_inspect = {
    .name = "inspect",
    .summary = "What is in a model and what it costs: inputs, operators, parameters, MACs.",
    .examples = {"hone inspect zoo:mobilenet_v2", "hone inspect model.onnx --layers",
                 "hone inspect zoo:mobilenet_v2 --memory",
                 "hone inspect model.onnx --shapes x:1x3x224x224 --json model.json"},
    .declare = declare,
};

}  // namespace hone
