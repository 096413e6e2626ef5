#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/targets/npu/npu_program.h"
#include "hone/targets/npu/placement.h"
#include "hone/workbench/profile_model.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Options {
  ModelOptions model;
  TargetOptions target;
  std::string output;
  bool rules = false;
  JsonOutput json;
};

// What a model became, and what is told of it.
struct Summary {
  std::vector<Placement> placements;
  std::optional<MemorySummary> memory;
  std::optional<ModelledRun> run;
  std::vector<StepInfo> steps;
  std::vector<std::string> files;  // That were written.

  size_t on_device() const {
    return static_cast<size_t>(std::ranges::count(placements, true, &Placement::on_target));
  }
};

std::string name_of(const Node& node) {
  return node.name.empty() ? node.outputs[0]->name : node.name;
}

// Nodes on the host for the same reason, whatever the names in it.
struct HostGroup {
  std::vector<const Placement*> placements = {};
  uint64_t bytes = 0;
  double us = 0;
};

// What stands in quotes is of one node.
std::string without_names(const std::string& text) {
  std::string result;
  bool inside = false;
  for (const char c : text) {
    if (c == '\'') inside = !inside;
    if (!inside) result += c;
  }
  return result;
}

// In the order of the first node of each.
std::vector<HostGroup> group_by_reason(const std::vector<Placement>& placements) {
  std::vector<HostGroup> groups;
  std::map<std::string, size_t> by_reason;
  for (const Placement& placement : placements) {
    if (placement.on_target) continue;
    const std::string key = str(placement.node->op, "\n", without_names(placement.reason), "\n",
                                without_names(placement.change));
    const auto [found, is_new] = by_reason.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    HostGroup& group = groups[found->second];
    group.placements.push_back(&placement);
    group.bytes += placement.boundary_bytes;
    group.us += placement.boundary_us;
  }
  return groups;
}

std::string names_of(const HostGroup& group) {
  constexpr size_t kShown = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < group.placements.size() && i < kShown; ++i) {
    names.push_back(short_name(name_of(*group.placements[i]->node), 32));
  }
  const size_t more = group.placements.size() - names.size();
  return more == 0 ? join(names) : str(join(names), " and ", more, " more");
}

std::string host_table(const std::vector<Placement>& placements) {
  Table table({"on the host", "n", "operator", "why", "nearest change", "moved", "us"});
  for (const HostGroup& group : group_by_reason(placements)) {
    const Placement& first = *group.placements[0];
    table.add({names_of(group), str(group.placements.size()), first.node->op,
               with_short_names(first.reason), with_short_names(first.change),
               human_bytes(group.bytes), fixed(group.us, 1)});
  }
  return table.empty() ? "" : str("\n", table.to_string(), "\n");
}

std::string nodes_line(const Summary& summary, std::string_view target) {
  if (summary.placements.empty()) {
    return str("nodes     ", summary.steps.size(), " steps, all on ", target, "\n");
  }
  return str("nodes     ", summary.on_device(), " on ", target, ", ",
             summary.placements.size() - summary.on_device(), " on its host\n");
}

std::string memory_lines(const Summary& summary) {
  std::string text;
  if (summary.run && !summary.run->memory.empty()) {
    for (const Metric& metric : summary.run->memory) {
      if (!metric.value) continue;
      text += str("memory    ", metric.name, " ", human_bytes(static_cast<uint64_t>(*metric.value)),
                  metric.note.empty() ? "" : "; ", metric.note, "\n");
    }
  } else if (summary.memory) {
    text += str("memory    arena ", human_bytes(summary.memory->arena_bytes), ", weights ",
                human_bytes(summary.memory->weight_bytes), "\n");
  }
  return text;
}

std::string run_lines(const ModelledRun& run) {
  std::string text;
  const auto add = [&](std::string_view label, const Metric& metric) {
    text += str(label, describe(metric), "\n");
  };
  if (const Metric* commands = find_metric(run.counters, "commands")) {
    text += str("commands  ", fixed(commands->value.value_or(0), 0), "\n");
  }
  add("latency   ", run.latency);
  for (const Metric& energy : run.energy) add("energy    ", energy);
  for (const std::string& note : run.notes) text += str("note: ", note, "\n");
  return text;
}

std::string text_of(const Summary& summary, const Compiled& compiled) {
  std::string text = str(compiled.model, " compiled for ", compiled.target->name, " in ",
                         human_duration(compiled.seconds), "\n");
  text += nodes_line(summary, compiled.target->name) + host_table(summary.placements);
  text += memory_lines(summary);
  text += summary.run ? run_lines(*summary.run) : "latency   `hone profile` measures it\n";
  for (const std::string& file : summary.files) text += str("wrote ", file, "\n");
  return text;
}

Json host_json(const std::vector<Placement>& placements) {
  Json list = Json::array();
  for (const Placement& placement : placements) {
    if (placement.on_target) continue;
    list.push_back({{"node", name_of(*placement.node)},
                    {"op", placement.node->op},
                    {"reason", placement.reason},
                    {"change", placement.change},
                    {"boundary_bytes", placement.boundary_bytes},
                    {"boundary_us", placement.boundary_us}});
  }
  return list;
}

Json json_of(const Summary& summary, const Compiled& compiled) {
  Json json = {{"target", compiled.target->name},
               {"mode", mode_name(compiled.target->mode)},
               {"compile_seconds", compiled.seconds},
               {"steps", summary.steps.size()},
               {"nodes_on_device", summary.on_device()},
               {"nodes_on_host", summary.placements.size() - summary.on_device()},
               {"host", host_json(summary.placements)}};
  if (summary.memory) {
    json["arena_bytes"] = summary.memory->arena_bytes;
    json["weight_bytes"] = summary.memory->weight_bytes;
  }
  if (summary.run) {
    json["latency"] = summary.run->latency;
    json["counters"] = summary.run->counters;
    json["energy"] = summary.run->energy;
    json["memory"] = summary.run->memory;
    json["notes"] = summary.run->notes;
  }
  json["files"] = summary.files;
  return json;
}

// The folder may hold older files, of others; clocks of file systems step by some milliseconds.
Result<std::vector<std::string>> written(const Program& program, const std::string& folder) {
  const auto begin = fs::file_time_type::clock::now() - std::chrono::milliseconds(20);
  HONE_RETURN_IF_ERROR(program.write(folder));
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error && time >= begin) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

Result<Exit> list_rules(const JsonOutput& json, const CommandContext& context) {
  Table table({"rule", "what it holds a node to"});
  Json list = Json::array();
  for (const npu::PlacementRule& rule : npu::placement_rules()) {
    table.add({std::string(rule.name), std::string(rule.summary)});
    list.push_back({{"name", rule.name}, {"summary", rule.summary}});
  }
  if (!json.to_stdout()) {
    context.out << "What an NPU runs, asked in this order; the first rule that a node breaks puts "
                   "it on the host.\n\n"
                << table.to_string();
  }
  if (json.wanted()) {
    HONE_RETURN_IF_ERROR(json.write(context, nullptr, "", {{"rules", std::move(list)}}));
  }
  return Exit::Pass;
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  if (options.rules) return list_rules(options.json, context);
  if (options.model.model.empty()) return bad_input("expected a MODEL to compile, or --rules");
  if (!options.output.empty()) {
    HONE_RETURN_IF_ERROR(
        check_output_folder(context, options.output, npu::program_files(), "program.json"));
  }
  HONE_TRY(Model model, options.model.open(options.target.target));
  ProfileRequest request{.target = options.target.target};
  HONE_TRY(request.compile, options.target.resolve());
  HONE_TRY(const Compiled compiled, compile_model(model, request).in(model.name));
  const Program& program = *compiled.program;
  Summary summary{.placements = program.placements(),
                  .memory = program.memory(),
                  .run = program.modelled(),
                  .steps = program.steps(),
                  .files = {}};
  if (!options.output.empty()) {
    HONE_TRY(summary.files, written(program, options.output).in(compiled.target->name));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, &model, options.model.model, json_of(summary, compiled)));
  }
  if (!options.json.to_stdout()) context.out << text_of(summary, compiled);
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  options->model.declare(flags);
  flags.find("--model").required(false);  // --rules does without.
  options->target.target = "npu";
  options->target.declare(flags);
  flags.text("-o,--output DIR", options->output,
             "write the program there: a listing of its commands, placement, memory, and what the "
             "device loads");
  flags.toggle("--rules", options->rules, "what decides whether a node can run on an NPU");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_compile = {
    .name = "compile",
    .summary = "Makes a program for a device: what runs where and why, memory, commands, time.",
    .examples = {"hone compile model_int8.onnx -d ethos-u55-128",
                 "hone compile zoo:mobilenet_v2:int8 -d npu -o program", "hone compile --rules"},
    .declare = declare,
};

}  // namespace hone
